// Explores channels that threads of the program's own use.
#include <gtest/gtest.h>

#include "channel.hpp"
#include "rig.hpp"

namespace {

using namespace rota::detail;
using model::channel;
using model::departures;
using model::plain;
using model::stranger;
using model::stranger_thread;

TEST(model_chan, passes_values_and_what_came_before_them) {
    model::expect_holds_in_both_modes({}, [] {
        const stranger here;
        channel c(0);
        plain<int> data(0);
        stranger_thread sender("sender", [&] {
            data.set(1);
            c.send(1);
            c.send(2);
        });
        MODEL_CHECK(c.recv() == 1);
        MODEL_CHECK(data.get() == 1);
        MODEL_CHECK(c.recv() == 2);
        sender.join();
    });
}

TEST(model_chan, drained_behind_its_close_is_not_found_open_and_empty) {
    // A reader without the lock could see that the value has gone, but miss the close before that.
    model::expect_holds_in_both_modes({}, [] {
        const stranger here;
        channel c(1);
        c.send(1);
        stranger_thread other("other", [&] {
            c.close();
            MODEL_CHECK(c.recv() != 0);
        });
        MODEL_CHECK(c.look_and_recv() != chan_result::would_block);
        other.join();
    });
}

TEST(model_chan, is_not_found_empty_while_a_senders_value_moves_up) {
    // A receive that lets a waiting sender in could expose the free slot.
    model::expect_holds(departures(0), [] {
        const stranger here;
        channel c(1);
        c.send(1);
        stranger_thread sender("sender", [&] { c.send(2); });
        stranger_thread receiver("receiver", [&] { c.recv(); });
        const bool full = c.sender_waits();
        const chan_result r = c.look_and_recv();
        MODEL_CHECK(!full || r == chan_result::ok);
        sender.join();
        receiver.join();
    });
}

TEST(model_chan, passes_each_value_once_among_two_and_two) {
    // Two senders, two receivers, one slot: every value comes out once.
    model::expect_holds(departures(0), [] {
        const stranger here;
        channel c(1);
        stranger_thread s1("s1", [&] { c.send(1); });
        stranger_thread s2("s2", [&] { c.send(2); });
        int first = 0;
        stranger_thread r1("r1", [&] { first = c.recv(); });
        const int second = c.recv();
        s1.join();
        s2.join();
        r1.join();
        MODEL_CHECK(first + second == 3);
        MODEL_CHECK(c.attempt_recv() == -1);
    });
}

TEST(kb21_chan, close_lets_receivers_go_whose_frames_are_gone) {
    // The receivers' frames are gone as soon as they are readied; both receivers learn of the
    // close.
    model::expect_holds({}, [] {
        const stranger here;
        channel c(0);
        const auto receive = [&] { MODEL_CHECK(c.recv() == -1); };
        stranger_thread a("a", receive), b("b", receive);
        c.close();
        a.join();
        b.join();
        MODEL_CHECK(c.recv() == -1);
    });
}

TEST(kb21_chan, close_races_send_and_receive) {
    // A receiver gets the value that was sent before the close; a send after the close fails.
    model::expect_holds({}, [] {
        const stranger here;
        channel c(1);
        bool sent = false;
        stranger_thread sender("sender", [&] { sent = c.send(7); });
        stranger_thread closer("closer", [&] { c.close(); });
        const int got = c.recv();
        MODEL_CHECK(got == 7 || got == -1);
        sender.join();
        closer.join();
        MODEL_CHECK(sent == (got == 7));
    });
}

TEST(kb24_chan, try_forms_wake_a_parked_peer) {
    model::expect_holds({}, [] {
        const stranger here;
        channel c(0);
        int got = 0;
        stranger_thread receiver("receiver", [&] { got = c.recv(); });
        if (!c.attempt_send(5)) c.send(5);
        receiver.join();
        MODEL_CHECK(got == 5);
    });
    model::expect_holds({}, [] {
        const stranger here;
        channel c(0);
        stranger_thread sender("sender", [&] { c.send(5); });
        int got = c.attempt_recv();
        if (got == -1) got = c.recv();
        sender.join();
        MODEL_CHECK(got == 5);
    });
}

TEST(kb24_chan, a_slow_receiver_gets_all_of_two_senders) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        channel c(1);
        stranger_thread s1("s1", [&] {
            c.send(1);
            c.send(2);
        });
        stranger_thread s2("s2", [&] { c.send(10); });
        int sum = 0;
        int before = 0;
        for (int i = 0; i < 3; ++i) {
            const int v = c.recv();
            if (v < 10) {
                MODEL_CHECK(v > before);  // the values of a sender come in order
                before = v;
            }
            sum += v;
        }
        s1.join();
        s2.join();
        MODEL_CHECK(sum == 13);
    });
}

TEST(kb47_chan, the_last_handle_destroys_it_behind_everybody) {
    // Two handles are released at the same time, the sender's right behind its send.
    model::expect_holds_in_both_modes({}, [] {
        const stranger here;
        hchan* const c = chan_make(sizeof(int), 1, nullptr);
        chan_retain(c);
        stranger_thread sender("sender", [&] {
            const int v = 3;
            (void)chan_send(c, &v, false);
            chan_release(c);
        });
        int got = 0;
        (void)chan_recv(c, &got, false);
        chan_release(c);
        sender.join();
    });
}

}  // namespace
