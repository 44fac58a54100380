// Explores selects and waits with a time limit, used by threads of the program's own.
#include <array>

#include <gtest/gtest.h>
#include <rota/detail/select_engine.hpp>

#include "channel.hpp"
#include "core/getg.hpp"
#include "linear.hpp"
#include "rig.hpp"

namespace {

using namespace rota::detail;
using model::channel;
using model::history;
using model::options;
using model::stranger;
using model::stranger_thread;

// A case: receives into `value`, or sends it.
struct one_case {
    channel* c;
    bool is_send;
    int value;
};

// The index of the case that ran, with its value in `value`; -1 for a default.
template <std::size_t N>
int select_of(std::array<one_case, N>& wanted, bool with_default = false, bool* ok = nullptr) {
    select_case cases[N];
    hchan* order[N];
    for (std::size_t i = 0; i < N; ++i)
        cases[i].set(wanted[i].c->get(), &wanted[i].value, wanted[i].is_send);
    const select_frame f{cases, order, N};
    const select_result r = with_default ? select_try(f) : select_wait(f);
    if (ok != nullptr) *ok = r.ok;
    return r.index == select_none ? -1 : static_cast<int>(r.index);
}

// The value received by a select over two channels, the first channel's plus 100; -1: closed.
int recv_either(channel& a, channel& b) {
    std::array<one_case, 2> w{{{&a, false, 0}, {&b, false, 0}}};
    bool ok = false;
    const int i = select_of(w, false, &ok);
    if (!ok) return -1;
    return i == 0 ? w[0].value + 100 : w[1].value;
}

TEST(kb19_select, a_losing_case_in_front_of_a_receiver_swallows_no_value) {
    // A select over {a, b} stands in front of a plain receiver on b; both channels get a value. The
    // select takes either value, and the remaining receiver takes the second value.
    model::expect_holds(model::departures(1), [] {
        const stranger here;
        channel a, b;
        int first = 0, second = 0;
        stranger_thread chooser("chooser", [&] { first = recv_either(a, b); });
        stranger_thread plain("plain", [&] { second = b.recv(); });
        stranger_thread sender("sender", [&] { b.send(2); });
        // The plain receiver and the select want two values: either case of this select sends the
        // second.
        std::array<one_case, 2> w{{{&a, true, 1}, {&b, true, 3}}};
        const int i = select_of(w);
        chooser.join();
        plain.join();
        sender.join();
        MODEL_CHECK(first != -1 && second != -1);
        MODEL_CHECK(i == 0 ? first == 101 && second == 2 : first + second == 5);
    });
}

TEST(kb20_select, one_of_two_senders_wins) {
    // Both senders find the same select. The loser waits on, and is served afterwards.
    model::expect_holds(model::departures(2), [] {
        const stranger here;
        channel a, b;
        stranger_thread s1("s1", [&] { MODEL_CHECK(a.send(1)); });
        stranger_thread s2("s2", [&] { MODEL_CHECK(b.send(2)); });
        const int first = recv_either(a, b);
        MODEL_CHECK(first == 101 || first == 2);
        MODEL_CHECK(first == 101 ? b.recv() == 2 : a.recv() == 1);
        s1.join();
        s2.join();
    });
}

TEST(kb20_select, a_close_and_a_sender_do_not_both_win) {
    // The select learns from the claim which event won, not from a flag that close leaves unset.
    model::expect_holds(model::departures(2), [] {
        const stranger here;
        channel a, b;
        stranger_thread closer("closer", [&] { a.close(); });
        stranger_thread sender("sender", [&] { MODEL_CHECK(b.send(2)); });
        const int first = recv_either(a, b);
        MODEL_CHECK(first == -1 || first == 2);
        if (first == -1) MODEL_CHECK(b.recv() == 2);
        else MODEL_CHECK(a.recv() == -1);
        closer.join();
        sender.join();
    });
}

TEST(kb21_select, two_closes_wake_a_select_whose_frame_goes_at_once) {
    model::expect_holds(model::departures(2), [] {
        const stranger here;
        channel a, b;
        stranger_thread c1("c1", [&] { a.close(); });
        stranger_thread c2("c2", [&] { b.close(); });
        MODEL_CHECK(recv_either(a, b) == -1);
        c1.join();
        c2.join();
    });
}

TEST(kb22_select, two_selects_on_the_same_channels_in_opposite_order) {
    // The first select sends to a or receives from b, the second does the reverse. They meet once,
    // on either channel, and neither waits for a lock that its peer holds.
    model::expect_holds(model::departures(2), [] {
        const stranger here;
        channel a, b;
        int other = -1, got = 0;
        stranger_thread t("t", [&] {
            std::array<one_case, 2> w{{{&b, true, 20}, {&a, false, 0}}};
            other = select_of(w);
            got = w[1].value;
        });
        std::array<one_case, 2> w{{{&a, true, 10}, {&b, false, 0}}};
        const int mine = select_of(w);
        t.join();
        MODEL_CHECK(mine == 0 ? other == 1 && got == 10 : other == 0 && w[1].value == 20);
    });
}

TEST(kb22_select, one_channel_in_both_directions_and_twice) {
    // A select never meets itself; two selects meet each other.
    model::expect_holds(model::departures(1), [] {
        const stranger here;
        channel a;
        const auto both = [&a](int v) {
            std::array<one_case, 3> w{{{&a, true, v}, {&a, false, 0}, {&a, false, 0}}};
            const int i = select_of(w);
            return i == 0 ? 0 : w[static_cast<std::size_t>(i)].value;
        };
        int theirs = -1;
        stranger_thread t("t", [&] { theirs = both(2); });
        const int mine = both(1);
        t.join();
        MODEL_CHECK((mine == 0 && theirs == 1) || (mine == 2 && theirs == 0));
    });
}

TEST(kb24_select, attempts_find_a_parked_select) {
    model::expect_holds(model::departures(2), [] {
        const stranger here;
        channel a, b;
        int got = 0;
        stranger_thread chooser("chooser", [&] { got = recv_either(a, b); });
        if (!b.try_send(5)) a.send(5);
        chooser.join();
        MODEL_CHECK(got == 5 || got == 105);
        MODEL_CHECK(a.try_recv() == -1 && !b.try_send(1));  // no case is left behind
    });
}

TEST(kb20_select, buffers_that_fill_at_once_lose_nothing) {
    // A value that the select does not take must be there for the next select.
    model::expect_holds_in_both_modes(model::departures(1), [] {
        const stranger here;
        channel a(1), b(1);
        stranger_thread s1("s1", [&] { MODEL_CHECK(a.send(1)); });
        stranger_thread s2("s2", [&] { MODEL_CHECK(b.send(2)); });
        const int first = recv_either(a, b);
        s1.join();
        s2.join();
        MODEL_CHECK(first == 101 ? b.try_recv() == 2 : a.try_recv() == 1);
        MODEL_CHECK(a.try_recv() == -1 && b.try_recv() == -1);
    });
}

// --- time limits ---------------------------------------------------------------------------------

constexpr std::int64_t hour = 3'600'000'000'000;

int recv_for(channel& c) {
    int v = 0;
    return chan_recv_for(c.get(), &v, hour) == chan_result::ok ? v : -1;
}

options limited(unsigned departures) {
    options o = model::departures(departures);
    o.leaks = false;
    return o;
}

TEST(kb48_chan, a_value_and_a_time_limit_at_the_same_moment) {
    // The sender and the time limit both find the waiter. A value that the waiter does not get
    // stays with its sender.
    model::machine rig(1);
    model::expect_holds(limited(1), [&] {
        rig.begin(0);
        channel c;
        stranger_thread waiter("waiter", [&] {
            const int got = recv_for(c);
            MODEL_CHECK(got == 5 || (got == -1 && c.recv() == 5));
        });
        stranger_thread sender("sender", [&] { MODEL_CHECK(c.send(5)); });
        rig.time_passes();
        waiter.join();
        sender.join();
        MODEL_CHECK(c.try_recv() == -1 && !c.try_send(1));
    });
}

TEST(kb48_chan, a_receiver_behind_one_that_gives_up_gets_the_value) {
    model::machine rig(1);
    model::expect_holds(limited(0), [&] {
        rig.begin(0);
        channel c;
        int hasty_got = 0, patient_got = 0;
        stranger_thread hasty("hasty", [&] {
            hasty_got = recv_for(c);
            if (hasty_got != -1) MODEL_CHECK(c.send(2));
        });
        stranger_thread patient("patient", [&] { patient_got = c.recv(); });
        stranger_thread sender("sender", [&] { MODEL_CHECK(c.send(1)); });
        rig.time_passes();
        model::wait_until_quiet();  // the hasty receiver may have been late, and still wait
        rig.time_passes();
        hasty.join();
        patient.join();
        sender.join();
        MODEL_CHECK(hasty_got == -1 ? patient_got == 1 : hasty_got + patient_got == 3);
    });
}

TEST(kb48_chan, a_close_and_a_time_limit_at_the_same_moment) {
    model::machine rig(1);
    model::expect_holds(limited(1), [&] {
        rig.begin(0);
        channel c;
        chan_result told = chan_result::ok;
        stranger_thread waiter("waiter", [&] {
            const int v = 1;
            told = chan_send_for(c.get(), &v, hour);
        });
        stranger_thread closer("closer", [&] { c.close(); });
        rig.time_passes();
        waiter.join();
        closer.join();
        MODEL_CHECK(told != chan_result::ok);
    });
}

// --- against sequential objects ------------------------------------------------------------------

// Two queues of one slot each, and the operations on them; 0 and 1 name the queue.
struct call {
    enum class kind : std::uint8_t { send, recv, select_recv, poll };
    kind what = kind::send;
    int chan = 0;  // of a select: the chosen queue, or -1 for none
    int value = 0;
};

struct two_slots {
    std::array<int, 2> slot{};  // 0: empty

