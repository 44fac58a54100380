// Makes room for newcomers: bounds a server's connections, and ends an idle connection for a new
// connection.
//
// A connection is idle from its beginning, or from the last bytes of an answer, until the head of a
// request is complete. The moment is noted before these bytes leave. So clients that get their
// answers in turn are evicted in that order, however late the server's goroutines run. A connection
// of HTTP/2 is idle while it has no stream and no handler. A scan of the connections notes the
// `oldest_.size()` connections that have been idle for longest, and the next newcomers take their
// places in turn. So a newcomer costs a small part of a scan.
#include <algorithm>
#include <limits>

#include <rota/detail/time_engine.hpp>

#include "http/connection/connection.hpp"
#include "http/connection/multiplexed.hpp"
#include "http/connection/server_state.hpp"

namespace rota::http::detail {

bool server_state::take_place() {
    using namespace std::chrono_literals;
    constexpr clock::duration patience = 100ms;  // for an idle connection to leave
    constexpr clock::duration pause = 10ms;      // between two searches for an idle connection
    std::unique_lock lock(mu_);
    const std::size_t most = options.max_connections;
    while (!is_closing() && most != 0 && connected_ >= most) {
        ++waiting_;
        (void)left_.wait_for(lock, evict_one() ? patience : pause);
        --waiting_;
    }
    if (is_closing()) return false;
    ++connected_;
    ++present_;
    note_held(exchange_cost);
    return true;
}

bool server_state::evict_and_wait(clock::duration most) {
    std::unique_lock lock(mu_);
    if (is_closing() || !evict_one()) return false;
    ++waiting_;
    (void)left_.wait_for(lock, most);
    --waiting_;
    return true;
}

namespace {

// ns; since when a connection has been idle; 0: it is not idle, or it has been told to end.
std::int64_t idle_since(const connection& c) {
    if (c.evicted) return 0;
    // relaxed: a connection that changes at this moment counts either way
    const std::int64_t since = c.idle_since.load(rt::memory_order_relaxed);
    // relaxed: end_if_idle decides
    const auto phase = c.now.load(rt::memory_order_relaxed);
    return c.shared != nullptr || phase == connection::phase::idle ? since : 0;
}

// False: the connection is no longer idle.
bool end_if_idle(connection& c) {
    if (c.shared != nullptr) {
        c.shared->go_away();  // a stream that begins meanwhile gets its answer
    } else {
        auto seen = connection::phase::idle;
        if (!c.now.compare_exchange(seen, connection::phase::closed,
                                    rt::memory_order_seq_cst,   // pairs(http.shutdown)
                                    rt::memory_order_seq_cst))  // pairs(http.shutdown)
            return false;
        c.stream.wake(true);
    }
    c.evicted = true;
    return true;
}

}  // namespace

// Caller: holds mu_.
void server_state::note_oldest() {
    oldest_.fill({});
    for (connection* c = connections_; c != nullptr; c = c->next) {
        idle_note note{c, idle_since(*c)};
        if (note.since == 0) continue;
        for (idle_note& each : oldest_) {
            if (each.c != nullptr && each.since <= note.since) continue;
            std::swap(each, note);
            if (note.c == nullptr) break;
        }
    }
}

// Ends the connection that has been idle for longest. False: no connection is idle. Caller: holds
// mu_.
bool server_state::evict_one() {
    for (const bool is_fresh : {false, true}) {
        if (is_fresh) note_oldest();
        for (idle_note& each : oldest_) {
            const idle_note note = std::exchange(each, {});
            if (note.c != nullptr && idle_since(*note.c) == note.since && end_if_idle(*note.c))
                return true;
        }
    }
    return false;
}

}  // namespace rota::http::detail
