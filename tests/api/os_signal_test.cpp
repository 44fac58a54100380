// Signals by channels: none that has come is lost, and none comes after stop.
#include <csignal>
#include <cstdio>

#include <sys/syscall.h>

#include <rota/synctest.hpp>

#include "os_support.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// To the process: any thread may handle it.
void send(int signal) { ::kill(::getpid(), signal); }

// The program's own action for a signal: counts. A signal on its way to another thread while a
// channel stops may still reach this action.
class own_action {
  public:
    explicit own_action(int signal = SIGUSR1) : signal_(signal) {
        handled = 0;
        struct sigaction counts{};
        counts.sa_handler = [](int) { ++handled; };
        ::sigaction(signal, &counts, &before_);
    }
    ~own_action() { ::sigaction(signal_, &before_, nullptr); }
    own_action(const own_action&) = delete;
    own_action& operator=(const own_action&) = delete;

    static inline std::atomic<int> handled{0};

  private:
    int signal_;
    struct sigaction before_{};
};

void (*action_of(int signal))(int) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    return now.sa_handler;
}

}  // namespace

TEST_ANYWHERE(os_notify, sends_what_comes_to_all_who_asked) {
    const auto a = rota::make_chan<int>(4), b = rota::make_chan<int>(4);
    os::notify(a, SIGUSR1, SIGUSR2);
    os::notify(b, SIGUSR2);
    send(SIGUSR1);
    EXPECT_EQ(a.recv(), SIGUSR1);
    send(SIGUSR2);
    EXPECT_EQ(a.recv(), SIGUSR2);
    EXPECT_EQ(b.recv(), SIGUSR2);
    os::stop(a);
    os::stop(a);
    EXPECT_NE(action_of(SIGUSR2), SIG_DFL);
    os::stop(b);
    EXPECT_EQ(action_of(SIGUSR1), SIG_DFL);
    EXPECT_EQ(action_of(SIGUSR2), SIG_DFL);
    EXPECT_EQ(a.len() + b.len(), 0U);
}

TEST_ANYWHERE(os_notify, adds_to_what_a_channel_gets) {
    const auto c = rota::make_chan<int>(2);
    os::notify(c, SIGUSR1);
    os::notify(c, SIGUSR2);
    send(SIGUSR1);
    EXPECT_EQ(c.recv(), SIGUSR1);
    send(SIGUSR2);
    EXPECT_EQ(c.recv(), SIGUSR2);
    os::stop(c);
}

TEST_ANYWHERE(os_notify, of_none_means_all_that_may_be_asked_for) {
    const auto c = rota::make_chan<int>(8);
    os::notify(c);
    for (const int s : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGRTMIN + 1}) {
        send(s);
        EXPECT_EQ(c.recv(), s);
    }
    os::stop(c);
    EXPECT_EQ(action_of(SIGTERM), SIG_DFL);
}

TEST_ANYWHERE(os_notify, never_waits_for_a_full_channel) {
    // The goroutine that sends could wait for one reader while the remaining readers starve.
    const auto full = rota::make_chan<int>(1), other = rota::make_chan<int>(1);
    os::notify(full, SIGUSR1);
    os::notify(other, SIGUSR1);
    for (int i = 0; i < 5; ++i) {
        send(SIGUSR1);
        EXPECT_EQ(other.recv(), SIGUSR1);
    }
    os::stop(other);
    EXPECT_EQ(full.len(), 1U);
    os::stop(full);
}

TEST_ANYWHERE(os_notify, refuses_what_cannot_be_asked_for) {
    const auto c = rota::make_chan<int>(1);
    for (const int s :
         {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, 0, -1, 65, 32}) {
        try {
            os::notify(c, SIGUSR1, s);
            ADD_FAILURE() << "signal " << s << " was accepted";
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::invalid_argument) << s;
            EXPECT_NE(std::string(e.what()).find(std::to_string(s)), std::string::npos) << e.what();
        }
        EXPECT_THROW(os::ignore(s), std::system_error) << s;
        EXPECT_THROW(os::reset(s), std::system_error) << s;
    }
    EXPECT_EQ(action_of(SIGUSR1), SIG_DFL);
    EXPECT_EQ(panic_of([] { os::notify(rota::chan<int>(), SIGUSR1); }),
              "os/signal: Notify using nil channel");
    os::stop(rota::chan<int>());
}

