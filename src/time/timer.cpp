// The public operations on timers: dispatches by kind of timer, and panics at misuse.
#include <rota/panic.hpp>

#include "time/timer_block.hpp"

namespace rota::detail {

namespace {

bool sends(const timer_block& b) { return b.what == timer_block::kind::sends; }

}  // namespace

hchan* timer_channel(timer_block* b) noexcept {
    return sends(*b) ? chan_timer_channel(*b) : nullptr;
}

void timer_retain(timer_block* b) noexcept {
    if (sends(*b)) chan_timer_retain(*b);
    else func_timer_retain(*b);
}

void timer_release(timer_block* b) noexcept {
    if (sends(*b)) chan_timer_release(*b);
    else func_timer_release(*b);
}

bool timer_stop(timer_block* b) {
    if (b == nullptr) throw panic_error("time: Stop called on uninitialized Timer");
    return sends(*b) ? chan_timer_stop(*b) : func_timer_stop(*b);
}

bool timer_reset(timer_block* b, std::int64_t ns) {
    if (b == nullptr) throw panic_error("time: Reset called on uninitialized Timer");
    return sends(*b) ? chan_timer_reset(*b, ns, false) : func_timer_reset(*b, ns);
}

void ticker_stop(timer_block* b) {
    if (b != nullptr) (void)chan_timer_stop(*b);
}

void ticker_reset(timer_block* b, std::int64_t ns) {
    if (ns <= 0) panic_ticker_interval();
    if (b == nullptr) throw panic_error("time: Reset called on uninitialized Ticker");
    (void)chan_timer_reset(*b, ns, true);
}

void panic_ticker_interval() { throw panic_error("non-positive interval for NewTicker"); }

}  // namespace rota::detail
