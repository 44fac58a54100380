// Servers for HTTP/1.1 and, by nghttp2, HTTP/2; clients for HTTP/1.1. Go: package net/http.
//
//     rota::http::serve_mux mux;
//     mux.handle("GET /hello/{name}", [](auto& w, auto& r) {
//         w.write("hi " + r.path_value("name"));
//     });
//     rota::http::listen_and_serve(":8080", mux);
//
//     std::string text = rota::http::client().get("http://localhost:8080/hello/you").body;
//
// A server runs a goroutine for each connection, which calls the handler for one request after the
// other; over HTTP/2 it runs a goroutine for each request. The protocol is read strictly
// (docs/http.md): an ambiguous request is answered with 400, and the connection is closed; an
// ambiguous answer is an error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#if __has_include(<bits/std_function.h>)
#include <bits/std_function.h>  // std::function alone, a tenth of <functional>
#else
#include <functional>
#endif

#include <rota/context.hpp>
#include <rota/detail/vector.hpp>
#include <rota/net.hpp>
#include <rota/time.hpp>
#include <rota/tls.hpp>

namespace rota::http {

/// Errors of HTTP. Converts to std::error_code of the category "http".
enum class http_errc {
    malformed_body = 1,    ///< "malformed request body": bytes that are no chunks
    body_too_large = 2,    ///< "request body too large": more than server_options::max_body_bytes
    unexpected_end = 3,    ///< "unexpected end of request": the client left within the body
    body_not_allowed = 4,  ///< "response status code does not allow body": 1xx, 204, 304
    content_length = 5,    ///< "wrote more than the declared Content-Length"
    hijacked = 6,          ///< "connection has been hijacked": it belongs to the handler
    cannot_hijack = 16,    ///< "connection cannot be hijacked": it uses TLS or HTTP/2

    malformed_url = 7,         ///< "malformed URL": also one with spaces or control characters
    unsupported_scheme = 8,    ///< "unsupported protocol scheme": neither http nor https; for a
                               ///< proxy, not http
    malformed_method = 9,      ///< "malformed method": no token, or CONNECT
    malformed_response = 10,   ///< "malformed response": also an ambiguous response
    response_too_large = 11,   ///< "response too large": its head or its body, for client_options
    incomplete_response = 12,  ///< "unexpected end of response": the server left within it
    server_closed = 13,        ///< "server closed the connection without an answer"
    malformed_location = 14,   ///< "redirect to a malformed URL"
    too_many_redirects = 15,   ///< "too many redirects": more than client_options::max_redirects
    proxy_refused = 17,        ///< "proxy refused to connect": to a server of https
    body_length = 18,          ///< "request body is shorter than declared": request::set_body
    malformed_host = 19,       ///< "malformed Host field": set by the program
};
const std::error_category& http_category() noexcept;
inline std::error_code make_error_code(http_errc e) noexcept {
    return {static_cast<int>(e), http_category()};
}

namespace detail {
struct exchange;
struct client_request;
struct mux_state;
struct open_response;
class client_state;
class request_reader;
class response_sender;
class server_state;
}  // namespace detail

/// The fields of a message's head, in order. Names compare without case.
///
/// The results of get and of the iterators are valid until the map is changed. Go: http.Header.
class header_map {
  public:
    using value_type = std::pair<std::string_view, std::string_view>;  ///< name and value
    using const_iterator = const value_type*;
    using iterator = const_iterator;

    header_map() noexcept = default;
    header_map(const header_map& other);
    header_map(header_map&& other) noexcept;
    header_map& operator=(const header_map& other);
    header_map& operator=(header_map&& other) noexcept;
    ~header_map();

    /// The first value of that name; "" if no field has it. Go: Get.
    std::string_view get(std::string_view name) const noexcept;
    /// Whether there is a field of that name.
    bool contains(std::string_view name) const noexcept;
    /// Every value of that name, in order. Go: Values.
    rota::detail::vector<std::string> values(std::string_view name) const;

