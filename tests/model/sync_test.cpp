// Explores semaphore table, mutex, wait group and future, used by threads of the program's own.
#include <cstring>
#include <memory>

#include <gtest/gtest.h>
#include <rota/detail/future_state.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/sync/wait_group.hpp>

#include "rig.hpp"
#include "sync/wait/sema.hpp"

namespace {

using namespace rota::rt;
using model::options;
using model::plain;
using model::stranger;
using model::stranger_thread;

// Whether no thread holds the mutex, waits for it, or is counted as a waiter; it may be in the slow
// mode.
bool is_at_rest(const rota::mutex& mu) {
    constexpr std::uint32_t slow = 8;
    std::uint32_t words[2];                          // the state, the semaphore
    model::the_engine->fence(memory_order_seq_cst);  // puts this thread's stores into memory
    std::memcpy(words, static_cast<const void*>(&mu), sizeof words);
    return (words[0] & ~slow) == 0 && words[1] == 0;
}

// Threads that count under one mutex.
class contest {
  public:
    contest() { model::name(mu_, "mutex"); }
    void work(int rounds = 1) {
        for (int i = 0; i < rounds; ++i) {
            mu_.lock();
            inside_.set(inside_.get() + 1);
            mu_.unlock();
        }
    }
    // Each thread has come back: no step is lost, and nothing is left in the mutex.
    void end(int steps) {
        MODEL_CHECK(inside_.get() == steps);
        MODEL_CHECK(is_at_rest(mu_));
    }

