// Makes ms, ps and goroutines for schedules without booting the runtime.
#include "rig.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include <gtest/gtest.h>
#include <sched.h>

#include "arch/context.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/latency.hpp"
#include "sched/base/schedule.hpp"
#include "sched/m/m_thread.hpp"
#include "sched/queue/idle.hpp"
#include "sched/queue/m_bind.hpp"
#include "sched/queue/run_queue.hpp"
#include "sys/thread/thread.hpp"

namespace model {

using namespace rota::rt;

namespace {

// On one processor no thread spins for a lock. The explorer preempts its threads anyway, and each
// round of a spin would add a schedule. The runtime asks once and keeps the answer.
const int processors = [] {
    cpu_set_t before;
    cpu_set_t one;
    ::sched_getaffinity(0, sizeof before, &before);
    int first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &before)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    const int n = processor_count();
    ::sched_setaffinity(0, sizeof before, &before);
    return n;
}();

void become(m& self) {
    minit(self);  // without a signal stack: kernel.cpp
}

constexpr std::size_t g_stack_size = 128 * 1024;

struct storage {
    alignas(cache_line) p ps[machine::p_max];
    alignas(cache_line) m ms[machine::m_max];
    alignas(cache_line) g gs[machine::g_max];
    std::function<void()>* bodies[machine::g_max] = {};
};
storage* store = nullptr;
alignas(64) std::byte stacks[machine::g_max][g_stack_size];
const char* const p_names[] = {"p0", "p1", "p2"};
const char* const m_names[] = {"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"};

void run_body(void* closure) {
    auto* const body = static_cast<std::function<void()>*>(closure);
    (*body)();
    delete body;
}

}  // namespace

stranger::stranger() {
    ROTA_CHECK(processors == 1);
    become(me_);
    me_.foreign = true;
}

stranger::~stranger() { set_self(nullptr); }

void asymmetric_mode::set(bool on) {
    for (auto* each : {&asymmetric.heavy, &asymmetric.restart, &asymmetric.light})
        each->store(on, memory_order_seq_cst);
    asymmetric.owner.store(on ? 1 : 0, memory_order_seq_cst);
}

void expect_holds_in_both_modes(const options& how, const std::function<void()>& body) {
    for (const bool on : {false, true}) {
        const asymmetric_mode mode(on);
        std::printf("    %s\n",
                    on ? "restartable sequences, light fences:" : "locked instructions:");
        expect_holds(how, body);
    }
}

options small(unsigned departures) {
    options o;
    o.tick = 30'000;
    o.departures = departures;
    o.leaks = false;  // goroutines that never ran keep memory
    return o;
}

// --- machine -------------------------------------------------------------------------------------

machine::machine(int procs) {
    if (store == nullptr) store = new storage;
    store->~storage();
    new (store) storage;
    std::memset(static_cast<void*>(&sched.allp), 0, sizeof sched.allp);
    sched.gomaxprocs = procs;
    m self;
    become(self);
    // Allocates the memory of queue and heaps before the first schedule.
    {
        const lock_guard guard(sched.mu);
        sched.runq.push(self.g0);
        (void)sched.runq.pop();
    }
    for (int i = 0; i < procs; ++i) {
        p& pp = store->ps[i];
        pp.id = i;
        sched.allp[i] = &pp;
        timer t;
        timer_errand due;
        (void)pp.timers.reset(t, 1);
        (void)pp.timers.pop_due(2, &due, 1);
    }
    for (int i = 0; i < m_max; ++i) {
        store->ms[i].id = static_cast<std::uint64_t>(i);
        store->ms[i].rand = rng(static_cast<std::uint64_t>(i) + 1);
    }
    sched.m_count = m_max;
    for (int i = 0; i + 1 < m_max; ++i) store->ms[i].all_link = &store->ms[i + 1];
    sched.allm.store(&store->ms[0], memory_order_relaxed);
    {
        const lock_guard guard(sched.mu);
        for (int i = procs; i-- > 0;) pidle_put(store->ps[i]);
    }
    set_self(nullptr);
    restore_before_each(&sched, sizeof sched);
    restore_before_each(&net_poller, sizeof net_poller);
    restore_before_each(store, sizeof *store);
    restore_before_each(this, sizeof *this);
}

machine::~machine() {
    forget_images();
    const lock_guard guard(sched.mu);
    sched.idle_p = nullptr;
    sched.idle_p_count.store(0, memory_order_relaxed);
    sched.allm.store(nullptr, memory_order_relaxed);
    sched.gomaxprocs = 0;
}

void machine::time_passes() {
    timer_errand due;
    constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max() - 1;
    const std::uint32_t n = proc(0).timers.pop_due(end_of_time, &due, 1);
    if (n == 1 && due.arg != nullptr) due.run(due.arg);
}

p& machine::proc(int i) { return store->ps[i]; }
m& machine::thread_m(int i) { return store->ms[i]; }

namespace {

// Removes `pp` from the idle list.
void take_off_idle_list(p& pp) ROTA_REQUIRES(sched.mu) {
    for (p** link = &sched.idle_p; *link != nullptr; link = &(*link)->idle_link) {
        if (*link != &pp) continue;
        *link = pp.idle_link;
        pp.idle_link = nullptr;
        sched.idle_p_count.fetch_sub(1, memory_order_seq_cst);
        return;
    }
    ROTA_CHECK(false && "this p is taken already");
}

}  // namespace

