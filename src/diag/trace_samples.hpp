// Samples of the processor's time on their way into a trace: those of a CPU profile that runs
// meanwhile.
//
// Handlers put them into a queue (diag/profile_ring) of the trace's own, beside the profile's; who
// sees to the trace empties it ten times a second. What finds no room, or no memory, is missing in
// the trace, which is as good without it. Go: runtime/tracecpu.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/atomic.hpp"
#include "diag/profile_ring.hpp"

namespace rota::rt {

struct traced_sample {
    std::int64_t time;        // nanotime
    std::uint64_t thread;     // the kernel's number
    std::uint64_t p;          // or cpu_sample::no_p
    std::uint64_t goroutine;  // or 0
    std::vector<std::uintptr_t> pcs;
};

class trace_samples_t {
  public:
    constexpr trace_samples_t() = default;

    // Before the first profile takes samples. Without memory none come into traces.
    void make_room();

    // For handlers: whether a trace wants a sample, which says where it was taken then; and the
    // sample.
    // relaxed: one more or less
    bool is_wanted() const { return is_wanted_.load(memory_order_relaxed); }
    void add(const cpu_sample& s);

    // Caller of these: who sees to the trace, one at a time, in user code.
    // Before the first begin. Throws std::bad_alloc.
    void prepare();
    void begin();
    void end();
    void collect();
    // Collects, and gives away those from before that moment.
    std::vector<traced_sample> take_until(std::int64_t time);

  private:
    static constexpr std::size_t kept_max = 65'536;
    void keep(const cpu_sample& s) noexcept;

    atomic<profile_ring*> ring_{nullptr};  // made once, and kept
    atomic<bool> is_wanted_{false};
    // who sees to the trace
    std::vector<traced_sample>* kept_ = nullptr;  // made by prepare, for good
    std::int64_t began_ = 0;                      // what is older is of an earlier trace
};
inline constinit trace_samples_t trace_samples;
// At the end of the process, and of the child of a fork, somebody may be amid any of this. (The
// explorer's atomics are others.)
#if !defined(ROTA_MODEL)
static_assert(std::is_trivially_destructible_v<trace_samples_t>);
#endif

}  // namespace rota::rt
