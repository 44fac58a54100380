// Implements both sides of a scan: the scanner, and the ms that give way to it.
#include "sched/preempt/scan.hpp"

#include <atomic>

#include "sys/call/clock.hpp"
#include "sys/call/futex.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Reads a field that belongs to an m, which changes it meanwhile. The field is one word; the
// barriers around the call say what may be concluded from it.
template <class T>
ROTA_READS_RACING T peek(const T& field) {
    asm volatile("" : : : "memory");
    const T value = field;
    asm volatile("" : : : "memory");
    return value;
}

}  // namespace

void stack_scan::note(const g* gp) {
    if (gp == nullptr || peek(gp->is_thread)) return;
    const auto* const at = reinterpret_cast<const std::byte*>(gp);
    if (at < lo_ || at >= hi_) return;
    if (noted_count_ < noted_max) noted_[noted_count_++] = gp;
    else usable_ = false;
}

// Announces the scan. False: no stack can be read.
bool stack_scan::announce() {
    usable_ = asymmetric.heavy.load(memory_order_seq_cst);  // pairs(asymmetric.on)
    noted_count_ = 0;
    lo_ = hi_ = nullptr;
    sched.scanning.fetch_add(1, memory_order_relaxed);                // relaxed: the barrier below
    sched.direct_switch_blockers.fetch_add(1, memory_order_relaxed);  // relaxed: as above
    if (usable_) heavy_fence();                                       // pairs(scan.stop)
    return usable_;
}

// Notes running goroutines. A goroutine that was allowed to start before the barrier is marked as
// running.
void stack_scan::note_running(const stack_slot& slot, void* self) {
    auto& scan = *static_cast<stack_scan*>(self);
    const g& gp = *header_of(slot);
    scan.look_at(slot);
    if (readgstatus(gp) == g_status::running) scan.note(&gp);
}

void stack_scan::look_at(const stack_slot& slot) {
    if (lo_ == nullptr || slot.lo < lo_) lo_ = slot.lo;
    if (slot.hi > hi_) hi_ = slot.hi;
}

void stack_scan::note_on_ms() {
    heavy_fence();
    // An m on its way from prev to curg sets `after`, then curg, then saves the registers, then
    // clears `after`. Read in this order, with a barrier in between, one of the two shows prev.
    m* const all = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (const m* mp = all; mp != nullptr; mp = mp->all_link) note(peek(mp->curg));
    heavy_fence();
    for (const m* mp = all; mp != nullptr; mp = mp->all_link) {
        if (peek(mp->after) != nullptr) note(peek(mp->prev));
    }
    heavy_fence();
}

void stack_scan::begin() {
    if (!announce()) return;
    stack_for_each(note_running, this);
    note_on_ms();
}

void stack_scan::begin(stack_place at, std::uint32_t count) {
    if (!announce()) return;
    stack_for_some(at, count, note_running, this);
    note_on_ms();
}

void stack_scan::end() {
    sched.direct_switch_blockers.fetch_sub(1, memory_order_release);  // pairs(scan.over)
    sched.scanning.fetch_sub(1, memory_order_release);                // pairs(scan.over)
}

bool stack_scan::holds(const g& gp) const {
    const g_status status = gp.status.load(memory_order_acquire);  // pairs(scan.created)
    if (!usable_ || (status != g_status::waiting && status != g_status::runnable)) return false;
    for (std::size_t i = 0; i < noted_count_; ++i) {
        if (noted_[i] == &gp) return false;
    }
    return true;
}

slot_tour::slot_tour() : newest_(sched.goid_gen.load(memory_order_relaxed)) {}  // relaxed: about

// A goroutine that is just being made may still have the number of its slot's previous goroutine.
ROTA_READS_RACING bool slot_tour::is_on_it(const g& gp) const {
    const g_status status = readgstatus(gp);
    return status != g_status::idle && status != g_status::dead && gp.goid <= newest_;
}

bool slot_tour::find_next() {
    struct search {
        const slot_tour& tour;
        bool found = false;
    };
    while (is_more_) {
        search s{*this};
        stack_place behind = at_;
        const bool is_more = stack_for_some(
            behind, at_once,
            [](const stack_slot& slot, void* arg) {
                auto& s = *static_cast<search*>(arg);
                s.found = s.found || s.tour.is_on_it(*header_of(slot));
            },
            &s);
        if (s.found) return true;
        at_ = behind;
        is_more_ = is_more;
    }
    return false;
}

// Slots handed out since may have come in between: the count of slots that this visits decides.
void slot_tour::visit(void (*visit)(const stack_slot&, void*), void* arg) {
    is_more_ = stack_for_some(at_, at_once, visit, arg);
}

void wait_for_scan(g& gp) {
    constexpr long look_again = 20'000;  // ns
    do {
        casgstatus(gp, g_status::running, g_status::runnable);
        while (sched.scanning.load(memory_order_acquire) != 0)  // pairs(scan.over)
            thread_sleep_ns(look_again);
        casgstatus(gp, g_status::runnable, g_status::running);
        std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(scan.stop)
    } while (sched.scanning.load(memory_order_acquire) != 0);  // pairs(scan.over)
}

stopped_hold::stopped_hold() {
    sched.holding_stopped.fetch_add(1, memory_order_relaxed);  // relaxed: the barrier below
    if (asymmetric.heavy.load(memory_order_seq_cst))           // pairs(asymmetric.on)
        heavy_fence();                                         // pairs(scan.stopped)
}

stopped_hold::~stopped_hold() {
    sched.holding_stopped.fetch_sub(1, memory_order_release);  // pairs(scan.move)
}

// The m that a goroutine names while it does not run may be any m: then that m has another
// goroutine under it, or is not still.
ROTA_READS_RACING const gobuf* stopped_hold::find(const g& gp) const {
    const m* const mp = peek(gp.mp);
    if (mp == nullptr || !asymmetric.heavy.load(memory_order_seq_cst) ||  // pairs(asymmetric.on)
        !mp->is_still.load(memory_order_acquire))                         // pairs(scan.still)
        return nullptr;
    return peek(mp->curg) == &gp ? &mp->still_at : nullptr;
}

void stand_still(m& self, const gobuf& interrupted) {
    self.still_at = interrupted;
    self.still_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    self.is_still.store(true, memory_order_release);  // pairs(scan.still)
}

void move_again(m& self) {
    constexpr long look_again = 20'000;  // ns
    for (;;) {
        self.is_still.store(false, memory_order_relaxed);     // relaxed: who holds brings the
        std::atomic_signal_fence(std::memory_order_seq_cst);  // barrier; pairs(scan.stopped)
        if (sched.holding_stopped.load(memory_order_acquire) == 0) return;  // pairs(scan.move)
        self.is_still.store(true, memory_order_release);                    // pairs(scan.still)
        // No thread wakes it. Not by the C library's sleep: the thread may be cancelled in that.
        std::uint32_t holds = 0;
        while ((holds = sched.holding_stopped.load(memory_order_acquire)) != 0)  // pairs(scan.move)
            (void)futex_wait(sched.holding_stopped, holds, nanotime() + look_again);
    }
}

}  // namespace rota::rt