TEST_ANYWHERE(os_stop, comes_after_all_that_came_before_it) {
    // A signal that the handler has noted, or that no thread has taken from the kernel yet, could
    // be dropped with the channel. A signal that another thread has taken could be lost.
    const own_action counts;
    int sent = 0, received = 0;
    for (int i = 0; i < scaled(500); ++i) {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGUSR1);
        if (i % 2 == 0) ::raise(SIGUSR1);
        else send(SIGUSR1);
        os::stop(c);
        ++sent;
        int got = 0;
        const bool has = c.try_recv(got) == rota::chan_status::ok;
        ASSERT_TRUE(has || i % 2 != 0) << "in round " << i;
        received += has ? 1 : 0;
        ASSERT_TRUE(eventually([&] { return received + counts.handled == sent; }))
            << "round " << i << ": the signal has reached nobody";
    }
}

TEST_ANYWHERE(os_stop, leaves_a_handler_that_begins_late_to_the_old_action) {
    // The kernel may have given the signal to a thread whose handler begins after stop. The signal
    // could be lost, or go to the next channel that asks, instead of the old action.
    const own_action counts;
    const auto first = rota::make_chan<int>(1), next = rota::make_chan<int>(1);
    os::notify(first, SIGUSR1);
    struct sigaction late{};
    ::sigaction(SIGUSR1, nullptr, &late);
    os::stop(first);
    siginfo_t info{};
    info.si_signo = SIGUSR1;
    info.si_pid = ::getpid();
    ucontext_t context{};
    late.sa_sigaction(SIGUSR1, &info, &context);
    EXPECT_TRUE(eventually([&] { return counts.handled == 1; }));
    os::notify(next, SIGUSR1);
    os::stop(next);
    EXPECT_EQ(first.len(), 0U);
    EXPECT_EQ(next.len(), 0U);

    os::ignore(SIGUSR1);
    late.sa_sigaction(SIGUSR1, &info, &context);
    os::notify(next, SIGUSR1);
    os::stop(next);
    EXPECT_EQ(counts.handled, 1);
    EXPECT_EQ(next.len(), 0U);
    os::reset(SIGUSR1);
}

TEST_ANYWHERE(os_stop, holds_for_a_program_that_restores_the_handler_of_notify) {
    // A library may save and restore a signal's action around its work, with notify and stop in
    // between. The signal could be lost, or come to its thread for ever.
    if (under_tsan) {
        std::puts("not shown: ThreadSanitizer keeps the handlers of signals itself");
        return;
    }
    const own_action counts;
    const auto c = rota::make_chan<int>(1);
    os::notify(c, SIGUSR1);
    struct sigaction saved{};
    ::sigaction(SIGUSR1, nullptr, &saved);
    os::stop(c);
    ::sigaction(SIGUSR1, &saved, nullptr);
    ::raise(SIGUSR1);
    EXPECT_EQ(counts.handled, 1);
    ::raise(SIGUSR1);
    EXPECT_EQ(counts.handled, 2);
    EXPECT_EQ(c.len(), 0U);
    // The handler is installed when the next watch begins.
    ::sigaction(SIGUSR1, &saved, nullptr);
    os::notify(c, SIGUSR1);
    os::stop(c);
    ::raise(SIGUSR1);
    EXPECT_EQ(counts.handled, 3);
    EXPECT_EQ(c.len(), 0U);
}

TEST_ANYWHERE(os_notify, gives_a_channel_nothing_that_came_before) {
    // The goroutine that sends could find a noted signal, while the list has got a further channel
    // since.
    for (int i = 0; i < 50; ++i) {
        const auto a = rota::make_chan<int>(1), b = rota::make_chan<int>(1);
        os::notify(a, SIGUSR1);
        ::raise(SIGUSR1);
        os::notify(b, SIGUSR1);
        os::stop(a);
        os::stop(b);
        ASSERT_EQ(a.len(), 1U);
        ASSERT_EQ(b.len(), 0U) << "in round " << i;
    }
}

TEST_ANYWHERE(os_stop, ends_one_channel_and_no_other) {
    const auto a = rota::make_chan<int>(8), b = rota::make_chan<int>(8);
    os::notify(a, SIGUSR1);
    os::notify(b, SIGUSR1);
    ::raise(SIGUSR1);
    os::stop(a);
    EXPECT_EQ(a.len(), 1U);
    ::raise(SIGUSR1);
    os::stop(b);
    EXPECT_EQ(a.len(), 1U);
    EXPECT_EQ(b.len(), 2U);
}

TEST_ANYWHERE(os_stop, of_two_channels_at_once_leaves_no_handler_behind) {
    // Each could take the other for a channel that still wants the signal.
    for (int i = 0; i < 50; ++i) {
        const auto a = rota::make_chan<int>(1), b = rota::make_chan<int>(1);
        os::notify(a, SIGUSR1);
        os::notify(b, SIGUSR1);
        rota::wait_group both;
        both.go([a] { os::stop(a); });
        both.go([b] { os::stop(b); });
        both.wait();
        ASSERT_EQ(action_of(SIGUSR1), SIG_DFL);
    }
}

