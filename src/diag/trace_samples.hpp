// Samples of the processor's time on their way into a trace: those of a CPU profile that runs
// meanwhile.
//
// Handlers put them into a queue (diag/profile_ring) of the trace's own, beside the profile's; who
// sees to the trace empties it ten times a second. What finds no room, or no memory, is missing in
// the trace, which is as good without it. Go: runtime/tracecpu.go.
#pragma once

#include <cstdint>
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

    // Before the first sample. Throws std::bad_alloc.
    void make_room();
    // A handler has taken one.
    void add(const cpu_sample& s);

    // Caller of these: who sees to the trace, one at a time, in user code.
    void begin();
    void end();
    void collect();
    // Collects, and gives away those from before that moment.
    std::vector<traced_sample> take_until(std::int64_t time);

  private:
    void keep(const cpu_sample& s) noexcept;

    atomic<profile_ring*> ring_{nullptr};  // made once, and kept
    atomic<bool> is_wanted_{false};        // relaxed: one more or less
    // who sees to the trace
    std::vector<traced_sample> kept_;
};
inline constinit trace_samples_t trace_samples;

}  // namespace rota::rt
