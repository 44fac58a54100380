// Declares how a server takes a connection, from its acceptance to the end of its goroutine.
#pragma once

#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <rota/net.hpp>

#include "http/connection/server_state.hpp"

namespace rota::http::detail {

// A connection that has a place, on the way to its goroutine and in it. The server waits for it.
// The socket is closed and the goroutine gives back what it holds; then the destructor calls
// leave().
class arrival {
  public:
    arrival(std::shared_ptr<server_state> s, net::conn taken)
        : s_(std::move(s)), socket_(std::move(taken)) {}
    arrival(arrival&& from) noexcept
        : s_(std::move(from.s_)),
          socket_(std::move(from.socket_)),
          is_over_(std::exchange(from.is_over_, true)) {}
    ~arrival() {
        if (is_over_) return;
        std::error_code none;
        socket_.close(none);
        s_->leave();
    }
    arrival(const arrival&) = delete;
    arrival& operator=(const arrival&) = delete;
    arrival& operator=(arrival&&) = delete;

    server_state& server() const { return *s_; }
    const net::conn& socket() const { return socket_; }
    // The socket has a new owner. Caller: has called server().leave().
    void let_go() { is_over_ = true; }

  private:
    std::shared_ptr<server_state> s_;
    net::conn socket_;
    bool is_over_ = false;
};

// Starts a goroutine for an accepted connection. `with`: the argument that this way of serving
// needs.
struct starter {
    void (*start)(arrival came, const net::endpoint& peer, const void* with);
    const void* with;
};

// Accepts connections until the server ends or the listener fails for good; closes the listener.
std::error_code serve_listener(const std::shared_ptr<server_state>& s, const net::listener& from,
                               starter how);

// Serves a connection as a member of its server, unless the server has ended, and closes it. `came`
// outlives `c`.
void run_connection(arrival& came, connection& c, void (*serve)(connection& c, void* arg),
                    void* arg);

[[noreturn]] void fail(const char* what, std::string_view of, const std::error_code& error);

}  // namespace rota::http::detail
