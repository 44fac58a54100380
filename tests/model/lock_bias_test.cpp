// Explores locks that are biased to a p. The holder of that p takes such a lock by a restartable
// sequence; every other thread ends the bias first.
#include <gtest/gtest.h>

#include "rig.hpp"
#include "sys/thread/lock.hpp"

namespace {

using namespace rota::rt;
using model::options;
using model::plain;

constexpr std::uint32_t first_p = bias_of_p(0), second_p = bias_of_p(1);

// A lock, and the data that it guards.
struct guarded {
    lock l{lock_rank::chan};
    plain<int> inside{0};

    guarded() { model::name(l, "lock"); }

    void take(std::uint32_t by) {
        l.acquire_by(by);
        count();
    }
    void bias(std::uint32_t to) {
        l.acquire_by(to);
        l.bias_to(to);
        count();
    }
    void count() {
        inside.set(inside.get() + 1);
        l.release();
    }
};

TEST(model_lock_bias, keeps_out_all_others) {
    model::expect_holds_in_both_modes({}, [] {
        guarded one;
        one.bias(first_p);
        model::thread a("a thread", [&] { one.take(no_bias); });
        model::thread b("second p", [&] { one.take(second_p); });
        one.take(first_p);
        one.take(first_p);
        a.join();
        b.join();
        MODEL_CHECK(one.inside.get() == 5);
    });
}

TEST(model_lock_bias, ends_once_though_two_end_it) {
    // The second thread must not mistake the first thread's mark for its own, nor take a lock that
    // the owner has got meanwhile.
    options o;
    o.preemptions = 3;
    model::expect_holds_in_both_modes(o, [] {
        guarded one;
        one.bias(first_p);
        model::thread a("a thread", [&] { one.take(no_bias); });
        model::thread b("another", [&] { one.take(no_bias); });
        a.join();
        b.join();
        one.take(first_p);
        MODEL_CHECK(one.inside.get() == 4);
    });
}

TEST(model_lock_bias, goes_with_the_p) {
    // The next thread with the p takes the lock by a sequence, and sees the first thread's changes.
    model::expect_holds_in_both_modes({}, [] {
        guarded one;
        atomic<std::uint32_t> p_is_free{0};
        one.bias(first_p);
        model::thread next("next m", [&] {
            if (p_is_free.load(memory_order_acquire) == 0) return;
            one.take(first_p);
        });
        model::thread other("a thread", [&] { one.take(no_bias); });
        one.take(first_p);
        p_is_free.store(1, memory_order_release);
        next.join();
        other.join();
        MODEL_CHECK(one.inside.get() >= 3);
    });
}

TEST(model_lock_bias, comes_back) {
    // The owner biases the lock again while another thread waits for it or ends the first bias.
    model::expect_holds_in_both_modes({}, [] {
        guarded one;
        one.bias(first_p);
        model::thread other("second p", [&] {
            one.take(second_p);
            one.bias(second_p);
        });
        one.bias(first_p);
        one.take(first_p);
        other.join();
        one.take(no_bias);
        MODEL_CHECK(one.inside.get() == 6);
    });
}

TEST(model_lock_bias, forgets_no_sleeper_when_it_comes_back) {
    // Two threads sleep; a woken thread that finds the lock biased again must wake the other
    // sleeper.
    model::expect_holds_in_both_modes({}, [] {
        guarded one;
        model::thread a("a thread", [&] { one.take(no_bias); });
        model::thread b("another", [&] { one.take(no_bias); });
        one.bias(first_p);
        one.bias(first_p);
        a.join();
        b.join();
        MODEL_CHECK(one.inside.get() == 4);
    });
}

TEST(model_lock_bias, lets_nobody_try_in_vain) {
    // A thread that only tries gets a lock that is free and biased to its own p.
    model::expect_holds_in_both_modes({}, [] {
        guarded one;
        one.bias(first_p);
        model::thread other("a thread", [&] { one.take(no_bias); });
        const bool mine = one.l.try_acquire_by(first_p);
        if (mine) one.count();
        other.join();
        MODEL_CHECK(one.inside.get() == (mine ? 3 : 2));
    });
}

TEST(model_lock_bias, outlives_the_sequences) {
    // A thread switches sequences off while locks are biased and sequences are under way.
    const model::asymmetric_mode mode(true);
    model::restore_before_each(&asymmetric, sizeof asymmetric);
    model::expect_holds({}, [] {
        guarded one;
        one.bias(first_p);
        model::thread other("second p", [&] {
            stop_owners_sequences();
            one.take(second_p);
        });
        one.take(first_p);
        one.take(first_p);
        other.join();
        MODEL_CHECK(one.inside.get() == 4);
    });
    model::forget_images();
}

}  // namespace
