// Checks that no goroutine starves, in random mixes of habits from the polite to the rude.
//
// Each member of a mix counts its turns. Once every member runs, every member must go on: a member
// whose count stands still until `patience` ends has been starved. The test judges neither the time
// that this takes nor the number of turns.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../gomaxprocs_restored.hpp"
#include "load.hpp"

using rota_test::burn;
using rota_test::choices;
using rota_test::eventually;
using rota_test::scheduler_state;
using rota_test::time_box;
using namespace std::chrono_literals;

namespace {

class mix {
  public:
    using count = std::atomic<std::uint64_t>;
    explicit mix(std::uint64_t salt) : choose(salt) {}
    ~mix() {
        over = true;
        for (auto& end : ends_) end();
        threads_.clear();  // joins them
        all.wait();
    }
    mix(const mix&) = delete;
    mix& operator=(const mix&) = delete;

    void join(const char* name, void (*begin)(mix&)) {
        name_ = name;
        begin(*this);
    }
    // The count of a new member of the joining kind.
    count& turns() {
        members_.push_back(std::make_unique<member>());
        members_.back()->name = name_;
        return members_.back()->turns;
    }
    void thread(std::function<void()> f) { threads_.emplace_back(std::move(f)); }
    void at_the_end(std::function<void()> f) { ends_.push_back(std::move(f)); }

    // The members that had no further turn within the usual patience of tests, and the mix; "" if
    // there is none.
    [[nodiscard]] std::string who_stands_still() const {
        std::vector<std::uint64_t> before;
        for (const auto& m : members_) before.push_back(m->turns);
        const auto until = std::chrono::steady_clock::now() + rota_test::patience;
        std::string still;
        std::size_t n = 0;
        for (std::size_t i = 0; i < members_.size();) {
            if (members_[i]->turns != before[i]) {
                ++i;
            } else if (std::chrono::steady_clock::now() < until) {
                std::this_thread::sleep_for(200us);  // between two looks at the count
            } else {
                if (n++ < 10) still += std::string(members_[i]->name) + ", ";
                ++i;
            }
        }
        if (n == 0) return "";
        std::set<std::string> kinds;
        for (const auto& m : members_) kinds.insert(m->name);
        still += std::to_string(n) + " of " + std::to_string(members_.size()) + "; the mix:";
        for (const std::string& kind : kinds) still += " " + kind + ",";
        return still + " " + scheduler_state();
    }

    std::atomic<bool> over{false};
    rota::wait_group all;
    choices choose;

