// Reads, from the frames of parked goroutines, the channels that they wait for.
#include "chan/awaited.hpp"

#include "sched/base/blocks.hpp"

namespace rota::rt {

using detail::hchan;

namespace {

// A wait with a time limit passes its commit function an address in its own frame.
bool lies_on_own_stack(const g& gp, const void* p) { return p >= gp.stack.lo && p < gp.stack.hi; }

awaited_channels for_ever(const void* arg) {
    awaited_channels w;
    w.is_known = arg == nullptr;  // else with a time limit
    return w;
}

awaited_channels one_channel(const g& gp) {
    awaited_channels w;
    if (gp.park_arg == nullptr || lies_on_own_stack(gp, gp.park_arg)) return w;
    const auto* const mu = static_cast<const std::byte*>(gp.park_arg);
    w.one = reinterpret_cast<const hchan*>(mu - offsetof(hchan, mu));
    w.count = w.places = 1;
    w.is_known = true;
    return w;
}

awaited_channels of_select(const g& gp) {
    if (gp.park_arg == nullptr) return for_ever(nullptr);
    awaited_channels w;
    if (!lies_on_own_stack(gp, gp.park_arg)) return w;
    const auto& s = *static_cast<const selected_channels*>(gp.park_arg);
    w.several = s.order;
    w.count = s.count;
    w.places = s.places;
    w.is_known = true;
    return w;
}

}  // namespace

awaited_channels channels_awaited_by(const g& gp) {
    switch (gp.why) {
        case wait_reason::chan_receive_nil:
        case wait_reason::chan_send_nil:
        case wait_reason::select_no_cases: return for_ever(gp.park_arg);
        case wait_reason::chan_receive:
        case wait_reason::chan_send: return one_channel(gp);
        case wait_reason::select: return of_select(gp);
        default: return {};
    }
}

bool find_block(const hchan& c, memory_range& block) {
    if (c.destroy != nullptr || c.buf != reinterpret_cast<const std::byte*>(&c + 1)) return false;
    block.lo = reinterpret_cast<std::uintptr_t>(&c);
    block.hi = block.lo + block_extent(sizeof c + c.elem_size * c.capacity);
    return true;
}

void visit_waiters(const hchan& c, void (*visit)(void* arg, const g& gp),
                   void* arg) ROTA_NO_TSA {  // nobody runs
    if (c.mu.is_held()) return;
    const auto show = [&](const chan_sudog& s) {
        // relaxed: nobody runs
        if (s.claim == nullptr || s.claim->load(memory_order_relaxed) == claim_open)
            visit(arg, *s.gp);
    };
    c.recvq.for_each(show);
    c.sendq.for_each(show);
}

}  // namespace rota::rt
