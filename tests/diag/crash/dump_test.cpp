// Checks the header of a waiting goroutine in a dump: the minutes it has waited, and whether it is
// locked to its thread. Also checks that a dump shows each goroutine once.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rota/rota.hpp>
#include <rota/synctest.hpp>

#include "../../gomaxprocs_restored.hpp"
#include "core/g.hpp"
#include "core/sched.hpp"
#include "mem/stack.hpp"
#include "sched/preempt/scan.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {
namespace {

struct older {
    std::uint64_t goid;
    std::uint32_t by;  // s
};

// Makes the goroutine look as if it had parked `by` seconds earlier.
void make_older(std::uint64_t goid, std::uint32_t by) {
    older wanted{goid, by};
    stack_for_each(
        [](const stack_slot& slot, void* arg) {
            g& gp = *header_of(slot);
            const older& w = *static_cast<older*>(arg);
            if (gp.goid == w.goid) gp.wait_since = whole_seconds(nanotime()) - w.by;
        },
        &wanted);
}

std::string header_in(const std::string& text, std::uint64_t goid) {
    const std::string begin = "goroutine " + std::to_string(goid) + " ";
    std::size_t at = text.find("\n" + begin);
    if (at == text.npos) return "";
    ++at;
    return text.substr(at, text.find('\n', at) - at);
}

// The header of a goroutine that waits for a value, made older by `waited` seconds.
std::string header_after(std::uint32_t waited, bool locked) {
    std::string header;
    run([&] {
        auto values = make_chan<int>();
        std::atomic<std::uint64_t> goid{0};
        wait_group wg;
        wg.go([&] {
            if (locked) runtime::lock_os_thread();
            goid = runtime::goid();
            values.recv();
        });
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(15);
        while (header.find("[chan receive") == header.npos &&
               std::chrono::steady_clock::now() < until) {
            header = header_in(runtime::stack(true), goid);
            runtime::gosched();
        }
        make_older(goid, waited);
        header = header_in(runtime::stack(true), goid);
        values.close();
        wg.wait();
    });
    return header.substr(header.find('[') == header.npos ? 0 : header.find('['));
}

TEST(dump, tells_no_time_before_a_minute_has_passed) {
    // Otherwise the header of every waiting goroutine would say 0 minutes.
    // less than 60 s: a dump may take seconds
    EXPECT_EQ(header_after(55, false), "[chan receive]:");
}

TEST(dump, tells_whole_minutes_rounded_down) {
    // Without minutes a reader does not see which goroutine is stuck.
    EXPECT_EQ(header_after(60, false), "[chan receive, 1 minutes]:");
    EXPECT_EQ(header_after(177, false), "[chan receive, 2 minutes]:");
}

TEST(dump, tells_the_lock_to_a_thread_behind_the_time) {
    // In another order, readers of Go's dumps would not find the parts.
    EXPECT_EQ(header_after(0, true), "[chan receive, locked to thread]:");
    EXPECT_EQ(header_after(61, true), "[chan receive, 1 minutes, locked to thread]:");
}

TEST(dump, tells_the_bubble_and_who_only_that_can_wake) {
    // Otherwise a reader who asks why a test's clock stands still would not see which goroutine
    // holds it.
    run([] {
        const std::string bubble = ", synctest bubble " + std::to_string(runtime::goid()) + "]:";
        synctest::test([&] {
            auto inside = make_chan<int>();
            std::uint64_t goid = 0;
            go([&] {
                goid = runtime::goid();
                inside.recv();
            });
            synctest::wait();
            const std::string dump = runtime::stack(true);
            const auto header = [&](std::uint64_t of) {
                const std::string all = header_in("\n" + dump, of);
                return all.substr(all.find('['));
            };
            EXPECT_EQ(header(goid), "[chan receive (durable)" + bubble);
            EXPECT_EQ(header(runtime::goid()), "[running" + bubble);
            inside.close();
        });
    });
}

TEST(dump, a_park_is_dated_to_the_second_or_two) {
    // If the clock that parks read stood still, every goroutine would seem to wait for days after
    // days of work.
    run([] {
        const std::uint32_t before = about_now();
        EXPECT_GT(before, 0u);
        EXPECT_LE(before, whole_seconds(nanotime()));
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(15);
        while (about_now() == before && std::chrono::steady_clock::now() < until)
            sleep_for(std::chrono::milliseconds(20));
        EXPECT_GT(about_now(), before);
    });
}

TEST(dump, shows_each_goroutine_once_while_others_run) {
    // A dump is made step by step. A goroutine that runs, ends or begins meanwhile could make it
    // skip another goroutine or show a goroutine twice. A goroutine that has gone on could be shown
    // half old, half new.
    const rota_test::gomaxprocs_restored restored;
    runtime::gomaxprocs(4);
    run([] {
        constexpr int waiting = 1500;
        auto values = make_chan<int>();
        std::vector<std::atomic<std::uint64_t>> goids(waiting);
        std::atomic<bool> enough{false};
        wait_group wg;
        for (std::atomic<std::uint64_t>& goid : goids) {
            wg.go([&] {
                goid = runtime::goid();
                values.recv();
            });
        }
        for (int i = 0; i < 4; ++i) {
            wg.go([&] {
                while (!enough) runtime::gosched();
            });
            wg.go([&] {
                while (!enough) {
                    wait_group child;
                    child.go([] { runtime::gosched(); });
                    child.wait();
                }
            });
        }
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        const auto all_wait = [&] {
            for (std::atomic<std::uint64_t>& goid : goids) {
                if (goid == 0) return false;
            }
            return true;
        };
        while (!all_wait() && std::chrono::steady_clock::now() < until) runtime::gosched();
        ASSERT_TRUE(all_wait());
        for (int round = 0; round < 5; ++round) {
            const std::string text = runtime::stack(true);
            std::map<std::uint64_t, int> shown;
            for (std::size_t at = 0; (at = text.find("\n\ngoroutine ", at)) != text.npos; at += 2)
                ++shown[std::strtoull(text.c_str() + at + 12, nullptr, 10)];
            for (const auto& [goid, times] : shown) EXPECT_EQ(times, 1) << goid;
            for (std::atomic<std::uint64_t>& goid : goids) EXPECT_EQ(shown.count(goid), 1u) << goid;
        }
        enough = true;
        values.close();
        wg.wait();
    });
}

TEST(dump, does_not_go_after_those_that_begin_meanwhile) {
    // Beside a goroutine that creates goroutines without end, the dump would not end either.
    run([] {
        // reserved_max: numbers that ps keep for new goroutines
        constexpr int later = 1000, reserved_max = 100;
        auto values = make_chan<int>();
        wait_group wg;
        slot_tour tour;
        for (int i = 0; i < later; ++i) wg.go([&] { values.recv(); });
        struct counting {
            const slot_tour& tour;
            int on_it = 0;
        } c{tour};
        while (tour.find_next()) {
            tour.visit(
                [](const stack_slot& slot, void* arg) {
                    auto& c = *static_cast<counting*>(arg);
                    c.on_it += c.tour.is_on_it(*header_of(slot)) ? 1 : 0;
                },
                &c);
        }
        EXPECT_GE(c.on_it, 1);  // this goroutine
        EXPECT_LT(c.on_it, reserved_max + 100);
        values.close();
        wg.wait();
    });
}

}  // namespace
}  // namespace rota::rt