  private:
    struct member {
        const char* name = "";
        count turns{0};
    };
    const char* name_ = "";
    std::vector<std::unique_ptr<member>> members_;
    std::vector<std::jthread> threads_;
    std::vector<std::function<void()>> ends_;
};

struct habit {
    const char* name;
    void (*begin)(mix&);
    bool needs_stops;  // a member must be stopped from outside, which chaos mode leaves out
};

// A blocking call: sits in the kernel for `time`, and waits for no event.
void sit_in_the_kernel(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

void compute(mix& x) {
    mix::count& turns = x.turns();
    x.all.go([&] {
        while (!x.over) {
            burn(20us);
            ++turns;
        }
    });
}

void compute_politely(std::chrono::microseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) rota::runtime::preempt_point();
}

// More goroutines than processors, so that the queue is never empty.
void compute_together(mix& x) {
    for (int i = 0; i < rota::runtime::gomaxprocs(0) + 2; ++i) {
        x.all.go([&x, &turns = x.turns()] {
            while (!x.over) {
                compute_politely(20us);
                ++turns;
            }
        });
    }
}

// The readied listener runs next until their slice is over, and then waits in the ring.
void compute_and_tell(mix& x) {
    mix::count& heard = x.turns();
    const auto calls = rota::make_chan<int>(1);
    x.all.go([&x, &heard, calls] {
        while (!x.over && calls.recv()) ++heard;
    });
    for (int i = 0; i < rota::runtime::gomaxprocs(0) + 2; ++i) {
        x.all.go([&x, &turns = x.turns(), calls] {
            while (!x.over) {
                compute_politely(20us);
                (void)calls.try_send(1);
                ++turns;
            }
            (void)calls.try_send(1);
        });
    }
}

void yield(mix& x) {
    mix::count& turns = x.turns();
    const std::chrono::microseconds work{x.choose.below(2) * 50};
    x.all.go([&x, &turns, work] {
        while (!x.over) {
            burn(work);
            ++turns;
            rota::runtime::gosched();
        }
    });
}

// A member that has a turn readies the next member: together they are never idle. With many members
// the ring of their processor is always full. They count together: where tokens jam, each member
// waits until the jam has passed, and that is up to the channels. A member without turns would soon
// stop the whole round.
void pass_tokens_round(mix& x) {
    mix::count& turns = x.turns();
    const std::size_t many = x.choose.once_in(4) ? rota_test::scaled(600) : 8;
    const std::size_t tokens = 1 + x.choose.below(static_cast<unsigned>(many) / 2);
    std::vector<rota::chan<int>> slots;
    for (std::size_t i = 0; i < many; ++i) slots.push_back(rota::make_chan<int>(1));
    const auto under_way = std::make_shared<std::atomic<std::size_t>>(tokens);
    for (std::size_t i = 0; i < many; ++i) {
        x.all.go([=, &x, &turns, from = slots[i], to = slots[(i + 1) % many]] {
            for (const int token : from) {
                ++turns;
                if (x.over) --*under_way;
                else to.send(token);
            }
        });
    }
    for (std::size_t i = 0; i < tokens; ++i) slots[2 * i].send(1);
    x.at_the_end([=] {
        EXPECT_TRUE(eventually([&] { return *under_way == 0; })) << scheduler_state();
        for (const rota::chan<int>& slot : slots) slot.close();
    });
}

void play_ping_pong(mix& x) {
    mix::count& turns = x.turns();
    const auto to = rota::make_chan<int>(), back = rota::make_chan<int>();
    x.all.go([=] {
        for (const int ball : to) back.send(ball);
    });
    x.all.go([=, &x, &turns] {
        while (!x.over) {
            to.send(1);
            (void)back.recv();
            ++turns;
        }
        to.close();
    });
}

void sleep_again_and_again(mix& x) {
    mix::count& turns = x.turns();
    const std::chrono::microseconds pause{50 + x.choose.below(3000)};
    x.all.go([&x, &turns, pause] {
        while (!x.over) {
            rota::sleep_for(pause);
            ++turns;
        }
    });
}

// Timers that begin chains, which then go on without timers.
void begin_chains_by_timers(mix& x) {
    mix::count& turns = x.turns();
    x.all.go([&x, &turns] {
        while (!x.over) {
            rota::sleep_for(2ms);
            rota::wait_group chain;
            for (int i = 0; i < 20; ++i) chain.go([] { rota::runtime::gosched(); });
            chain.wait();
            ++turns;
        }
    });
}

void block_unannounced(mix& x) {
    mix::count& turns = x.turns();
    x.all.go([&x, &turns] {
        while (!x.over) {
            sit_in_the_kernel(700us);
            ++turns;
            burn(10us);
        }
    });
}

void block_announced(mix& x) {
    mix::count& turns = x.turns();
    x.all.go([&x, &turns] {
        while (!x.over) {
            rota::blocking([] { sit_in_the_kernel(300us); });
            ++turns;
        }
    });
}

// std::mutex decides which of them gets it, so they count together.
void hold_a_std_mutex(mix& x) {
    mix::count& turns = x.turns();
    const auto mu = std::make_shared<std::mutex>();
    for (int i = 0; i < 3; ++i) {
        x.all.go([&x, &turns, mu] {
            while (!x.over) {
                {
                    const std::lock_guard guard(*mu);
                    burn(30us);
                }
                ++turns;
            }
        });
    }
}

void contend_for_a_mutex(mix& x) {
    const auto mu = std::make_shared<rota::mutex>();
    for (int i = 0; i < 4; ++i) {
        x.all.go([&x, &turns = x.turns(), mu] {
            while (!x.over) {
                const std::lock_guard guard(*mu);
                ++turns;
            }
        });
    }
}

void hear_from_a_thread(mix& x) {
    mix::count& turns = x.turns();
    const auto calls = rota::make_chan<int>(64);
    const bool pauses = x.choose.once_in(2);
    x.thread([calls, pauses, &x] {
        while (!x.over) {
            calls.send(1);
            if (pauses) sit_in_the_kernel(100us);
        }
        calls.close();
    });
    x.all.go([calls, &turns] {
        for ([[maybe_unused]] const int call : calls) ++turns;
    });
}

struct chain {
    mix& x;
    mix::count& turns;
    void (*work)(std::chrono::microseconds);
    std::chrono::microseconds time;
    std::shared_ptr<std::atomic<int>> alive = std::make_shared<std::atomic<int>>(0);

