// A connection that is being served: the state that its goroutine, the server's list and a shutdown
// share.
//
// It lies on its goroutine's stack. An idle connection is that stack, the socket and the poll
// record. Buffers and the rest (http/exchange/exchange.hpp) are borrowed when bytes arrive, and
// given back when every request that has arrived is answered.
//
//     idle ──── the head of a request is whole ────► active
//      ▲ │                                              │
//      │ └── shutdown ──► closed           the answer has been sent, and no more
//      │                                   of the next head is there
//      └────────────────────────────────────────────────┘
//
// A request is executed only after its goroutine has moved idle to active. A shutdown moves idle to
// closed, and such a connection executes nothing: so a shutdown cuts off no request. The goroutine
// goes back to idle, then reads the server's state. The shutdown writes that state, then reads the
// connections. So one of them sees the other.
#pragma once

#include <cstdint>

#include <rota/detail/time_engine.hpp>
#include <rota/http.hpp>

#include "base/atomic.hpp"
#include "http/connection/transport.hpp"

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
    const transport stream;  // its socket and the peer lie in the goroutine's closure
    const net::endpoint& peer;

    // --- owner: the connection's goroutine ------------------------------------------------
    std::int64_t read_limit = 0;  // ns; the socket's deadlines, as set; 0: none
    std::int64_t write_limit = 0;
    std::int64_t head_since = 0;  // ns; when the head in progress began; 0: there is none
    bool is_first = true;         // no request has arrived yet
    bool hijacked = false;

    // --- anyone ----------------------------------------------------------------------------
    rt::atomic<phase> now{phase::idle};
    // ns; when it became idle; of HTTP/2: 0 while it has streams or handlers. Writers: the
    // connection's goroutine, and the session's goroutines under its lock. Reader: evict_one.
    rt::atomic<std::int64_t> idle_since{0};

    // --- the server's lock -------------------------------------------------------------------
    multiplexed* shared = nullptr;  // not null: the connection is one of HTTP/2
    bool evicted = false;           // it has been told to end, to make room for a newcomer
    connection* next = nullptr;
    connection* previous = nullptr;

    // False: the connection has been closed.
    bool become_active() {
        phase seen = phase::idle;
        return now.compare_exchange(seen, phase::active, rt::memory_order_seq_cst,
                                    rt::memory_order_relaxed) ||  // pairs(http.shutdown)
               seen == phase::active;
    }
    // False: the connection must be closed.
    bool become_idle();

    // To be called before bytes of an answer leave: they may be its last. relaxed: evict_one looks
    // at `now` too
    void note_response() { idle_since.store(rota::detail::clock_now(), rt::memory_order_relaxed); }

    // Sets the deadline of reads or writes; 0 removes it. Costs nothing if it is set already.
    void limit_reads(std::int64_t when);
    void limit_writes(std::int64_t when);

    // Like limit_reads, but keeps a deadline that is earlier. The caller tries again if that ends
    // its wait too early. `now_ns`: the present moment.
    void limit_reads_by(std::int64_t when, std::int64_t now_ns);
    // Reads the bytes that are there. std::errc::timed_out: `when` (0: never) or the option
    // read_stall_timeout has ended the wait.
    std::size_t read(std::span<std::byte> to, std::int64_t when, std::error_code& error);

    // Waits for the first byte of a request. False: the client has left, or it is time to close.
    bool wait_for_request();
};

}  // namespace rota::http::detail
