// Goroutines and threads that wait for each other's locks in a circle, and waits that only look
// like a circle.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <unistd.h>

#include <rota/debug.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "failed: %s\n", what);
    for (const auto& d : rota::debug::find_deadlocks()) {
        std::fprintf(stderr, "circle:\n");
        for (const auto& g : d.circle)
            std::fprintf(stderr, "%llu waits for %p\n%s\n", static_cast<unsigned long long>(g.id),
                         g.lock, g.trace.c_str());
    }
    ::_exit(1);
}

void require(bool fact, const char* what) {
    if (!fact) fail(what);
}

template <class M>
void use_once(M& m) {
    m.lock();
    m.unlock();
}

std::vector<rota::debug::deadlock> await_circles(std::size_t n) {
    std::vector<rota::debug::deadlock> found;
    await([&] { return (found = rota::debug::find_deadlocks()).size() == n; });
    return found;
}

// A ring of n goroutines: each locks its own mutex and then the mutex of the next goroutine.
struct ring {
    explicit ring(std::size_t n) : locks(n), ids(n) {
        for (std::size_t i = 0; i < n; ++i) {
            all.go([this, i, n] {
                ids[i] = rota::runtime::goid();
                locks[i].lock();
                ready.fetch_add(1);
                while (ready.load() < n) rota::runtime::gosched();
                takes_the_next(locks[(i + 1) % n]);
                if (i != 0 || !is_broken.load()) locks[i].unlock();
            });
        }
        await([&] { return ready.load() == n; });
    }

    [[gnu::noinline]] static void takes_the_next(rota::mutex& m) {
        m.lock();
        m.unlock();
    }

    // Requires that d is this circle, in the same order; its first member may be any goroutine.
    void expect(const rota::debug::deadlock& d) const {
        const std::size_t n = locks.size();
        require(d.circle.size() == n, "the circle has another size");
        const auto first = std::find(ids.begin(), ids.end(), d.circle[0].id) - ids.begin();
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = (static_cast<std::size_t>(first) + k) % n;
            const auto& g = d.circle[k];
            require(g.id == ids[i], "the circle has another order");
            require(g.lock == &locks[(i + 1) % n], "another lock");
            require(g.trace.find("takes_the_next") != g.trace.npos, "no trace of it");
            require(g.trace.find("[sync.Mutex.Lock]") != g.trace.npos, "no state of it");
        }
    }

    // Breaks the circle: unlocks the mutex of the first goroutine in its place, which any goroutine
    // may do.
    void end() {
        is_broken = true;
        locks[0].unlock();
        all.wait();
    }

    std::vector<rota::mutex> locks;
    std::vector<std::uint64_t> ids;
    std::atomic<std::size_t> ready{0};  // goroutines that have locked their own mutex
    std::atomic<bool> is_broken{false};
    rota::wait_group all;
};

int are_found() {
    return rota::run([] {
        rota::debug::watch_locks();
        require(rota::debug::find_deadlocks().empty(), "a deadlock of nobody");
        for (const std::size_t n : {2u, 3u, 100u}) {
            ring r(n);
            const auto found = await_circles(1);
            r.expect(found[0]);
            require(rota::debug::find_deadlocks().size() == 1, "it is gone");
            r.end();
            require(rota::debug::find_deadlocks().empty(), "it is there although it is over");
        }
        ring one(2), other(5);
        auto both = await_circles(2);
        if (both[0].circle.size() != 2) std::swap(both[0], both[1]);
        one.expect(both[0]);
        other.expect(both[1]);
        // A goroutine that only waits behind a circle is in no circle.
        rota::wait_group behind;
        behind.go([&] { use_once(one.locks[0]); });
        behind.go([&] { use_once(one.locks[1]); });
        for (int i = 0; i < 20; ++i) {
            require(rota::debug::find_deadlocks().size() == 2, "who stands behind a circle counts");
            rota::runtime::gosched();
        }
        one.end();
        behind.wait();
        other.end();
        require(rota::debug::find_deadlocks().empty(), "somebody is left");
        return 0;
    });
}