    std::uint64_t state() const { return static_cast<std::uint64_t>(slot[0] * 64 + slot[1]); }
    bool apply(const call& c, bool returned) {
        if (c.what == call::kind::poll && returned && c.chan == -1)
            return slot[0] == 0 && slot[1] == 0;
        // every other call returns in these tests
        if (!returned && c.what != call::kind::send) return false;
        int& s = slot[static_cast<std::size_t>(c.chan)];
        if (c.what == call::kind::send) {
            if (s != 0) return false;
            s = c.value;
            return true;
        }
        if (s == 0 || s != c.value) return false;
        s = 0;
        return true;
    }
};

class recorded_pair {
  public:
    void send(int chan, int v) {
        calls_.record({call::kind::send, chan, v}, [&](call&) { MODEL_CHECK(of(chan).send(v)); });
    }
    void select_recv(bool may_find_none) {
        calls_.record({may_find_none ? call::kind::poll : call::kind::select_recv, -1, 0},
                      [&](call& c) {
                          std::array<one_case, 2> w{{{&a_, false, 0}, {&b_, false, 0}}};
                          c.chan = select_of(w, may_find_none);
                          if (c.chan >= 0) c.value = w[static_cast<std::size_t>(c.chan)].value;
                      });
    }
    bool is_linearizable() const { return calls_.is_linearizable(two_slots{}); }

