// Explores one direction of a descriptor: netpoll/poll_word, with a real park on its far side.
//
// The waiter, the poller, the deadline and the close are threads of the schedule. Invariant: the
// waiter sees each event, at once or by being woken. Only a parked waiter is woken, and no waiter
// is left asleep.
#include <cerrno>

#include <gtest/gtest.h>

#include "core/getg.hpp"
#include "netpoll/poll_desc.hpp"
#include "netpoll/poller.hpp"
#include "netpoll/read_ahead.hpp"
#include "rig.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/io/socket_kernel.hpp"

namespace {

using namespace rota::rt;
using model::plain;
using model::stranger_thread;
using state = poll_word::state;

// As poll_wait in fd/.
state wait(poll_word& word) {
    for (;;) {
        const state s = word.take();
        if (s != state::none) return s;
        const runtime_entry inside;
        gopark([](g& gp, void* w) { return static_cast<poll_word*>(w)->arm(gp); }, &word,
               wait_reason::io_wait);
    }
}

void let_go(g* gp) {
    const runtime_entry inside;
    if (gp != nullptr) goready(*gp);
}

TEST(kb33_poll_word, every_change_is_seen_by_who_waits_or_comes_later) {
    // The kernel reports two changes; the reader takes the bytes and waits for more. If readiness
    // could be cleared with a change behind it, the reader would wait for ever for the last byte.
    // If a bit that is already set were left as it is, the reader would miss the bytes before it.
    model::expect_holds({}, [] {
        poll_word word;
        model::name(word, "word");
        atomic<std::uint32_t> bytes{0};  // as the kernel's buffer, without an order of its own
        stranger_thread reader("reader", [&] {
            while (bytes.load(memory_order_relaxed) < 2) MODEL_CHECK(wait(word) == state::ready);
        });
        stranger_thread poller("poller", [&] {
            for (std::uint32_t n = 1; n <= 2; ++n) {
                bytes.store(n, memory_order_relaxed);
                let_go(word.ready());
            }
        });
        poller.join();
        reader.join();
    });
}

TEST(kb33_poll_word, changes_told_by_two_threads_are_both_seen) {
    // Two threads poll at once: each sets the bit after the change that the kernel reported to it.
    model::expect_holds(model::departures(1), [] {
        poll_word word;
        model::name(word, "word");
        atomic<std::uint32_t> first{0}, second{0};
        stranger_thread reader("reader", [&] {
            while (first.load(memory_order_relaxed) == 0 || second.load(memory_order_relaxed) == 0)
                MODEL_CHECK(wait(word) == state::ready);
        });
        stranger_thread one("one", [&] {
            first.store(1, memory_order_relaxed);
            let_go(word.ready());
        });
        stranger_thread other("other", [&] {
            second.store(1, memory_order_relaxed);
            let_go(word.ready());
        });
        one.join();
        other.join();
        reader.join();
    });
}

// A kernel with one socket, to which bytes come.
class one_socket final : public socket_kernel {
  public:
    void bring() { here_.fetch_add(1, memory_order_relaxed); }

    bool takes(int, int) const override { return false; }
    int adopt(int, int) override { return -ENOSYS; }
    bool has(int) const override { return true; }
    void close(int) override {}
    int bind(int, const sockaddr*, std::uint32_t) override { return -ENOSYS; }
    int listen(int, int) override { return -ENOSYS; }
    int accept(int, int, sockaddr*, std::uint32_t*) override { return -ENOSYS; }
    int connect(int, const sockaddr*, std::uint32_t) override { return -ENOSYS; }
    int shutdown(int, int) override { return -ENOSYS; }
    int get_option(int, int, int, int&) override { return -ENOSYS; }
    int address(int, bool, sockaddr*, std::uint32_t&) override { return -ENOSYS; }
    std::int64_t receive(int, void*, std::size_t, bool) override {
        const std::uint32_t n = here_.exchange(0, memory_order_relaxed);
        return n == 0 ? -EAGAIN : std::int64_t{n};
    }
    std::int64_t send(int, const iovec*, std::size_t) override { return -ENOSYS; }
    int poll(int, short) override { return -ENOSYS; }

  private:
    atomic<std::uint32_t> here_{0};  // without an order of its own
};

// As fd::receive and wait_to_receive of a drained socket (fd/read.cpp).
std::int64_t receive(poll_desc& d, one_socket& k) {
    poll_word& word = d[poll_dir::read];
    char room[4];
    for (;;) {
        std::int64_t n = -EAGAIN;
        state s = word.take();
        if (s == state::none) {
            const runtime_entry inside;
            d.order = {read_request::not_done, room, sizeof room, 0};
            gopark([](g& gp, void* w) { return static_cast<poll_word*>(w)->arm(gp); }, &word,
                   wait_reason::io_wait);
            if (d.order.got != read_request::not_done) n = d.order.got;
            else s = word.take();
            d.order.to = nullptr;
        }
        if (s == state::ready) n = k.receive(0, room, sizeof room, false);
        if (n != -EAGAIN) return n;
    }
}

TEST(kb33_read_ahead, what_comes_behind_the_call_is_told_anew) {
    // Two threads poll at once. One thread takes the reader out and reads for it. The change
    // reported to the second thread must be in the bytes read, or still be waited for.
    model::expect_holds(model::departures(2), [] {
        one_socket kernel;
        other_kernel.store(&kernel, memory_order_relaxed);
        poll_desc d;
        model::name(d[poll_dir::read], "word");
        std::int64_t read = 0;
        stranger_thread reader("reader", [&] {
            while (read < 2) read += receive(d, kernel);
        });
        const auto poll = [&] {
            kernel.bring();
            g* const gp = d[poll_dir::read].ready();
            if (gp == nullptr) return;
            ready_list ready;
            ready.all[ready.count++] = gp;
            read_ahead(ready);
            let_go(gp);
        };
        stranger_thread one("one", poll), other("other", poll);
        one.join();
        other.join();
        reader.join();
        MODEL_CHECK(read == 2);
        other_kernel.store(nullptr, memory_order_relaxed);
    });
}

TEST(kb34_poll_word, close_ends_a_wait_whatever_else_happens) {
    // Readiness, a deadline and the close at once: the wait ends once, and the next call finds the
    // word closed.
    model::expect_holds(model::departures(1), [] {
        poll_word word;
        model::name(word, "word");
        plain<int> left(0);
        stranger_thread reader("reader", [&] {
            (void)wait(word);
            left.set(1);
        });
        stranger_thread closer("closer", [&] { let_go(word.close()); });
        stranger_thread poller("poller", [&] { let_go(word.ready()); });
        stranger_thread timer("timer", [&] { let_go(word.expire()); });
        reader.join();
        closer.join();
        poller.join();
        timer.join();
        MODEL_CHECK(left.get() == 1);
        MODEL_CHECK(word.take() == state::closed);
        MODEL_CHECK(word.look() == state::closed);
    });
}

TEST(kb28_poll_word, deadline_that_is_taken_back_leaves_readiness) {
    // The deadline passes while data comes, and is then removed: the data must still be reported.
    model::expect_holds({}, [] {
        poll_word word;
        model::name(word, "word");
        stranger_thread timer("timer", [&] {
            let_go(word.expire());
            word.unexpire();
        });
        stranger_thread poller("poller", [&] { let_go(word.ready()); });
        state first = state::none;
        stranger_thread reader("reader", [&] { first = wait(word); });
        timer.join();
        poller.join();
        reader.join();
        const state left = word.take();
        MODEL_CHECK(first == state::ready ? left == state::none
                                          : first == state::expired && left == state::ready);
    });
}

}  // namespace
