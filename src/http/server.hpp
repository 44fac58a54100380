// A server: its listeners, its connections, and how it ends.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <rota/chan.hpp>
#include <rota/detail/pool_engine.hpp>
#include <rota/http.hpp>
#include <rota/sync/condition_variable.hpp>
#include <rota/sync/mutex.hpp>

#include "base/atomic.hpp"
#include "http/connection.hpp"
#include "http/held_memory.hpp"

namespace rota::http::detail {

class server_state : public std::enable_shared_from_this<server_state> {
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

    // --- listeners: from add to remove somebody takes connections ---------------------
    // False: the server has ended, and the listener is closed.
    bool add(const net::listener& l);
    void remove(const net::listener& l) noexcept;
    // Waits; true: the server has ended.
    bool ends_within(clock::duration d);

    // --- connections -----------------------------------------------------------------
    // A place for a connection that has been accepted. Parks while max_connections have one and
    // none of them is idle; ends the one that has been idle for longest. False: the server has
    // ended.
    bool take_place();
    // Ends the connection that has been idle for longest, and waits until one has left, for at most
    // so long. False: none is idle.
    bool evict_and_wait(clock::duration most);
    // That goroutine makes it a member, or not. False: the server has ended.
    bool add(connection& c);
    void remove(connection& c) noexcept;
    // Nothing is left of one that had a place, or it is the server's no more.
    void leave() noexcept;

    // It is one of HTTP/2 from here on, or, with null, its end has come. True: the server is
    // ending.
    bool share(connection& c, multiplexed* as) noexcept;

    // Closes the listeners and the idle connections; with `all`, the others too.
    void end(bool all);
    // Waits until no connection is left, and nobody who takes some. Caller: has called end().
    std::error_code wait(const context& ctx);

    // Borrows what a connection needs to answer requests. Throws std::bad_alloc.
    std::unique_ptr<exchange> borrow();
    void give_back(std::unique_ptr<exchange> x) noexcept;

    // Connections hold so many bytes more of the heap, or, below 0, fewer. When much has gone, a
    // goroutine returns it to the kernel, a second later or more. Never parks.
    void note_held(std::int64_t change) noexcept;

  private:
    struct idle_note {
        connection* c = nullptr;
        std::int64_t since = 0;  // ns; c->idle_since at that moment
    };

    void end_connections(bool all);
    bool evict_one();
    void note_oldest();
    void note_if_empty();
    void return_later() noexcept;
    void set_return_timer() noexcept;
    bool still_falls() const;
    void return_memory();
    void drop_spare_exchanges();

    rota::detail::pool_core exchanges_;
    held_memory memory_;
    rt::atomic<bool> is_returning_{false};  // a timer is set for return_memory, or it runs
    // --- owner: the caller that has set is_returning_, then the timer's goroutine ---------
    std::int64_t seen_held_ = 0;  // bytes; memory_.held() when the timer was set
    int waits_ = 0;               // times that the timer was set again, since memory still fell
    // --- anyone ------------------------------------------------------------------------------
    const chan<unit> ended_ = make_chan<unit>();    // closed when the server is ending
    const chan<unit> emptied_ = make_chan<unit>();  // closed when nothing is left then
    rt::atomic<bool> closing_{false};

    // --- guarded by mu_ ------------------------------------------------------------------
    mutex mu_;
    std::vector<net::listener> listeners_;
    connection* connections_ = nullptr;
    std::size_t present_ = 0;    // connections with a place, in that list or not, and listeners
    std::size_t connected_ = 0;  // connections with a place
    std::size_t waiting_ = 0;    // callers that wait for left_
    std::array<idle_note, 16> oldest_;  // idle for longest at the last look, the oldest first
    condition_variable left_;           // a connection has left, or the server ends
    bool has_emptied_ = false;
};

// A connection that has a place, on the way to its goroutine and in it. Its server waits for it: it
// is closed, its goroutine gives back what it has for it, and then the server hears of that.
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
    // It is another's now. Caller: the server does not wait for it any more.
    void let_go() { is_over_ = true; }

  private:
    std::shared_ptr<server_state> s_;
    net::conn socket_;
    bool is_over_ = false;
};

// How a goroutine is started for a connection that has been taken. `with` is what this way of
// serving needs.
struct starter {
    void (*start)(arrival came, const net::endpoint& peer, const void* with);
    const void* with;
};

// Takes connections until the server ends, or the listener fails for good; closes the listener.
std::error_code serve_listener(const std::shared_ptr<server_state>& s, const net::listener& from,
                               starter how);

// Serves a connection as one of its server's, if that has not ended, and closes it. `came` outlives
// `c`.
void run_connection(arrival& came, connection& c, void (*serve)(connection& c, void* arg),
                    void* arg);

[[noreturn]] void fail(const char* what, std::string_view of, const std::error_code& error);

}  // namespace rota::http::detail