    /// Replaces the values of that name by `value`. Throws std::invalid_argument for a name that is
    /// no token (RFC 9110) and for a value with CR, LF, NUL or another control character than a
    /// tab; std::bad_alloc. The map is unchanged then. Go: Set.
    void set(std::string_view name, std::string_view value);
    /// Adds a field, also if the name has a value. Throws as set does. Go: Add.
    void add(std::string_view name, std::string_view value);
    /// Removes every field of that name. Go: Del.
    void del(std::string_view name) noexcept;

    const_iterator begin() const noexcept { return fields_.data(); }
    const_iterator end() const noexcept { return fields_.data() + fields_.size(); }
    std::size_t size() const noexcept { return fields_.size(); }
    bool empty() const noexcept { return fields_.empty(); }

  private:
    friend class detail::request_reader;
    friend class detail::response_sender;
    void clear() noexcept;
    void borrow(std::string_view name, std::string_view value);
    std::string_view keep(std::string_view text) noexcept;
    void make_room(std::size_t more);
    void append(std::string_view name, std::string_view value);

    struct place {
        std::size_t first;  // index of the name's first field; the number of fields if absent
        bool may_repeat;    // whether more fields of that name may follow
    };
    place find(std::string_view name) const noexcept;
    std::size_t slot_of(std::string_view name) const noexcept;
    void index() noexcept;
    void erase(std::string_view name, std::size_t first) noexcept;

    rota::detail::vector<value_type> fields_;  // views of text_, or of borrowed text
    std::string text_;
    rota::detail::vector<std::uint32_t> table_;  // index of names, if there are many fields
    std::size_t indexed_ = 0;                    // count; fields that table_ covers, from the first
};

/// Gives the body of a request piece by piece: puts some of it into `to` and returns the number of
/// bytes; 0 at the body's end. It may block until the context ends, and then should throw or
/// return: no reader wants the rest, and an exception then is dropped. The caller that sends the
/// request waits for it, beyond any time limit if the function ignores its context: so the function
/// may use the caller's data. Go: Request.Body, an io.ReadCloser; its Read may still run when
/// RoundTrip has returned.
using body_reader = std::function<std::size_t(std::span<std::byte> to, const context& ctx)>;

/// Makes readers of one body, each of which gives the whole body. Go: Request.GetBody.
using body_maker = std::function<body_reader()>;

/// A client's request. Go: http.Request.
///
/// A server's request is valid during the handler's call, and only for the goroutine that makes
/// that call, except ctx(). A program makes its own request for client::perform. It can be sent
/// again; one goroutine at a time may use it.
class request {
  public:
    /// A request to be sent: of any method but CONNECT, to a URL
    /// "http[s]://host[:port]/path?query", with a body. A name and password in front of the host
    /// are sent as Basic authorization; a fragment is not. Throws std::system_error:
    /// http_errc::malformed_url, unsupported_scheme, malformed_method; std::bad_alloc. Go:
    /// NewRequest.
    request(std::string_view method, std::string_view url, std::string_view body = {});
    /// A moved-from request can only be destroyed or assigned to. A server's request stays as it
    /// is, and this object refers to it too.
    request(request&& other) noexcept;
    request& operator=(request&& other) noexcept;
    request(const request&) = delete;
    request& operator=(const request&) = delete;
    ~request();

    /// For a program's request: takes the body from a function while it is sent, in place of the
    /// text. Another goroutine than the caller of perform calls the function, one call after the
    /// other, with 32 KiB of room. No call runs after client::perform has returned, or after the
    /// response_stream has been read to its end, closed or destroyed: these wait for a call to
    /// return. With a length, so many bytes are read and no more (fewer: http_errc::body_length)
    /// and Content-Length is sent. Without a length, -1, or with trailers, the body goes in chunks.
    /// An exception of the function ends the request, and perform or read throws it; of a
    /// std::system_error they report the code. The body can be sent once: it is not repeated, and a
    /// redirect that wants it again (307, 308) is not followed. Misuse, with a server's request:
    /// panic. Go: Body, ContentLength.
    void set_body(body_reader from, std::int64_t length = -1);
    /// The same with a function that makes the readers. Each reader starts at the beginning: one
    /// for each attempt, and for each redirect that wants the body again. Go: GetBody.
    void set_repeatable_body(body_maker make, std::int64_t length = -1);

