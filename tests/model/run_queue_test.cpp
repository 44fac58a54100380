// Explores the run queues with four slots: the owner, thieves, the overflow into the global queue.
#include <array>

#include <gtest/gtest.h>

#include "rig.hpp"
#include "sched/queue/run_queue.hpp"

namespace {

using namespace rota::rt;
using model::departures;
using model::options;
using model::thread;

// Goroutines that never run, and ps outside the scheduler. Each g must be taken once.
struct queues {
    p owner, thief, second_thief;
    std::array<g, 8> gs;
    std::array<int, 8> taken{};
    // Indices that start near their end wrap during the test.
    static constexpr std::uint32_t first = ~std::uint32_t{0} - 2;

    queues() {
        for (g& gp : gs) {
            gp.status.store(g_status::runnable, memory_order_relaxed);
            gp.goid = static_cast<std::uint64_t>(&gp - gs.data());
        }
        for (p* pp : {&owner, &thief, &second_thief}) {
            pp->runq_head.store(first, memory_order_relaxed);
            pp->runq_tail.store(first, memory_order_relaxed);
        }
        model::name(owner, "owner");
        model::name(owner.runq_head, "head");
        model::name(owner.runq_tail, "tail");
        model::name(owner.runnext, "runnext");
        model::name(owner.runnext_gate, "gate");
        model::name(owner.runq, "ring");
        model::name(thief, "thief");
        model::name(second_thief, "thief 2");
        model::name(sched, "sched");
    }

    void take(const g* gp) {
        MODEL_CHECK(gp >= gs.data() && gp < gs.data() + gs.size());
        MODEL_CHECK(++taken[gp->goid] == 1);
    }
    void put(std::size_t i, bool next) { runq_put(owner, gs[i], next); }
    bool get() {
        bool inherit = false;
        const g* const gp = runq_get(owner, inherit);
        if (gp != nullptr) take(gp);
        return gp != nullptr;
    }
    void drain(p& pp) {
        bool inherit = false;
        while (const g* gp = runq_get(pp, inherit)) take(gp);
    }
    void steal(p& by, bool next) {
        if (const g* gp = runq_steal(by, owner, next)) take(gp);
        drain(by);
    }
    void end(std::size_t n) {
        drain(owner);
        {
            const lock_guard guard(sched.mu);
            while (!sched.runq.empty()) take(sched.runq.pop());
        }
        for (std::size_t i = 0; i < n; ++i) MODEL_CHECK(taken[i] == 1);
    }
};

// Thieves wait before they take a runnext; a clock that leaps keeps that short.
options leaping_clock() {
    options o;
    o.tick = 20'000;
    return o;
}

TEST(kb16_run_queue, each_comes_out_once_between_owner_and_two_thieves) {
    // What could go wrong: a thief copies slots that the owner overwrites, or two takers use one
    // head.
    model::machine rig(2);
    model::expect_holds(departures(1), [] {
        queues q;
        for (std::size_t i = 0; i < 3; ++i) q.put(i, false);
        thread a("thief", [&] { q.steal(q.thief, false); });
        thread b("thief 2", [&] { q.steal(q.second_thief, false); });
        (void)q.get();
        q.put(3, false);
        (void)q.get();
        a.join();
        b.join();
        q.end(4);
    });
}

TEST(kb16_run_queue, a_full_ring_spills_beside_a_thief) {
    // The owner moves half of the ring to the global queue while a thief takes from the ring.
    model::machine rig(2);
    model::expect_holds({}, [] {
        queues q;
        for (std::size_t i = 0; i < 4; ++i) q.put(i, false);
        thread a("thief", [&] { q.steal(q.thief, false); });
        q.put(4, false);
        q.put(5, false);
        a.join();
        q.end(6);
    });
}

TEST(kb16_run_queue, slots_are_used_again_under_the_eyes_of_a_slow_thief) {
    // The ring goes round once while the thief stands between copying and taking.
    model::machine rig(2);
    model::expect_holds({}, [] {
        queues q;
        q.put(0, false);
        q.put(1, false);
        thread a("thief", [&] { q.steal(q.thief, false); });
        for (std::size_t i = 2; i < 7; ++i) {
            (void)q.get();
            q.put(i, false);
        }
        a.join();
        q.end(7);
    });
}

TEST(kb16_run_queue, a_thief_that_is_robbed_itself_loses_nothing) {
    // The thief copies into its own ring, from which another thief steals.
    model::machine rig(2);
    model::expect_holds(departures(1), [] {
        queues q;
        for (std::size_t i = 0; i < 4; ++i) q.put(i, false);
        thread a("thief", [&] {
            if (const g* gp = runq_steal(q.thief, q.owner, false)) q.take(gp);
        });
        thread b("robber", [&] {
            if (const g* gp = runq_steal(q.second_thief, q.thief, false)) q.take(gp);
        });
        (void)q.get();
        a.join();
        b.join();
        q.drain(q.thief);
        q.drain(q.second_thief);
        q.end(4);
    });
}

TEST(kb11_runnext, is_the_owners_or_the_thiefs) {
    // Owner and thief want the same goroutine; the owner uses a restartable sequence, the thief
    // shuts a gate.
    model::machine rig(2);
    model::expect_holds_in_both_modes(leaping_clock(), [] {
        queues q;
        q.put(0, true);
        thread a("thief", [&] { q.steal(q.thief, true); });
        (void)q.get();
        a.join();
        q.end(1);
    });
}

TEST(kb11_runnext, is_kicked_into_the_ring_under_the_eyes_of_a_thief) {
    model::machine rig(2);
    model::expect_holds_in_both_modes(leaping_clock(), [] {
        queues q;
        q.put(0, true);
        thread a("thief", [&] { q.steal(q.thief, true); });
        q.put(1, true);
        q.put(2, true);
        (void)q.get();
        a.join();
        q.end(3);
    });
}

TEST(kb11_runnext, two_thieves_take_it_once) {
    model::machine rig(2);
    options o = leaping_clock();
    o.departures = 1;
    model::expect_holds_in_both_modes(o, [] {
        queues q;
        q.put(0, true);
        thread a("thief", [&] { q.steal(q.thief, true); });
        thread b("thief 2", [&] { q.steal(q.second_thief, true); });
        q.put(1, true);
        a.join();
        b.join();
        q.end(2);
    });
}

// The last look before sleep. The submitter queues, then looks for a spinner. The spinner announces
// that it stops, then looks at the queue. At least one must see the other's step.
class last_look {
  public:
    explicit last_look(queues& q) : q_(q) { model::name(spinners_, "spinners"); }
    // Called by the submitter after it has queued.
    void rely_on_spinner() {
        light_fence();
        relied_ = spinners_.load(memory_order_seq_cst) != 0;
    }
    void end() {
        spinner_.join();
        MODEL_CHECK(seen_ || !relied_);
        q_.end(2);
    }

