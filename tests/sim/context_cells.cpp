// Cells for trees of contexts, and for the goroutines that run under them.
#include <memory>
#include <stdexcept>
#include <system_error>

#include "sim.hpp"

using namespace rota_sim;
using namespace std::chrono_literals;

namespace {

std::error_code cause_number(int i) { return {1'000 + i, std::generic_category()}; }

// A random tree of contexts, with a record of the calls on its nodes.
struct tree {
    struct node {
        rota::context ctx;
        rota::cancel_func cancel;
        int parent = -1;
        bool shielded = false;  // cancellation from above does not reach it
        bool asked = false;     // its own cancel has been called
        bool answered = false;  // that call has returned
        std::optional<rota::clock::time_point> deadline;
    };
    std::vector<node> nodes;

    tree(dice& d, int size, bool with_deadlines) {
        for (int i = 0; i < size; ++i) {
            node n;
            n.parent = i == 0 ? -1 : d.in(0, i - 1);
            rota::context above = i == 0 ? rota::background() : nodes[place(n.parent)].ctx;
            if (i != 0) n.deadline = nodes[place(n.parent)].deadline;
            if (i != 0 && d.once_in(6)) {
                above = rota::without_cancel(above);
                n.shielded = true;
                n.deadline.reset();
            }
            if (with_deadlines && d.once_in(3)) {
                const auto when = rota::clock::now() + std::chrono::microseconds(d.in(-5, 2'000));
                if (!n.deadline || when < *n.deadline) n.deadline = when;
                std::tie(n.ctx, n.cancel) = rota::with_deadline(above, when);
            } else {
                std::tie(n.ctx, n.cancel) = rota::with_cancel(above);
            }
            nodes.push_back(std::move(n));
        }
    }
    // Whether `holds` is true of a node from i upwards from which cancellation reaches i.
    template <class P>
    bool above(int i, P holds) const {
        for (;; i = nodes[place(i)].parent) {
            const node& n = nodes[place(i)];
            if (holds(i)) return true;
            if (n.parent < 0 || n.shielded) return false;
        }
    }
    bool is_below(int i, int top) const {
        return above(i, [&](int k) { return k == top; });
    }
};

}  // namespace

ROTA_CELL(context_tree) {
    // Several goroutines cancel at random places. When a call has returned, every node below is
    // done, and no further node is. The cause is one that was given at the node or above it.
    const int size = d.in(1, 8);
    tree t(d, size, false);
    rota::wait_group watching, cancelling;
    for (int i = 0; i < size; ++i) {
        if (!d.once_in(2)) continue;
        watching.go([&, i, own = d.fork()]() mutable {
            noise(own);
            const auto& n = t.nodes[place(i)];
            if (own.once_in(2)) {
                (void)n.ctx.done().recv();
            } else {
                rota::scope below(n.ctx);
                (void)rota::select(rota::on_recv(below.ctx().done()),
                                   rota::on_recv(rota::chan<int>()));
            }
            SIM_CHECK(n.ctx.err() == rota::context_errc::canceled);
            SIM_CHECK(t.above(i, [&](int k) { return t.nodes[place(k)].asked; }));
        });
    }
    for (int c = d.in(1, 4); c > 0; --c) {
        cancelling.go([&, own = d.fork()]() mutable {
            noise(own);
            const int i = own.in(0, size - 1);
            auto& n = t.nodes[place(i)];
            n.asked = true;
            n.cancel(cause_number(i));
            n.answered = true;
            for (int k = 0; k < size; ++k)
                if (t.is_below(k, i)) SIM_CHECK(t.nodes[place(k)].ctx.err());
        });
    }
    cancelling.wait();
    for (int k = 0; k < size; ++k) {
        const auto& n = t.nodes[place(k)];
        const bool expected = t.above(k, [&](int i) { return t.nodes[place(i)].answered; });
        SIM_CHECK(static_cast<bool>(n.ctx.err()) == expected);
        if (!expected) continue;
        const int by = n.ctx.cause().value() - 1'000;
        SIM_CHECK(t.above(k, [&](int i) { return i == by && t.nodes[place(i)].asked; }));
    }
    for (auto& n : t.nodes) {
        n.asked = true;
        n.cancel();
    }
    watching.wait();
}

ROTA_CELL(context_deadlines) {
    // The deadline of the node, a deadline above it, or a cancel comes first: no goroutine is done
    // early, and none is forgotten.
    const int size = d.in(1, 6);
    tree t(d, size, true);
    rota::wait_group watching, cancelling;
    for (int i = 0; i < size; ++i) {
        const auto& n = t.nodes[place(i)];
        SIM_CHECK(n.ctx.deadline() == n.deadline);
        watching.go([&, i, own = d.fork()]() mutable {
            const auto& mine = t.nodes[place(i)];
            std::error_code e;
            if (own.once_in(2)) {
                (void)mine.ctx.done().recv();
                e = mine.ctx.err();
            } else {
                e = rota::sleep_for(mine.ctx, 1'000s);
                SIM_CHECK(e == mine.ctx.err());
            }
            if (e == rota::context_errc::deadline_exceeded) {
                SIM_CHECK(mine.deadline && rota::clock::now() >= *mine.deadline);
                SIM_CHECK(mine.ctx.cause() == e);
            } else {
                SIM_CHECK(e == rota::context_errc::canceled);
                SIM_CHECK(t.above(i, [&](int k) { return t.nodes[place(k)].asked; }));
            }
        });
    }
    for (int c = d.in(0, 2); c > 0; --c) {
        cancelling.go([&, own = d.fork()]() mutable {
            rota::sleep_for(std::chrono::microseconds(own.in(0, 1'500)));
            auto& n = t.nodes[place(own.in(0, size - 1))];
            n.asked = true;
            n.cancel();
        });
    }
    cancelling.wait();
    rota::sleep_for(long_after);
    for (const auto& n : t.nodes) SIM_CHECK(!n.deadline || n.ctx.err());
    for (auto& n : t.nodes) {
        n.asked = true;
        n.cancel();
    }
    watching.wait();
}

ROTA_CELL(context_after_func) {
    // A function runs once, or the call that stopped it reports that it will not run.
    const int many = d.in(1, 5);
    const auto [ctx, cancel] = rota::with_cancel(rota::background());
    std::vector<int> ran(place(many), 0), stopped(place(many), 0);
    rota::wait_group all;
    for (int i = 0; i < many; ++i) {
        all.go([&, i, own = d.fork()]() mutable {
            noise(own);
            auto stop = rota::after_func(ctx, [&, i] {
                SIM_CHECK(ctx.err() == rota::context_errc::canceled);
                ++ran[place(i)];
            });
            for (int k = own.in(0, 2); k > 0; --k) {
                noise(own);
                stopped[place(i)] += stop();
            }
        });
    }
    noise(d);
    cancel();
    all.wait();
    rota::sleep_for(long_after);
    for (int i = 0; i < many; ++i) SIM_CHECK(ran[place(i)] + stopped[place(i)] == 1);
}

ROTA_CELL(scope) {
    // The goroutines that a scope has started are over when the block is left, in any way. The
    // first failure reaches the remaining goroutines through the context, and the caller.
    const int members = d.in(1, 5);
    const bool leaves_by_throw = d.once_in(4);
    int running = 0, failures = 0, finished = 0;
    try {
        const rota::defer all_over([&] { SIM_CHECK(running == 0); });
        rota::scope s;
        for (int i = 0; i < members; ++i) {
            ++running;
            s.go([&, i, ctx = s.ctx(), own = d.fork()]() mutable {
                const rota::defer gone([&] { --running; });
                noise(own);
                if (own.once_in(4)) {
                    ++failures;
                    throw std::runtime_error(std::to_string(i));
                }
                if (own.once_in(3)) rota::runtime::goexit();
                if (own.once_in(3)) (void)rota::sleep_for(ctx, std::chrono::microseconds(100));
                ++finished;
            });
        }
        auto square = s.async([own = d.fork()]() mutable {
            noise(own);
            return 49;
        });
        noise(d);
        if (leaves_by_throw) throw std::logic_error("leaves");
        SIM_CHECK(square.get() == 49);
        if (d.once_in(2)) s.wait();
    } catch (const std::runtime_error& e) {
        SIM_CHECK(failures > 0 && !leaves_by_throw);
        SIM_CHECK(std::stoi(e.what()) < members);
        return;
    } catch (const std::logic_error&) {
        SIM_CHECK(leaves_by_throw);
        return;
    }
    SIM_CHECK(failures == 0 && finished <= members);
}

ROTA_CELL(error_group) {
    // At most `limit` run at once. wait() throws the first failure, and its code is the cause that
    // the remaining goroutines see.
    const int members = d.in(1, 6), limit = d.in(1, 3);
    int running = 0, first = -1, started = 0, ran = 0;
    rota::error_group group;
    group.set_limit(limit);
    for (int i = 0; i < members; ++i) {
        auto work = [&, i, ctx = group.ctx(), own = d.fork()]() mutable {
            SIM_CHECK(++running <= limit);
            ++ran;
            const rota::defer gone([&] { --running; });
            noise(own);
            if (own.once_in(3)) {
                if (first < 0) first = i;
                throw std::system_error(cause_number(i));
            }
            if (own.once_in(2)) {
                if (rota::sleep_for(ctx, std::chrono::microseconds(own.in(0, 100))))
                    SIM_CHECK(first >= 0 && ctx.cause().value() >= 1'000);
            }
        };
        if (d.once_in(3)) {
            started += group.try_go(work);
        } else {
            group.go(std::move(work));
            ++started;
        }
        noise(d);
    }
    bool thrown = false;
    try {
        group.wait();
    } catch (const std::system_error& e) {
        thrown = true;
        SIM_CHECK(first >= 0 && group.ctx().cause() == e.code());
    }
    SIM_CHECK(running == 0 && ran == started);
    SIM_CHECK(thrown == (first >= 0) && group.ctx().err());
}

ROTA_CELL(stop_tokens) {
    // Cancellation through std's stop tokens, in and out.
    std::stop_source source;
    const auto [outer, cancel] = rota::with_stop_token(rota::background(), source.get_token());
    const auto [inner, cancel_inner] = rota::with_cancel(outer);
    const std::stop_token seen = inner.stop_token();
    int heard = 0;
    const std::stop_callback hear(seen, [&] { ++heard; });
    rota::wait_group all;
    all.go([&, own = d.fork(), ctx = inner]() mutable {
        noise(own);
        (void)ctx.done().recv();
        SIM_CHECK(ctx.err() == rota::context_errc::canceled && ctx.stop_token().stop_requested());
    });
    for (int i = d.in(1, 3); i > 0; --i) {
        const int how = d.in(0, 2);
        all.go([&, how, own = d.fork(), outer_cancel = cancel, inner_cancel = cancel_inner,
                ctx = inner]() mutable {
            noise(own);
            if (how == 0) source.request_stop();
            if (how == 1) outer_cancel();
            if (how == 2) inner_cancel();
            SIM_CHECK(ctx.err());
        });
    }
    all.wait();
    SIM_CHECK(heard == 1 && seen.stop_requested());
}