    /// "GET" and so on. Go: Method.
    std::string_view method() const noexcept;
    /// As it stood in the request line: "/a%20b?c=d", "http://host/a", "*". Go: RequestURI.
    std::string_view target() const noexcept;
    /// The target's path, without the query and with its escapes undone: "/a b". Go: URL.Path.
    std::string_view path() const noexcept;
    /// The requested host, perhaps with a port: from the target if it has a host, else from the
    /// field Host. Go: Host.
    std::string_view host() const noexcept;
    /// The first value of a field, "" if absent.
    std::string_view header(std::string_view name) const noexcept;
    const header_map& headers() const noexcept;
    /// The fields of a program's request, to be changed before it is sent. Host replaces the URL's
    /// host, User-Agent replaces "rota-http/1" ("" sends no field); Content-Length and
    /// Transfer-Encoding have no effect. Go: Header.
    header_map& headers() noexcept;
    /// The first value of a parameter of the query, its escapes undone; "" if absent. Go:
    /// URL.Query().Get.
    std::string query(std::string_view name) const;
    /// The text that the wildcard of that name in the pattern of a serve_mux has matched, its
    /// escapes undone; "" if there is no such wildcard. Go: PathValue.
    std::string path_value(std::string_view name) const;
    /// Whether the protocol is HTTP/1.1 rather than HTTP/1.0. Go: ProtoAtLeast(1, 1).
    bool is_http_1_1() const noexcept;
    /// The value of the field Content-Length; -1 for a body in chunks; 0 without a body. For a
    /// program's request: the length of its body, -1 if it is not known. Go: ContentLength.
    std::int64_t content_length() const noexcept;

    /// Waits for the first byte of the body, then reads the available bytes, at most to.size(); 0
    /// at its end, and for an empty buffer. The first read asks for the body if the client waits
    /// for that (`Expect: 100-continue`). Blocks; may migrate. Throws std::system_error, or sets
    /// the error: http_errc::malformed_body, body_too_large, unexpected_end, hijacked,
    /// std::errc::timed_out (server_options::read_timeout), and the operating system's errors. An
    /// exception that leaves the handler is answered with 400, 413 or 408. Go: Body.Read.
    std::size_t read(std::span<std::byte> to);
    std::size_t read(std::span<std::byte> to, std::error_code& error);
    /// The same for no longer than the context; the error is then the context's. Later reads fail,
    /// and the connection is closed after the answer.
    std::size_t read(const context& ctx, std::span<std::byte> to);
    std::size_t read(const context& ctx, std::span<std::byte> to, std::error_code& error);
    /// The rest of the body. Throws as read does, and std::bad_alloc. A body from set_body cannot
    /// be read here. Go: io.ReadAll(Body).
    std::string body();

    /// The fields behind the body. In a server's request: the client's trailers, empty until the
    /// body has been read to its end. Fields that must not be trailers (of framing, routing,
    /// authentication and the like: RFC 9110, 6.5.1) are dropped; headers() never has a trailer. In
    /// a program's request: fields to be sent behind the body, which goes in chunks then; a
    /// body_reader may set the values before it returns 0. Go: Trailer.
    const header_map& trailers() const noexcept;
    header_map& trailers() noexcept;

    /// Done when the handler returns, or when the client closes the connection earlier: the server
    /// notices that once the body has been read to its end. A copy may go to other goroutines.
    /// Throws std::bad_alloc. Go: Context.
    context ctx() const;

    /// The client's address, taken when the connection was accepted. Go: RemoteAddr.
    net::endpoint remote_addr() const noexcept;
    /// The address at which the client has found the server: the connection's own end. Empty for a
    /// program's request, and where the system does not know it. One system call. Go:
    /// LocalAddrContextKey.
    net::endpoint local_addr() const;

  private:
    friend struct detail::exchange;
    friend class serve_mux;
    friend class client;
    explicit request(detail::exchange& x) noexcept;
    detail::exchange* x_ = nullptr;                // of a server's request
    std::unique_ptr<detail::client_request> own_;  // of a program's request
};

/// A handler's answer. Made by the server; valid during the handler's call, and for one goroutine
/// at a time. Go: http.ResponseWriter, Flusher, Hijacker.
class response_writer {
  public:
    response_writer(const response_writer&) = delete;
    response_writer& operator=(const response_writer&) = delete;

