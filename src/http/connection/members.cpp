// Keeps the list of a server's listeners and connections, and ends them.
#include <algorithm>
#include <mutex>

#include <rota/detail/time_engine.hpp>
#include <rota/select.hpp>

#include "http/connection/connection.hpp"
#include "http/connection/multiplexed.hpp"
#include "http/connection/server_state.hpp"

namespace rota::http::detail {

server_state::server_state(handler h, const server_options& o) : answer(std::move(h)), options(o) {}
server_state::~server_state() = default;

// --- listeners -----------------------------------------------------------------------------------

bool server_state::add(const net::listener& l) {
    {
        const std::lock_guard guard(mu_);
        if (!is_closing()) {
            listeners_.push_back(l);
            ++present_;
            return true;
        }
    }
    std::error_code none;
    l.close(none);
    return false;
}

void server_state::remove(const net::listener& l) noexcept {
    {
        const std::lock_guard guard(mu_);
        const auto found = std::find(listeners_.begin(), listeners_.end(), l);
        if (found != listeners_.end()) listeners_.erase(found);
    }
    std::error_code none;
    l.close(none);
    const std::lock_guard guard(mu_);
    --present_;
    note_if_empty();
}

bool server_state::ends_within(clock::duration d) {
    unit nothing;
    return ended_.recv_for(nothing, d) != chan_status::timeout;
}

// --- connections ---------------------------------------------------------------------------------

void server_state::leave() noexcept {
    note_held(-exchange_cost);
    const std::lock_guard guard(mu_);
    --present_;
    --connected_;
    if (waiting_ > 0) left_.notify_all();
    note_if_empty();
}

bool server_state::add(connection& c) {
    const std::lock_guard guard(mu_);
    if (is_closing()) return false;
    // relaxed: a guess for evict_one, which looks under this lock
    c.idle_since.store(rota::detail::clock_now(), rt::memory_order_relaxed);
    c.next = connections_;
    if (connections_ != nullptr) connections_->previous = &c;
    connections_ = &c;
    return true;
}

void server_state::remove(connection& c) noexcept {
    const std::lock_guard guard(mu_);
    if (c.previous != nullptr) c.previous->next = c.next;
    else if (connections_ == &c) connections_ = c.next;
    else return;  // the list does not hold it any more
    if (c.next != nullptr) c.next->previous = c.previous;
    c.next = c.previous = nullptr;
    for (idle_note& each : oldest_)
        if (each.c == &c) each = {};
}

// Caller: holds mu_.
void server_state::note_if_empty() {
    if (!is_closing() || present_ != 0 || has_emptied_) return;
    has_emptied_ = true;
    emptied_.close();
}

bool server_state::share(connection& c, multiplexed* as) noexcept {
    const std::lock_guard guard(mu_);
    c.shared = as;
    for (idle_note& each : oldest_)
        if (each.c == &c) each = {};
    return is_closing();
}

// Shuts sockets down, which ends the waits of their goroutines; each goroutine closes its socket.
// Caller: holds mu_.
void server_state::end_connections(bool all) {
    for (connection* c = connections_; c != nullptr; c = c->next) {
        auto seen = connection::phase::idle;
        const bool was_idle =
            c->now.compare_exchange(seen, connection::phase::closed,
                                    rt::memory_order_seq_cst,   // pairs(http.shutdown)
                                    rt::memory_order_seq_cst);  // pairs(http.shutdown)
        if (was_idle || all) c->stream.wake(all);
        else if (c->shared != nullptr) c->shared->go_away();
    }
}

void server_state::end(bool all) {
    for (;;) {
        net::listener last;
        {
            const std::lock_guard guard(mu_);
            if (!is_closing()) {
                closing_.store(true, rt::memory_order_seq_cst);  // pairs(http.shutdown)
                ended_.close();
                left_.notify_all();
            }
            if (listeners_.empty()) {
                end_connections(all);
                note_if_empty();
                return;
            }
            last = std::move(listeners_.back());
            listeners_.pop_back();
        }
        std::error_code none;
        last.close(none);
    }
}

// A caller with nothing to wait for needs no live context.
std::error_code server_state::wait(const context& ctx) {
    std::error_code error;
    unit nothing;
    if (emptied_.try_recv(nothing) == chan_status::closed) return error;
    select(on_recv(emptied_, [](auto) {}), on_recv(ctx.done(), [&](auto) { error = ctx.err(); }));
    return error;
}

}  // namespace rota::http::detail
