// Implements net::dial: tries the addresses of a name in turn, and two families side by side.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>
#include <rota/sync/mutex.hpp>

#include "net/errors.hpp"
#include "net/interrupter.hpp"
#include "net/naps.hpp"
#include "net/options.hpp"
#include "net/resolve.hpp"
#include "sys/io/io.hpp"

namespace rota::net {

namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds head_start{
    300};                        // of the first family; RFC 8305 names 250, Go takes 300
constexpr seconds share_min{2};  // of the time left, for an address among several

using addresses = std::vector<endpoint>;

// Connects, or fails once `when` (0: never) has passed.
int connect_until(rt::fd& f, const endpoint& to, std::int64_t when) {
    if (when != 0) (void)f.set_deadline(false, true, when);
    // A Unix listener whose queue is full says -EAGAIN.
    return retried([&] { return f.connect(as_sockaddr(to), to.size()); });
}

conn dial_one(const context& ctx, network_kind kind, const endpoint& to, std::int64_t when,
              std::error_code& error) {
    const int number = rt::io_socket(family_of(to), kind.type, 0);
    if (number < 0) {
        error = error_of(number);
        return {};
    }
    rt::fd* made = nullptr;
    if (const int failed = rt::fd::open(number, kind.descriptor(), made)) {
        (void)rt::io_close(number);
        error = error_of(-failed);
        return {};
    }
    conn c(made);
    if (kind.type == SOCK_DGRAM && !kind.is_unix())
        (void)rt::io_set_option(number, SOL_SOCKET, SO_BROADCAST, 1);
    int r = 0;
    if (ctx == background()) {
        r = connect_until(*made, to, when);
    } else {
        // Ends the call by a deadline in the past: no other code has this connection yet to set a
        // deadline.
        const interrupter by(ctx, [c] {
            std::error_code ignored;
            c.set_deadline(clock::time_point(clock::duration(1)), ignored);
        });
        r = connect_until(*made, to, when);
    }
    (void)checked(r, error);
    if (error) {
        if (const std::error_code ended = ctx.err()) error = ended;
        return {};
    }
    if (ctx != background()) {
        // The context may have ended just when the connection was made, and set its deadline. The
        // caller gets the connection, so the deadline is removed.
        std::error_code ignored;
        c.set_deadline({}, ignored);
    } else if (when != 0) {
        (void)made->set_deadline(false, true, 0);
    }
    if (kind.type == SOCK_STREAM && !kind.is_unix()) set_tcp_options(number);
    return c;
}

// The kernel may choose as our local port the port that we dial: the connection is then to itself.
bool is_self(const conn& c, network_kind kind) {
    if (kind.is_unix() || kind.type != SOCK_STREAM) return false;
    std::error_code error;
    const endpoint local = c.local_addr(error);
    return !error && local == c.remote_addr(error) && !error;
}

conn dial_address(const context& ctx, network_kind kind, const endpoint& to, std::int64_t when,
                  std::error_code& error) {
    conn c = dial_one(ctx, kind, to, when, error);
    for (int again = 0; again < 2 && !error && is_self(c, kind); ++again)
        c = dial_one(ctx, kind, to, when, error);
    return c;
}

// The moment to give up an address, when `left` addresses, itself included, are still to be tried.
std::int64_t share_of(std::int64_t end, std::size_t left) {
    if (end == 0) return 0;
    const std::int64_t now = clock::now().time_since_epoch().count();
    const std::int64_t time = end - now;
    if (time <= 0) return end;
    const std::int64_t least = clock::duration(share_min).count();
    const std::int64_t share = std::max(time / static_cast<std::int64_t>(left), least);
    return share < time ? now + share : end;
}

// Tries the addresses in turn. The error is that of the first address.
conn dial_in_turn(const context& ctx, network_kind kind, std::span<const endpoint> all,
                  std::error_code& error) {
    const auto deadline = ctx.deadline();
    const std::int64_t end = deadline ? deadline->time_since_epoch().count() : 0;
    std::error_code first;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (const std::error_code ended = ctx.err()) {
            if (!first) first = ended;
            break;
        }
        conn c = dial_address(ctx, kind, all[i], share_of(end, all.size() - i), error);
        if (!error) return c;
        if (!first) first = error;
        if (end != 0 && clock::now().time_since_epoch().count() >= end) {
            if (first == std::errc::timed_out) first = context_errc::deadline_exceeded;
            break;
        }
    }
    error = first;
    return {};
}