// A goroutine locks a lock that it already holds: a mutex twice, or a shared_mutex as writer and
// then as reader.
int of_one_are_found() {
    return rota::run([] {
        rota::debug::watch_locks();
        rota::mutex m;
        rota::wait_group all;
        all.go([&] {
            m.lock();
            m.lock();
            m.unlock();
        });
        auto found = await_circles(1);
        require(found[0].circle.size() == 1 && found[0].circle[0].lock == &m, "another mutex");
        m.unlock();
        all.wait();

        rota::shared_mutex rw;
        all.go([&] {
            rw.lock();
            rw.lock_shared();
            rw.unlock_shared();
        });
        found = await_circles(1);
        require(found[0].circle[0].trace.find("[sync.RWMutex.RLock]") != std::string::npos,
                "no reader");
        rw.unlock();
        all.wait();
        require(rota::debug::find_deadlocks().empty(), "it is over");
        return 0;
    });
}

rota::mutex made_by_the_compiler, also_made_by_the_compiler;

// Circles of a single lock that has never been locked before. `watches`: the program starts the
// watch, not GODEBUG.
int first_locks_are_noted(bool watches) {
    rota::mutex before_boot, tried_before_boot;
    return rota::run([&] {
        if (watches) rota::debug::watch_locks();
        rota::mutex inside;
        const auto on_heap = std::make_unique<rota::mutex>();
        const auto expect_noted = [](rota::mutex& m, auto lock) {
            rota::wait_group waiting;
            waiting.go([&] {
                lock(m);
                m.lock();
                m.unlock();
            });
            const auto found = await_circles(1);
            require(found[0].circle.size() == 1 && found[0].circle[0].lock == &m, "another mutex");
            m.unlock();
            waiting.wait();
            require(rota::debug::find_deadlocks().empty(), "it is over");
        };
        const auto locks = [](rota::mutex& m) { m.lock(); };
        const auto tries = [](rota::mutex& m) { require(m.try_lock(), "nobody has it"); };
        for (rota::mutex* m : {&made_by_the_compiler, &before_boot, &inside})
            expect_noted(*m, locks);
        for (rota::mutex* m : {&also_made_by_the_compiler, &tried_before_boot, on_heap.get()})
            expect_noted(*m, tries);
        return 0;
    });
}

// Locks its own mutex, counts itself, and takes the other mutex once both threads are there.
void takes_both(rota::mutex& own, rota::mutex& other, std::atomic<int>& there) {
    own.lock();
    there.fetch_add(1);
    while (there.load() < 2) std::this_thread::sleep_for(100us);
    ring::takes_the_next(other);
}

