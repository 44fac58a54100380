// Accepts a server's connections, and starts a goroutine for each. Implements the server's handle.
#include "http/server/server.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <poll.h>

#include <rota/go.hpp>

#include "base/fatal.hpp"
#include "fd/fd.hpp"
#include "fd/turn.hpp"
#include "http/connection/connection.hpp"
#include "http/server/serve_connection.hpp"
#include "sys/io/io.hpp"

namespace rota::http {
namespace detail {

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
