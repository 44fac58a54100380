// Declares server_state: it holds a server's listeners and connections, and ends them.
//
//     members.cpp    the lists of listeners and connections, and their end
//     eviction.cpp   places for connections; an idle connection makes room for a newcomer
//     returning.cpp  returns the memory that connections have freed to the kernel
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include <rota/chan.hpp>
#include <rota/context.hpp>
#include <rota/detail/pool_engine.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/sync/condition_variable.hpp>
#include <rota/sync/mutex.hpp>

#include "base/atomic.hpp"
#include "http/connection/held_memory.hpp"

namespace rota::http::detail {

struct connection;
class multiplexed;

class server_state : public std::enable_shared_from_this<server_state> {
  public:
    server_state(handler h, const server_options& o);
    ~server_state();
    server_state(const server_state&) = delete;
    server_state& operator=(const server_state&) = delete;

    // --- fixed -----------------------------------------------------------------------
    const handler answer;
    const server_options options;

    // True: the server takes no more requests. Go: shuttingDown.
    bool is_closing() const {
        return closing_.load(rt::memory_order_seq_cst);  // pairs(http.shutdown)
    }

    // --- listeners: between add and remove a goroutine accepts connections -------------
    // False: the server has ended, and the listener is closed.
    bool add(const net::listener& l);
    void remove(const net::listener& l) noexcept;
    // Waits for `d`. True: the server has ended.
    bool ends_within(clock::duration d);

    // --- connections -----------------------------------------------------------------
    // Takes a place for an accepted connection. Parks while max_connections have a place and none
    // of them is idle; ends the connection that has been idle for longest. False: the server has
    // ended.
    bool take_place();
    // Ends the connection that has been idle for longest, and waits until a connection has left,
    // for at most `most`. False: no connection is idle, or the server has ended.
    bool evict_and_wait(clock::duration most);
    // Puts the connection into the list. Caller: its goroutine. False: the server has ended.
    bool add(connection& c);
    void remove(connection& c) noexcept;
    // Gives a place back: the connection is gone, or it does not belong to the server any more.
    void leave() noexcept;

    // Makes it a connection of HTTP/2; `as` null: its session has ended. True: the server is
    // ending.
    bool share(connection& c, multiplexed* as) noexcept;

    // Closes the listeners and the idle connections; with `all`, every connection.
    void end(bool all);
    // Waits until no connection is left and no goroutine accepts any. Caller: has called end().
    std::error_code wait(const context& ctx);

    // The exchanges that no connection uses at present (http/exchange/loan.hpp).
    rota::detail::pool_core& spare_exchanges() noexcept { return exchanges_; }

    // Counts `change` bytes of the heap that connections hold more; below 0: fewer. After a large
    // fall, a goroutine returns memory to the kernel, at least a second later. Never parks.
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
    // --- any thread --------------------------------------------------------------------------
    const chan<unit> ended_ = make_chan<unit>();    // closed when the server is ending
    const chan<unit> emptied_ = make_chan<unit>();  // closed when it is ending and nothing is left
    rt::atomic<bool> closing_{false};

    // --- guarded by mu_ ------------------------------------------------------------------
    mutex mu_;
    std::vector<net::listener> listeners_;
    connection* connections_ = nullptr;
    std::size_t present_ = 0;    // connections with a place, in that list or not, and listeners
    std::size_t connected_ = 0;  // connections with a place
    std::size_t waiting_ = 0;    // callers that wait for left_
    std::array<idle_note, 16> oldest_;  // idle for longest at the last scan, the oldest first
    condition_variable left_;           // a connection has left, or the server ends
    bool has_emptied_ = false;
};

}  // namespace rota::http::detail