    /// The fields to be sent. A change after the head's end (write_header, or the first write) has
    /// no effect. The server adds Date, Content-Length or Transfer-Encoding, and Connection; it
    /// uses a Content-Length that is set here. Go: Header.
    header_map& header() noexcept;
    /// The fields to be sent behind the body, as they are when the handler returns. The fields
    /// present at the head's end are announced by a field Trailer, unless header() has that field.
    /// They are sent where the body goes in chunks, and over HTTP/2. They are not sent over
    /// HTTP/1.1 with a Content-Length in header(), nor to HTTP/1.0 and HEAD, nor with a status that
    /// has no body. Names that must not be trailers (see request::trailers) are left out. Go: the
    /// field Trailer, TrailerPrefix.
    header_map& trailer() noexcept;

    /// Ends the head, with a status from 200 to 999. A status from 100 to 199 except 101 is sent at
    /// once, with the present fields, and the head goes on. Only the first final status counts.
    /// Another number: panic "invalid WriteHeader code N". HTTP/2 has no 101: then the request ends
    /// with RST_STREAM, and cannot_hijack is thrown. May block. Throws std::system_error. Go:
    /// WriteHeader.
    void write_header(int status);

    /// Adds to the body; ends the head first, with 200, if it has not ended. Small pieces are
    /// collected. A body that is complete before anything is sent goes with its Content-Length;
    /// otherwise it goes in chunks. Blocks while the client is slow; may migrate. Throws
    /// std::system_error, or sets the error: http_errc::body_not_allowed, content_length, hijacked,
    /// std::errc::timed_out (server_options::write_timeout), and the operating system's errors. To
    /// HEAD no body is sent, whatever is written. Go: Write.
    void write(std::string_view data);
    void write(std::string_view data, std::error_code& error);
    /// Sends the collected bytes, the head included. Blocks and throws as write does. Go: Flush.
    void flush();
    void flush(std::error_code& error);

    /// From here on one goroutine may read the request's body while another goroutine writes the
    /// answer, and the handler returns when both have ended. Sends the collected bytes of earlier
    /// answers on the connection. May block. Throws std::system_error. Go: EnableFullDuplex.
    void enable_full_duplex();

    /// Hands the connection over to the handler: the server no longer sends on it or closes it, and
    /// forgets it. Collected bytes are sent before. Bytes that the client has sent behind the
    /// request's head, and that the server has read, are the result of the connection's first
    /// reads. No deadline is set. Throws std::system_error (http_errc::hijacked the second time,
    /// cannot_hijack over TLS) and std::bad_alloc. Go: Hijack.
    net::conn hijack();

  private:
    friend struct detail::exchange;
    explicit response_writer(detail::exchange& x) noexcept : x_(x) {}
    detail::exchange& x_;
};

/// Answers a request. Many goroutines call it at once. When it returns, the answer is complete. An
/// exception that leaves it ends the request: 500 if nothing has been sent, the connection is
/// closed, and the exception logged on stderr with its trace. Go: http.Handler.
using handler = std::function<void(response_writer&, request&)>;

/// Sends requests to handlers by method, host and path. A reference: copies share one table. Any
/// number of goroutines and threads at once. Go: http.ServeMux, of Go 1.22 and later.
///
/// A pattern is `[METHOD ][HOST]/[PATH]`. GET includes HEAD. `{name}` matches one segment of the
/// path, `{name...}` at its end every remaining segment, a slash at its end any rest of the path,
/// `{$}` at its end nothing behind the slash. Of several patterns that match, the most specific
/// wins, a pattern with a host before a pattern without. A path that is not clean (`//`, `/./`,
/// `/../`), or that misses the slash at the end, is redirected (307, which keeps the method; Go:
/// since 1.26). No pattern: 404; no pattern for this method: 405 with Allow.
class serve_mux {
  public:
    /// Throws std::bad_alloc.
    serve_mux();