    // Begins its successor first, and goes on itself. At most 20 links are alive, as time allows.
    void link() const {
        constexpr int at_most = 20;
        if (*alive < at_most) begin();
        work(time);
        ++turns;
        if (--*alive == 0) begin();
    }
    void begin() const {
        if (x.over) return;
        ++*alive;
        x.all.go([self = *this] { self.link(); });
    }
};

void begin_each_other(mix& x) {
    const std::chrono::microseconds time{x.choose.once_in(2) ? 0 : 10 + x.choose.below(2000)};
    chain{x, x.turns(), compute_politely, time}.begin();
}

void begin_each_other_and_block(mix& x) {
    void (*const ways[])(std::chrono::microseconds) = {
        [](std::chrono::microseconds t) { burn(t); },
        sit_in_the_kernel,
        [](std::chrono::microseconds t) { rota::blocking([t] { sit_in_the_kernel(t); }); },
    };
    const std::chrono::microseconds time{500 + x.choose.below(1000)};
    chain{x, x.turns(), ways[x.choose.below(3)], time}.begin();
}

// More timers come due than there is time to run the goroutines that they ready.
void overload_timers(mix& x) {
    for (int i = 0; i < rota_test::scaled(400); ++i) {
        x.all.go([&x, &turns = x.turns()] {
            while (!x.over) {
                rota::sleep_for(1us);
                burn(5us);
                ++turns;
            }
        });
    }
}

// In between, goroutines compute for less than a slice: they lend their processor.
void begin_computations(mix& x) {
    x.all.go([&x, &turns = x.turns()] {
        while (!x.over) {
            rota::wait_group computing;
            computing.go([] { burn(2500us); });
            rota::sleep_for(200us);
            computing.wait();
            ++turns;
        }
    });
}

// Several goroutines share a descriptor: a goroutine that has had a turn comes again at once.
void share_a_pipe(mix& x) {
    using ends = std::pair<rota::os::file, rota::os::file>;  // to read, and to write
    const auto pipe = std::make_shared<ends>(rota::os::pipe());
    for (int i = 0; i < 3; ++i) {
        x.all.go([pipe, &turns = x.turns()] {
            std::array<std::byte, 1> item;
            while (pipe->first.read(item) == 1) ++turns;
        });
    }
    const auto writing = std::make_shared<rota::wait_group>();
    for (int i = 0; i < 2; ++i) {
        writing->go([pipe, &x, &turns = x.turns()] {
            while (!x.over) {
                (void)pipe->second.write(std::array<std::byte, 1>{});
                ++turns;
            }
        });
    }
    x.at_the_end([pipe, writing] {
        writing->wait();
        pipe->second.close();
    });
}

void echo_through_pipes(mix& x) {
    mix::count& turns = x.turns();
    using ends = std::pair<rota::os::file, rota::os::file>;  // to read, and to write
    const auto there = std::make_shared<ends>(rota::os::pipe());
    const auto back = std::make_shared<ends>(rota::os::pipe());
    x.all.go([there, back] {
        std::array<std::byte, 1> ball;
        while (there->first.read(ball) == 1) (void)back->second.write(ball);
    });
    x.all.go([there, back, &x, &turns] {
        std::array<std::byte, 1> ball{};
        while (!x.over) {
            (void)there->second.write(ball);
            (void)back->first.read(ball);
            ++turns;
        }
        there->second.close();
    });
}

void keep_a_thread(mix& x) {
    mix::count& turns = x.turns();
    x.all.go([&x, &turns] {
        rota::runtime::lock_os_thread();
        while (!x.over) {
            rota::runtime::gosched();
            ++turns;
        }
        rota::runtime::unlock_os_thread();
    });
}

void poll_by_select(mix& x) {
    mix::count& turns = x.turns();
    const auto a = rota::make_chan<int>(), b = rota::make_chan<int>();
    x.all.go([a, b, &x, &turns] {
        while (!x.over) {
            rota::select(rota::on_recv(a, [](auto) {}), rota::on_recv(b, [](auto) {}),
                         rota::on_default([] {}));
            ++turns;
        }
    });
}

void hear_a_ticker(mix& x) {
    mix::count& turns = x.turns();
    x.all.go([&x, &turns] {
        const rota::ticker t(1ms);
        while (!x.over) {
            (void)t.c().recv();
            ++turns;
        }
    });
}

constexpr habit habits[] = {
    {"computes", compute, true},
    {"yields", yield, false},
    {"passes tokens round", pass_tokens_round, false},
    {"plays ping-pong", play_ping_pong, false},
    {"sleeps", sleep_again_and_again, false},
    {"begins chains by timers", begin_chains_by_timers, false},
    {"blocks unannounced", block_unannounced, true},
    {"blocks announced", block_announced, false},
    {"holds a std::mutex", hold_a_std_mutex, true},
    {"contends for a mutex", contend_for_a_mutex, true},
    {"hears from a thread", hear_from_a_thread, false},
    {"compute together", compute_together, true},
    {"compute and tell", compute_and_tell, true},
    {"begin each other", begin_each_other, false},
    {"begin each other and block", begin_each_other_and_block, true},
    {"overload timers", overload_timers, false},
    {"begins computations", begin_computations, true},
    {"share a pipe", share_a_pipe, false},
    {"echoes through pipes", echo_through_pipes, false},
    {"keeps a thread", keep_a_thread, false},
    {"polls by select", poll_by_select, true},
    {"hears a ticker", hear_a_ticker, false},
};

}  // namespace

