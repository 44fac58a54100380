// Samples of processor time on their way into a trace, from a CPU profile that runs meanwhile.
//
// Handlers put samples into a queue (diag/stack/sample_queue) of the trace's own, beside the
// profile's. The goroutine that drives the trace empties the queue ten times a second. A sample
// that finds no room or no memory is missing in the trace, which stays valid. Go:
// runtime/tracecpu.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/atomic.hpp"
#include "diag/stack/sample_queue.hpp"

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

    // Caller: before the first profile takes samples. Without memory, traces get no samples.
    void make_room();

    // For handlers: whether a trace wants a sample, which then also records where it was taken; and
    // the sample. relaxed: one more or less
    bool is_wanted() const { return is_wanted_.load(memory_order_relaxed); }
    void add(const cpu_sample& s);

    // Caller of these: the goroutine that drives the trace, one call at a time, in user code.
    // Before the first begin. Throws std::bad_alloc.
    void prepare();
    void begin();
    void end();
    void collect();
    // Collects, and returns the samples from before that moment.
    std::vector<traced_sample> take_until(std::int64_t time);

  private:
    static constexpr std::size_t kept_max = 65'536;
    void keep(const cpu_sample& s) noexcept;

    atomic<sample_queue*> ring_{nullptr};  // made once, and kept
    atomic<bool> is_wanted_{false};
    // --- written by the goroutine that drives the trace
    std::vector<traced_sample>* kept_ = nullptr;  // made by prepare, for good
    std::int64_t began_ = 0;                      // nanotime; older: of an earlier trace
};
inline constinit trace_samples_t trace_samples;
// At the end of the process, and of the child of a fork, a thread may be inside any of this. (The
// explorer's atomics are different types.)
#if !defined(ROTA_MODEL)
static_assert(std::is_trivially_destructible_v<trace_samples_t>);
#endif

}  // namespace rota::rt