    /// Adds a pattern. Throws panic_error for a pattern that makes no sense, for a conflict with a
    /// present pattern (neither is more specific), and for an empty handler; std::bad_alloc. Go:
    /// Handle.
    void handle(std::string_view pattern, handler h) const;

    /// Answers a request with the handler of the pattern that fits best: a serve_mux is a handler.
    /// Go: ServeHTTP.
    void operator()(response_writer& w, request& r) const;

  private:
    std::shared_ptr<detail::mux_state> s_;
};

/// The files that a file_server shows.
struct file_server_options {
    bool lists_directories = true;  ///< where no index.html is; false: they are forbidden (403)
    bool shows_dot_files = false;   ///< names that begin with a dot; .well-known is always shown
};

/// A handler that serves the files below a directory: the request's path is the path of the file.
/// Throws std::bad_alloc. Go: http.FileServer(http.Dir(root)).
///
/// GET and HEAD, with conditions (ETag, Last-Modified), ranges, and types by the name's end or else
/// by the content. A directory is answered with its index.html or a list of its files; a path that
/// ends in /index.html, and a directory without a slash at the end, are redirected (301). No file:
/// 404. A file that may not be read, is not regular, or lies outside the root behind a symbolic
/// link: 403. `..` and NUL: 400. No descriptor or memory left: 503. The root is looked up for each
/// request; a relative root from the process's directory at that time.
handler file_server(std::string_view root, file_server_options options = {});

/// Answers in the same way with a file or directory that the program chooses; the path may lead
/// anywhere. The request's own path is only checked for `..` (400), the slash behind a directory
/// and /index.html. Blocks; the disk is waited for as by rota::blocking. Throws std::bad_alloc. Go:
/// http.ServeFile.
void serve_file(response_writer& w, request& r, std::string_view path);

/// A handler that takes the prefix off the request's path and calls `h`; 404 where there is no such
/// prefix. Throws panic_error for an empty handler; std::bad_alloc. Go: http.StripPrefix.
handler strip_prefix(std::string_view prefix, handler h);

/// The limits of a server. A time of 0 or less means no limit, as does max_body_bytes 0.
struct server_options {
    /// From the first byte of a request's head (for the first request: from the connection's
    /// beginning) to its end. The connection is closed then; with 408 if a byte has come.
    clock::duration read_header_timeout{std::chrono::seconds{10}};
    /// From there to the end of the body.
    clock::duration read_timeout{0};
    /// From the end of the head to the end of the answer.
    clock::duration write_timeout{0};
    /// From the end of an answer to the first byte of the next request.
    clock::duration idle_timeout{std::chrono::seconds{120}};
    /// The longest time in which a client sends nothing within a request: within its head, or while
    /// the handler waits for its body, or within a frame of HTTP/2. Each byte restarts the time. A
    /// handler's read fails with std::errc::timed_out then, and the connection is closed; with 408
    /// if nothing of the answer has been sent. Go: no counterpart (ReadTimeout is for the whole
    /// request).
    clock::duration read_stall_timeout{std::chrono::seconds{60}};
    /// The longest time in which a client takes nothing of an answer that waits for it: its kernel
    /// from ours, or, over HTTP/2, the client by the window of that stream. Each byte restarts the
    /// time. A handler's write fails with std::errc::timed_out then, and the connection is closed;
    /// over HTTP/2 the stream is reset (CANCEL). Not for a hijacked connection. Go: no counterpart
    /// (WriteTimeout is for the whole answer; HTTP2Config.WriteByteTimeout for HTTP/2).
    clock::duration write_stall_timeout{std::chrono::seconds{60}};
    /// The most bytes of a head, the request line included; each field counts 32 bytes more than
    /// its size. Beyond: 431, or 414 if the target is too long.
    std::size_t max_header_bytes = 1 << 20;
    /// The most bytes of a body. Beyond: 413.
    std::size_t max_body_bytes = 0;
    /// The most connections at once, hijacked connections not counted; 0: any number. A newcomer
    /// beyond it closes the connection that has been idle for longest: that has sent no whole head,
    /// or no head since its last answer (over HTTP/2: GOAWAY). While none is idle, the newcomer
    /// waits. Where the process has no descriptor left, an idle connection is closed for a newcomer
    /// too, whatever this says. Go: netutil.LimitListener, which waits and closes none.
    std::size_t max_connections = 0;
    /// Called for each accepted connection before anything is read from it; false: the connection
    /// is closed. The goroutine that accepts connections calls it, one call after the other for a
    /// listener: while it blocks, no connection is accepted. An exception is logged and stands for
    /// false. Empty: every connection is served. Go: a net.Listener that wraps a listener.
    std::function<bool(const net::conn& c, const net::endpoint& peer)> on_connect{};
    /// Whether listen_and_serve_tls with files offers HTTP/2. With a config, HTTP/2 is spoken where
    /// both sides have "h2" in their alpn.
    bool http2 = true;
    /// Whether HTTP/2 is spoken without TLS, with clients that begin with its preface. Go:
    /// Protocols.
    bool h2c = false;
    /// Bytes; the stack of each goroutine that serves a connection, or a request of HTTP/2, as
    /// go_options::stack_size: rounded up to a power of two from 16 KiB to 64 MiB; 0: the default
    /// (runtime::set_max_stack). For handlers that call deep libraries.
    std::size_t stack_size = 0;
};

/// A server: a handler, options, and the connections that it serves. Go: http.Server.
///
/// The object can be moved, and is destroyed as if by close. Its operations may be called by any
/// number of goroutines and threads at once.
class server {
  public:
    /// Throws std::invalid_argument for an empty handler; std::bad_alloc.
    explicit server(handler h, server_options options = {});
    server(server&&) noexcept = default;
    server& operator=(server&& other) noexcept;
    ~server();

