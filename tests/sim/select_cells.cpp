// Cells for channels with time, nil and close: select_set, timed forms, order of waiters.
#include <string_view>

#include "sim.hpp"

using namespace rota_sim;

ROTA_CELL(select_set) {
    // Sets that are used again and again, with spent cases and nil cases in between.
    const int lanes = d.in(1, 4), senders = d.in(1, 3), receivers = d.in(1, 3), each = d.in(1, 8);
    std::vector<rota::chan<int>> lane;
    for (int i = 0; i < lanes; ++i) lane.push_back(rota::make_chan<int>(place(d.in(0, 2))));
    auto quit = rota::make_chan<rota::unit>();
    std::vector<int> seen(place(senders * each), 0);
    rota::wait_group sending, receiving;
    for (int s = 0; s < senders; ++s) {
        sending.go([&, s, own = d.fork()]() mutable {
            rota::select_set set;
            for (int i = 0; i < each; ++i)
                (void)set.send(lane[place(own.in(0, lanes - 1))], s * each + i);
            (void)set.send(rota::chan<int>(), -1);
            std::vector<int> taken(place(each), 0);
            for (int i = 0; i < each; ++i) {
                noise(own);
                const std::size_t which = set.wait();
                SIM_CHECK(which < place(each) && ++taken[which] == 1);
            }
        });
    }
    for (int r = 0; r < receivers; ++r) {
        receiving.go([&, own = d.fork()]() mutable {
            rota::select_set set;
            std::optional<int> got;
            std::optional<rota::unit> over;
            for (auto& ch : lane) (void)set.recv(ch, got);
            (void)set.recv(rota::chan<int>(), got);
            const std::size_t last = set.recv(quit, over);
            const std::size_t none = own.once_in(2) ? set.otherwise() : last + 1;
            for (;;) {
                noise(own);
                const std::size_t which = set.wait();
                if (which == last) break;
                if (which == none) continue;
                SIM_CHECK(which < place(lanes) && got.has_value());
                ++seen[place(*got)];
            }
            SIM_CHECK(!over);
        });
    }
    sending.wait();
    quit.close();
    receiving.wait();
    for (auto& ch : lane) {
        int x = 0;
        while (ch.try_recv(x) == rota::chan_status::ok) ++seen[place(x)];
    }
    SIM_CHECK(all_ones(seen));
}

