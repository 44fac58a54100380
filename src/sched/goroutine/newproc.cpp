// newproc makes a goroutine: it takes a dead g with its stack, lays out name and closure, gives it
// a goid and queues it in runnext.
#include "sched/goroutine/newproc.hpp"

#include <cstring>
#include <system_error>

#include "base/fatal.hpp"
#include "base/probe.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/switch_told.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/goroutine/gfree.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/record/creation.hpp"
#include "sched/record/labels.hpp"
#include "sched/record/trace_events.hpp"

namespace rota::rt {

namespace {

constexpr std::uint64_t goid_batch = 16;

std::uint64_t next_goid(p* pp) {
    // relaxed: numbers need only be different.
    if (pp == nullptr) return sched.goid_gen.fetch_add(1, memory_order_relaxed) + 1;
    if (pp->goid_next == pp->goid_end) {
        pp->goid_next = sched.goid_gen.fetch_add(goid_batch, memory_order_relaxed) + 1;
        pp->goid_end = pp->goid_next + goid_batch;
    }
    return pp->goid_next++;
}

[[noreturn]] ROTA_COLD void throw_no_stack(std::size_t size) {
    throw std::system_error(
        std::make_error_code(std::errc::not_enough_memory),
        "rota::go: no address space for a goroutine stack of " + std::to_string(size) +
            " bytes (limits: ulimit -v, vm.max_map_count, vm.overcommit_memory)");
}

std::uintptr_t align_down(std::uintptr_t v, std::size_t align) {
    return v & ~(std::uintptr_t{align} - 1);
}

// Lays out name and closure below the header, and the first frame below them. The byte behind the
// closure stays unused, so a pointer to the closure's end is no pointer to the header
// (diag/leak/marking).
void* lay_out(g& gp, std::size_t size, std::size_t align, std::string_view name) {
    std::uintptr_t at = reinterpret_cast<std::uintptr_t>(&gp) - name.size();
    if (!name.empty()) std::memcpy(reinterpret_cast<char*>(at), name.data(), name.size());
    gp.name_size = static_cast<std::uint8_t>(name.size());
    gp.is_leaked = gp.calls_address = false;
    gp.at_start = 0;
    gp.blocked_turns = gp.blocked_calls = 0;
    at = align_down(at - size - 1, align < 16 ? 16 : align);
    gp.closure = reinterpret_cast<void*>(at);
    gp.sched.sp = gp.closure;
    gp.sched.pc = reinterpret_cast<void*>(&rota_gostart);
    gp.sched.bp = nullptr;
    return gp.closure;
}

ROTA_NOINLINE void queue_with_extras(m& self, g& gp) {
    if ((self.ready_extras & m::ready_creations) != 0) note_creation(gp);
    if (is_traced()) trace_go_create(self, gp);
    put_with_extras(self, gp);
}

void publish(g& gp, entry_fn entry, const void* created_at) {
    m& self = getm();
    gp.entry = entry;
    gp.created_at = creation_place(created_at);
    gp.parent_goid = self.curg->goid;
    gp.caught = nullptr;
    gp.uncaught = 0;
    gp.why = wait_reason::none;
    gp.waits_outside = false;
    ROTA_PROBE2("go_create", "8", gp.goid, "8", gp.parent_goid);
    if (ROTA_UNLIKELY(labels_of(*self.curg) != nullptr)) inherit_labels(*self.curg, gp);
    if (ROTA_UNLIKELY(self.curg->in != nullptr)) bubble_enter(*self.curg->in, gp);
    if (ROTA_LIKELY(self.pp != nullptr)) {
        ROTA_DCHECK(readgstatus(gp) == g_status::dead);
        // From here on a scan in progress may look at gp.
        gp.status.store(g_status::runnable, memory_order_release);  // pairs(scan.created)
        bump(self.pp->counts.created);
        note_runnable(*self.pp, gp);
        if (ROTA_UNLIKELY(self.ready_extras != 0)) return queue_with_extras(self, gp);
        runq_put(*self.pp, gp, true);
        wakep_for_next(*self.pp);
        return;
    }
    // A trace that begins at this moment may look at gp before gp is in a queue.
    ROTA_CHECK(readgstatus(gp) == g_status::dead);
    if (are_creations_kept()) note_creation(gp);
    gp.status.store(g_status::runnable, memory_order_release);  // pairs(trace.created)
    trace_go_create(self, gp);
    note_runnable_outside(gp);
    shared_counts.created.fetch_add(1, memory_order_relaxed);  // relaxed: for reports
    {
        const lock_guard guard(sched.mu);
        global_put(gp);
    }
    wakep();
}

}  // namespace

void spawn_main(detail::spawn_slot slot, void (*entry)(void*), run_record& record) {
    static constinit atomic<bool> first_taken{false};
    g& gp = *static_cast<g*>(slot.g);
    // relaxed: the first caller of the exchange is the first.
    gp.goid = first_taken.exchange(true, memory_order_relaxed) ? next_goid(nullptr) : 1;
    gp.main_of = &record;
    gp.calls_address = true;
    publish(gp, entry, __builtin_return_address(0));
}

void spawn_from_scheduler(entry_fn entry, void* arg, const void* created_at) {
    m& self = getm();
    const std::uint8_t cls = default_stack_class.load(memory_order_relaxed);  // relaxed: a setting
    g* const gp = gfget(self.pp, cls);
    if (gp == nullptr) {
        fatal("no address space for the stack of a timer's goroutine", trace_scope::current,
              "runtime: limits: ulimit -v, vm.max_map_count, vm.overcommit_memory");
    }
    fiber_create(gp->fib, gp->stack.usable_lo(),
                 static_cast<std::size_t>(gp->stack.hi - gp->stack.usable_lo()));
    if (ROTA_UNLIKELY(are_stacks_told)) stack_begins_told(*gp);
    (void)lay_out(*gp, 0, 1, {});
    gp->closure = arg;
    gp->goid = next_goid(self.pp);
    gp->main_of = nullptr;
    publish(*gp, entry, created_at);
}

std::size_t set_default_stack(std::size_t bytes) {
    // relaxed, both: settings. Of two concurrent calls each returns the value that another call has
    // set.
    default_stack_class.store(stack_class_for(bytes), memory_order_relaxed);
    return default_stack_set.exchange(bytes, memory_order_relaxed);
}

}  // namespace rota::rt