struct attempt {
    bool is_first;
    conn made;
    std::error_code error;
};

// Dials two families, the second after head_start or after the first has failed. The first
// connection wins. The losing attempt is cancelled, and closes its connection if it has one.
conn dial_both(const context& ctx, network_kind kind, addresses one, addresses other,
               std::error_code& error) {
    auto results = make_chan<attempt>(2);
    const auto [inner, cancel] = with_cancel(ctx);
    const defer at_end([&cancel = cancel] { cancel(); });
    const auto begin = [&results, &inner = inner, kind](bool is_first, addresses all) {
        go([results, inner, kind, is_first, all = std::move(all)] {
            attempt a{is_first, {}, {}};
            a.made = dial_in_turn(inner, kind, all, a.error);
            results.send(std::move(a));
        });
    };
    begin(true, std::move(one));
    timer patience(head_start);
    std::error_code first;
    int running = 1;
    bool has_other = true;
    while (running > 0) {
        std::optional<attempt> got;
        bool waited = false;
        select(on_recv(results, [&](std::optional<attempt> a) { got = std::move(a); }),
               on_recv(has_other ? patience.c() : recv_chan<clock::time_point>(),
                       [&](std::optional<clock::time_point>) { waited = true; }));
        if (got) {
            --running;
            if (!got->error) {
                error.clear();
                return std::move(got->made);
            }
            if (got->is_first || !first) first = got->error;
        }
        if (has_other && (waited || got)) {
            has_other = false;
            ++running;
            begin(false, std::move(other));
        }
    }
    error = first;
    if (const std::error_code ended = ctx.err()) error = ended;
    return {};
}

}  // namespace

void set_tcp_options(int number) {
    constexpr int idle = 15, between = 15, times = 9;  // s, s, probes: Go's
    (void)rt::io_set_option(number, IPPROTO_TCP, TCP_NODELAY, 1);
    (void)rt::io_set_option(number, SOL_SOCKET, SO_KEEPALIVE, 1);
    (void)rt::io_set_option(number, IPPROTO_TCP, TCP_KEEPIDLE, idle);
    (void)rt::io_set_option(number, IPPROTO_TCP, TCP_KEEPINTVL, between);
    (void)rt::io_set_option(number, IPPROTO_TCP, TCP_KEEPCNT, times);
}

conn dial(context ctx, std::string_view network, std::string_view address, std::error_code& error) {
    error.clear();
    const auto kind = network_of(network);
    if (!kind) {
        error = net_errc::unknown_network;
        return {};
    }
    if ((error = ctx.err())) return {};
    addresses all = addresses_of(ctx, *kind, address, false, error);
    if (error) return {};
    if (kind->type == SOCK_DGRAM) all.resize(1);  // nothing is sent: the first is as good as any
    addresses first, other;
    for (const endpoint& e : all)
        (family_of(e) == family_of(all.front()) ? first : other).push_back(e);
    try {
        if (other.empty()) return dial_in_turn(ctx, *kind, first, error);
        return dial_both(ctx, *kind, std::move(first), std::move(other), error);
    } catch (const std::system_error& no_stack) {  // no stack for a goroutine
        error = no_stack.code();
        return {};
    }
}

conn dial(std::string_view network, std::string_view address, std::error_code& error) {
    return dial(background(), network, address, error);
}

}  // namespace rota::net
