// Goroutines that were left behind: what a test finds at its end that should have ended.
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
    std::uint64_t parent_id = 0;     ///< who started it; it may have ended
    std::string state;               ///< as in a dump: "chan receive", "running"
    std::string name;                ///< go_options::name
    std::chrono::seconds waited{0};  ///< in that state, give or take a second
    rota::detail::vector<std::pair<std::string, std::string>> labels;  ///< see pprof::do_labels
    /// Header, stack and creator, in Go's layout; and the stack of who has started it, if it began
    /// while these were kept (keep_creation_stacks).
    std::string trace;
};

struct options {
    /// How long to wait for goroutines that are about to end. 0: not at all.
    std::chrono::nanoseconds max_wait = std::chrono::seconds(1);
    /// Goroutines in whose trace one of these texts stands are let be: "my_pool::worker".
    rota::detail::vector<std::string> ignore_functions = {};
    /// As are those with these numbers. See ignore_current.
    rota::detail::vector<std::uint64_t> ignore = {};
    /// Only goroutines with all of these labels are looked at. Since labels are inherited, a test
    /// that works within pprof::do_labels finds what it has started itself, whatever runs beside.
    rota::detail::vector<std::pair<std::string, std::string>> labels = {};
    /// Only goroutines of the synctest bubble of who asks. max_wait is time of the bubble then,
    /// which leaps while they all wait.
    bool own_bubble = false;
};

/// From now on each goroutine that starts keeps the stack of who starts it, which its traces show
/// in Go's layout ("[originating from goroutine 7]:"), and scopes that begin tell their goroutines
/// apart, by labels, for find(scope). `false`: no longer.
///
/// Starting a goroutine takes some microseconds more meanwhile, and nothing more before and after.
/// Each stack is kept once, up to 32 frames of it, for good: 65,535 of them at most, some 18 MiB;
/// goroutines beyond show the one place where they were started, as all do otherwise. For tests,
/// and when a leak is looked for. The fixture and the listener of <rota/leak_gtest.hpp> call it.
/// Stops the world: blocks, and may migrate. From a goroutine or any thread. Go:
/// GODEBUG=tracebackancestors=1, which does the same here, from the start.
///
///     rota::leak::keep_creation_stacks();  // at the start of a test program
void keep_creation_stacks(bool on = true);

/// Options that ignore the goroutines that exist now. Go (goleak): IgnoreCurrent.
options ignore_current();

/// The goroutines that are alive, without the caller, the main goroutines of run(), and those that
/// rota keeps for itself. Looks again and again until there are none, or max_wait has passed; what
/// is found then is returned. It blocks meanwhile, and may migrate. From a goroutine or any thread,
/// any number at once. Throws std::bad_alloc, and panic_error "rota: leak::find: not in a synctest
/// bubble" if options::own_bubble asks for what there is not. Go (goleak): Find.
rota::detail::vector<goroutine_info> find(const options& how = {});

/// Of those only the scope's goroutines, and all that these have started, whoever of them has
/// ended: what a test in a scope of its own finds is its own, whatever runs beside. Throws
/// panic_error "rota: leak::find of a scope that began before leak::keep_creation_stacks" if the
/// scope's goroutines are not told apart.
///
///     rota::scope s;
///     s.go(handle);
///     rota::leak::verify_none(s);
rota::detail::vector<goroutine_info> find(const scope& s, const options& how = {});

/// Goroutines that provably can never run again: each waits, without a time limit, for something
/// that nobody can reach but those who are returned with it. They stay for as long as the process
/// lives. Nobody who is returned can still run; not all who cannot are returned, see below.
///
/// What is found: waits on nil channels and select without cases; waits for channels whose other
/// handles have all gone, or are held by others that can never run again; waits for a lock,
/// semaphore, condition, latch, barrier or wait_group that lies on the stack of a goroutine, its
/// own or that of another one that is found, if no pointer leads there. What is not: whatever waits
/// for a lock or the like in memory from malloc (also by make_shared), global or thread-local; for
/// a channel of which a handle lies there, even if nothing leads to it any more; for the channel of
/// a timer or context; within a synctest bubble; or where a stale copy of a pointer is left by
/// chance.
///
/// Stops the world and, by the runtime's signal, all other threads of the process, and reads all
/// memory of the process, about a millisecond for each 2 MiB: for tests, and for a program that is
/// suspected. A system call of a thread of the program's own may return with EINTR; a thread needs
/// some 8 KiB of its stack, or of its alternate one, for the signal. Only waits for nothing at all
/// are found (the profile "goroutineleak", as text, says why) where a thread cannot be stopped,
/// since it blocks that signal or does not come within 0.2 s, tried three times; where memory
/// cannot be read, such as a device's, or a mapped file's that a server keeps; where that takes
/// longer than 2 s, as it does with some 4 GiB in use; and in programs built with AddressSanitizer
/// or ThreadSanitizer.
///
/// The program must keep no pointer to a channel or to a goroutine's stack where it is not one
/// whole word in memory that this process can read: compressed, encrypted, in a packed structure,
/// in a file, a pipe, the kernel (epoll's data), another process, or pages protected against
/// reading, or mapped from a file and then protected against writing; nor may a signal handler of
/// its own that runs without an alternate stack (no SA_ONSTACK) be the only one who has it.
///
/// Blocks, and may migrate. From a goroutine or any thread; one at a time, others wait. Throws
/// std::bad_alloc. Go: the profile "goroutineleak".
///
///     for (const auto& g : rota::leak::find_unreachable()) std::cerr << g.trace;
rota::detail::vector<goroutine_info> find_unreachable();

/// What verify_none throws. what() has all traces.
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
/// The same of find(s, how).
void verify_none(const scope& s, const options& how = {});

}  // namespace rota::leak
