// Ends and begins generations with the world stopped, and tells goroutines without events.
#include "sched/world/trace_world.hpp"

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/base/modes.hpp"
#include "sched/record/creation.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/record/trace_stack.hpp"
#include "sched/record/trace_word.hpp"
#include "sched/world/stw.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/asymmetric.hpp"
#include "trace/stacks.hpp"

namespace rota::rt {

namespace {

// when this generation began; written by the holder of the world's lock
constinit trace_moment began_at;

// Streams go on with the moment at which the generation begins, also if the clock changes there.
void wind_streams(std::uint64_t now) ROTA_REQUIRES(trace_log.mu) {
    m* const all = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (m* mp = all; mp != nullptr; mp = mp->all_link) mp->traced.last = now;
    trace_log.outside.last = trace_log.nobody.last = now;
}

// Moves the threads' events behind what was told of them, even where their processors' clocks are
// behind the caller's.
void put_behind_nobody() ROTA_REQUIRES(trace_log.mu) {
    const std::uint64_t now = trace_log.nobody.last + 1;
    m* const all = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (m* mp = all; mp != nullptr; mp = mp->all_link) {
        if (mp->traced.last < now) mp->traced.last = now;
    }
    if (trace_log.outside.last < now) trace_log.outside.last = now;
}

// Moves everything that has been written to the list.
trace_list collect() ROTA_REQUIRES(trace_log.mu) {
    m* const all = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (m* mp = all; mp != nullptr; mp = mp->all_link) trace_chunks.flush(mp->traced);
    trace_chunks.flush(trace_log.outside);
    trace_chunks.flush(trace_log.nobody);
    trace_strings.flush();
    return trace_chunks.take();
}

void tell_state(trace_stream& to, m& self, const g& gp, std::uint64_t thread, traced_g state) {
    const std::uint32_t stack = trace_function(&self, beginning_of(gp));
    trace_stacks.use(stack, trace_log.generation);
    trace_put(to, trace_event::go_status_stack, gp.goid, thread, state, stack);
}

std::uint64_t thread_of(const m& mp) {
    // relaxed: fixed while a goroutine is on it
    return static_cast<std::uint64_t>(mp.tid.load(memory_order_relaxed));
}

// Whether the m is in a system call that the trace does not know. Ms without a p may just be
// leaving a call: see sched/record/trace_events.
ROTA_READS_RACING bool is_in_syscall(const m& mp) {
    const g* const gp = mp.curg;
    return gp != nullptr && !gp->is_thread && gp->mp == &mp &&
           gp->status.load(memory_order_relaxed) == g_status::syscall;  // relaxed: behind a barrier
}

// Tells the running goroutine, which is the one that has stopped the world, and those in system
// calls.
void tell_running(m& self, bool is_begin) ROTA_REQUIRES(trace_log.mu) {
    const std::uint32_t now = trace_log.generation;
    traced_word(now, traced_g::running).store_in(*self.curg);
    tell_state(self.traced, self, *self.curg, thread_of(self), traced_g::running);
    m* const all = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (m* mp = all; mp != nullptr; mp = mp->all_link) {
        if (is_begin) mp->trace_in_syscall = is_in_syscall(*mp);
        if (!mp->trace_in_syscall) continue;
        traced_word(now, traced_g::syscall).store_in(*mp->curg);
        tell_state(trace_log.nobody, self, *mp->curg, thread_of(*mp), traced_g::syscall);
    }
}

// Tells the ps. The caller holds all of them; to a reader a p without a goroutine is idle.
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

// Ps come first: `go tool trace` draws a running goroutine that has no p yet on none, and gives up
// when it stops.
void tell_begin(m& self, bool is_begin) ROTA_REQUIRES(trace_log.mu) {
    self.traced.thread = thread_of(self);
    tell_ps(self);
    tell_running(self, is_begin);
    // Without a stack: an unwinder may have to wait for a stopped thread, which may have to wait
    // for the caller.
    trace_put(self.traced, trace_event::procs_change, proc_count(), 0);
}

void begin() ROTA_REQUIRES(trace_log.mu) {
    ++trace_log.epoch;
    trace_log.first = trace_log.generation;
    // relaxed: no m runs
    sched.direct_switch_blockers.fetch_add(blockers_per_lock, memory_order_relaxed);
    __atomic_store_n(&trace_log.on, 1u, __ATOMIC_RELAXED);
    heavy_fence();  // pairs(fence), with threads that hold no p
}

void end() ROTA_REQUIRES(trace_log.mu) {
    __atomic_store_n(&trace_log.on, 0u, __ATOMIC_RELAXED);
    // relaxed: no m runs
    sched.direct_switch_blockers.fetch_sub(blockers_per_lock, memory_order_relaxed);
}

}  // namespace

bool is_first_of_trace() {
    if (!is_traced()) return false;
    const lock_guard guard(trace_log.mu);
    return is_traced() && trace_log.generation == trace_log.first;
}

// Where no p can be taken from a goroutine that neither yields nor returns, a stop of the world may
// last for long, and a trace makes one every second.
bool is_trace_impossible() {
    return seeded.on || !asymmetric.heavy.load(memory_order_seq_cst);  // pairs(asymmetric.on)
}

namespace {

// The goroutines that no event of this generation has told, a batch at a time.
class untold {
  public:
    explicit untold(m& self) : self_(self) {}

