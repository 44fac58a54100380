// Cells for exceptions and for the end of goroutines: what propagates, what unwinds, and the state
// that a goroutine keeps while it waits amid either.
#include <exception>
#include <stdexcept>
#include <string>

#include "sim.hpp"

using namespace rota_sim;

namespace {

// Waits in a random way.
void rest(dice& d, rota::chan<int>& meeting, rota::mutex& mu) {
    switch (d.in(0, 3)) {
        case 0: rota::sleep_for(std::chrono::microseconds(d.in(1, 30))); break;
        case 1:
            (void)rota::select(rota::on_send(meeting, 1), rota::on_recv(meeting),
                               rota::on_recv(rota::after(std::chrono::microseconds(d.in(0, 30)))));
            break;
        case 2:
            mu.lock();
            noise(d);
            mu.unlock();
            break;
        default: rota::runtime::gosched();
    }
}

}  // namespace

ROTA_CELL(parked_handlers) {
    // Each goroutine waits inside catch blocks and inside destructors while it unwinds; it keeps
    // its own exception.
    auto meeting = rota::make_chan<int>();
    rota::mutex mu;
    rota::wait_group all;
    for (int i = d.in(2, 5); i > 0; --i) {
        all.go([&, i, own = d.fork()]() mutable {
            const auto descend = [&](const auto& self, int depth) -> void {
                struct slow_end {
                    dice& own;
                    rota::chan<int>& meeting;
                    rota::mutex& mu;
                    int uncaught = std::uncaught_exceptions();
                    ~slow_end() {
                        const int during = std::uncaught_exceptions();
                        rest(own, meeting, mu);
                        SIM_CHECK(std::uncaught_exceptions() == during && during - uncaught <= 1);
                    }
                } const at_end{own, meeting, mu};
                if (depth == 0) throw std::runtime_error(std::to_string(i));
                try {
                    self(self, depth - 1);
                } catch (const std::runtime_error& e) {
                    const std::exception_ptr held = std::current_exception();
                    rest(own, meeting, mu);
                    SIM_CHECK(e.what() == std::to_string(i));
                    SIM_CHECK(std::current_exception() == held);
                    try {
                        throw i;
                    } catch (const int inner) {
                        rest(own, meeting, mu);
                        SIM_CHECK(inner == i);
                    }
                    SIM_CHECK(std::current_exception() == held);
                    throw;
                }
            };
            try {
                descend(descend, own.in(0, 3));
                SIM_CHECK(false);
            } catch (const std::runtime_error& e) {
                SIM_CHECK(e.what() == std::to_string(i));
            }
            SIM_CHECK(std::current_exception() == nullptr && std::uncaught_exceptions() == 0);
        });
    }
    all.wait();
}

ROTA_CELL(slow_goexit) {
    // The destructors of a goroutine's frames run in order, also when each waits, or throws and
    // catches.
    auto meeting = rota::make_chan<int>();
    rota::mutex mu;
    int over = 0;
    const int many = d.in(1, 4);
    rota::wait_group all;
    for (int i = 0; i < many; ++i) {
        all.go([&, own = d.fork()]() mutable {
            const int deep = own.in(1, 5);
            int left = deep;
            const rota::defer last([&] {
                SIM_CHECK(left == 0);
                ++over;
            });
            const auto descend = [&](const auto& self, int depth) -> void {
                const rota::defer at_end([&, depth] {
                    rest(own, meeting, mu);
                    try {
                        throw depth;
                    } catch (const int x) {
                        rest(own, meeting, mu);
                        SIM_CHECK(x == depth);
                    }
                    SIM_CHECK(left-- == depth);
                });
                try {
                    if (depth < deep) self(self, depth + 1);
                    else if (left == deep) rota::runtime::goexit();
                } catch (...) {
                    rest(own, meeting, mu);
                    throw;
                }
            };
            descend(descend, 1);
            SIM_CHECK(false);
        });
    }
    all.wait();
    SIM_CHECK(over == many);
}

ROTA_CELL(misuse) {
    // A misuse panics, is caught, and leaves the object as it was.
    auto ch = rota::make_chan<int>(1);
    int panics = 0;
    const auto panics_with = [&](std::string_view text, auto f) {
        try {
            f();
        } catch (const rota::panic_error& e) {
            SIM_CHECK(e.what() == text);
            ++panics;
        }
    };
    const int rounds = d.in(1, 4);
    for (int i = 0; i < rounds; ++i) {
        panics_with("close of nil channel", [] { rota::chan<int>().close(); });
        panics_with("sync: negative WaitGroup counter", [&] {
            rota::wait_group empty;
            empty.done();
        });
        ch.send(i);
        SIM_CHECK(ch.try_send(i) == rota::chan_status::would_block && ch.recv() == i);
        noise(d);
    }
    ch.close();
    panics_with("close of closed channel", [&] { ch.close(); });
    panics_with("send on closed channel", [&] { ch.send(1); });
    panics_with("send on closed channel", [&] {
        (void)rota::select(rota::on_send(ch, 1), rota::on_recv(rota::chan<int>()));
    });
    SIM_CHECK(panics == 2 * rounds + 3 && !ch.recv());
}
