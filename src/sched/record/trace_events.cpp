// Writes the events of the scheduler and of the program, one function for each.
#include "sched/record/trace_events.hpp"

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/base/stop_reason.hpp"
#include "sched/record/trace_stack.hpp"
#include "sched/record/trace_word.hpp"
#include "sys/thread/asymmetric.hpp"
#include "sys/thread/thread.hpp"
#include "trace/stacks.hpp"

namespace rota::rt {

namespace {

// Caller: holds a p or the lock, or takes the m's p. The thread was written into the stream when
// the m got the p.
trace_stream& stream_of(m& mp) {
    ROTA_DCHECK(mp.traced.thread == static_cast<std::uint64_t>(
                                        mp.tid.load(memory_order_relaxed)));  // relaxed: fixed then
    return mp.traced;
}

void name_thread(m& mp) {
    // relaxed: fixed while it has a p, and by its own thread before
    mp.traced.thread = static_cast<std::uint64_t>(mp.tid.load(memory_order_relaxed));
}

// Whether the m writes without trace.mu.
bool writes_alone(const m* self) { return self != nullptr && self->pp != nullptr; }

// The stream of the calling thread, for as long as this lives. Null: no trace runs any more.
class trace_turn {
  public:
    explicit trace_turn(m* self) ROTA_NO_TSA  // only a thread without a p takes the lock
        : locked_(!writes_alone(self)) {
        if (locked_) {
            light_fence();  // pairs(fence), with the beginning of a trace
            if (!is_traced()) return;
            trace_log.mu.acquire();
        }
        held_ = locked_;
        if (!is_traced()) return;
        if (self != nullptr) {
            if (locked_) name_thread(*self);
            to_ = &stream_of(*self);
            return;
        }
        trace_log.outside.thread = static_cast<std::uint64_t>(current_thread_id());
        to_ = &trace_log.outside;
    }
    ~trace_turn() ROTA_NO_TSA {
        if (held_) trace_log.mu.release();
    }
    trace_turn(const trace_turn&) = delete;
    trace_turn& operator=(const trace_turn&) = delete;

    trace_stream* to() const { return to_; }