namespace rota::detail {

using namespace rota::rt;

namespace {

ROTA_ALWAYS_INLINE void commit(spawn_slot slot, entry_fn entry, const void* created_at) {
    const runtime_entry inside;
    g& gp = *static_cast<g*>(slot.g);
    gp.goid = next_goid(getm().pp);
    gp.main_of = nullptr;
    publish(gp, entry, created_at);
}

}  // namespace

spawn_slot spawn_begin(std::size_t size, std::size_t align, std::size_t stack_size,
                       std::string_view name) {
    const std::uint8_t cls = stack_size == 0 ? default_stack_class.load(memory_order_relaxed)
                                             : stack_class_for(stack_size);  // relaxed: a setting
    constexpr std::size_t name_max = 128;
    if (name.size() > name_max) name = name.substr(0, name_max);
    g* gp = nullptr;
    {
        const runtime_entry inside;
        gp = gfget(getm().pp, cls);
    }
    if (gp == nullptr) throw_no_stack(stack_class_size(cls));
    fiber_create(gp->fib, gp->stack.usable_lo(),
                 static_cast<std::size_t>(gp->stack.hi - gp->stack.usable_lo()));
    if (ROTA_UNLIKELY(are_stacks_told)) stack_begins_told(*gp);
    return {gp, lay_out(*gp, size, align, name)};
}

ROTA_NOINLINE void spawn_commit(spawn_slot slot, void (*entry)(void*)) {
    commit(slot, entry, __builtin_return_address(0));
}

ROTA_NOINLINE void spawn_commit_address(spawn_slot slot, void (*entry)(void*)) {
    static_cast<g*>(slot.g)->calls_address = true;
    commit(slot, entry, __builtin_return_address(0));
}

void spawn_abort(spawn_slot slot) noexcept {
    const runtime_entry inside;
    g& gp = *static_cast<g*>(slot.g);
    fiber_destroy(gp.fib);
    gfput(getm().pp, gp);
}

void fatal_nil_func() { fatal("go of nil func value"); }

}  // namespace rota::detail
