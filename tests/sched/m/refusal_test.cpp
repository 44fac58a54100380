// Checks the scheduler when the kernel refuses a stack or a thread: faults planted in the calls
// below it.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <set>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "sched/base/hooks.hpp"
#include "sched/goroutine/gfree.hpp"
#include "sys/call/fault.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace rota::rt {
namespace {

std::atomic<int> refusals{0};

int refuse_mmap(sys_call call) {
    if (call != sys_call::mmap) return 0;
    ++refusals;
    return ENOMEM;
}

// Refuses the first three threads.
int refuse_some_threads(sys_call call) {
    return call == sys_call::clone && refusals++ < 3 ? EAGAIN : 0;
}
int refuse_all_threads(sys_call call) { return call == sys_call::clone ? EAGAIN : 0; }
int forbid_threads(sys_call call) { return call == sys_call::clone ? EPERM : 0; }

// Holds more goroutines in blocking calls than there are threads: the runtime must start new
// threads.
void need_threads() {
    const int many = runtime::num_thread() + runtime::gomaxprocs(0) + 4;
    std::atomic<int> inside{0};
    wait_group wg;
    for (int i = 0; i < many; ++i) {
        wg.go([&] {
            blocking([&] {
                ++inside;
                while (inside < many) std::this_thread::yield();
            });
        });
    }
    wg.wait();
}

class planted_fault : public testing::Test {
  protected:
    void SetUp() override {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
        refusals = 0;
    }
    void TearDown() override { plant_fault(nullptr); }
};

TEST_F(planted_fault, go_throws_when_there_is_no_address_space_and_leaves_nothing) {
    // A half-made goroutine could be queued, counted, or keep its closure. The error would then not
    // arrive, a goroutine would be counted, or the next go would fail.
    constexpr go_options large{.name = {}, .stack_size = std::size_t{4} << 20};
    struct closure {
        std::atomic<int>* alive;
        explicit closure(std::atomic<int>& n) : alive(&n) { ++*alive; }
        closure(const closure& o) : alive(o.alive) { ++*alive; }
        ~closure() { --*alive; }
        void operator()() const {}
    };
    std::atomic<int> alive{0};
    run([&] {
        const int before = runtime::num_goroutine();
        const closure c(alive);
        plant_fault(refuse_mmap);
        for (int i = 0; i < 5; ++i) {
            try {
                rota::go(large, c);
                ADD_FAILURE() << "go returned";
            } catch (const std::system_error& e) {
                EXPECT_EQ(e.code(), std::errc::not_enough_memory);
                EXPECT_NE(std::string(e.what()).find("stack"), std::string::npos) << e.what();
            }
        }
        plant_fault(nullptr);
        EXPECT_GE(refusals, 1);
        const std::size_t usual = runtime::set_max_stack(large.stack_size);
        plant_fault(refuse_mmap);
        EXPECT_THROW((void)async([c] { return 1; }), std::system_error);
        wait_group wg;
        EXPECT_THROW(wg.go([c] {}), std::system_error);
        wg.wait();  // not counted
        plant_fault(nullptr);
        runtime::set_max_stack(usual);
        EXPECT_LE(runtime::num_goroutine(), before);
        auto ch = make_chan<int>();
        rota::go(large, [ch] { ch.send(8); });
        EXPECT_EQ(ch.recv(), 8);
    });
    EXPECT_EQ(alive, 0);
}

TEST_F(planted_fault, goroutines_that_end_need_no_memory) {
    // The list of the dead has grown by now, or begins with these goroutines. The process could end
    // because the list cannot grow, or goroutines could be lost.
    boot_runtime();
    constexpr std::size_t many = 5000;
    const std::uint8_t cls = stack_class_for(std::size_t{64} << 10);
    std::set<g*> dead;
    while (dead.size() < many) {
        g* const gp = gfget(nullptr, cls);
        ASSERT_NE(gp, nullptr);
        dead.insert(gp);
    }
    const std::uint64_t before = gfree_count();
    plant_fault(refuse_mmap);
    for (g* const gp : dead) gfput(nullptr, *gp);
    plant_fault(nullptr);
    EXPECT_GE(refusals, 1);
    EXPECT_GE(gfree_count() + many / 8, before + many);  // sysmon may have taken a few
    std::set<g*> again;
    while (again.size() < many) {
        g* const gp = gfget(nullptr, cls);
        ASSERT_NE(gp, nullptr);
        EXPECT_EQ(gp->closure, nullptr);
        ASSERT_TRUE(again.insert(gp).second) << "given twice";
    }
    for (g* const gp : again) gfput(nullptr, *gp);
}

TEST_F(planted_fault, a_thread_refused_for_the_moment_is_asked_for_again) {
    // EAGAIN could be taken for the end, or the processor meant for the thread be lost. The process
    // would then die, or the goroutines would never be inside together.
    plant_fault(refuse_some_threads);
    need_threads();
    plant_fault(nullptr);
    EXPECT_GE(refusals, 3);
}

TEST_F(planted_fault, a_thread_refused_for_good_is_fatal_and_names_the_limits) {
    // The runtime could spin for ever, or go on with fewer threads and hang. The child would then
    // not end by itself, or give no reason.
    EXPECT_EXIT(
        {
            run([] {});
            plant_fault(refuse_all_threads);
            need_threads();
        },
        testing::ExitedWithCode(2), "failed to create new OS thread \\(errno=11\\)");
    EXPECT_EXIT(
        {
            run([] {});
            plant_fault(forbid_threads);
            need_threads();
        },
        testing::ExitedWithCode(2), "failed to create new OS thread \\(errno=1\\)");
}

// The kernel grants five more threads, and then none.
std::atomic<int> granted{0};
int refuse_beyond_five(sys_call call) {
    return call == sys_call::clone && granted++ >= 5 ? EAGAIN : 0;
}

void compute_for(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
}

// Goroutines that compute, more than there will be threads, beside a main goroutine that takes
// turns.
void compute_beside_turns(int turns, std::chrono::milliseconds at_most) {
    std::atomic<bool> over{false};
    wait_group group;
    for (int i = 0; i < 20; ++i) {
        group.go([&] {
            const auto until = std::chrono::steady_clock::now() + at_most;
            while (!over && std::chrono::steady_clock::now() < until) {
            }
        });
    }
    for (int i = 0; i < turns; ++i) sleep_for(std::chrono::milliseconds(1));
    over = true;
    group.wait();
}

TEST_F(planted_fault, spares_that_are_refused_end_nothing_and_the_last_one_serves_the_others) {
    // The runtime could insist on a standby thread, or give the last m to a further goroutine that
    // computes. The child would then end with the report of newosproc. Or main would have no turns
    // until a goroutine has ended: the time limit of the tests.
    for (const int procs : {1, 2}) {
        EXPECT_EXIT(
            {
                runtime::gomaxprocs(procs);
                run([] {});
                plant_fault(refuse_beyond_five);
                run([] { compute_beside_turns(100, std::chrono::hours(1)); });
                ::_exit(7);
            },
            testing::ExitedWithCode(7), "");
    }
}

TEST_F(planted_fault, without_a_single_thread_more_goroutines_are_run_to_their_end) {
    // The runtime could insist on the thread that makes threads.
    EXPECT_EXIT(
        {
            runtime::gomaxprocs(1);
            run([] { sleep_for(std::chrono::milliseconds(1)); });
            plant_fault(refuse_all_threads);
            run([] { compute_beside_turns(3, std::chrono::milliseconds(30)); });
            ::_exit(7);
        },
        testing::ExitedWithCode(7), "");
}

// A loaded kernel, which starts threads slowly.
int slow_threads(sys_call call) {
    if (call == sys_call::clone) ::usleep(50'000);
    return 0;
}

TEST_F(planted_fault, spares_that_are_slow_to_come_are_ordered_once) {
    // The runtime could order a standby thread at every look: there would be dozens.
    EXPECT_EXIT(
        {
            runtime::gomaxprocs(1);
            run([] { sleep_for(std::chrono::milliseconds(1)); });
            plant_fault(slow_threads);
            run([] {
                wait_group group;
                for (int i = 0; i < 3; ++i)
                    group.go([] { compute_for(std::chrono::milliseconds(200)); });
                group.wait();
            });
            ::_exit(runtime::num_thread());
        },
        [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) <= 10; }, "");
}

}  // namespace
}  // namespace rota::rt

#endif
