// Checks the explorer itself: the litmus tests of memory models, and its detectors.
//
// Its statements about the runtime count only if it shows each outcome that the C++ memory model
// allows, and none that it forbids; and if it finds each planted fault.
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "base/atomic.hpp"
#include "explore.hpp"
#include "sys/thread/asymmetric.hpp"

namespace {

using namespace rota::rt;
using model::explore;
using model::observe;
using model::options;
using model::result;

constexpr std::memory_order rlx = std::memory_order_relaxed, acq = std::memory_order_acquire,
                            rel = std::memory_order_release, sc = std::memory_order_seq_cst;

using order = std::memory_order;
using word = atomic<unsigned>;

options exhaustive() {
    options o;
    o.preemptions = 6;
    o.departures = 6;
    o.depth = 2;
    o.seconds = 30;  // far more than the searches take: they must be complete
    return o;
}

result done(const result& r) {
    EXPECT_FALSE(r.failed) << r.why << r.report;
    EXPECT_TRUE(r.depth_first.complete);
    return r;
}

// Each of two threads stores to a word and loads the other thread's word: code r1 * 2 + r2.
result store_buffering(order store, order load, void (*between)()) {
    return done(explore(exhaustive(), [=] {
        word x{0}, y{0};
        unsigned r1 = 0, r2 = 0;
        model::thread a("a", [&] {
            x.store(1, store);
            between();
            r1 = y.load(load);
        });
        model::thread b("b", [&] {
            y.store(1, store);
            between();
            r2 = x.load(load);
        });
        a.join();
        b.join();
        observe(r1 * 2 + r2);
    }));
}

void nothing() {}
void fence_sc() { full_fence(); }

TEST(litmus, store_buffering_shows_where_it_is_allowed) {
    EXPECT_TRUE(store_buffering(rlx, rlx, nothing).has_seen(0));
    EXPECT_TRUE(store_buffering(rel, acq, nothing).has_seen(0));
    EXPECT_TRUE(store_buffering(sc, acq, nothing).has_seen(0));
    EXPECT_TRUE(store_buffering(rel, sc, nothing).has_seen(0));
}

TEST(litmus, store_buffering_is_forbidden_to_seq_cst_and_fences) {
    for (const result& r :
         {store_buffering(sc, sc, nothing), store_buffering(rlx, rlx, fence_sc)}) {
        EXPECT_FALSE(r.has_seen(0));
        EXPECT_TRUE(r.has_seen(1) && r.has_seen(2) && r.has_seen(3));
    }
}

// One side of the asymmetric fence is a fence of the compiler only; the other side asks the kernel.
TEST(litmus, store_buffering_is_forbidden_to_a_process_wide_barrier) {
    const auto run = [](bool barrier) {
        return done(explore(exhaustive(), [=] {
            word x{0}, y{0};
            unsigned r1 = 0, r2 = 0;
            model::thread light("light", [&] {
                x.store(1, rlx);
                r1 = y.load(rlx);
            });
            model::thread heavy("heavy", [&] {
                y.store(1, rlx);
                if (barrier) model::the_engine->membarrier(false);
                r2 = x.load(rlx);
            });
            light.join();
            heavy.join();
            observe(r1 * 2 + r2);
        }));
    };
    EXPECT_FALSE(run(true).has_seen(0));
    EXPECT_TRUE(run(false).has_seen(0));
}

// A value, then a flag; the reader sees the flag: code flag * 2 + value.
result message_passing(order store, order load, order fence_a = rlx, order fence_b = rlx) {
    return done(explore(exhaustive(), [=] {
        word data{0}, flag{0};
        unsigned f = 0, d = 0;
        model::thread writer("writer", [&] {
            data.store(1, rlx);
            if (fence_a != rlx) model::the_engine->fence(fence_a);
            flag.store(1, store);
        });
        model::thread reader("reader", [&] {
            f = flag.load(load);
            if (fence_b != rlx) model::the_engine->fence(fence_b);
            d = data.load(rlx);
        });
        writer.join();
        reader.join();
        observe(f * 2 + d);
    }));
}

TEST(litmus, message_passing_fails_where_one_side_is_relaxed) {
    EXPECT_TRUE(message_passing(rlx, rlx).has_seen(2));
    EXPECT_TRUE(message_passing(rel, rlx).has_seen(2));
    EXPECT_TRUE(message_passing(rlx, acq).has_seen(2));
    EXPECT_TRUE(message_passing(rlx, rlx, rel, rlx).has_seen(2));
}

TEST(litmus, message_passing_holds_from_release_to_acquire) {
    for (const result& r :
         {message_passing(rel, acq), message_passing(sc, sc), message_passing(rlx, rlx, rel, acq),
          message_passing(rlx, acq, rel, rlx), message_passing(rel, rlx, rlx, acq)}) {
        EXPECT_FALSE(r.has_seen(2));
        EXPECT_TRUE(r.has_seen(0) && r.has_seen(1) && r.has_seen(3));
    }
}

TEST(litmus, message_passing_holds_through_a_read_modify_write) {
    // A release sequence: the middle thread's relaxed exchange passes the first thread's view on.
    const result r = done(explore(exhaustive(), [] {
        word data{0}, flag{0};
        unsigned f = 0, d = 0;
        model::thread a("a", [&] {
            data.store(1, rlx);
            flag.store(1, rel);
        });
        model::thread b("b", [&] { flag.fetch_add(2, rlx); });
        model::thread c("c", [&] {
            f = flag.load(acq);
            d = data.load(rlx);
        });
        a.join();
        b.join();
        c.join();
        observe(f * 2 + d);
    }));
    EXPECT_FALSE(r.has_seen(2) || r.has_seen(6));
    EXPECT_TRUE(r.has_seen(3) && r.has_seen(7) && r.has_seen(4));
}

// Two writers, and two readers that read in opposite orders. Code 15: each reader saw only its
// first word.
result independent_reads(order store, order load) {
    options o = exhaustive();
    o.preemptions = 2;  // five threads: each order of the four that count needs no more
    return done(explore(o, [=] {
        word x{0}, y{0};
        unsigned a1 = 0, a2 = 0, b1 = 0, b2 = 0;
        model::thread w1("w1", [&] { x.store(1, store); });
        model::thread w2("w2", [&] { y.store(1, store); });
        model::thread r1("r1", [&] {
            a1 = x.load(load);
            a2 = y.load(load);
        });
        model::thread r2("r2", [&] {
            b1 = y.load(load);
            b2 = x.load(load);
        });
        w1.join();
        w2.join();
        r1.join();
        r2.join();
        observe(a1 == 1 && a2 == 0 && b1 == 1 && b2 == 0 ? 15 : 0);
    }));
}

TEST(litmus, independent_reads_of_independent_writes) {
    EXPECT_TRUE(independent_reads(rlx, rlx).has_seen(15));
    EXPECT_TRUE(independent_reads(rel, acq).has_seen(15));
    EXPECT_FALSE(independent_reads(sc, sc).has_seen(15));
}

TEST(litmus, load_buffering_never_shows) {
    // Forbidden in this explorer by definition (see memory.hpp), and to acquire and release in C++.
    for (const order o : {rlx, sc}) {
        const result r = done(explore(exhaustive(), [=] {
            word x{0}, y{0};
            unsigned r1 = 0, r2 = 0;
            model::thread a("a", [&] {
                r1 = x.load(o);
                y.store(1, o);
            });
            model::thread b("b", [&] {
                r2 = y.load(o);
                x.store(1, o);
            });
            a.join();
            b.join();
            observe(r1 * 2 + r2);
        }));
        EXPECT_FALSE(r.has_seen(3));
        EXPECT_TRUE(r.has_seen(0) && r.has_seen(1) && r.has_seen(2));
    }
}

TEST(litmus, one_location_is_coherent) {
    // A thread that has seen a value never sees an older value, even by relaxed loads.
    const result r = done(explore(exhaustive(), [] {
        word x{0};
        unsigned r1 = 0, r2 = 0;
        model::thread w("w", [&] {
            x.store(1, rlx);
            x.store(2, rlx);
        });
        model::thread reader("reader", [&] {
            r1 = x.load(rlx);
            r2 = x.load(rlx);
        });
        w.join();
        reader.join();
        observe(r1 * 3 + r2);
    }));
    for (const unsigned backwards : {1u * 3, 2u * 3, 2u * 3 + 1})
        EXPECT_FALSE(r.has_seen(backwards));
    for (const unsigned forwards : {0u, 1u, 2u, 1u * 3 + 1, 1u * 3 + 2, 2u * 3 + 2})
        EXPECT_TRUE(r.has_seen(forwards));
}

TEST(litmus, read_modify_writes_lose_nothing) {
    const result r = done(explore(exhaustive(), [] {
        word x{0};
        model::thread a("a", [&] { x.fetch_add(1, rlx); });
        model::thread b("b", [&] { x.fetch_add(1, rlx); });
        a.join();
        b.join();
        observe(x.load(rlx));
    }));
    EXPECT_TRUE(r.has_seen(2) && !r.has_seen(1));
}

// --- restartable sequences -----------------------------------------------------------------------

// An owner changes 1 to 0 in a sequence while another thread exchanges 1 for 2. The code is twice
// the value at the end, plus one if the owner succeeded.
result owner_against(bool restarts) {
    return done(explore(exhaustive(), [=] {
        word x{1};
        bool replaced = false;
        model::thread owner("owner",
                            [&] { replaced = model::the_engine->restartable_replace(&x, 1, 0); });
        model::thread other("other", [&] {
            const bool asked = x.cas(1, 2, acq);
            if (restarts) model::the_engine->membarrier(true);
            // Behind the barrier the word is decided; without it the word may still change to 0.
            if (asked && x.load(rlx) == 2) observe(100);
        });
        owner.join();
        other.join();
        observe(x.load(rlx) * 2 + (replaced ? 1 : 0));
        if (x.load(rlx) == 0) observe(101);
    }));
}

TEST(litmus, a_sequence_is_decided_behind_a_barrier) {
    // Three outcomes: replaced before the exchange or over it, or refused, or started over.
    const result r = owner_against(true);
    EXPECT_TRUE(r.has_seen(0 * 2 + 1) && r.has_seen(2 * 2 + 0));
    // would be: the owner succeeded, and yet its effect is gone
    EXPECT_FALSE(r.has_seen(2 * 2 + 1));
}

TEST(litmus, a_sequence_overwrites_what_it_has_not_seen) {
    // Without the barrier "still asked" proves nothing: the store comes later.
    const auto run = [](bool restarts) {
        return done(explore(exhaustive(), [=] {
            word x{1};
            bool still_asked = false;
            model::thread owner("owner",
                                [&] { (void)model::the_engine->restartable_replace(&x, 1, 0); });
            model::thread other("other", [&] {
                if (!x.cas(1, 2, acq)) return;
                if (restarts) model::the_engine->membarrier(true);
                still_asked = x.load(rlx) == 2;
            });
            owner.join();
            other.join();
            observe(still_asked && x.load(rlx) == 0 ? 1 : 0);
        }));
    };
    EXPECT_TRUE(run(false).has_seen(1));
    EXPECT_FALSE(run(true).has_seen(1));
}

// --- detectors -----------------------------------------------------------------------------------

TEST(explorer, finds_a_race_of_plain_memory) {
    const auto body = [](order store) {
        return [=] {
            word flag{0};
            model::plain<int> data;
            model::thread a("a", [&] {
                data.set(1);
                flag.store(1, store);
            });
            model::thread b("b", [&] {
                if (flag.load(acq) == 1) (void)data.get();
            });
            a.join();
            b.join();
        };
    };
    model::expect_fails({}, "data race", body(rlx));
    model::expect_holds({}, body(rel));
}

TEST(explorer, finds_a_deadlock) {
    model::expect_fails({}, "deadlock", [] {
        word x{0};
        model::thread a("a", [&] { (void)model::the_engine->futex_wait(&x, 0, -1); });
        model::thread b("b", [&] { x.store(1, rel); });
        a.join();
        b.join();
    });
}

TEST(explorer, finds_a_livelock) {
    model::expect_fails({}, "livelock", [] {
        word x{0};
        model::thread a("a", [&] {
            while (x.load(acq) != 2) {
            }
        });
        x.store(1, rel);
        a.join();
    });
}

TEST(explorer, finds_a_use_behind_the_end) {
    model::expect_fails({}, "life is over", [] {
        auto x = std::make_unique<word>(0u);
        word& touched = *x;
        model::thread a("a", [&] { touched.store(1, rel); });
        if (touched.load(acq) == 0) x.reset();
        a.join();
    });
}

TEST(explorer, finds_a_leak_and_a_second_free) {
    model::expect_fails({}, "leak", [] {
        int* p = new int(1);
        asm volatile("" : "+r"(p));
    });
    model::expect_fails({}, "freed twice", [] {
        int* p = new int(1);
        int* q = p;
        asm volatile("" : "+r"(p), "+r"(q));  // the compiler must not see that p and q are equal
        delete p;
        delete q;
    });
}

TEST(explorer, finds_memory_that_nobody_has_initialised) {
    model::expect_fails({}, "nobody has initialised", [] {
        void* const memory = ::operator new(sizeof(word));
        (void)static_cast<word*>(memory)->load(acq);
        ::operator delete(memory);
    });
}

TEST(explorer, finds_a_bug_that_needs_three_steps_in_order) {
    // Depth 3 is the depth that the random priorities promise to find.
    model::expect_fails({}, "not true", [] {
        word x{0};
        model::thread a("a", [&] {
            x.cas(0, 1, acq);
            x.cas(2, 3, acq);
        });
        model::thread b("b", [&] {
            x.cas(1, 2, acq);
            MODEL_CHECK(x.load(acq) != 3);
        });
        a.join();
        b.join();
    });
}

TEST(explorer, wakes_sleepers_whose_time_has_come) {
    const result r = explore({}, [] {
        word x{0};
        long first = 0;
        model::thread a("a", [&] { first = model::the_engine->futex_wait(&x, 0, 5'000'000); });
        a.join();
        MODEL_CHECK(first == -110);
        MODEL_CHECK(model::the_engine->clock() >= 5'000'000);
    });
    EXPECT_FALSE(r.failed) << r.why;
}

TEST(explorer, repeats_a_failure_from_its_string) {
    const auto body = [] {
        word x{0}, y{0};
        unsigned r1 = 0, r2 = 0;
        model::thread a("a", [&] {
            x.store(1, rel);
            r1 = y.load(acq);
        });
        model::thread b("b", [&] {
            y.store(1, rel);
            r2 = x.load(acq);
        });
        a.join();
        b.join();
        MODEL_CHECK(r1 + r2 > 0);
    };
    const result first = explore({}, body);
    ASSERT_TRUE(first.failed);
    ::setenv("ROTA_MODEL_REPLAY", first.replay.c_str(), 1);
    const result again = explore({}, body);
    ::unsetenv("ROTA_MODEL_REPLAY");
    EXPECT_TRUE(again.failed);
    EXPECT_EQ(again.why, first.why);
    EXPECT_EQ(again.replay, first.replay);
}

}  // namespace
