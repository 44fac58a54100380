// Finds cycles among goroutines that can never run again. Each waits for a lock that the next
// goroutine has locked, or for a channel that only the next goroutine can still reach; the last
// waits for the first.
//
// The search for unreachable goroutines (diag/leak/unreachable) has proved that these wait, and
// that only they can reach the objects for which they wait. This search finds the order:
//
//     goroutine ──► the channels for which it waits
//     channel   ──► the goroutines, and the channels, in which there is a pointer to it
//     goroutine ──► the goroutine that has locked the mutex for which it waits
//
// A strong component of this graph with at least two goroutines and two objects has a cycle; the
// shortest cycle is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diag/leak/marking.hpp"

namespace rota::rt {

struct cycle_member {
    std::uint64_t goid;
    const void* object;  // the awaited object, which the next member could serve
    bool is_channel;     // else a mutex, or another object of a goroutine's
};
using wait_cycle = std::vector<cycle_member>;

class wait_graph {
  public:
    // False: the kernel has no room for it.
    [[nodiscard]] bool reserve(std::size_t edges_max) { return edges_.reserve(edges_max); }

    // Notes the edges between unmarked candidates. Caller: marking is complete, and no goroutine
    // runs. If room or time runs out, cycles are missed.
    void note(marking& marks, std::int64_t until_ns);

    // Returns a cycle of each component. Caller: after note(), once goroutines run again. Throws
    // std::bad_alloc.
    std::vector<wait_cycle> cycles(marking& marks);

    memory_range extent() const { return edges_.extent(); }

  private:
    struct edge {
        std::uint32_t from, to;  // candidates by number, blocks behind them
    };
    void add(std::uint32_t from, std::uint32_t to);
    void note_waits(marking& marks, const candidate& c, std::uint32_t number);
    void note_holder(marking& marks, const void* words, std::size_t count, std::uint32_t number);

    mapped_room<edge> edges_;
};

}  // namespace rota::rt