    /// Listens at a TCP address (":8080", "127.0.0.1:0") and serves. An address without a port
    /// stands for port 80. Throws std::system_error if it cannot listen; else as serve does. Go:
    /// ListenAndServe.
    void listen_and_serve(std::string_view address) const;
    void listen_and_serve(std::string_view address, std::error_code& error) const;

    /// Accepts connections and serves each in a goroutine of its own, until shutdown or close: then
    /// it returns, at once if that has happened before. The listener is closed in the end. May be
    /// called for several listeners. Where there is no descriptor or memory for a connection it
    /// tries again after 5 ms, then 10 ms, and so on up to 1 s. Blocks. Throws std::system_error if
    /// the listener fails for another reason; std::bad_alloc before it has begun. Go: Serve.
    void serve(net::listener from) const;
    void serve(net::listener from, std::error_code& error) const;

    /// The same over TLS (rota/tls.hpp), with a config for servers; a port left out is 443. The
    /// first form of each pair also throws tls_errc::no_certificate. A handshake takes at most as
    /// long as the shortest of read_header_timeout, read_timeout, write_timeout and
    /// read_stall_timeout; a handshake that fails ends only its own connection. Go: ServeTLS,
    /// ListenAndServeTLS.
    void serve_tls(net::listener from, const tls::config& c) const;
    void serve_tls(net::listener from, const tls::config& c, std::error_code& error) const;
    void listen_and_serve_tls(std::string_view address, const tls::config& c) const;
    void listen_and_serve_tls(std::string_view address, const tls::config& c,
                              std::error_code& error) const;
    /// The same with files of PEM text: one with the certificate and the certificates that lead
    /// from it to a root, one with its key. Throws as tls::config does.
    void listen_and_serve_tls(std::string_view address, const std::string& certificate_file,
                              const std::string& key_file) const;
    void listen_and_serve_tls(std::string_view address, const std::string& certificate_file,
                              const std::string& key_file, std::error_code& error) const;

    /// Ends the server in order: closes its listeners and the connections on which no whole head of
    /// a request has been read, and waits for the answers of the rest, for as long as the context
    /// lives. Throws std::system_error with the context's error then; those connections go on. When
    /// it returns otherwise, every descriptor of the server is closed. Hijacked connections no
    /// longer belong to it. Go: Shutdown.
    void shutdown(context ctx) const;
    void shutdown(context ctx, std::error_code& error) const;

