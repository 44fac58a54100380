// HTTP/2: a connection that many requests share. RFC 9113, by nghttp2.
//
// Three kinds of goroutine. The connection's own goroutine reads it and gives the bytes to nghttp2,
// which calls back: a head is whole, a piece of a body is there, a stream is closed. The writer
// writes the bytes that nghttp2 wants to send, many streams' frames in one call. Each request has a
// goroutine, which runs the handler as for HTTP/1.1 (http/exchange.hpp), with its stream
// (http/port.hpp) in place of the connection.
//
// One lock guards nghttp2 and the streams. It is held for a call of nghttp2, and never during a
// wait for the socket. So a client that does not read stops the writer, and in time the handlers
// whose answers it does not take. It stops nothing else: the reader goes on.
//
// Bounds. What a client may send of a body without being asked is its window; it gets more of it
// when the handler has read some. What a handler may write without its being sent is `unsent_max`,
// or `unsent_least` while the connection's answers have much together; then the handler waits, for
// as long as some of it moves. There are `streams_max` streams and as many handlers: a stream that
// the client has reset is gone at once, but its handler is not, and the requests behind it wait for
// one to end; if too many wait, the client goes (CVE-2023-44487). The number of resets a second, of
// either side, is bounded here; those of frames of one head, and of answers to pings and settings
// that the client does not take, by nghttp2. A head larger than the server takes is answered with
// 431, and what of it is beyond the limit is not kept.
//
// The end. The connection is active, as its server sees it, for as long as it lives. A shutdown
// asks for a GOAWAY; when the last stream is closed, nghttp2 neither reads nor writes any more.
// When the writer has sent all of it, the reader tells the client the end and throws away what
// still comes, for half a second after each piece; then it leaves, when the handlers and the writer
// have.
#pragma once

#include <string_view>

namespace rota::http::detail {

struct connection;

// What a shutdown tells a connection that is shared. Caller: holds the server's lock.
class multiplexed {
  public:
    virtual void go_away() noexcept = 0;

  protected:
    ~multiplexed() = default;
};

// Serves it to its end. `left` is what has been read of it.
void serve_multiplexed(connection& c, std::string_view left);

}  // namespace rota::http::detail
