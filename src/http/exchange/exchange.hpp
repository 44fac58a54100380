// A request and its response, and the buffers that both need.
//
// A connection borrows the object from the server while there are bytes to read or answer. The
// object keeps its memory for the next borrower: answering a small request allocates nothing. It
// belongs to the connection's goroutine, which also runs the handler.
//
//     request_reader   reads the head, and the body as the handler asks for it
//     response_sender  frames and sends the response
//     request_watch    the request's context; watches for a client that leaves
//
// They share the exchange_wire. The exchange runs the handler between them, and decides what the
// connection does next.
#pragma once

#include <string>
#include <system_error>

#include <rota/context.hpp>
#include <rota/detail/pool_engine.hpp>
#include <rota/http.hpp>

#include "http/exchange/request_reader.hpp"
#include "http/exchange/request_watch.hpp"
#include "http/exchange/response_sender.hpp"
#include "http/exchange/wire.hpp"

namespace rota::http::detail {

struct exchange : rota::detail::pool_box {
    exchange() : incoming(*this), outgoing(*this) {
        destroy = [](pool_box* b) noexcept { delete static_cast<exchange*>(b); };
    }
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;

    // Answers the requests that have arrived. wait: no more have arrived; close: that was the last
    // request; multiplex: the input begins with the preface of HTTP/2.
    next_step serve();
    // Answers one request of a stream of HTTP/2. Caller: has filled the reader's head and fields.
    // `reject`: 0, or the status to answer with.
    void serve_stream(int reject);

    // --- for the handler -----------------------------------------------------------------
    context request_context();
    // From here on one goroutine may read the body while another writes the response.
    void enable_duplex(std::error_code& error);
    net::conn hijack();
    // For the library's own handlers. Throws panic_error for a request that a program has made.
    static exchange& of(request& r);

    // Makes the object ready for another connection, with no more memory than is usual.
    void reset() noexcept;
    void attach(connection& to) noexcept { wire.c = &to; }

    exchange_wire wire;
    response_sender sender{wire};
    request_watch watch{wire};
    request_reader reader{wire, sender, watch};

    request incoming;
    response_writer outgoing;

  private:
    next_step answer_request();
    next_step reject_request(int code);
    void run_handler();
    void call_handler();
    void log_panic(const std::string& trace) noexcept;
    void on_exception();
    void finish_response();
    void linger();
};

}  // namespace rota::http::detail
