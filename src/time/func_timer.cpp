// Implements timers that call a function: a due timer makes a goroutine that runs the closure. Go:
// AfterFunc, goFunc.
//
// Each handle has a reference, and so has each goroutine that runs the closure, and the timer
// itself while it is started or about to call. The last release destroys the timer. A timer that
// comes due hands its own reference to the goroutine. A timer that is due when it is set makes the
// goroutine at once, as rota::go does, and never is in the heap.
#include <cstddef>
#include <new>

#include "core/getg.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/goroutine/newproc.hpp"
#include "sched/queue/timers.hpp"
#include "time/timer_block.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) func_timer : timer_block {
    explicit func_timer(const closure_ops& o) : timer_block(kind::calls), ops(o) {}

    // --- fixed -------------------------------------------------------------------
    const closure_ops& ops;
    const void* created_at = nullptr;
    const bubble* made_in = nullptr;  // it comes due by the clock of this bubble; null: nanotime()

    // --- any thread --------------------------------------------------------------------
    atomic<std::uint64_t> refs{1};  // pairs(timer.refs): the last release sees every write

    void* closure() { return this + 1; }
};
func_timer& func_of(timer_block& b) { return static_cast<func_timer&>(b); }

void release(func_timer& ft) noexcept {
    if (ft.refs.fetch_sub(1, memory_order_acq_rel) != 1) return;  // pairs(timer.refs)
    ft.ops.destroy(ft.closure());
    ft.~func_timer();
    ::operator delete(&ft);
}

// The goroutine's function: runs the closure, then drops the reference.
void call(void* arg) {
    struct keeper {
        func_timer& ft;
        ~keeper() { release(ft); }
    } keep{*static_cast<func_timer*>(arg)};
    keep.ft.ops.call(keep.ft.closure());
}

// Called when the timer is due: makes the goroutine.
void fire(void* arg) {
    auto& ft = *static_cast<func_timer*>(arg);
    if (ROTA_UNLIKELY(is_too_late())) {
        if (postpone_for_good(ft.t)) release(ft);  // each start holds a reference
        return;
    }
    spawn_from_scheduler(call, arg, ft.created_at);
}

// Whether ft comes due while it is set. A timer of a bubble comes due by the bubble's clock, and
// calls inside the bubble.
bool is_due_at_once(const func_timer& ft, std::int64_t ns) {
    return ns <= 0 && ft.made_in == getm().curg->in;
}

void fire_at_once(func_timer& ft) {
    note_due_at_once(ft.t);
    fire(&ft);
}

}  // namespace

func_timer_place func_timer_begin(std::size_t size, const closure_ops& ops) {
    auto* const ft = new (::operator new(sizeof(func_timer) + size)) func_timer(ops);
    return {ft, ft->closure()};
}

ROTA_NOINLINE void func_timer_start(timer_block* b, std::int64_t ns) {
    func_timer& ft = func_of(*b);
    const runtime_entry inside;
    ft.created_at = __builtin_return_address(0);
    ft.made_in = getm().curg->in;
    ft.t.arg = &ft;
    ft.t.run = fire;
    ft.refs.store(2, memory_order_relaxed);  // relaxed: no other thread knows it
    if (is_due_at_once(ft, ns)) return fire_at_once(ft);
    start_new_timer(ft.t, moment_in(current_now(), ns));
}

void func_timer_abort(timer_block* b) noexcept {
    func_timer& ft = func_of(*b);
    ft.~func_timer();
    ::operator delete(&ft);
}

bool func_timer_stop(timer_block& b) {
    func_timer& ft = func_of(b);
    bool stopped = false;
    {
        const runtime_entry inside;
        stopped = stop_timer(ft.t);
    }
    if (stopped) release(ft);  // not the last reference: the caller has its own
    return stopped;
}

bool func_timer_reset(timer_block& b, std::int64_t ns) {
    func_timer& ft = func_of(b);
    ft.refs.fetch_add(1, memory_order_relaxed);  // relaxed: the caller has a reference
    bool was_started = false;
    {
        const runtime_entry inside;
        const bool at_once = is_due_at_once(ft, ns);
        was_started = at_once ? stop_timer(ft.t) : start_timer(ft.t, moment_in(current_now(), ns));
        if (at_once) fire_at_once(ft);
    }
    if (was_started) release(ft);  // each start holds a reference
    return was_started;
}

void func_timer_retain(timer_block& b) noexcept {
    func_of(b).refs.fetch_add(1, memory_order_relaxed);  // relaxed: the caller has a reference
}
void func_timer_release(timer_block& b) noexcept { release(func_of(b)); }

}  // namespace rota::detail
