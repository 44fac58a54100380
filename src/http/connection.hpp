// A connection that is being served: what its goroutine, the server's list and a shutdown share.
//
// It lies on its goroutine's stack. While it is idle that, the socket and the poll record are all
// there is: buffers and the rest (http/exchange.hpp) are borrowed when bytes come and given back
// when all requests that have come are answered.
//
//     idle ──── the head of a request is whole ────► active
//      ▲ │                                              │
//      │ └── shutdown ──► closed           the answer has been sent, and no more
//      │                                   of the next head is there
//      └────────────────────────────────────────────────┘
//
// A request is executed only by who has moved idle to active, and a connection that a shutdown has
// moved to closed never is: no request is cut off by it. Whoever goes back to idle looks at the
// server afterwards, and whoever shuts down says so before it looks at the connections: one of them
// sees the other.
#pragma once

#include <cstdint>

#include <rota/http.hpp>

#include "base/atomic.hpp"
#include "http/link.hpp"

namespace rota::http::detail {

class server_state;
class multiplexed;

struct connection {
    enum class phase : std::uint8_t { idle, active, closed };

    connection(server_state& s, const net::conn& c, const net::endpoint& p, layer* l = nullptr)
        : server(s), stream(c, l), peer(p) {}
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    // --- fixed -----------------------------------------------------------------------
    server_state& server;
    const link stream;  // its socket and the peer lie in the goroutine's closure
    const net::endpoint& peer;

    // --- owner: the connection's goroutine ------------------------------------------------
    std::int64_t read_limit = 0;  // the socket's deadlines, as they have been set; 0: none
    std::int64_t write_limit = 0;
    std::int64_t head_since = 0;  // when the head that is being read began; 0: it has not
    bool is_first = true;         // no request has come yet
    bool hijacked = false;

    // --- anyone ----------------------------------------------------------------------------
    rt::atomic<phase> now{phase::idle};
    // ns; when it became idle; of one of HTTP/2 0: it has streams or handlers. Written by the
    // connection's goroutine, and by the session's under its lock; read by evict_one.
    rt::atomic<std::int64_t> idle_since{0};

    // --- the server's lock -------------------------------------------------------------------
    multiplexed* shared = nullptr;  // it is one of HTTP/2
    bool evicted = false;           // it has been told to end, for a newcomer's place
    connection* next = nullptr;
    connection* previous = nullptr;

    // False: it has been closed.
    bool become_active() {
        phase seen = phase::idle;
        return now.compare_exchange(seen, phase::active, rt::memory_order_seq_cst,
                                    rt::memory_order_relaxed) ||  // pairs(http.shutdown)
               seen == phase::active;
    }
    // False: it is to be closed.
    bool become_idle();

    // Sets the deadline of reads or writes; 0 takes it back. Costs nothing if it is so already.
    void limit_reads(std::int64_t when);
    void limit_writes(std::int64_t when);

    // As limit_reads, but leaves a deadline that stands and is earlier. The caller tries again
    // where that ends its wait too early. `now`: the present moment.
    void limit_reads_by(std::int64_t when, std::int64_t now_ns);
    // Reads what there is. std::errc::timed_out: `when` (0: never) or the option read_stall_timeout
    // has ended the wait.
    std::size_t read(std::span<std::byte> to, std::int64_t when, std::error_code& error);

    // Waits for the first byte of a request. False: the client has left, or it is time to close.
    bool wait_for_request();
};

// A moment so much later; 0, none, for no time.
std::int64_t later(std::int64_t from, clock::duration d);
// The earlier of two moments, of which 0 stands for none.
std::int64_t earlier(std::int64_t a, std::int64_t b);

// Serves the connection to its end. What it throws ends the connection, no more.
void serve_connection(connection& c);

}  // namespace rota::http::detail
