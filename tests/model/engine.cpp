// The fibers of a schedule: which fiber runs, which sleep, and the calls that change this.
#include "engine.hpp"

#include <cerrno>
#include <cstring>

#include "base/check.hpp"
#include "heap.hpp"

namespace model {

namespace {

constexpr std::size_t stack_size = 256 * 1024;
void at_schedule_point(rota::detail::point id) {
    // The other points stand beside an access or a system call, which is a choice itself.
    if (id == rota::detail::point::parked_not_gone) the_engine->schedule_point();
}

}  // namespace

engine* the_engine = nullptr;

engine::engine(const limits& l, void (*on_failure)(engine&, const char* why))
    : limits_(l),
      on_failure_(on_failure),
      events_(std::make_unique<event[]>(event_max)),
      shared_(std::make_unique<const void*[]>(shared_max)) {
    names_.reserve(256);
    departures_.reserve(4096);
    for (thread& t : threads_) {
        t.late.reserve(16);
        t.stack = std::make_unique_for_overwrite<std::byte[]>(stack_size);
    }
}

engine::~engine() = default;

void engine::run(const std::function<void()>& body, strategy& how) {
    how_ = &how;
    memory_.reset();
    names_.clear();
    departures_.clear();
    event_count_ = 0;
    steps_ = choices_ = in_a_row_ = 0;
    now_ = 1'000'000;
    for (thread& t : threads_) {
        t.is = state::unused;
        t.late.clear();
    }
    thread_count_ = 0;
    lives_ = 0;
    offers_ = true;
    current_ = 0;
    thread& first = threads_[thread_count_++];
    first.body = [&body] { body(); };
    first.name = "main";
    first.daemon = false;
    prepare(first);
    ++lives_;
    rota::rt::self_header* const own = rota::rt::self();
    the_engine = this;
    rota::detail::explored = this;
    rota::detail::sched_point_hook = at_schedule_point;
    running_ = true;
    rota::rt::set_self(nullptr);
    rota::rt::context_switch(host_, first.context);
    running_ = false;
    rota::detail::explored = nullptr;
    rota::detail::sched_point_hook = nullptr;
    rota::rt::set_self(own);
    for (unsigned i = 0; i < thread_count_; ++i) threads_[i].body = nullptr;
    the_engine = nullptr;
}

// --- threads -------------------------------------------------------------------------------------

void engine::fiber_main() {
    engine& e = *the_engine;
    try {
        e.threads_[e.current_].body();
    } catch (const std::exception& thrown) {
        e.fail(thrown.what());
    } catch (...) {
        e.fail("an exception left a thread");
    }
    the_engine->thread_ends();
}

void engine::prepare(thread& t) {
    std::byte* top = t.stack.get() + stack_size - 64;
    top -= reinterpret_cast<std::uintptr_t>(top) % 16;
#if defined(__x86_64__)
    top -= sizeof(void*);  // the stack as behind a call
    std::memset(top, 0, sizeof(void*));
#endif
    t.context.sp = top;
    t.context.pc = reinterpret_cast<void*>(&fiber_main);
    t.context.bp = nullptr;
    t.self = nullptr;
    t.exceptions = {};
    t.is = state::ready;
    t.timed_out = t.in_sequence = t.restarted = false;
    t.futex = nullptr;
    t.deadline = -1;
}

unsigned engine::spawn(std::function<void()> f, const char* name, bool daemon) {
    ROTA_CHECK(thread_count_ < thread_max);
    const unsigned id = thread_count_++;
    thread& t = threads_[id];
    t.body = std::move(f);
    t.name = name;
    t.daemon = daemon;
    prepare(t);
    ++lives_;
    memory_.start_thread(current_, id);
    record(event::kind::spawn, nullptr, id, std::memory_order_relaxed, 0, 0, name);
    return id;
}

void engine::thread_ends() {
    thread& t = threads_[current_];
    drain(t);
    record(event::kind::end, nullptr, 0, std::memory_order_relaxed);
    t.is = state::ended;
    --lives_;
    bool over = true;
    for (unsigned i = 0; i < thread_count_; ++i) {
        thread& other = threads_[i];
        if (other.is == state::joining && other.waits_for == current_) other.is = state::ready;
        over = over && (other.is == state::ended || other.daemon);
    }
    ++steps_;
    if (over) leave_schedule();
    else choose_thread(false);
    ROTA_CHECK(false && "an ended thread runs on");
}

ROTA_NOINLINE void engine::leave_schedule() {
    how_->end(choices_);
    rota::rt::gobuf never;
    rota::rt::context_switch(never, host_);
}

ROTA_NOINLINE void engine::switch_to(unsigned next) {
    thread& from = threads_[current_];
    thread& to = threads_[next];
    rota::rt::eh_state& exceptions = *rota::rt::thread_eh_state();
    from.self = rota::rt::self();
    from.exceptions = exceptions;
    exceptions = to.exceptions;
    rota::rt::set_self(to.self);
    current_ = next;
    in_a_row_ = 0;
    rota::rt::context_switch(from.context, to.context);
}

// Lets the strategy choose the thread that goes on. `goes_on`: the current thread could.
void engine::choose_thread(bool goes_on) {
    options_at at(choice::thread, steps_);
    const bool its_turn = goes_on && in_a_row_ < limits_.in_a_row;
    if (its_turn) at.add(current_, 0);
    for (unsigned i = 1, id = current_; i < thread_count_; ++i) {
        if (++id == thread_count_) id = 0;
        if (threads_[id].is == state::ready) at.add(id, its_turn ? 1 : 0);
    }
    if (at.count == 0 && goes_on) at.add(current_, 0);
    if (at.count == 0) {
        for (unsigned id = 0; id < thread_count_; ++id) {
            if (threads_[id].is == state::quiet) {
                threads_[id].is = state::ready;
                at.add(id, 0);
                break;
            }
        }
    }
    if (at.count == 0 || limits_.early_time_outs) add_time_outs(at);
    if (at.count == 0) fail("a deadlock: every thread sleeps");
    const unsigned next = at.count == 1 ? at.list[0].id : at.list[pick(at)].id;
    if (threads_[next].is == state::asleep) time_out(threads_[next]);
    if (next != current_ || !goes_on) switch_to(next);
}

// The sleeper with the earliest deadline may be the next to run.
void engine::add_time_outs(options_at& at) const {
    unsigned first = thread_max;
    for (unsigned id = 0; id < thread_count_; ++id) {
        const thread& t = threads_[id];
        if (t.is != state::asleep || t.deadline < 0) continue;
        if (first == thread_max || t.deadline < threads_[first].deadline) first = id;
    }
    if (first != thread_max) at.add(first, at.count > 0 ? 1 : 0);
}

void engine::time_out(thread& t) {
    t.timed_out = true;
    t.is = state::ready;
    if (now_ < t.deadline) now_ = t.deadline;
}

unsigned engine::pick(const options_at& at) {
    if (!offers_) return 0;
    if (at.kind == choice::thread) ++choices_;
    const heap::outside ours;
    const unsigned index = how_->pick(at);
    if (index != 0) departures_.push_back({at.step, at.kind, at.list[index].id});
    return index;
}

void engine::join(unsigned id) {
    thread& t = threads_[current_];
    if (threads_[id].is != state::ended) {
        t.is = state::joining;
        t.waits_for = id;
        ++steps_;
        choose_thread(false);
    }
    memory_.join_thread(current_, id);
}

void engine::wait_until_quiet() {
    threads_[current_].is = state::quiet;
    drain(threads_[current_]);
    ++steps_;
    choose_thread(false);
}

void engine::schedule_point() {
    if (is_alone()) return;
    ++steps_;
    choose_thread(true);
}

// --- the kernel ----------------------------------------------------------------------------------

long engine::futex_wait(const void* at, std::uint32_t expected, std::int64_t deadline) {
    ++steps_;
    if (!is_alone()) choose_thread(true);
    thread& t = threads_[current_];
    drain(t);
    complaint wrong = nullptr;
    const location* const l = memory_.locate(at, sizeof expected, wrong);
    if (l == nullptr) fail(wrong);
    std::uint32_t now = 0;
    std::memcpy(&now, at, sizeof now);
    if (now != expected) {
        record(event::kind::refused, l, now, std::memory_order_relaxed, expected);
        return -EAGAIN;
    }
    record(event::kind::sleep, l, now, std::memory_order_relaxed);
    t.is = state::asleep;
    t.futex = at;
    t.deadline = deadline;
    t.timed_out = false;
    t.asleep_since = ++waiting_count_;
    ++steps_;
    choose_thread(false);
    t.futex = nullptr;
    record(t.timed_out ? event::kind::timed_out : event::kind::woken, nullptr, 0,
           std::memory_order_relaxed);
    return t.timed_out ? -ETIMEDOUT : 0;
}

long engine::futex_wake(const void* at, std::uint32_t count) {
    ++steps_;
    if (!is_alone()) choose_thread(true);
    drain(threads_[current_]);
    std::uint32_t woken = 0;
    while (woken < count) {
        thread* first = nullptr;
        for (thread& t : threads_) {
            if (t.is != state::asleep || t.futex != at) continue;
            if (first == nullptr || t.asleep_since < first->asleep_since) first = &t;
        }
        if (first == nullptr) break;
        first->is = state::ready;
        first->futex = nullptr;
        ++woken;
    }
    record(event::kind::wake, nullptr, woken, std::memory_order_relaxed,
           reinterpret_cast<std::uintptr_t>(at));
    return static_cast<long>(woken);
}

void engine::membarrier(bool restarts) {
    ++steps_;
    if (!is_alone()) choose_thread(true);
    for (unsigned i = 0; i < thread_count_; ++i) {
        drain(threads_[i]);
        if (restarts && i != current_ && threads_[i].in_sequence) threads_[i].restarted = true;
    }
    memory_.barrier(thread_count_);
    record(event::kind::barrier, nullptr, restarts, std::memory_order_seq_cst);
}

}  // namespace model
