// Checks when ms look at the descriptors, and for how many events. The tests run on epoll, behind a
// back end that records its calls, in child processes.
#include "sched/queue/poll.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <span>
#include <utility>

#include <unistd.h>

#include <gtest/gtest.h>
#include <rota/os.hpp>
#include <rota/rota.hpp>

#include "../../death_tests.hpp"
#include "core/getg.hpp"
#include "sys/call/clock.hpp"

namespace {

using namespace rota::rt;
using namespace std::chrono_literals;

// sysmon has no m.
bool is_by_an_m() { return getm_or_null() != nullptr; }

class watched_backend final : public poll_backend {
  public:
    int start() override { return net_epoll.start(); }
    int add(int fd, std::uint64_t tag) override { return net_epoll.add(fd, tag); }
    int remove(int fd, std::uint64_t tag) override { return net_epoll.remove(fd, tag); }
    int wait(std::int64_t timeout, std::span<poll_event> events) override {
        if (timeout != 0) ++sleeps;
        else if (is_by_an_m()) {
            ++(events.size() == poll_events_max ? long_looks : short_looks);
            if (vain_looks > 0) return in_vain(events);
        }
        return net_epoll.wait(timeout, events);
    }
    void wake() override { net_epoll.wake(); }
    const char* name() const override { return "watched epoll"; }

    int looks() const { return long_looks + short_looks; }

    std::atomic<int> sleeps{0}, long_looks{0}, short_looks{0};  // calls by ms
    std::atomic<int> vain_looks{0};  // number of next looks that find only events without a waiter

  private:
    // Fills `events` with events of descriptors that are gone.
    int in_vain(std::span<poll_event> events) {
        --vain_looks;
        for (poll_event& e : events) e = {~std::uint64_t{1}, true, true, false};
        return static_cast<int>(events.size());
    }
};
constinit watched_backend watched;

// In the child; SIGALRM ends it if a wait in it never ends.
void begin_watched() {
    ::alarm(60);
    net_poller.use(watched);
}

// One p, and a goroutine that waits for a byte of a pipe; then f(writer).
template <class F>
void beside_a_reader(F f) {
    begin_watched();
    rota::run([f] {
        rota::runtime::gomaxprocs(1);
        auto [reader, writer] = rota::os::pipe();
        rota::go([reader = std::move(reader)] {
            std::byte one[1];
            std::error_code ended;
            while (reader.read(one, ended) > 0) {
            }
        });
        f(writer);
    });
}

// Two goroutines yield to each other, after `turn` each time, until `is_enough`. While an m without
// a p sleeps in the poller no other m looks, so a byte wakes it now and then.
template <class C>
void take_turns(const rota::os::file& writer, std::chrono::nanoseconds turn, C is_enough) {
    const std::byte one[1] = {};
    std::atomic<bool> over = false;
    const auto give_way = [&] {
        const std::int64_t end = nanotime() + turn.count();
        while (nanotime() < end) {
        }
        rota::runtime::gosched();
    };
    rota::wait_group other;
    other.go([&] {
        while (!over) give_way();
    });
    const std::int64_t limit = nanotime() + 10'000'000'000;
    for (unsigned turns = 1; !is_enough(); ++turns) {
        if (turns % 64 == 0) (void)writer.write(one);
        if (nanotime() > limit) {
            std::fprintf(stderr, "short looks %d, long ones %d, last one %lld\n",
                         watched.short_looks.load(), watched.long_looks.load(),
                         static_cast<long long>(sched.last_poll.load(memory_order_relaxed)));
            ::_exit(99);
        }
        give_way();
    }
    over = true;
    other.wait();
}

// A busy m that looks seldom must bring as many events as it can; otherwise goroutines that wait
// for events would get fewer turns than their share. A busy m that looks often brings few at a
// time. Where the test itself has too few processors, an m without work that has been lent a p may
// take a look or two.
TEST(looks_between, are_for_many_where_they_are_a_millisecond_apart) {
    EXPECT_EXIT(
        {
            beside_a_reader([](const rota::os::file& writer) {
                take_turns(writer, 0ns, [] { return watched.short_looks > 2; });
                // 61 of these turns are two milliseconds, and none is a long run.
                const auto take_long_turns = [&writer](int looks) {
                    const int until = watched.looks() + looks;
                    take_turns(writer, 35us, [until] { return watched.looks() >= until; });
                };
                take_long_turns(2);
                const int few = watched.short_looks;
                take_long_turns(20);
                const int short_ones = watched.short_looks - few;
                std::fprintf(stderr, "short looks among 20: %d\n", short_ones);
                ::_exit(short_ones < 10 ? 0 : 1);
            });
        },
        testing::ExitedWithCode(0), "");
}

// A look full of events without a waiter says nothing of further events: an m without other work
// must look again before it sleeps. An m may sleep through a round if sysmon is the first to look.
// After a broken sleep, as in the first rounds, no m sleeps.
TEST(looks_without_work, go_on_behind_what_nobody_waits_for) {
    EXPECT_EXIT(
        {
            begin_watched();
            rota::run([] {
                rota::runtime::gomaxprocs(1);
                auto [reader, writer] = rota::os::pipe();
                std::byte one[1] = {};
                int awake = 0;
                for (int round = 0; round < 100; ++round) {
                    rota::wait_group read;
                    read.go([&reader, &one] { (void)reader.read(one); });
                    rota::runtime::gosched();  // it waits
                    const int before = watched.sleeps;
                    watched.vain_looks = 3;
                    (void)writer.write(one);
                    read.wait();
                    if (watched.vain_looks == 0 && watched.sleeps == before) ++awake;
                }
                std::fprintf(stderr, "%d rounds of 100 without a sleep\n", awake);
                ::_exit(awake > 50 ? 0 : 1);
            });
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
