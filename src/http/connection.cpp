// The life of a server's connection: it waits for requests, and answers them.
#include "http/connection.hpp"

#include <cerrno>

#include <rota/detail/time_engine.hpp>

#include "fd/fd.hpp"
#include "http/exchange.hpp"
#include "http/multiplex.hpp"
#include "http/server.hpp"
#include "mem/stack.hpp"

namespace rota::http::detail {

namespace {

// The exchange that a connection borrows while there is something to do.
struct loan {
    connection& c;
    std::unique_ptr<exchange> x;
    explicit loan(connection& of) : c(of), x(of.server.borrow()) { x->attach(c); }
    // On every way out, complete answers are sent.
    ~loan() {
        std::error_code error;
        if (!c.hijacked) x->send(error);
        c.server.give_back(std::move(x));
    }
    loan(const loan&) = delete;
    loan& operator=(const loan&) = delete;
};

// Out of line, so that a waiting connection has no more on its stack than it needs.
[[gnu::noinline]] next_step answer_what_has_come(connection& c, std::string& left) {
    const loan borrowed(c);
    const next_step step = borrowed.x->serve();
    if (step == next_step::multiplex) left = borrowed.x->in.unread();
    return step;
}

}  // namespace

std::int64_t later(std::int64_t from, clock::duration d) {
    return d.count() <= 0 ? 0 : rota::detail::saturated_add(from, d.count());
}

std::int64_t earlier(std::int64_t a, std::int64_t b) {
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

bool connection::become_idle() {
    phase seen = phase::active;
    (void)now.compare_exchange(seen, phase::idle, rt::memory_order_seq_cst,
                               rt::memory_order_relaxed);  // pairs(http.shutdown)
    return !server.is_closing();
}

void connection::limit_reads(std::int64_t when) {
    if (when == read_limit) return;
    stream.set_deadline(true, false, when);
    read_limit = when;
}

// Moving a timer for each read would cost more than the rest of the read.
void connection::limit_reads_by(std::int64_t when, std::int64_t now_ns) {
    if (when == 0 || read_limit == 0 || read_limit > when || read_limit <= now_ns)
        limit_reads(when);
}

std::size_t connection::read(std::span<std::byte> to, std::int64_t when, std::error_code& error) {
    std::int64_t now_ns = rota::detail::clock_now();
    const std::int64_t limit = earlier(when, later(now_ns, server.options.read_stall_timeout));
    for (;;) {
        limit_reads_by(limit, now_ns);
        const std::size_t n = stream.read(to, error);
        if (error != std::errc::timed_out) return n;
        now_ns = rota::detail::clock_now();
        if (limit != 0 && now_ns >= limit) return 0;
    }
}

void connection::limit_writes(std::int64_t when) {
    if (when == write_limit) return;
    stream.set_deadline(false, true, when);
    write_limit = when;
}

// Moving a timer for each request would cost more than the rest of the wait. An earlier deadline
// that is set stays: if it ends the wait too early, the wait goes on. A connection that waits
// longer than a moment gives back the stack pages that the handler's calls have touched.
bool connection::wait_for_request() {
    constexpr clock::duration moment = std::chrono::seconds{1};
    const std::int64_t since = rota::detail::clock_now();
    const server_options& o = server.options;
    const clock::duration first =
        o.read_header_timeout.count() > 0 ? o.read_header_timeout : o.read_timeout;
    if (is_first && head_since == 0) head_since = since;
    const std::int64_t limit = is_first ? later(head_since, first) : later(since, o.idle_timeout);
    const std::int64_t trim_at = is_first ? 0 : later(since, moment);
    const std::int64_t next = earlier(limit, trim_at);
    limit_reads_by(next, since);
    for (bool trimmed = is_first;;) {
        const int error = stream.wait_readable();
        if (error == 0) return true;
        if (error != -ETIMEDOUT) return false;
        const std::int64_t now_ns = rota::detail::clock_now();
        if (limit != 0 && now_ns >= limit) return false;
        if (!trimmed && now_ns >= trim_at) {
            rt::stack_trim();
            trimmed = true;
        }
        limit_reads(trimmed ? limit : next);
    }
}

void serve_connection(connection& c) {
    std::string left;
    next_step step = next_step::wait;
    while (step == next_step::wait && c.wait_for_request()) step = answer_what_has_come(c, left);
    if (step == next_step::multiplex) serve_multiplexed(c, left);
}

}  // namespace rota::http::detail
