// Pages about the running program, for browsers, `go tool pprof` and Prometheus. Go:
// net/http/pprof.
#pragma once

#include <memory>
#include <string_view>
#include <system_error>

#include <rota/http.hpp>
#include <rota/net.hpp>

namespace rota::debug {

/// A handler for these paths; 404 for all others. Put it behind a pattern of a serve_mux, or let it
/// answer everything:
///
///     /debug/pprof/            what there is, as a page
///     /debug/pprof/NAME        a profile of rota::pprof: goroutine, heap, allocs, block, mutex,
///                              threadcreate. debug=1: as text; goroutine?debug=2: a dump
///     /debug/pprof/profile     what the processors' time is spent on; seconds=N, 30 at first
///     /debug/pprof/cmdline     the program's arguments, with NUL between
///     /debug/pprof/symbol      names for addresses, as `go tool pprof` asks for them
///     /debug/sched             every goroutine, thread and processor, as JSON
///     /metrics                 rota::metrics::prometheus()
///
/// Parameters, headers and errors are those of Go's handler, so `go tool pprof http://HOST/debug/
/// pprof/profile` and the like work. What it shows is not for strangers: listen on a loopback
/// address, or ask who it is first. Throws std::bad_alloc.
http::handler handler();

/// A server of these pages. Movable; its end closes it.
class server {
  public:
    server(server&&) noexcept;
    server& operator=(server&&) noexcept;
    ~server();

    /// Where it listens: the port that it was given for ":0".
    net::endpoint addr() const;
    /// Ends it: closes its listener and all connections, and waits for its goroutine.
    void close();

  private:
    struct state;
    friend server serve(std::string_view address);
    explicit server(std::unique_ptr<state> s) noexcept;
    std::unique_ptr<state> state_;
};

/// Serves the pages at an address ("127.0.0.1:6060") by a goroutine of its own, until the result is
/// closed or destroyed. Throws std::system_error if it cannot listen there, and std::bad_alloc.
[[nodiscard]] server serve(std::string_view address);

}  // namespace rota::debug
