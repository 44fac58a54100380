// Ends a batch: decides when the next batch comes, and whether there is a storm.
#include "timer/pace.hpp"

namespace rota::rt {

void timer_pace::end_batch(std::int64_t now, std::uint32_t count, std::uint32_t left,
                           bool has_readied) {
    if (now - window_at_.load(memory_order_relaxed) >= gap_ns) {
        window_at_.store(now, memory_order_relaxed);
        in_window_.store(0, memory_order_relaxed);
    }
    const std::uint32_t in_window = in_window_.load(memory_order_relaxed) + count;
    in_window_.store(in_window, memory_order_relaxed);
    const bool is_storm = count >= storm || (in_window >= storm_in_gap && count + left >= storm);
    if (is_storm != is_storm_.load(memory_order_relaxed))
        is_storm_.store(is_storm, memory_order_relaxed);
    if (is_storm) {
        not_before_.store((now / storm_ns + 1) * storm_ns, memory_order_relaxed);
        return;
    }
    const std::int64_t ticks_until = ticks_until_.load(memory_order_relaxed);
    const bool has_ticks = has_readied && ticks_until > now;
    if (has_ticks || short_until_.load(memory_order_relaxed) > now) forget_gap();
}

}  // namespace rota::rt
