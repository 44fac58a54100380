// Circles among goroutines that can never run again: each waits for a lock that the next one has
// locked, or for a channel that nobody but the next one can still reach, the last for one of the
// first.
//
// The search for unreachable goroutines (diag/unreachable) has proved that these wait, and that
// only they can reach what they wait for. What is left to find is in what order:
//
//     goroutine ──► the channels for which it waits
//     channel   ──► the goroutines, and the channels, in which there is a pointer to it
//     goroutine ──► who has locked the mutex for which it waits
//
// In strong components of this graph with two goroutines at least, and two objects, there is a
// circle; the shortest one is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diag/marking.hpp"

namespace rota::rt {

struct circle_member {
    std::uint64_t goid;
    const void* object;  // for which it waits, and which the next one could serve
    bool is_channel;     // else a mutex, or another object of a goroutine's
};
using wait_circle = std::vector<circle_member>;

class wait_graph {
  public:
    // False: the kernel has no room for it.
    [[nodiscard]] bool reserve(std::size_t edges_max) { return edges_.reserve(edges_max); }

    // Notes what those have to do with each other who have not been marked. Caller: all is marked,
    // and nobody runs. Where there is no more room, or time, circles are missed.
    void note(marking& marks, std::int64_t until_ns);

    // One for each component. Caller: after that, when others run again. Throws std::bad_alloc.
    std::vector<wait_circle> circles(marking& marks);

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
