// What a running program can be asked: pages for browsers, `go tool pprof` and Prometheus (Go:
// net/http/pprof), and which of its goroutines wait for each other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <rota/detail/vector.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>

namespace rota::debug {

/// A handler for these paths; 404 for all others. Put it behind a pattern of a serve_mux, or let it
/// answer everything:
///
///     /debug/pprof/            what there is, as a page
///     /debug/pprof/NAME        a profile of rota::pprof: goroutine, goroutineleak, heap, allocs,
///                              block, mutex, threadcreate. debug=1: as text; goroutine?debug=2: a
///                              dump; seconds=N: what has changed in N seconds
///     /debug/pprof/profile     what the processors' time is spent on; seconds=N, 30 at first
///     /debug/pprof/trace       an execution trace, as `go tool trace` reads it; seconds=N, also
///                              of fractions, 1 at first
///     /debug/pprof/cmdline     the program's arguments, with NUL between
///     /debug/pprof/symbol      names for addresses, as `go tool pprof` asks for them
///     /debug/sched             every goroutine, thread and processor, as JSON
///     /metrics                 rota::metrics::prometheus()
///
/// Parameters, headers and errors are those of Go's handler, so `go tool pprof http://HOST/debug/
/// pprof/profile` and the like work; what takes seconds takes at most 300 (Go: any number). It must
/// not be cut short by the write_timeout of the server that it is served by: serve() has none.
///
/// This handler judges nobody. What it shows is not for strangers: put it behind a check of your
/// own, or take the other form. Throws std::bad_alloc.
http::handler handler();

/// Which clients get the pages. On a loopback address: users of the machine. A request must name
/// the server by `localhost`, `127.0.0.1`, `[::1]` or its address, with the port, and a browser
/// must not ask for a page of another site (403). So no web page that a user opens can read them
/// (DNS rebinding). On other addresses one of these must be set.
struct options {
    /// Each request must have it: `Authorization: Bearer TOKEN`, or once `?token=TOKEN`, which is
    /// exchanged for a cookie (401). Letters, digits and `-._~`. Empty: none is asked for.
    std::string token{};
    /// Judges each request that has passed all else, in its goroutine: false refuses it (403).
    std::function<bool(const http::request&)> admit{};
    /// Shows the pages to each client that reaches an address beyond loopback.
    bool open_to_everybody = false;
};

/// The same handler behind these options; 403 for all requests that come by an address that they do
/// not cover. Throws std::invalid_argument for a token of other characters; std::bad_alloc.
///
///     mux.handle("/debug/", rota::debug::handler({.token = secret}));
http::handler handler(options o);

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
    friend server serve(std::string_view address, options o);
    explicit server(std::unique_ptr<state> s) noexcept;
    std::unique_ptr<state> state_;
};

/// Serves the pages at an address ("127.0.0.1:6060") by a goroutine of its own, until the result is
/// closed or destroyed. The options say who may see them. Throws std::system_error if it cannot
/// listen there, and with errc::permission_denied for an address that is not a loopback one and
/// that the options do not cover; std::invalid_argument as handler; std::bad_alloc.
[[nodiscard]] server serve(std::string_view address, options o);
/// The same with the default options. Before version 0.2 it also serves on other addresses, as if
/// open_to_everybody were set, and says so in a line on stderr.
[[nodiscard]] server serve(std::string_view address);

/// A goroutine that waits for a lock, or a thread of the program's own; or one that waits for a
/// channel (find_all_deadlocks).
struct lock_waiter {
    std::uint64_t id = 0;        ///< 0: a thread
    const void* lock = nullptr;  ///< the mutex; of a shared_mutex one that lies in it; the channel
    std::string trace;           ///< header, stack and creator, in Go's layout; may be empty
    int thread = 0;              ///< the kernel's number of the thread (gettid); 0: a goroutine
    bool is_channel = false;     ///< what it waits for
    /// Forgets `lock`: memory that is given back keeps its words, and find_all_deadlocks would take
    /// this one for somebody's pointer to the channel.
    ~lock_waiter();
};

/// Goroutines that wait for each other: each for a lock that the next one has locked, or for a
/// channel that nobody but they can reach any more, of them the next one; the last for one of the
/// first. A goroutine that locks a mutex twice is alone in its circle.
struct deadlock {
    rota::detail::vector<lock_waiter> circle;
};

/// From now on, until the process ends, it is noted who holds which lock; GODEBUG=deadlock=1 does
/// the same from the start, and reports circles by itself. Each lock and unlock then takes some 50
/// ns more; until then nobody pays anything. Any goroutine or thread. Throws nothing.
void watch_locks();

/// The circles that there are among those who wait for a mutex or shared_mutex. None is reported
/// that did not stand as a whole at one moment; nobody in it can go on unless another goroutine
/// unlocks for one of them, which rota allows.
///
/// Not seen are locks that were taken before watch_locks(), the first lock of a mutex that was made
/// before watch_locks() in a program that runs already (see rota::mutex), goroutines that hold a
/// shared_mutex to read, and waits for anything else: a channel, a group, a semaphore. Anybody may
/// send or give there, so of these nothing could be proved. Without the kernel's membarrier, and
/// before watch_locks(), nothing is found. While it looks, no goroutine is started, for some
/// microseconds each thousand that wait for locks. It does not block. Any goroutine or thread.
/// Throws std::bad_alloc.
///
///     rota::debug::watch_locks();
///     ...
///     for (const auto& d : rota::debug::find_deadlocks())
///         for (const auto& g : d.circle) std::cerr << g.trace << '\n';
rota::detail::vector<deadlock> find_deadlocks();

/// The same, and circles that lead through channels, and other things for which goroutines wait
/// without a time limit. That nobody else can reach these is proved as for leak::find_unreachable,
/// with its limits and its price: all threads stand still while the memory of the process is read,
/// about a millisecond for each 2 MiB, and memory from malloc that holds a pointer counts as
/// reachable: also a result of before, as long as it is kept. As for find_deadlocks, a goroutine
/// outside may unlock a mutex for the one that has locked it. A mutex counts as waited for in
/// vain where it is noted who has locked it: see watch_locks(). Blocks, and may migrate. Any
/// goroutine or thread. Throws std::bad_alloc.
rota::detail::vector<deadlock> find_all_deadlocks();

}  // namespace rota::debug