TEST(kb10_starvation, of_nobody_in_a_mix_of_habits) {
    const time_box box(2000ms);
    int mixes = 0;
    for (std::uint64_t round = 0; box.open(); ++round, ++mixes) {
        mix x(round);
        const unsigned kinds = 2 + x.choose.below(6);
        for (unsigned i = 0; i < kinds; ++i) {
            const habit& h = habits[x.choose.below(std::size(habits))];
            if (!h.needs_stops || !rota_test::in_chaos()) x.join(h.name, h.begin);
        }
        for (int look = 0; look < 3; ++look)
            ASSERT_EQ(x.who_stands_still(), "") << "round " << round;
    }
    std::printf("%d mixes\n", mixes);
}

TEST(kb10_starvation, of_nobody_beside_a_ring_that_a_lent_processor_keeps_full) {
    // A computing goroutine lends its processor to goroutines that a timer readies. If these start
    // goroutines that ready each other without end, the processor would never come back, and the
    // global queue would never be served.
    if (rota_test::in_chaos())
        GTEST_SKIP() << "in chaos mode nobody is stopped, and no processor lent";
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    const time_box box(500ms);
    for (std::uint64_t round = 0; box.open(); ++round) {
        mix x(round);
        x.join("computes", compute);
        x.join("yields", yield);
        rota::run([&] {
            rota::sleep_for(3ms);
            x.join("passes tokens round", pass_tokens_round);
        });
        ASSERT_EQ(x.who_stands_still(), "") << "round " << round;
    }
}

TEST(kb10_starvation, of_nobody_in_a_ring_beside_those_who_use_up_their_slices) {
    // A goroutine that yields after its slice goes into the global queue while a goroutine waits
    // there. If that queue came first each time, its goroutines would take turns among themselves,
    // and the ring have none.
    if (rota_test::in_chaos()) GTEST_SKIP() << "in chaos mode nobody uses up a slice";
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    mix x(0);
    x.join("compute and tell", compute_and_tell);
    for (int look = 0; look < 3; ++look) ASSERT_EQ(x.who_stands_still(), "");
}

TEST(kb10_starvation, of_nobody_by_a_chain_of_which_each_begins_the_next) {
    // A goroutine readied last would inherit the slice at its end, be asked to yield at once, and
    // leave the goroutine that it has readied to go on. Each goroutine would stay behind, half
    // done.
    if (rota_test::in_chaos())
        GTEST_SKIP() << "in chaos mode requests to yield come at every operation";
    const rota_test::gomaxprocs_restored restored;
    rota::runtime::gomaxprocs(1);
    const time_box box(800ms);
    std::atomic<int> begun{0}, ended{0};
    int most = 0;
    struct chain {
        std::atomic<int>&begun, &ended;
        const time_box& box;
        rota::wait_group& all;
        void link() const {
            ++begun;
            if (box.open()) all.go([self = *this] { self.link(); });
            compute_politely(2ms);
            ++ended;
        }
    };
    rota::run([&] {
        rota::wait_group all;
        const chain c{begun, ended, box, all};
        all.go([&] { c.link(); });
        all.go([&] {
            while (box.open()) {
                most = std::max(most, begun - ended);
                rota::runtime::gosched();
            }
        });
        all.wait();
    });
    std::printf("%d begun, at most %d under way\n", begun.load(), most);
    EXPECT_LE(most, 20);
}
