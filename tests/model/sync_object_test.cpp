// Explores shared mutex, condition variable, semaphore, latch, barrier and once, used by threads of
// the program's own.
#include <memory>
#include <mutex>
#include <optional>

#include <gtest/gtest.h>
#include <rota/sync.hpp>

#include "linear.hpp"
#include "rig.hpp"
#include "sync/reader_counts.hpp"

namespace {

using namespace rota::rt;
using model::departures;
using model::expect_holds_in_both_modes;
using model::options;
using model::plain;
using model::stranger;
using model::stranger_thread;

// --- shared mutex --------------------------------------------------------------------------------

// Readers and writers of a value. In this build readers spread after two locks.
class library {
  public:
    library() { model::name(mu, "mutex"); }
    void let_readers_spread() {
        for (int i = 0; i < 3; ++i) {
            mu.lock_shared();
            mu.unlock_shared();
        }
    }
    void enter() {
        mu.lock_shared();
        (void)inside.get();
    }
    void read() {
        enter();
        mu.unlock_shared();
    }
    void write(int v) {
        mu.lock();
        inside.set(v);
        mu.unlock();
    }
    void count() {
        mu.lock();
        inside.set(inside.get() + 1);
        mu.unlock();
    }
    // Every user has left: no thread holds the mutex.
    void end() {
        MODEL_CHECK(mu.try_lock());
        mu.unlock();
    }

    rota::shared_mutex mu;
    plain<int> inside{0};
};

TEST(model_shared_mutex, keeps_readers_and_writers_apart) {
    expect_holds_in_both_modes(departures(1), [] {
        const stranger here;
        library l;
        stranger_thread reader("reader", [&] { l.read(); });
        stranger_thread writer("writer", [&] { l.write(1); });
        l.write(2);
        reader.join();
        writer.join();
    });
}

TEST(model_shared_mutex, gathers_the_readers_that_had_spread) {
    // A writer that overlooks a reader, or counts a reader twice, shares the lock or waits for
    // ever.
    expect_holds_in_both_modes(departures(1), [] {
        const stranger here;
        library l;
        l.let_readers_spread();
        stranger_thread reader("reader", [&] { l.read(); });
        l.count();
        reader.join();
        MODEL_CHECK(l.inside.get() == 1);
        l.end();
    });
}

TEST(model_shared_mutex, reader_may_leave_on_another_processor) {
    // The reader enters by one counter and leaves by another, or by the lock itself.
    expect_holds_in_both_modes(departures(1), [] {
        const stranger here;
        library l;
        l.let_readers_spread();
        l.enter();
        stranger_thread other("other", [&] { l.mu.unlock_shared(); });
        l.write(1);
        other.join();
    });
}

TEST(model_shared_mutex, spreads_beside_a_writer) {
    expect_holds_in_both_modes(departures(0), [] {
        const stranger here;
        library l;
        stranger_thread reader("reader", [&] {
            for (int i = 0; i < 4; ++i) l.read();
        });
        for (int i = 0; i < 2; ++i) l.count();
        reader.join();
        MODEL_CHECK(l.inside.get() == 2);
    });
}

TEST(model_shared_mutex, try_lock_tells_the_truth) {
    expect_holds_in_both_modes(departures(1), [] {
        const stranger here;
        library l;
        l.let_readers_spread();
        stranger_thread reader("reader", [&] {
            if (!l.mu.try_lock_shared()) return;
            (void)l.inside.get();
            l.mu.unlock_shared();
        });
        if (l.mu.try_lock()) {
            l.inside.set(1);
            l.mu.unlock();
        }
        reader.join();
        l.end();
    });
}

TEST(kb47_shared_mutex, is_left_alone_by_who_has_unlocked_it) {
    // The reader that the writer's unlock lets in is the last user.
    expect_holds_in_both_modes(departures(1), [] {
        const stranger here;
        auto mu = std::make_unique<rota::shared_mutex>();
        rota::shared_mutex& shared = *mu;
        model::name(shared, "mutex");
        shared.lock();
        stranger_thread writer("writer", [&] { shared.unlock(); });
        shared.lock_shared();
        shared.unlock_shared();
        mu.reset();
        writer.join();
    });
}

// --- condition variable --------------------------------------------------------------------------

TEST(model_condition_variable, loses_no_notification) {
    // A notification between the unlocking and the sleep must find the waiter.
    model::expect_holds(departures(1), [] {
        const stranger here;
        rota::mutex mu;
        rota::condition_variable changed;
        model::name(changed, "condition");
        plain<bool> ready(false);
        stranger_thread waiter("waiter", [&] {
            std::unique_lock lock(mu);
            changed.wait(lock, [&] { return ready.get(); });
        });
        {
            const std::lock_guard guard(mu);
            ready.set(true);
        }
        changed.notify_one();
        waiter.join();
    });
}

TEST(model_condition_variable, one_notification_each_lets_both_go) {
    model::expect_holds(departures(0), [] {
        const stranger here;
        rota::mutex mu;
        rota::condition_variable changed;
        plain<int> tokens(0);
        const auto take = [&] {
            std::unique_lock lock(mu);
            changed.wait(lock, [&] { return tokens.get() > 0; });
            tokens.set(tokens.get() - 1);
        };
        stranger_thread a("a", take), b("b", take);
        for (int i = 0; i < 2; ++i) {
            const std::lock_guard guard(mu);
            tokens.set(tokens.get() + 1);
            changed.notify_one();
        }
        a.join();
        b.join();
        MODEL_CHECK(tokens.get() == 0);
    });
}

TEST(kb47_condition_variable, is_left_alone_by_who_has_been_notified) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        rota::mutex mu;
        auto changed = std::make_unique<rota::condition_variable>();
        plain<bool> ready(false);
        stranger_thread waiter("waiter", [&] {
            std::unique_lock lock(mu);
            while (!ready.get()) changed->wait(lock);
        });
        {
            const std::lock_guard guard(mu);
            ready.set(true);
            changed->notify_all();
            changed.reset();
        }
        waiter.join();
    });
}