  private:
    channel& of(int i) { return i == 0 ? a_ : b_; }

    channel a_{1}, b_{1};
    history<call> calls_;
};

TEST(linear_select, receives_in_some_order_of_all_operations) {
    model::expect_holds(model::departures(1), [] {
        const stranger here;
        recorded_pair pair;
        stranger_thread s1("s1", [&] {
            pair.send(0, 1);
            pair.send(1, 2);
        });
        stranger_thread s2("s2", [&] { pair.send(0, 3); });
        pair.select_recv(false);
        pair.select_recv(false);
        pair.select_recv(false);
        s1.join();
        s2.join();
        MODEL_CHECK(pair.is_linearizable());
    });
}

TEST(linear_select, finds_nothing_only_when_all_are_empty_at_once) {
    // A value moves from one channel to the other, and is put there before it is taken here. At no
    // moment are both channels empty, so no default may run in between. A look at one channel after
    // the other would miss the value.
    options o = model::departures(1);
    o.sequential = true;
    model::expect_holds(o, [] {
        const stranger here;
        recorded_pair pair;
        pair.send(0, 1);
        stranger_thread mover("mover", [&] {
            pair.send(1, 2);
            pair.select_recv(false);
        });
        pair.select_recv(true);
        mover.join();
        MODEL_CHECK(pair.is_linearizable());
    });
}

}  // namespace