TEST_ANYWHERE(os_stop, takes_nothing_from_who_asks_meanwhile) {
    // The leaving channel could count as a channel to which the signal was already sent.
    for (int i = 0; i < 50; ++i) {
        const auto a = rota::make_chan<int>(1), b = rota::make_chan<int>(1);
        os::notify(a, SIGUSR1);
        rota::wait_group leaves;
        leaves.go([a] { os::stop(a); });
        rota::runtime::gosched();
        os::notify(b, SIGUSR1);
        leaves.wait();
        ASSERT_NE(action_of(SIGUSR1), SIG_DFL);
        send(SIGUSR1);
        ASSERT_EQ(b.recv(), SIGUSR1);
        os::stop(b);
    }
}

TEST_ANYWHERE(os_ignore, ignores_until_reset) {
    const auto c = rota::make_chan<int>(4);
    os::notify(c, SIGUSR1, SIGUSR2);
    EXPECT_FALSE(os::ignored(SIGUSR1));
    os::ignore(SIGUSR1);
    EXPECT_TRUE(os::ignored(SIGUSR1));
    ::raise(SIGUSR1);
    ::raise(SIGUSR2);
    EXPECT_EQ(c.recv(), SIGUSR2);
    os::notify(c, SIGUSR1);
    ::raise(SIGUSR1);
    EXPECT_EQ(c.recv(), SIGUSR1);
    os::reset(SIGUSR1);
    EXPECT_FALSE(os::ignored(SIGUSR1));
    EXPECT_EQ(action_of(SIGUSR1), SIG_DFL);
    os::ignore(SIGUSR1);
    os::reset();
    EXPECT_EQ(action_of(SIGUSR1), SIG_DFL);
    EXPECT_EQ(action_of(SIGUSR2), SIG_DFL);
    EXPECT_EQ(c.len(), 0U);
}

TEST_ANYWHERE(os_stop, gives_back_the_handler_that_the_program_had) {
    const own_action counts;
    const auto c = rota::make_chan<int>(1);
    os::notify(c, SIGUSR1);
    ::raise(SIGUSR1);
    os::stop(c);
    EXPECT_EQ(c.len(), 1U);
    EXPECT_EQ(counts.handled, 0);
    ::raise(SIGUSR1);
    EXPECT_EQ(counts.handled, 1);
}

TEST_ANYWHERE(os_notify, serves_many_who_come_and_go_under_fire) {
    // Lists, the goroutine that comes and goes, and handlers meet here: no goroutine may hang, and
    // none may get a signal for which it has not asked.
    const own_action first(SIGUSR1), second(SIGUSR2);
    rota::wait_group all;
    std::atomic<bool> stop{false};
    const auto keeps = rota::make_chan<int>(1);
    os::notify(keeps, SIGUSR1, SIGUSR2);
    // To its own thread, which has run the handler when raise returns. A signal to the process
    // could wait on a thread without a processor until the test has ended, and then end the
    // process.
    all.go([&] {
        while (!stop) {
            ::raise(SIGUSR1);
            ::raise(SIGUSR2);
            rota::runtime::gosched();
        }
    });
    rota::wait_group users;
    for (int i = 0; i < 4; ++i) {
        users.go([i] {
            const int mine = i % 2 == 0 ? SIGUSR1 : SIGUSR2;
            for (int j = 0; j < 20; ++j) {
                const auto c = rota::make_chan<int>(1);
                os::notify(c, mine);
                EXPECT_EQ(c.recv(), mine);
                os::stop(c);
            }
        });
    }
    users.wait();
    stop = true;
    all.wait();
    os::stop(keeps);
    EXPECT_TRUE(eventually_alone());
}

TEST_ANYWHERE(os_notify, is_of_no_bubble) {
    // The goroutine that sends would keep the bubble in which the first channel asked. And time
    // would leap while a goroutine waits for a signal from outside.
    const auto outside = rota::make_chan<int>(1);
    rota::synctest::test([&] { os::notify(outside, SIGUSR1); });
    send(SIGUSR1);
    EXPECT_EQ(outside.recv(), SIGUSR1);
    rota::synctest::test([] {
        const auto inside = rota::make_chan<int>(1);
        os::notify(inside, SIGUSR2);
        const auto start = rota::clock::now();
        rota::go([] { rota::sleep_for(1h); });
        for (int i = 0; i < 20; ++i) {
            rota::go([] {
                rota::runtime::gosched();
                send(SIGUSR2);
            });
            EXPECT_EQ(inside.recv(), SIGUSR2);
        }
        os::stop(inside);
        EXPECT_EQ(rota::clock::now(), start);
        rota::sleep_for(2h);
    });
    os::stop(outside);
}