// --- semaphore -----------------------------------------------------------------------------------

struct permit_call {
    enum class kind : std::uint8_t { acquire, try_acquire, release };
    kind what = kind::acquire;
    bool got = true;
};

struct permits {
    unsigned count = 0;
    std::uint64_t state() const { return count; }
    bool apply(const permit_call& c, bool returned) {
        switch (c.what) {
            case permit_call::kind::release: ++count; return true;
            case permit_call::kind::try_acquire:
                if (returned && !c.got) return count == 0;
                [[fallthrough]];
            case permit_call::kind::acquire:
                if (count == 0) return false;
                --count;
                return true;
        }
        return false;
    }
};

class recorded_semaphore {
  public:
    void acquire() {
        calls_.record({permit_call::kind::acquire}, [&](permit_call&) { s_.acquire(); });
    }
    void try_acquire() {
        calls_.record({permit_call::kind::try_acquire},
                      [&](permit_call& c) { c.got = s_.try_acquire(); });
    }
    void release() {
        calls_.record({permit_call::kind::release}, [&](permit_call&) { s_.release(); });
    }
    bool is_linearizable() const { return calls_.is_linearizable(permits{}); }

  private:
    rota::counting_semaphore<> s_{0};
    model::history<permit_call> calls_;
};

TEST(linear_semaphore, is_a_count) {
    // In one order of all accesses: an attempt that nothing orders behind a release may miss the
    // release.
    options o;
    o.sequential = true;
    model::expect_holds(o, [] {
        const stranger here;
        recorded_semaphore s;
        model::name(s, "semaphore");
        stranger_thread a("a", [&] {
            s.acquire();
            s.release();
        });
        stranger_thread b("b", [&] {
            s.try_acquire();
            s.acquire();
        });
        s.release();
        s.release();
        s.release();
        a.join();
        b.join();
        MODEL_CHECK(s.is_linearizable());
    });
}

TEST(kb24_semaphore, each_release_lets_one_pass) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        rota::counting_semaphore<> s(0);
        model::name(s, "semaphore");
        plain<int> data(0);
        const auto acquire = [&] {
            s.acquire();
            (void)data.get();
        };
        stranger_thread a("a", acquire), b("b", acquire);
        data.set(1);
        s.release();
        s.release();
        a.join();
        b.join();
        MODEL_CHECK(!s.try_acquire());
    });
}

TEST(kb47_semaphore, is_left_alone_by_who_has_released) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        auto s = std::make_unique<rota::binary_semaphore>(0);
        rota::binary_semaphore& shared = *s;
        stranger_thread giver("giver", [&] { shared.release(); });
        shared.acquire();
        s.reset();
        giver.join();
    });
}

// --- latch, barrier, once ------------------------------------------------------------------------

TEST(kb47_latch, is_left_alone_by_the_last_count) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        auto open = std::make_unique<rota::latch>(2);
        rota::latch& shared = *open;
        plain<int> first(0), second(0);
        stranger_thread a("a", [&] {
            first.set(1);
            shared.count_down();
        });
        stranger_thread b("b", [&] {
            second.set(1);
            shared.count_down();
        });
        shared.wait();
        MODEL_CHECK(first.get() == 1 && second.get() == 1);
        open.reset();
        a.join();
        b.join();
    });
}

TEST(model_barrier, ends_each_phase_for_all) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        plain<int> completed(0);
        rota::barrier sync(2, [&]() noexcept { completed.set(completed.get() + 1); });
        model::name(sync, "barrier");
        const auto work = [&] {
            for (int phase = 1; phase <= 2; ++phase) {
                sync.arrive_and_wait();
                MODEL_CHECK(completed.get() == phase);
            }
        };
        stranger_thread other("other", [&] { work(); });
        work();
        other.join();
    });
}

TEST(kb47_barrier, is_left_alone_by_the_last_to_arrive) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        auto sync = std::make_unique<rota::barrier<>>(2);
        rota::barrier<>& shared = *sync;
        stranger_thread other("other", [&] { (void)shared.arrive(); });
        shared.arrive_and_wait();
        sync.reset();
        other.join();
    });
}

TEST(model_once, runs_once_and_all_see_it) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        rota::once_flag flag;
        model::name(flag, "flag");
        plain<int> runs(0);
        const auto call = [&] {
            rota::call_once(flag, [&] { runs.set(runs.get() + 1); });
            MODEL_CHECK(runs.get() == 1);
        };
        stranger_thread a("a", call), b("b", call);
        call();
        a.join();
        b.join();
    });
}

TEST(kb47_once, is_left_alone_by_who_has_run) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        auto flag = std::make_unique<rota::once_flag>();
        rota::once_flag& shared = *flag;
        stranger_thread runner("runner", [&] { rota::call_once(shared, [] {}); });
        // A thread that finds the call done may destroy the flag; here only after the runner's own
        // function.
        bool mine = false;
        rota::call_once(shared, [&] { mine = true; });
        if (mine) runner.join();
        flag.reset();
        if (!mine) runner.join();
    });
}

}  // namespace