    /// Ends the server at once: closes its listeners and connections. Running handlers notice when
    /// they read or write, or by their context. It does not wait for them. Go: Close.
    void close() const;

  private:
    std::shared_ptr<detail::server_state> s_;
};

/// Listens at a TCP address and serves, for ever. Throws std::system_error. Go: ListenAndServe.
void listen_and_serve(std::string_view address, handler h);

/// The same over TLS. Go: ListenAndServeTLS.
void listen_and_serve_tls(std::string_view address, const std::string& certificate_file,
                          const std::string& key_file, handler h);

/// A server's answer. Go: http.Response, with its Body read.
struct response {
    int status = 0;
    header_map headers;
    std::string body;
    /// The URL of the answer: the last of the redirects, or else the requested URL. Without name,
    /// password and fragment. Go: Request.URL.
    std::string url;
    /// The fields behind the body, except names that must not be trailers (request::trailers). Go:
    /// Trailer.
    header_map trailers;
};

/// A server's answer with a body that is still to be read. Go: http.Response.
///
/// Made by client::open. One goroutine at a time may use it. The context, the time limit and
/// max_body_bytes of the call hold until the body's end. A caller that does not read to the end
/// gives the connection up by close, or by destroying the object; both wait for a body_reader's
/// call to return.
class response_stream {
  public:
    /// No answer: status 0, and reads fail.
    response_stream() noexcept;
    response_stream(response_stream&& other) noexcept;
    response_stream& operator=(response_stream&& other) noexcept;
    ~response_stream();

    int status() const noexcept;
    const header_map& headers() const noexcept;
    /// As response::url. Valid as long as the object.
    std::string_view url() const noexcept;
    /// The server's Content-Length; -1 if it sends none. Go: ContentLength.
    std::int64_t content_length() const noexcept;

    /// Waits for the first byte of the body, then reads the available bytes, at most to.size(); 0
    /// at its end, and for an empty buffer. The request's body may still be on its way meanwhile;
    /// at the end of the answer its unsent part is dropped. Blocks; may migrate. Throws as
    /// client::perform does, or sets the error; net::net_errc::closed after close. Go: Body.Read.
    std::size_t read(std::span<std::byte> to);
    std::size_t read(std::span<std::byte> to, std::error_code& error);
    /// The rest of the body. Throws as read does. Go: io.ReadAll(Body).
    std::string body();
    std::string body(std::error_code& error);
    /// Set once the body has been read to its end: see response::trailers.
    const header_map& trailers() const noexcept;

    /// Ends it: the connection is closed unless the body was read to its end. Ends the context of
    /// the request's body_reader, and waits for its call to return. Go: Body.Close, which does not.
    void close() noexcept;

