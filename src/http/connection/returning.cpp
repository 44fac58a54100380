// Returns the memory that connections have freed to the kernel; http/connection/held_memory.hpp
// says when.
#include <algorithm>
#include <new>

#include <rota/detail/time_engine.hpp>
#include <rota/go.hpp>
#include <rota/time.hpp>

#include "http/connection/server_state.hpp"
#include "mem/stack.hpp"
#include "sys/call/heap.hpp"

namespace rota::http::detail {

namespace {

// The least time between two trims of the heap, and between a large fall of the memory and the
// trim. So falls close together share a trim, and memory that is used again at once stays.
constexpr std::int64_t pause = 1'000'000'000;  // ns
// After a trim, none begins for `times_longer` times its duration. A trim holds the lock of an
// arena while it works on that arena, and a thread that allocates from the arena waits. Only its
// goroutine is delayed, since sysmon retakes its p. On a quiet Emerald Rapids a heap of 1 GiB in
// four arenas, half of it free, took:
//
//     free blocks of    512 B    4 KiB    8 KiB    64 KiB
//     first trim        96 ms    33 ms    216 ms   116 ms
//     next trim         81 ms    34 ms    50 ms    8 ms
//
// 64 MiB in blocks of 8 KiB took 16 ms. Beside compilers on both processors the longest wait of a
// thread was 121 ms of 394, 60 of 176, 8 of 18, and 420 of 441 with blocks of 512 B. glibc offers
// no trim in parts. GODEBUG=heaptrim=0 switches the trim off.
constexpr std::int64_t times_longer = 20;

// ns; no trim begins earlier. The process has one such moment, since it has one heap. relaxed: a
// pause need not be exact, and two servers may trim at once.
constinit rt::atomic<std::int64_t> next_trim{0};

void trim() {
    const std::int64_t began = rota::detail::clock_now();
    rota::blocking([] { rt::heap_trim(); });
    const std::int64_t now = rota::detail::clock_now();
    next_trim.store(now + std::max(pause, times_longer * (now - began)),
                    rt::memory_order_relaxed);  // relaxed: see next_trim
}

}  // namespace

void server_state::note_held(std::int64_t change) noexcept {
    if (memory_.note(change)) return_later();
}

void server_state::return_later() noexcept {
    if (is_returning_.exchange(true, rt::memory_order_acq_rel)) return;  // pairs(http.returning)
    waits_ = 0;
    set_return_timer();
}

// Caller: has set is_returning_. The server may be gone when the timer fires: its heap then still
// needs the trim.
void server_state::set_return_timer() noexcept {
    seen_held_ = memory_.held();
    const std::int64_t now = rota::detail::clock_now();
    const std::int64_t at =
        std::max(now + pause, next_trim.load(rt::memory_order_relaxed));  // relaxed: see there
    try {
        after_func(clock::duration(at - now), [weak = weak_from_this()] {
            if (const auto s = weak.lock()) s->return_memory();
            else trim();
        });
    } catch (const std::bad_alloc&) {
        // pairs(http.returning)
        (void)is_returning_.exchange(false, rt::memory_order_acq_rel);
    }
}

// True: connections are still leaving. A trim too early would keep the memory that the last
// connections hold.
bool server_state::still_falls() const {
    constexpr std::int64_t much = 1 << 20;
    constexpr int waits_max = 3;
    return waits_ < waits_max && seen_held_ - memory_.held() > much;
}

// Runs in the goroutine of the timer.
void server_state::return_memory() {
    // relaxed: see next_trim
    const bool is_early = rota::detail::clock_now() < next_trim.load(rt::memory_order_relaxed);
    if (memory_.has_fallen() && !is_early) {
        if (still_falls()) {
            ++waits_;
            return set_return_timer();
        }
        memory_.begin_anew();
        drop_spare_exchanges();
        // relaxed: a request to sysmon
        rt::stack_release_wanted.store(true, rt::memory_order_relaxed);
        trim();
    }
    // A fall since the test above is seen by this goroutine below, or note_held finds is_returning_
    // false.
    (void)is_returning_.exchange(false, rt::memory_order_acq_rel);  // pairs(http.returning)
    if (memory_.has_fallen()) return_later();
}

void server_state::drop_spare_exchanges() {
    constexpr int most = 1 << 20;  // a bound, since connections may put exchanges back meanwhile
    for (int n = 0; n < most; ++n) {
        rota::detail::pool_box* const b = exchanges_.take();
        if (b == nullptr) return;
        b->destroy(b);
    }
}

}  // namespace rota::http::detail