  private:
    const bool locked_;
    bool held_ = false;
    trace_stream* to_ = nullptr;
};

// The reader of the trace checks these numbers.
std::uint32_t next_seq(p& pp) { return ++pp.trace_seq; }

std::uint32_t used(std::uint32_t stack) {
    trace_stacks.use(stack, trace_log.generation);
    return stack;
}

// Tells gp, which is not told in this generation, unless the goroutine that serves the trace comes
// first. `assumed`: its state if the trace has just begun.
ROTA_NOINLINE traced_word tell(m* self, trace_stream& to, std::uint64_t now, g& gp,
                               traced_word word, traced_g assumed) {
    const traced_g state = word.generation() >= trace_log.first ? word.state() : assumed;
    const traced_word fresh(trace_log.generation, state);
    if (!word.replace_in(gp, fresh)) return word;
    trace_put_at(to, now, trace_event::go_status_stack, gp.goid, trace_no_thread, state,
                 used(trace_function(self, beginning_of(gp))));
    return fresh;
}

// What has been told of gp in this generation.
ROTA_ALWAYS_INLINE traced_word told(m* self, trace_stream& to, std::uint64_t now, g& gp,
                                    traced_g assumed) {
    const traced_word word = traced_word::of(gp);
    if (ROTA_LIKELY(word.generation() == trace_log.generation)) return word;
    return tell(self, to, now, gp, word, assumed);
}

// The word of a goroutine that has begun to run, or entered a system call, in this generation, or
// was told at its begin.
traced_word told_as(const g& gp, [[maybe_unused]] traced_g state) {
    const traced_word word = traced_word::of(gp);
    ROTA_DCHECK(word.generation() == trace_log.generation && word.state() == state);
    return word;
}

ROTA_ALWAYS_INLINE void start(m& self, trace_stream& to, std::uint64_t now, g& gp) {
    const traced_word word = told(&self, to, now, gp, traced_g::runnable);
    ROTA_DCHECK(word.state() == traced_g::runnable);
    const traced_word next = word.next(traced_g::running);
    next.store_in(gp);
    trace_put_here(to, now, trace_event::go_start, gp.goid, next.seq());
}

void end_blocked(m& self, trace_stream& to, g& gp) {
    told_as(gp, traced_g::syscall).as(traced_g::runnable).store_in(gp);
    self.trace_in_syscall = false;
    trace_put(to, trace_event::go_syscall_end_blocked);
}

// The running goroutine goes into a system call with pp, in the stream of its m.
void begin_syscall(m& mp, p& pp, std::uint32_t stack) {
    trace_stream& to = stream_of(mp);
    told_as(*mp.curg, traced_g::running).as(traced_g::syscall).store_in(*mp.curg);
    mp.trace_in_syscall = true;
    mp.trace_p_seq = next_seq(pp);
    mp.trace_p_gen = pp.trace_gen;
    pp.trace_tid = static_cast<int>(to.thread);
    trace_put(to, trace_event::go_syscall_begin, pp.trace_seq, stack);
}

// A thread without a p has no stack to show.
std::uint32_t stack_here(m* self) { return writes_alone(self) ? trace_stack(*self) : 0; }

}  // namespace

const char* trace_fixed_text(std::uint32_t id) {
    if (id == trace_text_gosched) return "runtime.Gosched";
    if (id == trace_text_preempted) return "preempted";
    if (id == trace_text_stops + static_cast<unsigned>(stop_reason::gomaxprocs))
        return "GOMAXPROCS";
    if (id == trace_text_stops + static_cast<unsigned>(stop_reason::trace))
        return "trace generation";
    if (id == trace_text_stops + static_cast<unsigned>(stop_reason::leaks))
        return "goroutine leak profile";
    if (id == 0 || id > static_cast<std::uint32_t>(wait_reason::count)) return nullptr;
    const auto why = static_cast<wait_reason>(id - 1);
    switch (why) {
        case wait_reason::none: return "unspecified";
        case wait_reason::chan_receive:
        case wait_reason::chan_send:
        case wait_reason::select:
        case wait_reason::sleep:
        case wait_reason::runtime_run: return wait_reason_text(why);
        case wait_reason::chan_receive_nil:
        case wait_reason::chan_send_nil:
        case wait_reason::select_no_cases: return "forever";
        case wait_reason::cond_wait: return "sync.(*Cond).Wait";
        case wait_reason::synctest_run:
        case wait_reason::synctest_wait: return "synctest";
        case wait_reason::io_wait: return "network";
        default: return "sync";
    }
}

namespace {

ROTA_ALWAYS_INLINE void leave(m& self, trace_stream& to, std::uint64_t now, std::uint32_t stack) {
    g& gp = *self.curg;
    const traced_word word = told_as(gp, traced_g::running);
    switch (readgstatus(gp)) {
        case g_status::waiting:
            word.as(traced_g::waiting).store_in(gp);
            trace_put_here(to, now, trace_event::go_block, trace_reason(gp.why), stack);
            break;
        case g_status::dead:
            word.as(traced_g::none).store_in(gp);
            trace_put_here(to, now, trace_event::go_destroy);
            break;
        default:
            word.as(traced_g::runnable).store_in(gp);
            trace_put_here(to, now, trace_event::go_stop,
                           self.trace_preempts ? trace_text_preempted : trace_text_gosched, stack);
            self.trace_preempts = false;
    }
}

}  // namespace

void trace_leave(m& self) {
    const std::uint32_t stack = trace_stack_here(self);
    leave(self, stream_of(self), trace_now(), stack);
}

void trace_switch(m& self, g& next) {
    const std::uint32_t stack = trace_stack_here(self);
    trace_stream& to = stream_of(self);
    const std::uint64_t now = trace_now();
    leave(self, to, now, stack);
    start(self, to, now, next);
}

void trace_go_syscall(m& self, p& pp) { begin_syscall(self, pp, stack_here(&self)); }

void trace_go_start(m& self, g& gp) { start(self, stream_of(self), trace_now(), gp); }

namespace {

// gp begins to exist in the trace. False: it was told already, found in a trace that had just
// begun; later no goroutine is told before this.
bool begin_to_exist(g& gp) {
    traced_word word = traced_word::of(gp);
    if (word.generation() >= trace_log.first && word.state() != traced_g::none) return false;
    const traced_word fresh(trace_log.generation, traced_g::runnable);
    if (ROTA_UNLIKELY(trace_log.generation == trace_log.first)) return word.replace_in(gp, fresh);
    fresh.store_in(gp);
    return true;
}

ROTA_ALWAYS_INLINE void unblock(m* self, trace_stream& to, g& gp, std::uint32_t stack) {
    const std::uint64_t now = trace_now();
    const traced_word word = told(self, to, now, gp, traced_g::waiting);
    if (word.state() != traced_g::waiting) return;
    const traced_word next = word.next(traced_g::runnable);
    next.store_in(gp);
    trace_put_here(to, now, trace_event::go_unblock, gp.goid, next.seq(), stack);
}

}  // namespace

void trace_go_create(m& self, g& gp) {
    const std::uint32_t creator = stack_here(&self);
    const trace_turn mine(&self);
    if (mine.to() == nullptr || !begin_to_exist(gp)) return;
    if (self.pp != nullptr) {
        const std::uint32_t entry = used(trace_function(&self, beginning_of(gp)));
        trace_put(*mine.to(), trace_event::go_create, gp.goid, entry, creator);
        return;
    }
    // Without a p no goroutine is created. But a thread may come in with a goroutine of its own, as
    // out of a system call, and that goroutine then waits for a p.
    trace_put(*mine.to(), trace_event::go_create_syscall, gp.goid);
    trace_put(*mine.to(), trace_event::go_syscall_end_blocked);
}

void trace_go_unblock(m& self, g& gp) {
    const std::uint32_t stack = trace_stack_here(self);
    unblock(&self, stream_of(self), gp, stack);
}

void trace_go_unblock(g& gp) {
    m* const self = getm_or_null();
    if (writes_alone(self)) {
        if (is_traced()) trace_go_unblock(*self, gp);
        return;
    }
    const trace_turn mine(self);
    if (mine.to() != nullptr) unblock(nullptr, *mine.to(), gp, 0);
}

void trace_proc_start(m& self, p& pp) {
    name_thread(self);
    trace_stream& to = stream_of(self);
    if (pp.trace_gen != trace_log.generation) {
        pp.trace_gen = trace_log.generation;
        pp.trace_seq = 0;
        trace_put(to, trace_event::proc_status, pp.id, traced_p::idle);
    }
    trace_put(to, trace_event::proc_start, pp.id, next_seq(pp));
}

void trace_proc_stop(m& self, p&) { trace_put(stream_of(self), trace_event::proc_stop); }

void trace_proc_steal(p& pp) {
    const trace_turn mine(getm_or_null());
    if (mine.to() == nullptr) return;
    ROTA_DCHECK(pp.trace_gen == trace_log.generation);
    trace_put(*mine.to(), trace_event::proc_steal, pp.id, next_seq(pp), pp.trace_tid);
}

void trace_proc_take(p& pp, m& mp) {
    begin_syscall(mp, pp, 0);
    trace_proc_steal(pp);
}

void trace_procs_change(m& self, std::int32_t n) {
    if (self.pp == nullptr || self.curg->is_thread) return;
    trace_put(stream_of(self), trace_event::procs_change, n, stack_here(&self));
}

void trace_old_p(m& self, p& pp) {
    name_thread(self);
    trace_stream& to = stream_of(self);
    const bool is_same = self.trace_in_syscall && pp.trace_gen == self.trace_p_gen &&
                         pp.trace_seq == self.trace_p_seq;
    if (is_same) {
        self.trace_in_syscall = false;
        told_as(*self.curg, traced_g::syscall).as(traced_g::running).store_in(*self.curg);
        trace_put(to, trace_event::go_syscall_end);
        return;
    }
    trace_proc_steal(pp);
    trace_proc_start(self, pp);
    trace_go_on(self);
}

void trace_go_on(m& self) {
    trace_stream& to = stream_of(self);
    g& gp = *self.curg;
    if (self.trace_in_syscall) end_blocked(self, to, gp);
    start(self, to, trace_now(), gp);
}

void trace_go_wait(m& self) {
    const trace_turn mine(&self);
    if (mine.to() != nullptr && self.trace_in_syscall) end_blocked(self, *mine.to(), *self.curg);
}

void trace_stop_begin(m& self, unsigned why) {
    if (self.pp == nullptr || self.curg->is_thread) return;
    trace_log.stop_is_told = true;
    trace_put(stream_of(self), trace_event::stw_begin, trace_text_stops + why, stack_here(&self));
}

void trace_stop_end(m& self) {
    if (!trace_log.stop_is_told) return;
    trace_log.stop_is_told = false;
    trace_put(stream_of(self), trace_event::stw_end);
}

void trace_m_ends(m& self) {
    const trace_turn mine(&self);
    if (mine.to() != nullptr) trace_chunks.flush(self.traced);
}

namespace {

// The stream of the calling goroutine. Caller: inside the runtime.
m& here() {
    m& self = getm();
    ROTA_DCHECK(self.pp != nullptr && !self.curg->is_thread);
    return self;
}

}  // namespace

void trace_task_begin(std::uint64_t task, std::uint64_t parent, std::string_view name) {
    m& self = here();
    trace_put(stream_of(self), trace_event::task_begin, task, parent,
              trace_strings.often(name, trace_log.generation), stack_here(&self));
}

void trace_task_end(std::uint64_t task) {
    m& self = here();
    trace_put(stream_of(self), trace_event::task_end, task, stack_here(&self));
}

void trace_region_begin(std::uint64_t task, std::string_view name) {
    m& self = here();
    trace_put(stream_of(self), trace_event::region_begin, task,
              trace_strings.often(name, trace_log.generation), stack_here(&self));
}

void trace_region_end(std::uint64_t task, std::string_view name) {
    m& self = here();
    trace_put(stream_of(self), trace_event::region_end, task,
              trace_strings.often(name, trace_log.generation), stack_here(&self));
}

void trace_user_log(std::uint64_t task, std::string_view category, std::string_view text) {
    m& self = here();
    const std::uint32_t key = trace_strings.often(category, trace_log.generation);
    trace_put(stream_of(self), trace_event::log, task, key, trace_strings.once(text),
              stack_here(&self));
}

}  // namespace rota::rt