  private:
    rota::mutex mu_;
    plain<int> inside_{0};
};

TEST(kb24_sema, each_release_lets_one_pass) {
    // A count released between a waiter's look and its queueing must find the waiter, or be found.
    model::expect_holds({}, [] {
        const stranger here;
        sema_word word{0};
        model::name(word, "word");
        plain<int> data(0);
        const auto acquire = [&] {
            sem_acquire(word, false, wait_reason::semacquire);
            (void)data.get();
        };
        stranger_thread a("a", acquire), b("b", acquire);
        data.set(1);
        sem_release(word, false);
        sem_release(word, false);
        a.join();
        b.join();
        MODEL_CHECK(word.load(memory_order_relaxed) == 0);
    });
}

TEST(kb47_sema, touches_no_word_that_it_has_given) {
    // The word belongs to the waiter, and is gone as soon as the waiter has passed.
    model::expect_holds({}, [] {
        const stranger here;
        auto word = std::make_unique<sema_word>(0u);
        sema_word& given = *word;
        stranger_thread giver("giver", [&] { sem_release(given, false); });
        sem_acquire(given, false, wait_reason::semacquire);
        word.reset();
        giver.join();
    });
}

TEST(kb02_mutex, excludes_and_wakes_a_successor) {
    // Two writers and the holder: an unlock wakes a writer, or finds a writer awake.
    model::expect_holds_in_both_modes({}, [] {
        const stranger here;
        contest c;
        const auto work = [&] { c.work(); };
        stranger_thread a("a", work), b("b", work);
        work();
        a.join();
        b.join();
        c.end(3);
    });
}

TEST(kb14_mutex, hands_over_to_who_starves) {
    // With a clock that leaps, every waiter starves at once: the lock is handed over, and the mode
    // ends with the last waiter.
    options o;
    o.tick = 1'500'000;
    model::expect_holds_in_both_modes(o, [] {
        const stranger here;
        contest c;
        stranger_thread a("a", [&] { c.work(2); });
        c.work(2);
        a.join();
        c.end(4);
    });
}

TEST(kb14_mutex, hands_over_among_three) {
    options o;
    o.tick = 1'500'000;
    o.departures = 0;
    model::expect_holds_in_both_modes(o, [] {
        const stranger here;
        contest c;
        const auto work = [&] { c.work(); };
        stranger_thread a("a", work), b("b", work);
        c.work(2);
        a.join();
        b.join();
        c.end(4);
    });
}

TEST(kb47_mutex, is_left_alone_by_who_has_unlocked_it) {
    // A thread that gets the lock from an unlock may destroy the mutex at once.
    model::expect_holds_in_both_modes({}, [] {
        const stranger here;
        auto mu = std::make_unique<rota::mutex>();
        rota::mutex& shared = *mu;
        model::name(shared, "mutex");
        shared.lock();
        stranger_thread first("first", [&] { shared.unlock(); });
        shared.lock();
        shared.unlock();
        mu.reset();
        first.join();
    });
}

TEST(kb47_mutex, is_left_alone_by_the_last_but_one) {
    model::expect_holds_in_both_modes({}, [] {
        const stranger here;
        auto mu = std::make_unique<rota::mutex>();
        rota::mutex& shared = *mu;
        model::name(shared, "mutex");
        plain<int> left(2);
        const auto work = [&] {
            shared.lock();
            const int now = left.get() - 1;
            left.set(now);
            shared.unlock();
            return now;
        };
        stranger_thread other("other", [&] {
            if (work() == 0) mu.reset();
        });
        if (work() == 0) mu.reset();
        other.join();
    });
}

TEST(model_mutex, try_lock_succeeds_on_a_free_mutex_alone) {
    model::expect_holds_in_both_modes({}, [] {
        const stranger here;
        rota::mutex mu;
        model::name(mu, "mutex");
        plain<int> inside(0);
        const auto attempt = [&] {
            if (!mu.try_lock()) return;
            inside.set(inside.get() + 1);
            mu.unlock();
        };
        stranger_thread a("a", attempt);
        stranger_thread b("b", [&] {
            mu.lock();
            inside.set(inside.get() + 1);
            mu.unlock();
        });
        attempt();
        a.join();
        b.join();
        MODEL_CHECK(inside.get() >= 1);
        MODEL_CHECK(is_at_rest(mu));
    });
}

TEST(kb47_wait_group, is_left_alone_by_the_last_done) {
    // The waiter destroys the group as soon as wait has returned, and sees the workers' changes.
    model::expect_holds({}, [] {
        const stranger here;
        auto group = std::make_unique<rota::wait_group>();
        rota::wait_group& shared = *group;
        model::name(shared, "group");
        plain<int> first(0), second(0);
        shared.add(2);
        stranger_thread a("a", [&] {
            first.set(1);
            shared.done();
        });
        stranger_thread b("b", [&] {
            second.set(1);
            shared.done();
        });
        shared.wait();
        MODEL_CHECK(first.get() == 1 && second.get() == 1);
        group.reset();
        a.join();
        b.join();
    });
}

TEST(model_wait_group, lets_every_waiter_go) {
    model::expect_holds({}, [] {
        const stranger here;
        rota::wait_group group;
        model::name(group, "group");
        plain<int> data(0);
        group.add(1);
        const auto wait = [&] {
            group.wait();
            MODEL_CHECK(data.get() == 1);
        };
        stranger_thread a("a", wait), b("b", wait);
        data.set(1);
        group.done();
        a.join();
        b.join();
    });
}

TEST(model_wait_group, serves_a_second_round) {
    model::expect_holds({}, [] {
        const stranger here;
        rota::wait_group group;
        model::name(group, "group");
        plain<int> data(0);
        for (int round = 1; round <= 2; ++round) {
            group.add(1);
            stranger_thread worker("worker", [&] {
                data.set(round);
                group.done();
            });
            group.wait();
            MODEL_CHECK(data.get() == round);
            worker.join();
        }
    });
}

TEST(kb47_future, is_left_alone_by_who_completes_it) {
    // The producer and the future share the state; the last of them frees it.
    model::expect_holds({}, [] {
        const stranger here;
        auto* const state = new rota::detail::future_state<int>;
        model::name(*state, "future");
        stranger_thread producer("producer", [&] {
            rota::detail::future_producer<int> share(state);
            share.run([] { return 7; });
        });
        const rota::detail::future_claim<int> claim(state);
        MODEL_CHECK(claim.get() == 7);
        producer.join();
    });
}

TEST(model_future, lets_every_waiter_go) {
    model::expect_holds({}, [] {
        const stranger here;
        rota::detail::future_state<int> state;
        model::name(state, "future");
        plain<int> data(0);
        const auto wait = [&] {
            rota::detail::future_wait(&state);
            MODEL_CHECK(data.get() == 7);
        };
        stranger_thread a("a", wait), b("b", wait);
        data.set(7);
        rota::detail::future_complete(state);
        a.join();
        b.join();
    });
}

}  // namespace
