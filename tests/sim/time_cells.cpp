// Cells for timers that are stopped and moved while they fire: no stale value, no value twice, none
// early.
#include "sim.hpp"

using namespace rota_sim;
using namespace std::chrono_literals;
using time_point = rota::clock::time_point;

namespace {

std::chrono::microseconds span(dice& d) {
    return std::chrono::microseconds(d.once_in(5) ? 0 : d.in(1, 2'000));
}

bool is_silent(const rota::recv_chan<time_point>& c) {
    time_point at;
    return c.len() == 0 && c.try_recv(at) == rota::chan_status::would_block;
}

}  // namespace

ROTA_CELL(timer_shared) {
    // Each setting ends in one of two ways: its value is received, or a stop or reset reports that
    // it never will be.
    int set = 1, cancelled = 0, received = 0;
    const auto begin = rota::clock::now();
    rota::timer t(span(d));
    auto quit = rota::make_chan<rota::unit>();
    rota::wait_group receivers, movers;
    for (int r = d.in(0, 2); r > 0; --r) {
        receivers.go([&, own = d.fork()]() mutable {
            for (bool over = false; !over;) {
                noise(own);
                (void)rota::select(rota::on_recv(t.c(),
                                                 [&](std::optional<time_point> at) {
                                                     SIM_CHECK(at >= begin);
                                                     SIM_CHECK(rota::clock::now() >= *at);
                                                     ++received;
                                                 }),
                                   rota::on_recv(quit, [&] { over = true; }));
            }
        });
    }
    for (int m = d.in(1, 2); m > 0; --m) {
        movers.go([&, own = d.fork()]() mutable {
            for (int i = own.in(1, 6); i > 0; --i) {
                rota::sleep_for(span(own));
                if (own.once_in(3)) {
                    cancelled += t.stop();
                } else {
                    ++set;
                    cancelled += t.reset(span(own));
                }
            }
        });
    }
    movers.wait();
    if (d.once_in(2)) rota::sleep_for(long_after);
    cancelled += t.stop();
    SIM_CHECK(is_silent(t.c()) && !t.stop());
    quit.close();
    receivers.wait();
    SIM_CHECK(is_silent(t.c()));
    SIM_CHECK(received + cancelled == set);
}

ROTA_CELL(timer_alone) {
    // A goroutine that sets a timer and receives from it gets the value of this setting, not of an
    // older one.
    auto due = rota::clock::now();
    const auto first = span(d);
    rota::timer t(first);
    due += first;
    bool pending = true;
    for (int i = d.in(1, 10); i > 0; --i) {
        const int what = d.in(0, 3);
        if (what == 0) rota::sleep_for(span(d));
        if (what == 1 && pending) {
            const auto at = t.c().recv();
            SIM_CHECK(at >= due && rota::clock::now() >= *at);
            pending = false;
        }
        if (what == 2) {
            SIM_CHECK(t.stop() == pending && is_silent(t.c()));
            rota::sleep_for(span(d));
            SIM_CHECK(is_silent(t.c()));
            pending = false;
        }
        if (what == 3) {
            const auto next = d.once_in(4) ? long_after : span(d);
            due = rota::clock::now() + next;
            SIM_CHECK(t.reset(next) == pending);
            SIM_CHECK(next == 0s || t.c().len() <= 1);
            pending = true;
        }
    }
    SIM_CHECK(t.stop() == pending);
}

ROTA_CELL(ticker) {
    auto interval = span(d) + 1us;
    auto least = rota::clock::now() + interval;
    rota::ticker t(interval);
    bool running = true;
    for (int i = d.in(1, 10); i > 0; --i) {
        switch (d.in(0, 4)) {
            case 0: rota::sleep_for(span(d)); break;
            case 1:
                t.stop();
                SIM_CHECK(is_silent(t.c()));
                rota::sleep_for(span(d));
                SIM_CHECK(is_silent(t.c()));
                running = false;
                break;
            case 2:
                interval = span(d) + 1us;
                least = rota::clock::now() + interval;
                t.reset(interval);
                running = true;
                break;
            default:
                if (!running) break;
                const auto at = t.c().recv();
                SIM_CHECK(at >= least && rota::clock::now() >= *at);
                least = *at + 1ns;  // a late tick may be followed by a tick that is on time
        }
    }
    t.stop();
    SIM_CHECK(is_silent(t.c()));
}

ROTA_CELL(after) {
    // The channels of timers without a handle: the first value is not early.
    for (int i = d.in(1, 5); i > 0; --i) {
        const auto now = rota::clock::now();
        const auto a = span(d), b = span(d);
        const auto least = now + std::min(a, b);
        const auto in_time = [&](std::optional<time_point> at) { SIM_CHECK(at >= least); };
        (void)rota::select(rota::on_recv(rota::after(a), in_time),
                           rota::on_recv(rota::after(b), in_time),
                           rota::on_recv(rota::tick(0s), [] { SIM_CHECK(false); }));
        SIM_CHECK(rota::clock::now() >= least);
        noise(d);
    }
}

ROTA_CELL(after_func) {
    // Each setting calls once, or a stop or reset reports that it will not.
    int set = 1, cancelled = 0, called = 0;
    time_point least = rota::clock::now() + 1s;
    auto own = d.fork();
    rota::timer t = rota::after_func(1s, [&] {
        SIM_CHECK(rota::clock::now() >= least);
        noise(own);
        ++called;
    });
    rota::wait_group movers;
    for (int m = d.in(1, 3); m > 0; --m) {
        movers.go([&, dd = d.fork()]() mutable {
            for (int i = dd.in(1, 6); i > 0; --i) {
                rota::sleep_for(span(dd));
                if (dd.once_in(3)) {
                    cancelled += t.stop();
                } else {
                    const auto next = span(dd);
                    least = std::min(least, rota::clock::now() + next);
                    ++set;
                    cancelled += t.reset(next);
                }
            }
        });
    }
    movers.wait();
    if (d.once_in(2)) cancelled += t.stop();
    rota::sleep_for(long_after);
    SIM_CHECK(called + cancelled == set);
    SIM_CHECK(!t.stop() && called + cancelled == set);
}
