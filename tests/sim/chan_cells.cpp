// Cells for channels, alone and in select.
#include <array>

#include "sim.hpp"

using namespace rota_sim;

namespace {

struct parcel {
    int sender = 0, number = 0;
};

// Checks that each sender's parcels come to a receiver in the order in which they were sent, and
// that each parcel comes once.
class ledger {
  public:
    ledger(int senders, int each) : seen_(place(senders * each), 0), each_(each) {}
    void receive(std::vector<int>& last_of, const parcel& x) {
        int& last = last_of[place(x.sender)];
        SIM_CHECK(x.number > last);
        last = x.number;
        ++seen_[place(x.sender * each_ + x.number)];
    }
    void end() { SIM_CHECK(all_ones(seen_)); }

  private:
    std::vector<int> seen_;  // written by every receiver: one thread runs them
    int each_;
};

}  // namespace

ROTA_CELL(channel) {
    const int senders = d.in(1, 4), receivers = d.in(1, 4), each = d.in(1, 12);
    auto ch = rota::make_chan<parcel>(place(d.in(0, 4)));
    ledger book(senders, each);
    rota::wait_group sending, receiving;
    for (int s = 0; s < senders; ++s) {
        sending.go([&, s, own = d.fork()]() mutable {
            for (int i = 0; i < each; ++i) {
                noise(own);
                const parcel x{s, i};
                if (own.once_in(3) && ch.try_send(x) == rota::chan_status::ok) continue;
                ch.send(x);
            }
        });
    }
    for (int r = 0; r < receivers; ++r) {
        receiving.go([&, own = d.fork()]() mutable {
            std::vector<int> last(place(senders), -1);
            for (;;) {
                noise(own);
                parcel x;
                if (own.once_in(3) && ch.try_recv(x) == rota::chan_status::ok) {
                    book.receive(last, x);
                    continue;
                }
                const auto got = ch.recv();
                if (!got) break;
                book.receive(last, *got);
            }
        });
    }
    sending.wait();
    ch.close();
    receiving.wait();
    book.end();
    SIM_CHECK(ch.len() == 0);
}

ROTA_CELL(select_many) {
    // Senders and receivers choose among the same channels, in different orders.
    constexpr std::size_t lanes = 3;
    const int senders = d.in(1, 3), receivers = d.in(1, 3), each = d.in(1, 10);
    std::array<rota::chan<parcel>, lanes> lane;
    for (auto& ch : lane) ch = rota::make_chan<parcel>(place(d.in(0, 2)));
    auto quit = rota::make_chan<rota::unit>();
    std::vector<int> seen(place(senders * each), 0);
    const auto take = [&](const parcel& x) { ++seen[place(x.sender * each + x.number)]; };
    rota::wait_group sending, receiving;
    for (int s = 0; s < senders; ++s) {
        sending.go([&, s, own = d.fork()]() mutable {
            for (int i = 0; i < each; ++i) {
                noise(own);
                const parcel x{s, i};
                const std::size_t a = place(own.in(0, 2)), b = (a + 1) % lanes;
                (void)rota::select(rota::on_send(lane[a], x), rota::on_send(lane[b], x));
            }
        });
    }
    for (int r = 0; r < receivers; ++r) {
        receiving.go([&, own = d.fork()]() mutable {
            bool over = false;
            const auto got = [&](std::optional<parcel> x) {
                SIM_CHECK(x.has_value());
                take(*x);
            };
            while (!over) {
                noise(own);
                const std::size_t a = place(own.in(0, 2));
                (void)rota::select(
                    rota::on_recv(lane[a], got), rota::on_recv(lane[(a + 1) % lanes], got),
                    rota::on_recv(lane[(a + 2) % lanes], got),
                    rota::on_recv(quit, [&](std::optional<rota::unit>) { over = true; }));
            }
        });
    }
    sending.wait();
    quit.close();
    receiving.wait();
    for (auto& ch : lane) {
        parcel x;
        while (ch.try_recv(x) == rota::chan_status::ok) take(x);
    }
    SIM_CHECK(all_ones(seen));
}

ROTA_CELL(exchange) {
    // Two goroutines offer and accept at once: exactly one sends in each round.
    const int rounds = d.in(1, 10);
    auto ch = rota::make_chan<int>();
    int sent = 0, received = 0;
    rota::wait_group both;
    for (int side = 0; side < 2; ++side) {
        both.go([&, side, own = d.fork()]() mutable {
            for (int i = 0; i < rounds; ++i) {
                noise(own);
                (void)rota::select(rota::on_send(ch, side, [&] { ++sent; }),
                                   rota::on_recv(ch, [&](std::optional<int> other) {
                                       SIM_CHECK(other == 1 - side);
                                       ++received;
                                   }));
            }
        });
    }
    both.wait();
    SIM_CHECK(sent == rounds && received == rounds);
}

ROTA_CELL(close_wakes_all) {
    const int waiters = d.in(1, 6);
    auto ch = rota::make_chan<int>();
    int woken = 0;
    rota::wait_group all;
    for (int i = 0; i < waiters; ++i) {
        all.go([&, own = d.fork()]() mutable {
            noise(own);
            if (own.once_in(2)) {
                SIM_CHECK(!ch.recv());
            } else {
                (void)rota::select(rota::on_recv(ch, [](std::optional<int> v) { SIM_CHECK(!v); }),
                                   rota::on_recv(rota::chan<int>(), [](std::optional<int>) {}));
            }
            ++woken;
        });
    }
    noise(d);
    ch.close();
    all.wait();
    SIM_CHECK(woken == waiters);
}