  private:
    friend class client;
    explicit response_stream(std::unique_ptr<detail::open_response> a) noexcept;
    std::unique_ptr<detail::open_response> a_;
};

/// The options of a client. A time of 0 or less means no limit.
struct client_options {
    /// For a whole call: connections, redirects, and the body of the answer. Go: Client.Timeout.
    clock::duration timeout{0};
    /// For the lookup of a name, the connection to it and its TLS handshake. Go: Dialer.Timeout,
    /// TLSHandshakeTimeout.
    clock::duration dial_timeout{std::chrono::seconds{30}};
    /// For a request with a body and the field `Expect: 100-continue`: how long the server has to
    /// ask for the body, or to answer without it. Then the body is sent anyway; at once, if this is
    /// 0 or less. A body that is not sent ends the connection. Go: ExpectContinueTimeout.
    clock::duration expect_continue_timeout{std::chrono::seconds{1}};
    /// How long an unused connection is kept. Go: IdleConnTimeout.
    clock::duration idle_timeout{std::chrono::seconds{90}};
    /// The most unused connections to one host and port. Go: MaxIdleConnsPerHost.
    std::size_t max_idle_per_host = 2;
    /// Whether connections are kept; if not, the server is told so. Go: !DisableKeepAlives.
    bool keep_alive = true;
    /// The most unused connections in total; at least max_idle_per_host. Go: MaxIdleConns.
    std::size_t max_idle = 100;
    /// How many redirects are followed before the call fails. With 0 no redirect is followed: the
    /// call returns the answer that asks for it. Go: CheckRedirect.
    std::size_t max_redirects = 10;
    /// The most bytes of the heads of an answer, heads of 1xx included; each field counts 32 bytes
    /// more than its size. Go: MaxResponseHeaderBytes.
    std::size_t max_header_bytes = 1 << 20;
    /// The most bytes of the body of an answer; 0 means no limit.
    std::size_t max_body_bytes = 0;
    /// Whether the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY (or http_proxy and so on) choose
    /// the proxy. They are read when the client is made. HTTP_PROXY is disregarded where there is a
    /// REQUEST_METHOD, as a client of a CGI program could have set it. No request to localhost uses
    /// a proxy. Go: ProxyFromEnvironment.
    bool proxy_from_environment = true;
    /// "http://[name:password@]host:port": the proxy of every request, whatever the environment
    /// says. Go: ProxyURL.
    std::string proxy{};
    /// For https: the trusted roots, and the own certificate. Read at the first request that needs
    /// them; the client sets alpn itself. Go: TLSClientConfig.
    rota::tls::options tls{};
};

/// Sends requests and waits for the answers, over connections that it keeps. A reference: copies
/// share the connections, which are closed when the last copy goes. Any number of goroutines and
/// threads at once. Go: http.Client with its Transport.
///
/// Each call blocks; may migrate. It throws std::system_error, or sets the error: http_errc; the
/// errors of net::dial, net::conn and tls::conn; std::errc::timed_out by a limit of client_options;
/// and the error of a context that has ended: the connection is closed then, at once. Both forms
/// throw std::bad_alloc. An answer of any status is no error.
///
/// Redirects are followed as browsers do: 301, 302 and 303 by a GET without the body (HEAD stays
/// HEAD), 307 and 308 by the same request. Authorization, Cookie and the like go to no other host
/// except a subdomain, and Referer not from https to http.
///
/// If a request fails on a kept connection before a byte of the answer has come, it is sent once
/// more on a new connection, where that does no harm: GET, HEAD, OPTIONS, TRACE, PUT, DELETE, and
/// every request with a field Idempotency-Key.
class client {
  public:
    /// Throws std::system_error if options.proxy is no URL of a proxy; std::bad_alloc.
    explicit client(client_options options = {});

    /// GET. Go: Get.
    response get(std::string_view url) const;
    response get(std::string_view url, std::error_code& error) const;
    /// HEAD. Go: Head.
    response head(std::string_view url) const;
    response head(std::string_view url, std::error_code& error) const;
    /// POST, with the Content-Type `type` ("" sends none). Throws std::invalid_argument for a type
    /// that is no value of a field. Go: Post.
    response post(std::string_view url, std::string_view type, std::string_view body) const;
    response post(std::string_view url, std::string_view type, std::string_view body,
                  std::error_code& error) const;

    /// Sends a program's request; with a server's request: panic "http: request of a server".
    /// However it ends, a call of the request's body_reader has returned before. Go: Do.
    response perform(const request& r) const;
    response perform(const request& r, std::error_code& error) const;
    /// The same for no longer than the context. Go: Do, of WithContext.
    response perform(context ctx, const request& r) const;
    response perform(context ctx, const request& r, std::error_code& error) const;

    /// The same, but returns as soon as the answer's head has come: the caller reads the body from
    /// the result. The request may still be on its way. Go: Do; its Body is read at will.
    response_stream open(const request& r) const;
    response_stream open(const request& r, std::error_code& error) const;
    response_stream open(context ctx, const request& r) const;
    response_stream open(context ctx, const request& r, std::error_code& error) const;

    /// Closes the unused connections. Go: CloseIdleConnections.
    void close_idle() const;

  private:
    std::shared_ptr<detail::client_state> s_;
};

/// "Not Found" for 404, "" for a number without a meaning. Go: StatusText.
std::string_view status_text(int status) noexcept;

}  // namespace rota::http

template <>
struct std::is_error_code_enum<rota::http::http_errc> : std::true_type {};
