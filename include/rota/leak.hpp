// Finds goroutines that should have ended: for the end of a test, and for a program that is
// suspected of leaks.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <rota/detail/exceptions.hpp>
#include <rota/detail/vector.hpp>

namespace rota {
class scope;
}

namespace rota::leak {

struct goroutine_info {
    std::uint64_t id = 0;
    std::uint64_t parent_id = 0;     ///< the goroutine that started it; it may have ended
    std::string state;               ///< as in a dump: "chan receive", "running"
    std::string name;                ///< go_options::name
    std::chrono::seconds waited{0};  ///< in that state, accurate to a second
    rota::detail::vector<std::pair<std::string, std::string>> labels;  ///< see pprof::do_labels
    /// Header, stack and creator, in Go's layout; and the stack of the starting goroutine, if this
    /// one began while such stacks were kept (keep_creation_stacks).
    std::string trace;
};

struct options {
    /// How long to wait for goroutines that are about to end. 0: no wait.
    std::chrono::nanoseconds max_wait = std::chrono::seconds(1);
    /// Goroutines with one of these texts in their trace are ignored: "my_pool::worker".
    rota::detail::vector<std::string> ignore_functions = {};
    /// Goroutines with these numbers are ignored. See ignore_current.
    rota::detail::vector<std::uint64_t> ignore = {};
    /// Only goroutines with each of these labels are considered. Since labels are inherited, a test
    /// that works within pprof::do_labels finds only goroutines that it has started itself,
    /// whatever runs concurrently.
    rota::detail::vector<std::pair<std::string, std::string>> labels = {};
    /// Only goroutines of the caller's synctest bubble. max_wait is time of the bubble then, which
    /// leaps while every goroutine of it waits.
    bool own_bubble = false;
};

/// From now on each goroutine that starts keeps the stack of its starter, which its traces show in
/// Go's layout ("[originating from goroutine 7]:"). Scopes that begin identify their goroutines, by
/// labels, for find(scope). `false`: no longer.
///
/// Starting a goroutine takes some microseconds more meanwhile, and no more before and after. Each
/// stack is kept once, up to 32 frames of it, for good: at most 65,535 of them, some 18 MiB.
/// Goroutines beyond that show the one place where they were started, as every goroutine does
/// otherwise. For tests, and for the search for a leak. The fixture and the listener of
/// <rota/leak_gtest.hpp> call it. Stops the world: blocks, and may migrate. From a goroutine or any
/// thread. Go: GODEBUG=tracebackancestors=1, which does the same here, from the start.
///
///     rota::leak::keep_creation_stacks();  // at the start of a test program
void keep_creation_stacks(bool on = true);

/// Options that ignore the goroutines that exist at the call. Go (goleak): IgnoreCurrent.
options ignore_current();

/// The goroutines that are alive, without the caller, the main goroutines of run(), and the
/// goroutines that rota keeps for itself. Repeats the search until there are none, or max_wait has
/// passed, and returns the last result. It blocks meanwhile, and may migrate. From a goroutine or
/// any thread, any number at once. Throws std::bad_alloc, and panic_error "rota: leak::find: not in
/// a synctest bubble" if options::own_bubble is set outside a bubble. Go (goleak): Find.
rota::detail::vector<goroutine_info> find(const options& how = {});

/// As above, but only the scope's goroutines and every goroutine that these have started, even if
/// its starter has ended. So a test in a scope of its own finds only its own goroutines, whatever
/// runs concurrently. Throws panic_error "rota: leak::find of a scope that began before
/// leak::keep_creation_stacks" if the scope's goroutines are not identified.
///
///     rota::scope s;
///     s.go(handle);
///     rota::leak::verify_none(s);
rota::detail::vector<goroutine_info> find(const scope& s, const options& how = {});

/// Goroutines that provably can never run again: each waits, without a time limit, for an object
/// that only the returned goroutines can reach. They stay for as long as the process lives. No
/// returned goroutine can still run. Not every goroutine that can never run is returned, see below.
///
/// Found: waits on nil channels and select without cases; waits for channels without any other
/// handle, or with handles only in goroutines that can never run again; waits for a lock,
/// semaphore, condition, latch, barrier or wait_group that lies on the stack of a found goroutine,
/// its own or another's, if no pointer leads there. Not found: waits for a lock or similar object
/// in memory from malloc (also by make_shared), global or thread-local; for a channel with a handle
/// there, even if that memory is unreachable; for the channel of a timer or context; within a
/// synctest bubble; or where a stale copy of a pointer is left by chance.
///
/// Stops the world and, by the runtime's signal, every other thread of the process, and reads the
/// whole memory of the process, about a millisecond for each 2 MiB: for tests, and for a program
/// that is suspected. A system call of a thread of the program's own may return with EINTR; a
/// thread needs some 8 KiB of its stack, or of its alternate one, for the signal. In the following
/// cases only waits that nothing can end are found (the profile "goroutineleak", as text, says
/// why):
/// * a thread cannot be stopped, since it blocks that signal or does not stop within 0.2 s, tried
/// three times;
/// * memory cannot be read, such as a device's, or a mapped file's that a server keeps;
/// * reading takes longer than 2 s, as it does with some 4 GiB in use;
/// * the program is built with AddressSanitizer or ThreadSanitizer.
///
/// The program must keep every pointer to a channel or to a goroutine's stack as one whole word in
/// memory that this process can read. It must not keep its only pointer in another form or place:
/// compressed, encrypted, in a packed structure, in a file, a pipe, the kernel (epoll's data),
/// another process, or in pages protected against reading, or mapped from a file and then protected
/// against writing. Nor may the only pointer be held by a signal handler of the program that runs
/// without an alternate stack (no SA_ONSTACK).
///
/// Blocks, and may migrate. From a goroutine or any thread; one call at a time, further calls wait.
/// Throws std::bad_alloc. Go: the profile "goroutineleak".
///
///     for (const auto& g : rota::leak::find_unreachable()) std::cerr << g.trace;
rota::detail::vector<goroutine_info> find_unreachable();

/// Thrown by verify_none. what() has the traces of every goroutine found.
class leak_error : public std::runtime_error {
  public:
    explicit leak_error(rota::detail::vector<goroutine_info> found);
    const rota::detail::vector<goroutine_info>& goroutines() const noexcept { return found_; }

  private:
    rota::detail::vector<goroutine_info> found_;
};

/// Throws leak_error if find() finds any.
///
///     rota::leak::verify_none();  // at the end of a test
void verify_none(const options& how = {});
/// As verify_none(how), for find(s, how).
void verify_none(const scope& s, const options& how = {});

}  // namespace rota::leak
