// Implements a connection's waits for bytes, and its limits of time.
#include "http/connection/connection.hpp"

#include <cerrno>

#include <rota/detail/time_engine.hpp>

#include "http/connection/server_state.hpp"
#include "http/message/deadline.hpp"
#include "mem/stack.hpp"

namespace rota::http::detail {

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

}  // namespace rota::http::detail