ROTA_CELL(timed_channel) {
    // A value whose send has timed out is never received, and a time-out is never early.
    const int senders = d.in(1, 3), receivers = d.in(1, 3), each = d.in(1, 8);
    auto ch = rota::make_chan<int>(place(d.in(0, 2)));
    std::vector<int> sent(place(senders * each), 0), received(place(senders * each), 0);
    rota::wait_group sending, receiving;
    const auto span = [](dice& own) {
        return std::chrono::microseconds(own.once_in(6) ? -own.in(0, 9) : own.in(0, 3'000));
    };
    for (int s = 0; s < senders; ++s) {
        sending.go([&, s, own = d.fork()]() mutable {
            for (int i = 0; i < each; ++i) {
                noise(own);
                const auto patience = span(own);
                const auto before = rota::clock::now();
                const auto status = ch.send_for(s * each + i, patience);
                if (status == rota::chan_status::ok) ++sent[place(s * each + i)];
                else
                    SIM_CHECK(status == rota::chan_status::timeout &&
                              rota::clock::now() - before >= patience);
            }
        });
    }
    for (int r = 0; r < receivers; ++r) {
        receiving.go([&, own = d.fork()]() mutable {
            for (;;) {
                noise(own);
                const auto patience = span(own);
                const auto before = rota::clock::now();
                int x = -1;
                const auto status = ch.recv_for(x, patience);
                if (status == rota::chan_status::closed) break;
                if (status == rota::chan_status::ok) ++received[place(x)];
                else
                    SIM_CHECK(status == rota::chan_status::timeout && x == -1 &&
                              rota::clock::now() - before >= patience);
            }
        });
    }
    sending.wait();
    ch.close();
    receiving.wait();
    SIM_CHECK(sent == received);
}

// How the i-th waiter at a channel waits, and whether it stays until it is served.
enum class manner { plain, with_limit, leaving_select, staying_select };
bool stays(manner how) { return how == manner::plain || how == manner::staying_select; }
manner drawn_manner(dice& d) { return static_cast<manner>(d.in(0, 3)); }

// Waiters come one after another. Some leave by time-out, or because another case of their select
// came first. The channel serves the remaining waiters in the order in which they came.
class waiting_line {
  public:
    // `wait_as(i, how)` is the i-th waiter's wait. Returns when the leaving waiters have left.
    template <class F>
    void form(dice& d, int waiters, F wait_as) {
        for (int i = 0; i < waiters; ++i) {
            const manner how = drawn_manner(d);
            if (stays(how)) staying.push_back(i);
            (stays(how) ? all : leaving_).go([wait_as, i, how] {
                rota::sleep_for(long_after * (i + 1));
                wait_as(i, how);
            });
        }
        rota::sleep_for(long_after * (waiters + 2));
        elsewhere.close();
        leaving_.wait();
    }

    rota::chan<rota::unit> elsewhere = rota::make_chan<rota::unit>();
    std::vector<int> staying;
    rota::wait_group all;  // of the staying waiters

  private:
    rota::wait_group leaving_;
};

ROTA_CELL(order_of_receivers) {
    const int waiters = d.in(2, 7);
    auto ch = rota::make_chan<int>();
    waiting_line line;
    line.form(d, waiters, [&](int i, manner how) {
        int x = -1;
        const auto mine = [i](std::optional<int> v) { SIM_CHECK(v == i); };
        if (how == manner::plain) mine(ch.recv());
        if (how == manner::with_limit)
            SIM_CHECK(ch.recv_for(x, long_after / 2) == rota::chan_status::timeout);
        if (how == manner::leaving_select)
            SIM_CHECK(rota::select(rota::on_recv(ch), rota::on_recv(line.elsewhere)) == 1);
        if (how == manner::staying_select)
            SIM_CHECK(rota::select(rota::on_recv(rota::chan<int>()), rota::on_recv(ch, mine)) == 1);
    });
    for (const int i : line.staying)
        SIM_CHECK(d.once_in(2) ? ch.try_send(i) == rota::chan_status::ok : (ch.send(i), true));
    line.all.wait();
    SIM_CHECK(ch.try_send(0) == rota::chan_status::would_block);
}

ROTA_CELL(order_of_senders) {
    const int waiters = d.in(2, 7);
    auto ch = rota::make_chan<int>(place(d.in(0, 1)));
    for (std::size_t i = 0; i < ch.cap(); ++i) ch.send(-1);
    waiting_line line;
    line.form(d, waiters, [&](int i, manner how) {
        if (how == manner::plain) ch.send(i);
        if (how == manner::with_limit)
            SIM_CHECK(ch.send_for(i, long_after / 2) == rota::chan_status::timeout);
        if (how == manner::leaving_select)
            SIM_CHECK(rota::select(rota::on_send(ch, i), rota::on_recv(line.elsewhere)) == 1);
        if (how == manner::staying_select)
            SIM_CHECK(rota::select(rota::on_send(rota::chan<int>(), i), rota::on_send(ch, i)) == 1);
    });
    for (std::size_t i = 0; i < ch.cap(); ++i) SIM_CHECK(ch.recv() == -1);
    for (const int i : line.staying) {
        int x = -1;
        if (d.once_in(2)) SIM_CHECK(ch.try_recv(x) == rota::chan_status::ok && x == i);
        else SIM_CHECK(ch.recv() == i);
    }
    line.all.wait();
    int x = 0;
    SIM_CHECK(ch.try_recv(x) == rota::chan_status::would_block);
}

ROTA_CELL(close_amid_all) {
    // Senders, receivers and selects of both kinds meet a close: exactly the values sent arrive,
    // and each later sender gets an error.
    const int senders = d.in(1, 4), receivers = d.in(1, 4);
    auto ch = rota::make_chan<int>(place(d.in(0, 3)));
    auto never = rota::make_chan<int>();
    int sent = 0, received = 0, told = 0;
    rota::wait_group all;
    for (int s = 0; s < senders; ++s) {
        all.go([&, own = d.fork()]() mutable {
            const bool selects = own.once_in(2);
            try {
                for (;;) {
                    noise(own);
                    if (selects)
                        SIM_CHECK(rota::select(rota::on_send(ch, 1), rota::on_recv(never)) == 0);
                    else ch.send(1);
                    ++sent;
                }
            } catch (const rota::panic_error& e) {
                SIM_CHECK(std::string_view(e.what()) == "send on closed channel");
                ++told;
            }
        });
    }
    for (int r = 0; r < receivers; ++r) {
        all.go([&, own = d.fork()]() mutable {
            const bool selects = own.once_in(2);
            for (bool open = true; open;) {
                noise(own);
                const auto got = [&](std::optional<int> v) {
                    received += v.value_or(0);
                    open = v.has_value();
                };
                if (selects) (void)rota::select(rota::on_recv(never), rota::on_recv(ch, got));
                else got(ch.recv());
            }
        });
    }
    rota::sleep_for(std::chrono::microseconds(d.in(0, 300)));
    ch.close();
    SIM_CHECK(ch.closed());
    all.wait();
    SIM_CHECK(sent == received && told == senders);
}

ROTA_CELL(channel_of_channels) {
    // Each question carries the channel for its answer.
    struct question {
        int of = 0;
        rota::send_chan<int> answer;
    };
    const int servers = d.in(1, 3), clients = d.in(1, 5);
    auto desk = rota::make_chan<question>(place(d.in(0, 2)));
    rota::wait_group asking, serving;
    for (int i = 0; i < servers; ++i) {
        serving.go([&, own = d.fork()]() mutable {
            for (auto q : desk) {
                noise(own);
                q.answer.send(q.of * q.of);
            }
        });
    }
    for (int i = 0; i < clients; ++i) {
        asking.go([&, i, own = d.fork()]() mutable {
            for (int k = own.in(1, 5); k > 0; --k) {
                noise(own);
                auto answer = rota::make_chan<int>(place(own.in(0, 1)));
                desk.send({i * 10 + k, answer});
                SIM_CHECK(answer.recv() == (i * 10 + k) * (i * 10 + k));
            }
        });
    }
    asking.wait();
    desk.close();
    serving.wait();
}