// A circle of two threads of the program's own, then a circle of a thread and a goroutine.
int of_threads_are_found() {
    return rota::run([] {
        rota::debug::watch_locks();
        rota::mutex a, b;
        use_once(a);
        use_once(b);
        const auto expect = [&](const rota::debug::lock_waiter& w, int thread, const void* lock) {
            require(w.thread == thread && w.id == 0, "another thread");
            require(w.lock == lock, "another lock");
            require(w.trace.empty(), "the trace of a thread");
        };
        std::atomic<int> there{0}, first_id{0}, second_id{0};
        std::thread first([&] {
            first_id = ::gettid();
            takes_both(a, b, there);
        });
        std::thread second([&] {
            second_id = ::gettid();
            takes_both(b, a, there);
            b.unlock();
        });
        auto found = await_circles(1);
        require(found.size() == 1 && found[0].circle.size() == 2, "no circle of two threads");
        if (found[0].circle[0].thread != first_id)
            std::swap(found[0].circle[0], found[0].circle[1]);
        expect(found[0].circle[0], first_id, &b);
        expect(found[0].circle[1], second_id, &a);
        require(rota::debug::find_deadlocks().size() == 1, "it is gone");
        a.unlock();  // for the first thread: the second then gets a, and unlocks b
        first.join();
        second.join();
        require(rota::debug::find_deadlocks().empty(), "it is there although it is over");

        there = 0;
        std::thread with([&] {
            first_id = ::gettid();
            takes_both(a, b, there);
        });
        rota::wait_group all;
        std::atomic<std::uint64_t> id{0};
        all.go([&] {
            id = rota::runtime::goid();
            b.lock();
            there.fetch_add(1);
            while (there.load() < 2) rota::runtime::gosched();
            ring::takes_the_next(a);
            b.unlock();
        });
        found = await_circles(1);
        require(found.size() == 1 && found[0].circle.size() == 2, "no circle of both kinds");
        if (found[0].circle[0].thread == 0) std::swap(found[0].circle[0], found[0].circle[1]);
        expect(found[0].circle[0], first_id, &b);
        require(found[0].circle[1].id == id && found[0].circle[1].thread == 0, "no goroutine");
        a.unlock();
        all.wait();
        with.join();
        return 0;
    });
}

// A thread that has ended with a lock holds it for ever. Another thread takes over its record, but
// does not hold the lock.
int of_threads_that_are_gone_are_none() {
    return rota::run([] {
        rota::debug::watch_locks();
        rota::mutex a, b;
        use_once(a);
        use_once(b);
        std::thread([&] { a.lock(); }).join();
        std::atomic<bool> has_b{false};
        rota::wait_group all;
        all.go([&] {
            b.lock();
            has_b = true;
            ring::takes_the_next(a);  // the ended thread holds it
            b.unlock();
        });
        await([&] { return has_b.load(); });
        std::thread with([&] { use_once(b); });
        for (int i = 0; i < 100; ++i) {
            require(rota::debug::find_deadlocks().empty(), "a circle by who is gone");
            rota::sleep_for(200us);
        }
        a.unlock();
        all.wait();
        with.join();
        return 0;
    });
}

// Waits that look like circles and are not; the goroutines at the end of each chain can continue.
int that_are_none_are_not() {
    return rota::run([] {
        rota::debug::watch_locks();
        rota::mutex a, b;
        use_once(a);
        use_once(b);
        auto go_on = rota::make_chan<int>();
        rota::wait_group all;
        std::atomic<int> there{0};
        all.go([&] {  // holds a, waits for a channel
            const std::lock_guard<rota::mutex> guard(a);
            there.fetch_add(1);
            go_on.recv();
        });
        await([&] { return there.load() == 1; });
        all.go([&] {  // holds b, waits for a
            const std::lock_guard<rota::mutex> guard(b);
            there.fetch_add(1);
            use_once(a);
        });
        await([&] { return there.load() == 2; });
        all.go([&] { use_once(b); });
        all.go([&] { use_once(a); });
        for (int i = 0; i < 100; ++i) {
            require(rota::debug::find_deadlocks().empty(), "a chain is no circle");
            rota::runtime::gosched();
        }
        go_on.send(1);
        all.wait();
        // A goroutine locks, another unlocks: the first no longer holds the lock.
        all.go([&] { a.lock(); });
        all.wait();
        all.go([&] { a.unlock(); });
        all.wait();
        require(a.try_lock(), "it is unlocked");
        a.unlock();
        return 0;
    });
}

