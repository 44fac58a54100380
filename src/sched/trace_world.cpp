// Ends and beginnings, with the world stopped.
#include "sched/trace_world.hpp"

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/seeded.hpp"
#include "sched/stw.hpp"
#include "sched/trace_events.hpp"
#include "sys/asymmetric.hpp"
#include "sys/clock.hpp"
#include "trace/stacks.hpp"

namespace rota::rt {

namespace {

constinit std::int64_t began_at = 0;  // who holds the world's lock: when this generation did

// Everything that has been written goes to the list.
trace_list collect() ROTA_REQUIRES(trace_log.mu) {
    m* const all = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (m* mp = all; mp != nullptr; mp = mp->all_link) trace_chunks.flush(mp->traced);
    trace_chunks.flush(trace_log.outside);
    trace_chunks.flush(trace_log.nobody);
    trace_strings.flush();
    return trace_chunks.take();
}

// The state of gp when a trace begins. Goroutines of ms without a p may just be changing theirs:
// see sched/trace_events. They may even be about to construct it: then it is idle or dead, before
// and afterwards.
ROTA_READS_RACING traced_g state_at_begin(const g& gp) {
    switch (gp.status.load(memory_order_acquire)) {  // pairs(trace.created)
        case g_status::runnable:
        case g_status::preempted: return traced_g::runnable;
        case g_status::running: return traced_g::running;
        case g_status::syscall: return traced_g::syscall;
        case g_status::waiting: return traced_g::waiting;
        case g_status::idle:
        case g_status::dead: break;
    }
    return traced_g::none;
}

// The state that the events have told; none of one that is just being constructed, as above.
ROTA_READS_RACING traced_g state_told(const g& gp) {
    return gp.trace_epoch == trace_log.epoch ? gp.trace_state : traced_g::none;
}

struct telling {
    m& self;
    bool is_begin;
    std::uint64_t count = 0;
};

void tell_g(g& gp, telling& t) ROTA_REQUIRES(trace_log.mu) {
    if (t.is_begin) {
        const traced_g state = state_at_begin(gp);
        if (state == traced_g::none) return;
        gp.trace_epoch = trace_log.epoch;
        gp.trace_state = state;
        if (state == traced_g::syscall) gp.mp->trace_in_syscall = true;
    } else if (state_told(gp) == traced_g::none) {
        return;
    }
    ++t.count;
    gp.trace_seq = 0;
    const bool has_thread =
        gp.trace_state == traced_g::running || gp.trace_state == traced_g::syscall;
    const std::uint64_t thread =
        has_thread ? static_cast<std::uint64_t>(gp.mp->tid.load(memory_order_relaxed))
                   : trace_no_thread;  // relaxed: fixed while a goroutine is on it
    // Who runs is the one who has stopped the world, and tells it where it runs.
    ROTA_DCHECK((gp.trace_state == traced_g::running) == (&gp == t.self.curg));
    trace_stream& to = &gp == t.self.curg ? t.self.traced : trace_log.nobody;
    const std::uint32_t stack = trace_function(t.self, gp.entry);
    trace_stacks.use(stack, trace_log.generation);
    trace_put(to, trace_event::go_status_stack, gp.goid, thread, gp.trace_state, stack);
}

// All ps are in our hands; to a reader those that nobody runs on are idle.
void tell_ps(m& self) ROTA_REQUIRES(trace_log.mu) {
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        p& pp = *sched.allp[i];
        const bool is_ours = &pp == self.pp;
        pp.trace_gen = trace_log.generation;
        pp.trace_seq = 0;
        trace_put(is_ours ? self.traced : trace_log.nobody, trace_event::proc_status, pp.id,
                  is_ours ? traced_p::running : traced_p::idle);
    }
}

std::uint64_t tell_all(m& self, bool is_begin) ROTA_REQUIRES(trace_log.mu) {
    self.traced.thread =
        static_cast<std::uint64_t>(self.tid.load(memory_order_relaxed));  // relaxed: our own
    tell_ps(self);
    telling t{self, is_begin};
    stack_for_each(
        [](const stack_slot& slot, void* arg) ROTA_NO_TSA {  // the caller holds it
            tell_g(*header_of(slot), *static_cast<telling*>(arg));
        },
        &t);
    // Without a stack: who unwinds may have to wait for a thread that is stopped, which may have to
    // wait for us.
    trace_put(self.traced, trace_event::procs_change, proc_count(), 0);
    return t.count;
}

void begin(bool with_stacks) ROTA_REQUIRES(trace_log.mu) {
    ++trace_log.epoch;
    trace_log.stacks = with_stacks;
    // What an m says of itself is about an earlier trace.
    m* const all = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (m* mp = all; mp != nullptr; mp = mp->all_link) mp->trace_in_syscall = false;
    sched.through_g0.fetch_add(through_g0_lock, memory_order_relaxed);  // relaxed: nobody runs
    __atomic_store_n(&trace_log.on, 1u, __ATOMIC_RELAXED);
    heavy_fence();  // pairs(fence), with those who hold no p
}

void end() ROTA_REQUIRES(trace_log.mu) {
    __atomic_store_n(&trace_log.on, 0u, __ATOMIC_RELAXED);
    sched.through_g0.fetch_sub(through_g0_lock, memory_order_relaxed);  // relaxed: nobody runs
}

}  // namespace

// Where a p cannot be taken from who does not come, a stop of the world may last for long, and a
// trace makes one every second.
bool is_trace_impossible() {
    return seeded.on || !asymmetric.heavy.load(memory_order_seq_cst);  // pairs(asymmetric.on)
}

bool trace_advance(trace_step step, bool with_stacks, trace_generation& done) {
    world_lock();
    m& self = getm();
    const std::int64_t asked = nanotime();
    if (!stop_the_world(stop_reason::trace)) {
        world_unlock();
        return false;
    }
    {
        const lock_guard guard(trace_log.mu);
        if (is_traced()) trace_stop_end(self);
        done.chunks = collect();
        done.number = trace_log.generation;
        done.began = began_at;
        began_at = done.ended = nanotime();
        ++trace_log.generation;
        if (step == trace_step::begin) begin(with_stacks);
        else trace_log.stacks = with_stacks;
        if (step == trace_step::end) end();
        else done.goroutines = tell_all(self, step == trace_step::begin);
        self.ready_extras = is_traced() ? m::ready_traced : 0;
    }
    done.pause = nanotime() - asked;
    start_the_world();
    world_unlock();
    return true;
}

}  // namespace rota::rt
