// Diagnosis of a running program: pages for browsers, `go tool pprof` and Prometheus (Go:
// net/http/pprof), and the goroutines that wait for each other.
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
/// (DNS rebinding). On any other address an option below must be set.
struct options {
    /// Each request must carry it: `Authorization: Bearer TOKEN`, or once `?token=TOKEN`, which is
    /// exchanged for a cookie (401). Letters, digits and `-._~`. Empty: no token is required.
    std::string token{};
    /// Judges each request that has passed every other check, in its goroutine: false refuses it
    /// (403).
    std::function<bool(const http::request&)> admit{};
    /// Shows the pages to each client that reaches an address beyond loopback.
    bool open_to_everybody = false;
};

/// The same handler behind these options; 403 for requests that come by an address that the options
/// do not cover. Throws std::invalid_argument for a token of other characters; std::bad_alloc.
///
///     mux.handle("/debug/", rota::debug::handler({.token = secret}));
http::handler handler(options o);

/// A server of these pages. Movable; its destructor closes it.
class server {
  public:
    server(server&&) noexcept;
    server& operator=(server&&) noexcept;
    ~server();

    /// The address at which it listens, with the port that it was given for ":0".
    net::endpoint addr() const;
    /// Ends it: closes its listener and every connection, and waits for its goroutine.
    void close();

  private:
    struct state;
    friend server serve(std::string_view address, options o);
    explicit server(std::unique_ptr<state> s) noexcept;
    std::unique_ptr<state> state_;
};

/// Serves the pages at an address ("127.0.0.1:6060") in a new goroutine, until the result is closed
/// or destroyed. The options say which clients may see them. Throws std::system_error if it cannot
/// listen there, and with errc::permission_denied for an address that is not a loopback address and
/// that the options do not cover; std::invalid_argument as handler; std::bad_alloc.
[[nodiscard]] server serve(std::string_view address, options o);
/// As above with the default options. Before version 0.2 it also serves on other addresses, as if
/// open_to_everybody were set, and says so in a line on stderr.
[[nodiscard]] server serve(std::string_view address);

/// A goroutine, or a thread of the program's own, that waits for a lock; or a goroutine that waits
/// for a channel (find_all_deadlocks).
struct lock_waiter {
    std::uint64_t id = 0;        ///< 0: a thread
    const void* lock = nullptr;  ///< the mutex; for a shared_mutex the mutex inside it; the channel
    std::string trace;           ///< header, stack and creator, in Go's layout; may be empty
    int thread = 0;              ///< the kernel's number of the thread (gettid); 0: a goroutine
    bool is_channel = false;     ///< whether it waits for a channel
    /// Clears `lock`: freed memory keeps its words, and find_all_deadlocks would take this word for
    /// a pointer to the channel.
    ~lock_waiter();
};

/// Goroutines that wait for each other. Each waits for a lock that the next goroutine has locked,
/// or for a channel that only these goroutines, the next of them included, can still reach. The
/// last waits for one of the first. A goroutine that locks a mutex twice is alone in its circle.
struct deadlock {
    rota::detail::vector<lock_waiter> circle;
};

/// From now on, until the process ends, the runtime notes the holder of each lock;
/// GODEBUG=deadlock=1 does so from the start, and reports circles by itself. Each lock and unlock
/// then takes some 50 ns more; until then there is no cost. Any goroutine or thread. Throws
/// nothing.
void watch_locks();

/// The circles among the goroutines and threads that wait for a mutex or shared_mutex. Each
/// reported circle existed as a whole at one moment. No goroutine in it can continue unless a
/// goroutine outside unlocks for it, which rota allows.
///
/// Not seen are locks taken before watch_locks(), and the first lock of a mutex that was made
/// before watch_locks() in a running program (see rota::mutex). Not seen either are goroutines that
/// hold a shared_mutex to read, and waits for anything else: a channel, a group, a semaphore. Any
/// goroutine may send or give there, so nothing could be proved. Without the kernel's membarrier,
/// and before watch_locks(), nothing is found. During the search no goroutine is started, for some
/// microseconds for each thousand waiters for locks. It does not block. Any goroutine or thread.
/// Throws std::bad_alloc.
///
///     rota::debug::watch_locks();
///     ...
///     for (const auto& d : rota::debug::find_deadlocks())
///         for (const auto& g : d.circle) std::cerr << g.trace << '\n';
rota::detail::vector<deadlock> find_deadlocks();

/// As find_deadlocks, and also circles through channels, and through any object for which
/// goroutines wait without a time limit. That no goroutine outside can reach these objects is
/// proved as for leak::find_unreachable, with its limits and its price: every thread is stopped
/// while the memory of the process is read, about a millisecond for each 2 MiB. Memory from malloc
/// that holds a pointer counts as reachable, so an earlier result does too, as long as the program
/// keeps it. As for find_deadlocks, a goroutine outside may unlock a mutex for its holder. A wait
/// for a mutex counts as endless only if the mutex's holder is noted: see watch_locks(). Blocks,
/// and may migrate. Any goroutine or thread. Throws std::bad_alloc.
rota::detail::vector<deadlock> find_all_deadlocks();

}  // namespace rota::debug