// Goroutines and threads lock in the same order, while another goroutine looks for deadlocks all
// the time.
int are_none_in_traffic() {
    return rota::run([] {
        rota::debug::watch_locks();
        constexpr int lock_count = 7, goroutines = 40;
        std::vector<rota::mutex> locks(lock_count);
        std::vector<int> guarded(lock_count);
        rota::shared_mutex rw;
        std::atomic<bool> over{false};
        std::atomic<int> rounds{0};
        rota::wait_group all;
        for (int i = 0; i < goroutines; ++i) {
            all.go([&, i] {
                std::minstd_rand random(static_cast<unsigned>(i + 1));
                while (!over.load()) {
                    auto x = random() % lock_count, y = random() % lock_count;
                    if (x > y) std::swap(x, y);
                    if (random() % 8 == 0) {
                        const std::shared_lock<rota::shared_mutex> reading(rw);
                        rota::runtime::gosched();
                    }
                    if (random() % 64 == 0) const std::lock_guard<rota::shared_mutex> writing(rw);
                    const std::lock_guard<rota::mutex> first(locks[x]);
                    ++guarded[x];
                    if (x == y) continue;
                    if (random() % 4 == 0) rota::runtime::gosched();
                    if (random() % 4 == 0 && locks[y].try_lock()) {
                        ++guarded[y];
                        locks[y].unlock();
                    }
                    const std::lock_guard<rota::mutex> second(locks[y]);
                    ++guarded[y];
                    rounds.fetch_add(1);
                }
            });
        }
        int looks = 0;
        const auto until = std::chrono::steady_clock::now() + 300ms;
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&, i] {
                std::minstd_rand random(static_cast<unsigned>(i + 100));
                while (!over.load()) {
                    auto x = random() % lock_count, y = random() % lock_count;
                    if (x > y) std::swap(x, y);
                    const std::lock_guard<rota::mutex> first(locks[x]);
                    ++guarded[x];
                    if (x == y) continue;
                    const std::lock_guard<rota::mutex> second(locks[y]);
                    ++guarded[y];
                }
            });
        }
        while (std::chrono::steady_clock::now() < until || looks < 20 || rounds.load() < 1000) {
            if (!rota::debug::find_deadlocks().empty()) fail("a circle that cannot be");
            ++looks;
            rota::sleep_for(200us);
        }
        over = true;
        all.wait();
        for (std::thread& t : threads) t.join();
        return 0;
    });
}

// For GODEBUG=deadlock=1: the program itself does not look for deadlocks.
int are_left_alone() {
    return rota::run([] {
        ring r(2);
        rota::sleep_for(1800ms);
        say("main goes on");
        r.end();
        return 0;
    });
}

// The same, with a thread in the circle.
int are_left_to_threads() {
    return rota::run([] {
        rota::mutex a, b;
        std::atomic<int> there{0};
        std::thread with([&] {
            std::fprintf(stderr, "its number is %d\n", ::gettid());
            takes_both(a, b, there);
        });
        rota::wait_group all;
        all.go([&] {
            b.lock();
            there.fetch_add(1);
            while (there.load() < 2) rota::runtime::gosched();
            ring::takes_the_next(a);
            b.unlock();
        });
        rota::sleep_for(1800ms);
        a.unlock();
        all.wait();
        with.join();
        return 0;
    });
}

// The same, but the program breaks each circle soon, or says that a circle was long.
int are_short() {
    return rota::run([] {
        for (int i = 0; i < 60; ++i) {
            const auto began = std::chrono::steady_clock::now();
            ring r(2);
            rota::sleep_for(20ms);
            r.end();
            if (std::chrono::steady_clock::now() - began > 250ms) say("a circle was long");
        }
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(
        argc, argv,
        {{"are_found", are_found},
         {"of_one_are_found", of_one_are_found},
         {"first_locks_are_noted", [] { return first_locks_are_noted(false); }},
         {"first_locks_are_noted_from_run_on", [] { return first_locks_are_noted(true); }},
         {"of_threads_are_found", of_threads_are_found},
         {"of_threads_that_are_gone_are_none", of_threads_that_are_gone_are_none},
         {"are_left_to_threads", are_left_to_threads},
         {"that_are_none_are_not", that_are_none_are_not},
         {"are_none_in_traffic", are_none_in_traffic},
         {"are_left_alone", are_left_alone},
         {"are_short", are_short}});
}