    // Notes gp, if there is room. What is read here of a changing goroutine is not used then.
    ROTA_READS_RACING void note(g& gp) {
        const traced_word word = traced_word::of(gp);
        if (word.generation() == trace_log.generation) return;
        traced_g state = traced_g::none;
        if (word.generation() >= trace_log.first) state = word.state();
        else if (trace_log.generation == trace_log.first) state = state_at_begin(gp);
        if (state != traced_g::runnable && state != traced_g::waiting) return;
        all_[count_++] = {&gp, word, state};
    }

    // Tells the noted goroutines; returns how many.
    ROTA_READS_RACING std::uint32_t tell() {
        // A trace has just begun, and a noted goroutine may be new: after the fence, what its maker
        // wrote before it became runnable is visible.
        if (trace_log.generation == trace_log.first && count_ != 0) heavy_fence();
        std::uint32_t told = 0;
        for (std::uint32_t i = 0; i < count_; ++i) {
            noted& n = all_[i];
            const std::uint64_t goid = n.gp->goid;
            const trace_beginning beginning = beginning_of(*n.gp);
            if (!n.word.replace_in(*n.gp, traced_word(trace_log.generation, n.state))) continue;
            const std::uint32_t stack = trace_function(&self_, beginning);
            trace_stacks.use(stack, trace_log.generation);
            trace_put(trace_log.nobody, trace_event::go_status_stack, goid, trace_no_thread,
                      n.state, stack);
            ++told;
        }
        return told;
    }

    static constexpr std::uint32_t room = 256;

  private:
    // Goroutines of ms without a p may just be changing theirs, or be about to construct it. Such a
    // goroutine is idle or dead until it is runnable.
    static traced_g state_at_begin(const g& gp) {
        switch (gp.status.load(memory_order_acquire)) {  // pairs(trace.created)
            case g_status::runnable:
            case g_status::preempted:
            // A goroutine that was in a call when the trace began, or has entered one since, has
            // been told. So this one is about to be started, or was just put back, or has been let
            // out of the line.
            case g_status::running:
            case g_status::syscall: return traced_g::runnable;
            case g_status::waiting: return traced_g::waiting;
            default: return traced_g::none;
        }
    }

    struct noted {
        g* gp = nullptr;
        traced_word word{0, traced_g::none};
        traced_g state = traced_g::none;
    };
    m& self_;
    noted all_[room];
    std::uint32_t count_ = 0;
};

}  // namespace

bool trace_tell_some(stack_place& at, std::uint64_t& count) {
    untold some(getm());
    const bool is_more = stack_for_some(
        at, untold::room,
        [](const stack_slot& slot, void* arg) {
            static_cast<untold*>(arg)->note(*header_of(slot));
        },
        &some);
    count += some.tell();
    return is_more;
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
        done.uses_ticks = trace_clock.uses_ticks();
        done.began = began_at;
        done.ended = trace_clock.look();
        began_at = trace_clock.advance(done.ended);
        ++trace_log.generation;
        trace_log.stacks = with_stacks;
        wind_streams(began_at.stamp);
        if (step == trace_step::begin) begin();
        if (step == trace_step::end) {
            end();
        } else {
            tell_begin(self, step == trace_step::begin);
            put_behind_nobody();
        }
        self.ready_extras = extras_with_p(is_traced());
    }
    done.pause = nanotime() - asked;
    start_the_world();
    world_unlock();
    return true;
}

}  // namespace rota::rt
