// Accepts a server's connections, starts a goroutine for each, and shuts the server down.
#include "http/server.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <stdexcept>

#include <poll.h>

#include <rota/detail/time_engine.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>

#include "base/fatal.hpp"
#include "fd/fd.hpp"
#include "fd/turn.hpp"
#include "http/exchange.hpp"
#include "http/multiplex.hpp"
#include "sys/io.hpp"

namespace rota::http {
namespace detail {

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

std::unique_ptr<exchange> server_state::borrow() {
    if (rota::detail::pool_box* const b = exchanges_.take())
        return std::unique_ptr<exchange>(static_cast<exchange*>(b));
    return std::make_unique<exchange>();
}

void server_state::give_back(std::unique_ptr<exchange> x) noexcept {
    if (const std::int64_t told = x->forget_held()) note_held(-told);
    x->reset();
    exchanges_.put(x.release());
}

namespace {

// Keeps a connection in the server's list until its goroutine ends, also by an exception or goexit.
struct membership {
    arrival& came;
    connection& c;
    bool is_member;
    membership(arrival& a, connection& of) : came(a), c(of), is_member(of.server.add(of)) {}
    ~membership() {
        if (!is_member) return;
        if (c.hijacked) {
            came.let_go();
            return;
        }
        std::error_code none;
        c.stream.socket().close(none);
        c.server.remove(c);
    }
    membership(const membership&) = delete;
    membership& operator=(const membership&) = delete;
};

// Serves a connection on a plain socket, without TLS.
void start_plain(arrival came, const net::endpoint& peer, const void*) {
    const std::size_t stack_size = came.server().options.stack_size;
    go({.stack_size = stack_size}, [came = std::move(came), peer]() mutable {
        connection served(came.server(), came.socket(), peer);
        run_connection(came, served, [](connection& of, void*) { serve_connection(of); }, nullptr);
    });
}

bool passes(const std::error_code& error) {
    if (error.category() != std::system_category()) return false;
    const int value = error.value();
    return value == EMFILE || value == ENFILE || value == ENOBUFS || value == ENOMEM ||
           value == ENOSPC;  // ENOSPC: the limit of descriptors that a user may watch by epoll
}

// Starts a goroutine for a connection. Without room for a goroutine, the connection is closed.
std::error_code start(const std::shared_ptr<server_state>& s, net::conn taken,
                      const net::endpoint& peer, starter how) {
    try {
        how.start(arrival(s, std::move(taken)), peer, how.with);
    } catch (const std::system_error& e) {
        return e.code();
    } catch (const std::bad_alloc&) {
        return std::make_error_code(std::errc::not_enough_memory);
    }
    return {};
}

void log_pause(const std::error_code& error) {
    try {
        rt::print_error("rota::http: cannot take connections, will try again: %.200s\n",
                        error.message().c_str());
    } catch (const std::bad_alloc&) {
        rt::print_error("rota::http: cannot take connections, will try again\n");
    }
}

bool lacks_descriptors(const std::error_code& error) {
    return error.category() == std::system_category() &&
           (error.value() == EMFILE || error.value() == ENFILE);
}

// Without a free descriptor accept fails even if no client waits. Waits for a client, and ends an
// idle connection for it. False: no connection is idle, or the listener is closed.
bool make_room(server_state& s, const net::listener& l) {
    using namespace std::chrono_literals;
    const std::int64_t waited = l.descriptor()->await_read([](int number) {
        const int n = rt::io_poll_now(number, POLLIN);
        return n == 0 ? -EAGAIN : n;
    });
    return waited > 0 && s.evict_and_wait(100ms);
}

// True: the program accepts the connection.
bool is_welcome(const server_options& o, const net::conn& c, const net::endpoint& peer) {
    if (!o.on_connect) return true;
    try {
        return o.on_connect(c, peer);
    } catch (const std::exception& e) {
        rt::print_error("rota::http: a connection is refused: %.500s\n", e.what());
        return false;
    }
}

// Accepts connections until the server ends or the listener fails for good.
std::error_code take_connections(const std::shared_ptr<server_state>& s, const net::listener& l,
                                 starter how) {
    using namespace std::chrono_literals;
    constexpr clock::duration first_pause = 5ms, longest_pause = 1s;
    for (clock::duration pause{0};;) {
        net::endpoint peer;
        std::error_code error;
        net::conn taken = l.accept(peer, error);
        const bool was_taken = !error;
        if (was_taken) {
            if (!is_welcome(s->options, taken, peer)) continue;
            if (!s->take_place()) return {};
            error = start(s, std::move(taken), peer, how);
        } else if (lacks_descriptors(error) && make_room(*s, l)) {
            continue;
        }
        if (!error) {
            pause = clock::duration{0};
            continue;
        }
        if (s->is_closing()) return {};
        if (!was_taken && !passes(error)) return error;
        if (pause == pause.zero()) log_pause(error);
        pause = pause == pause.zero() ? first_pause : std::min(pause * 2, longest_pause);
        if (s->ends_within(pause)) return {};
    }
}

void limit_stalls(const connection& c) {
    const clock::duration most = c.server.options.write_stall_timeout;
    if (most.count() > 0) c.stream.socket().descriptor()->set_write_stall(most.count());
}

}  // namespace

void run_connection(arrival& came, connection& c, void (*serve)(connection& c, void* arg),
                    void* arg) {
    const membership member(came, c);
    if (!member.is_member) return;
    limit_stalls(c);
    try {
        serve(c, arg);
    } catch (const std::exception& e) {
        rt::print_error("rota::http: a connection has ended: %.500s\n", e.what());
    }
}

// The server object may be destroyed while calls still run: each call shares the state.
std::error_code serve_listener(const std::shared_ptr<server_state>& s, const net::listener& from,
                               starter how) {
    if (!s->add(from)) return {};
    struct leaving {
        server_state& s;
        const net::listener& l;
        ~leaving() { s.remove(l); }
    } const at_end{*s, from};
    return take_connections(s, from, how);
}

void fail(const char* what, std::string_view of, const std::error_code& error) {
    std::string text = std::string("rota::http: ") + what;
    if (!of.empty()) text.append(" ").append(of);
    throw std::system_error(error, text);
}

}  // namespace detail

// --- the handle ----------------------------------------------------------------------------------

server::server(handler h, server_options options) {
    if (!h) throw std::invalid_argument("http: nil handler");
    s_ = std::make_shared<detail::server_state>(std::move(h), options);
}

server::~server() {
    if (s_ != nullptr) s_->end(true);
}

server& server::operator=(server&& other) noexcept {
    if (this == &other) return *this;
    if (s_ != nullptr) s_->end(true);
    s_ = std::move(other.s_);
    return *this;
}

void server::serve(net::listener from, std::error_code& error) const {
    const std::shared_ptr<detail::server_state> s = s_;
    error = detail::serve_listener(s, from, {detail::start_plain, nullptr});
}
void server::serve(net::listener from) const {
    std::error_code error;
    serve(std::move(from), error);
    if (error) detail::fail("serve", {}, error);
}

void server::listen_and_serve(std::string_view address, std::error_code& error) const {
    error.clear();
    if (s_->is_closing()) return;
    std::string whole(address);
    if (whole.empty()) whole = ":80";
    const net::listener l = net::listen("tcp", whole, error);
    if (!error) serve(l, error);
}
void server::listen_and_serve(std::string_view address) const {
    std::error_code error;
    listen_and_serve(address, error);
    if (error) detail::fail("listen_and_serve", address, error);
}

void server::shutdown(context ctx, std::error_code& error) const {
    const std::shared_ptr<detail::server_state> s = s_;
    s->end(false);
    error = s->wait(ctx);
}
void server::shutdown(context ctx) const {
    std::error_code error;
    shutdown(std::move(ctx), error);
    if (error) detail::fail("shutdown", {}, error);
}

void server::close() const {
    const std::shared_ptr<detail::server_state> s = s_;
    s->end(true);
}

void listen_and_serve(std::string_view address, handler h) {
    server(std::move(h)).listen_and_serve(address);
}

}  // namespace rota::http
