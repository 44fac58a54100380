// Samples threads in a signal handler, and collects the samples on a thread.
#include "diag/profile/cpu.hpp"

#include <cerrno>
#include <ctime>
#include <exception>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/rand.hpp"
#include "core/getg.hpp"
#include "diag/stack/sample_queue.hpp"
#include "diag/stack/sample_stack.hpp"
#include "diag/trace/samples.hpp"
#include "mem/mapped.hpp"
#include "sched/record/labels.hpp"
#include "sys/call/clock.hpp"
#include "sys/signal/profile_timer.hpp"
#include "sys/thread/note.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t look_period_ns = 100'000'000;
constexpr int looks_at_tables = 10;  // looks for threads per look at the tables

// For the handlers. Made by the first profile, and kept.
constinit atomic<sample_queue*> samples{nullptr};
constinit atomic<bool> is_sampling{false};
constinit atomic<int> sampling_thread{0};  // its number while it runs

// The p may be taken from the thread meanwhile: this is a p that it has, or has had.
ROTA_READS_RACING const p* p_of(const m& of) { return of.pp; }

void say_where(const m* mp, const g* gp, cpu_sample& s) {
    const p* const pp = mp != nullptr ? p_of(*mp) : nullptr;
    const bool runs_goroutine = gp != nullptr && gp != &mp->g0 && !gp->is_thread;
    s.time = nanotime();
    s.thread = static_cast<std::uint64_t>(current_thread_id());
    s.p = pp != nullptr ? static_cast<std::uint64_t>(pp->id) : cpu_sample::no_p;
    s.goroutine = runs_goroutine ? gp->goid : 0;
}

void on_sample(const gobuf& at) {
    sample_queue* const ring = samples.load(memory_order_acquire);  // pairs(samples.ring)
    // relaxed: a late one is left in the ring, or taken with the last
    if (ring == nullptr || !is_sampling.load(memory_order_relaxed)) return;
    std::uint64_t ticket = 0;
    cpu_sample* const s = ring->claim(ticket);
    if (s == nullptr) return;
    const m* const mp = getm_or_null();
    const g* const gp = mp != nullptr ? mp->curg : nullptr;
    s->labels = gp != nullptr ? labels_of(*gp) : nullptr;
    const bool is_traced = trace_samples.is_wanted();
    if (is_traced) say_where(mp, gp, *s);
    s->size = static_cast<std::uint32_t>(walk_interrupted(at, s->pcs, std::size(s->pcs)));
    if (is_traced) trace_samples.add(*s);
    ring->publish(ticket);
}

struct collector {
    note wake, done;
    bool stops = false;  // read behind `wake`
    std::vector<profile_timer> timers;
    std::unordered_map<std::string, std::size_t> index;  // of words to stacks
    cpu_profile result;
    std::int64_t began_ns = 0;
    std::exception_ptr failure;
    rng rand;

    void look_for_threads() {
        for (profile_timer& t : timers) t.seen = false;
        for_each_thread([](void* arg, int tid) { static_cast<collector*>(arg)->thread_seen(tid); },
                        this);
        std::size_t kept = 0;
        for (profile_timer& t : timers) {
            if (t.seen) timers[kept++] = t;
            else profile_timer_stop(t);
        }
        timers.resize(kept);
    }

    void thread_seen(int tid) {
        if (tid == current_thread_id()) return;
        for (profile_timer& t : timers) {
            if (t.tid != tid) continue;
            t.seen = true;
            return;
        }
        profile_timer t;
        t.seen = true;
        timers.reserve(timers.size() + 1);
        const auto first =
            static_cast<std::int64_t>(1 + rand.next() % static_cast<std::uint64_t>(cpu_period_ns));
        if (profile_timer_start(t, tid, cpu_period_ns, first)) timers.push_back(t);
    }