void machine::begin(int own_p) {
    forget_runnable_outside();  // so that each schedule times the same goroutines
    m& self = store->ms[m_count_++];
    become(self);
    name(sched, "sched");
    name(sched.idle_p_count, "idle_p_count");
    name(sched.nmspinning, "nmspinning");
    name(sched.need_spinning, "need_spinning");
    name(sched.mu, "sched.mu");
    for (int i = 0; i < sched.gomaxprocs; ++i) {
        name(store->ps[i], p_names[i]);
        name(store->ps[i].runq_head, "head");
        name(store->ps[i].runq_tail, "tail");
        name(store->ps[i].runnext, "runnext");
    }
    for (int i = 0; i < m_max; ++i) name(store->ms[i], m_names[i]);
    if (own_p < 0) {
        self.foreign = true;
        return;
    }
    {
        const lock_guard guard(sched.mu);
        take_off_idle_list(store->ps[own_p]);
    }
    acquirep(self, store->ps[own_p]);
}

void machine::idle_m(const char* name) {
    m& self = store->ms[m_count_++];
    {
        const lock_guard guard(sched.mu);
        midle_put(self);
    }
    daemon(name, [&self] {
        become(self);
        self.in_runtime.store(1, memory_order_relaxed);
        self.park.sleep();
        acquirep(self, *self.next_p);
        self.next_p = nullptr;
        schedule_loop(self);
    });
}

void machine::spare_ms() {
    constexpr int spares = 4;
    the_engine->offer_choices(false);
    for (int i = 0; i < spares; ++i) idle_m("spare");
    wait_until_quiet();
    the_engine->offer_choices(true);
}

void machine::busy_m(const char* name, int its_p, bool spinning) {
    m& self = store->ms[m_count_++];
    p& pp = store->ps[its_p];
    {
        const lock_guard guard(sched.mu);
        take_off_idle_list(pp);
    }
    if (spinning) {
        self.spinning = true;
        sched.nmspinning.fetch_add(1, memory_order_seq_cst);
    }
    daemon(name, [&self, &pp] {
        become(self);
        self.in_runtime.store(1, memory_order_relaxed);
        acquirep(self, pp);
        schedule_loop(self);
    });
}

g& machine::goroutine(const char*, std::function<void()> f) {
    g& gp = store->gs[g_count_];
    std::byte* const top = stacks[g_count_] + g_stack_size;
    ++g_count_;
    gp.stack.lo = top - g_stack_size;
    gp.stack.hi = top;
    gp.sched.sp = top;
    gp.sched.pc = reinterpret_cast<void*>(&rota_gostart);
    gp.sched.bp = nullptr;
    gp.goid = static_cast<std::uint64_t>(g_count_);
    gp.entry = run_body;
    gp.closure = new std::function<void()>(std::move(f));
    gp.status.store(g_status::runnable, memory_order_relaxed);
    return gp;
}

void machine::worker(g& next, g* behind) {
    if (behind != nullptr) runq_put(proc(0), *behind, false);
    runq_put(proc(0), next, true);
    spare_ms();
    busy_m("worker", 0, false);
}

// rota::rt::stack_for_each: visits the goroutines of the machine, whose headers lie in no stack.
extern "C" void __wrap__ZN4rota2rt14stack_for_eachEPFvRKNS0_10stack_slotEPvES4_(
    void (*visit)(const stack_slot&, void*), void* arg) {
    if (store == nullptr) return;
    constexpr std::size_t size = (sizeof(g) + cache_line - 1) / cache_line * cache_line;
    for (g& gp : store->gs) {
        stack_slot slot;
        slot.lo = slot.hi = reinterpret_cast<std::byte*>(&gp) + size;
        ROTA_CHECK(header_of(slot) == &gp);
        visit(slot, arg);
    }
}

void machine::check_idle_lists() {
    const lock_guard guard(sched.mu);
    int ps = 0;
    for (const p* pp = sched.idle_p; pp != nullptr; pp = pp->idle_link) {
        ++ps;
        MODEL_CHECK(runq_empty(*pp));
    }
    MODEL_CHECK(ps == sched.idle_p_count.load(memory_order_relaxed));
    int ms = 0;
    for (const m* mp = sched.idle_m; mp != nullptr; mp = mp->idle_next) {
        ++ms;
        MODEL_CHECK(mp->is_idle && mp->pp == nullptr && !mp->spinning);
    }
    MODEL_CHECK(ms == sched.idle_m_count);
}

result expect_holds_on_one_p(const options& how, const std::function<void(machine&)>& body) {
    const asymmetric_mode mode(true);
    machine rig(1);
    return expect_holds(how, [&] {
        rig.begin(-1);
        body(rig);
    });
}

void block_thread_until(atomic<std::uint32_t>& word, std::uint32_t value) {
    for (;;) {
        const std::uint32_t now = word.load(memory_order_acquire);
        if (now == value) return;
        (void)the_engine->futex_wait(&word, now, -1);
    }
}

void set_and_unblock(atomic<std::uint32_t>& word, std::uint32_t value) {
    word.store(value, memory_order_release);
    (void)the_engine->futex_wake(&word, INT_MAX);
}

}  // namespace model
