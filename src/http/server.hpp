// A server: its listeners, its connections, and how it ends.
#pragma once

#include <memory>
#include <vector>

#include <rota/chan.hpp>
#include <rota/http.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/sync/pool.hpp>

#include "base/atomic.hpp"
#include "http/connection.hpp"

namespace rota::http::detail {

class server_state {
  public:
    server_state(handler h, const server_options& o);
    ~server_state();
    server_state(const server_state&) = delete;
    server_state& operator=(const server_state&) = delete;

    // --- fixed -----------------------------------------------------------------------
    const handler answer;
    const server_options options;

    // No more requests are to be taken. Go: shuttingDown.
    bool is_closing() const {
        return closing_.load(rt::memory_order_seq_cst);  // pairs(http.shutdown)
    }

    // --- listeners -------------------------------------------------------------------
    // False: the server has ended, and the listener is closed.
    bool add(const net::listener& l);
    void remove(const net::listener& l) noexcept;
    // Waits; true: the server has ended.
    bool ends_within(clock::duration d);

    // --- connections -----------------------------------------------------------------
    // False: the server has ended.
    bool add(connection& c);
    void remove(connection& c) noexcept;

    // It is one of HTTP/2 from here on, or, with null, its end has come. True: the server is
    // ending.
    bool share(connection& c, multiplexed* as) noexcept;

    // Closes the listeners and the idle connections; with `all`, the others too.
    void end(bool all);
    // Waits until no connection is left. Caller: has called end().
    std::error_code wait(const context& ctx);

    // Borrows what a connection needs to answer requests. Throws std::bad_alloc.
    std::unique_ptr<exchange> borrow();
    void give_back(std::unique_ptr<exchange> x) noexcept;

  private:
    void end_connections(bool all);
    void note_if_empty();

    pool<std::unique_ptr<exchange>> exchanges_;
    const chan<unit> ended_ = make_chan<unit>();    // closed when the server is ending
    const chan<unit> emptied_ = make_chan<unit>();  // closed when no connection is left then
    rt::atomic<bool> closing_{false};

    // --- guarded by mu_ ------------------------------------------------------------------
    mutex mu_;
    std::vector<net::listener> listeners_;
    connection* connections_ = nullptr;
    bool has_emptied_ = false;
};

// How a goroutine is started for a connection that has been taken. `with` is what this way of
// serving needs.
struct starter {
    void (*start)(const std::shared_ptr<server_state>& s, net::conn& taken,
                  const net::endpoint& peer, const void* with);
    const void* with;
};

// Takes connections until the server ends, or the listener fails for good; closes the listener.
std::error_code serve_listener(const std::shared_ptr<server_state>& s, const net::listener& from,
                               starter how);

// Serves a connection as one of its server's, if that has not ended, and closes it.
void run_connection(connection& c, void (*serve)(connection& c, void* arg), void* arg);

[[noreturn]] void fail(const char* what, std::string_view of, const std::error_code& error);

}  // namespace rota::http::detail