  private:
    queues& q_;
    atomic<std::uint32_t> spinners_{1};
    bool seen_ = false, relied_ = false;
    thread spinner_{"spinner", [this] {
                        spinners_.fetch_sub(1, memory_order_seq_cst);
                        heavy_fence();
                        seen_ = !runq_empty(q_.owner);
                    }};
};

TEST(kb01_runq_empty, sees_what_was_queued_before_a_fence) {
    // This must also hold if the owner moves a goroutine from runnext into the ring meanwhile.
    model::machine rig(2);
    model::expect_holds_in_both_modes({}, [] {
        queues q;
        last_look look(q);
        q.put(0, true);
        q.put(1, true);
        look.rely_on_spinner();
        look.end();
    });
}

TEST(kb01_runq_empty, sees_what_moves_from_runnext_into_the_ring) {
    // The owner kicks the goroutine into the ring after the spinner has looked there. It then takes
    // the goroutine for which it was kicked: runnext is empty again.
    model::machine rig(2);
    model::expect_holds_in_both_modes({}, [] {
        queues q;
        last_look look(q);
        q.put(0, true);
        look.rely_on_spinner();
        q.put(1, true);
        (void)q.get();
        look.end();
    });
}

TEST(model_global_queue, shares_out_each_once) {
    model::machine rig(2);
    model::expect_holds(departures(1), [] {
        queues q;
        const auto work = [&](p& own, std::size_t i) {
            {
                const lock_guard guard(sched.mu);
                global_put(q.gs[i]);
            }
            const g* gp = nullptr;
            if (global_has_work()) {
                const lock_guard guard(sched.mu);
                gp = global_get(own, 0);
            }
            if (gp != nullptr) q.take(gp);
            q.drain(own);
        };
        thread a("a", [&] { work(q.thief, 0); });
        thread b("b", [&] { work(q.second_thief, 1); });
        work(q.owner, 2);
        a.join();
        b.join();
        q.end(3);
        MODEL_CHECK(!global_has_work());
    });
}

}  // namespace