    void add(const cpu_sample& s) {
        std::string key(reinterpret_cast<const char*>(s.pcs), s.size * sizeof *s.pcs);
        key.append(reinterpret_cast<const char*>(&s.labels), sizeof s.labels);
        const auto [at, is_new] = index.try_emplace(std::move(key), result.stacks.size());
        if (is_new) result.stacks.push_back({{s.pcs, s.pcs + s.size}, s.labels, 0});
        ++result.stacks[at->second].count;
    }

    void collect(sample_queue& ring) {
        while (const cpu_sample* const s = ring.take()) {
            add(*s);
            ring.give_back();
        }
        result.lost += ring.take_lost();
    }

    void work(sample_queue& ring) {
        for (int looks = 1; !stops; ++looks) {
            if (looks % looks_at_tables == 0) look_at_tables();
            look_for_threads();
            collect(ring);
            if (wake.sleep_until(nanotime() + look_period_ns)) stops = true;
        }
    }

    // A handler that still runs ends within microseconds, if its thread gets a processor.
    void finish(sample_queue& ring) {
        for (profile_timer& t : timers) profile_timer_stop(t);
        constexpr int looks_max = 200;
        constexpr long nap_ns = 1'000'000;
        collect(ring);
        for (int i = 0; i < looks_max && ring.is_anyone_inside(); ++i) {
            thread_sleep_ns(nap_ns);
            collect(ring);
        }
    }

    void run() {
        sample_queue& ring = *samples.load(memory_order_acquire);  // pairs(samples.ring)
        try {
            work(ring);
        } catch (...) {
            failure = std::current_exception();
        }
        is_sampling.store(false, memory_order_relaxed);  // relaxed: see on_sample
        result.lasted_ns = nanotime() - began_ns;
        try {
            finish(ring);
        } catch (...) {
            failure = std::current_exception();
        }
        sampling_thread.store(0, memory_order_relaxed);  // relaxed: as where it is set
        done.wakeup();
    }
};

constinit collector* current_collector = nullptr;  // written by starts and stops: one at a time

void* collect_samples(void* arg) {
    thread_set_name("rota-profile");
    thread_block_signals();
    sampling_thread.store(current_thread_id(), memory_order_relaxed);  // relaxed: compared only
    static_cast<collector*>(arg)->run();
    return nullptr;
}

// Without any timer a profile would be empty without saying why.
void check_timers() {
    profile_timer t;
    if (!profile_timer_start(t, current_thread_id(), cpu_period_ns, cpu_period_ns))
        throw std::system_error(errno, std::generic_category(),
                                "rota: no timer for a CPU profile (timer_create)");
    profile_timer_stop(t);
}

std::int64_t wall_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

bool is_sampling_thread(int tid) {
    return sampling_thread.load(memory_order_relaxed) ==
           tid;  // relaxed: a thread asks about others
}

void start_sampling() {
    if (samples.load(memory_order_acquire) == nullptr) {  // pairs(samples.ring)
        auto& ring = *new (mapped_pages(sizeof(sample_queue), mapped_for::traces)) sample_queue;
        ring.init();
        samples.store(&ring, memory_order_release);  // pairs(samples.ring)
    }
    trace_samples.make_room();
    look_at_tables();
    on_profile_signal(on_sample);
    check_timers();
    auto* const c = new collector;
    c->began_ns = nanotime();
    c->result.began_wall_ns = wall_ns();
    is_sampling.store(true, memory_order_relaxed);  // relaxed: see on_sample
    constexpr std::size_t stack_size = 256 * 1024;
    if (const int error = thread_create(collect_samples, c, stack_size)) {
        is_sampling.store(false, memory_order_relaxed);  // relaxed: as above
        delete c;
        throw std::system_error(error, std::generic_category(),
                                "rota: no thread for a CPU profile");
    }
    current_collector = c;
}

cpu_profile stop_sampling() {
    struct owner {
        collector* c;
        ~owner() { delete c; }
    } const owned{std::exchange(current_collector, nullptr)};
    owned.c->wake.wakeup();
    owned.c->done.sleep();
    if (owned.c->failure) std::rethrow_exception(owned.c->failure);
    return std::move(owned.c->result);
}

}  // namespace rota::rt
