// Serves a connection of HTTP/2, which many requests share (RFC 9113). nghttp2 does the protocol.
//
// There are three kinds of goroutine. The reader is the connection's own goroutine. It gives the
// bytes that it reads to nghttp2, which calls back: a head is complete, a piece of a body has come,
// a stream is closed. The writer writes the bytes that nghttp2 wants to send, frames of many
// streams in one call. Each request has a goroutine, which runs the handler as for HTTP/1.1
// (http/exchange/exchange.hpp), with its stream (http/exchange/stream_transport.hpp) in place of
// the connection.
//
// One lock guards nghttp2 and the streams. A goroutine holds it for a call of nghttp2, and never
// during a wait for the socket. So a client that does not read stops the writer, and in time the
// handlers that write to it. The reader goes on.
//
// Bounds:
//   * A client may send the bytes of its window unasked; reads by the handler enlarge the window.
//   * A handler may have `unsent_max` bytes unsent, or `unsent_least` while the answers of the
//     connection hold much together. Then it waits, as long as some bytes move.
//   * There are at most `streams_max` streams, and as many handlers. A stream that the client
//     resets is gone at once, but its handler runs on. Later requests wait for a handler to end; if
//     too many wait, the session ends (CVE-2023-44487).
//   * session::count_reset() bounds the resets a second, of either side. nghttp2 bounds the answers
//     to pings and settings that the client does not take. Both bound the frames of one head.
//   * A head larger than the server takes is answered with 431; its part beyond the limit is not
//     kept.
//
// The end. For its server, the connection is active for as long as it lives. A shutdown asks for a
// GOAWAY; after the last stream nghttp2 neither reads nor writes any more. When the writer has sent
// everything, the reader ends the sending side and drops what still comes, for half a second after
// each piece. It leaves after the handlers and the writer.
#pragma once

#include <string_view>

namespace rota::http::detail {

struct connection;

// Serves the connection to its end. `left`: the bytes that have been read of it already.
void serve_multiplexed(connection& c, std::string_view left);

}  // namespace rota::http::detail
