// The way to and from the client for a request that shares its connection with others: a stream of
// HTTP/2. Without one, an exchange has a connection of its own and writes HTTP/1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

#include <rota/context.hpp>
#include <rota/http.hpp>

namespace rota::http::detail {

// Each call blocks the goroutine as it must. A limit is a moment of the clock, 0 for none. An error
// ends the stream.
class stream_transport {
  public:
    // 0 at the body's end.
    virtual std::size_t read(std::span<std::byte> to, std::int64_t limit,
                             std::error_code& error) = 0;
    // on: a read that waits, and later reads, fail with operation_canceled; off: no longer. Any
    // thread.
    virtual void interrupt_reads(bool on) noexcept = 0;
    // Behind the body's end: adds the trailers that have come. Throws std::bad_alloc.
    virtual void take_trailers(header_map& to) = 0;
    // `fields` are lines "name: value\r\n". A status below 200 stands for itself.
    virtual void send_head(int status, std::string_view fields, bool ends,
                           std::error_code& error) = 0;
    virtual void send_body(std::string_view one, std::string_view other, bool ends,
                           std::int64_t limit, std::error_code& error) = 0;
    // Ends the body, and the answer with these lines.
    virtual void send_trailers(std::string_view fields, std::error_code& error) = 0;
    // Calls it when the client has given the request up.
    virtual void watch(const cancel_func& cancel) = 0;

  protected:
    ~stream_transport() = default;
};

}  // namespace rota::http::detail
