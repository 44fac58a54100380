// Profiles: where goroutines are, what they wait for, which locks they wait for, and where the
// processors' time goes. Go: runtime/pprof.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string_view>
#include <utility>

#include <rota/detail/labels.hpp>
#include <rota/detail/vector.hpp>

namespace rota::pprof {

/// Writes a profile of how things are.
///
///     goroutine     the stacks of all goroutines; one that runs on another thread has only the
///                   function that it was started with
///     goroutineleak the stacks of those that can never run again: leak::find_unreachable, which
///                   stops the world and all other threads
///     block         where goroutines have waited for others: see set_block_profile_rate
///     mutex         who has kept others from locks: see set_mutex_profile_fraction
///     threadcreate  threads, by what they are for
///     heap, allocs  rota's own memory: stacks of goroutines, by size, and the scheduler's tables,
///                   both as address space; of the program's own memory it knows nothing
///
/// `debug` 0 is the file that `go tool pprof` reads, with functions and lines of source in it; 1 is
/// Go's text, with a record for each stack; for goroutine and goroutineleak, 2 is the dump of
/// runtime::stack(true), in which those of goroutineleak are called leaked. Functions have names if
/// the program has symbols. Goroutines that do not run are held still for a few microseconds each;
/// nothing else stops. Reads the program's files when it first meets their functions. Throws
/// std::invalid_argument for an unknown name, std::bad_alloc, and what the stream throws; whether
/// writing has worked, the stream says. May be called from anywhere; blocks briefly. Go:
/// Profile.WriteTo.
void write_profile(std::string_view name, std::ostream& out, int debug = 0);

/// The names, in order, and how many records each has now. Go: Profiles.
struct profile_info {
    std::string_view name;
    std::size_t count;
};
rota::detail::vector<profile_info> profiles();

/// Begins to sample what the threads of the process do, a hundred times for each second of
/// processor time that a thread uses, until stop_cpu_profile, which writes the profile to `out`. A
/// thread that begins meanwhile is sampled from a tenth of a second on at the latest; one that
/// sleeps or blocks costs nothing.
///
/// It takes SIGPROF, for good; signals that are not its own go to the program's handler, if that
/// was there first. Samples carry the labels of the goroutine. Callers are found by the unwind
/// tables, and by frame pointers in code without (-fno-omit-frame-pointer). Throws
/// std::system_error with std::errc::device_or_resource_busy if a profile is being taken, or if
/// there can be no thread, or no timer for one (a filter of system calls forbids timer_create).
/// `out` must live until stop_cpu_profile has returned. Go: StartCPUProfile.
void start_cpu_profile(std::ostream& out);

/// Ends that and writes. Without a profile, does nothing. Blocks the goroutine, not its processor.
/// Throws std::bad_alloc, and what the stream throws; sampling has ended all the same. Go:
/// StopCPUProfile.
void stop_cpu_profile();

/// From now on waits for other goroutines (channels, select, locks, conditions, groups; neither
/// sleeps nor I/O) are recorded with their stacks: all of `ns` nanoseconds and more, and of shorter
/// ones as many as make up for one each `ns` of waiting. 1: all, about a microsecond for each frame
/// of the stack; 0 or less: none, as at the beginning. What was recorded stays. Go:
/// runtime.SetBlockProfileRate.
void set_block_profile_rate(int ns);

/// From now on one of `n` waits for a mutex or shared_mutex is recorded, with the stack of who ends
/// it by unlocking. 1: all; 0: none, as at the beginning; less: changes nothing. Returns the value
/// of before. Go: runtime.SetMutexProfileFraction.
int set_mutex_profile_fraction(int n);

/// Calls f, with these labels added to those that the calling goroutine has, or that thread, and
/// gives it back what it had, also on exceptions and goexit. Goroutines take over the labels of
/// those that start them, for good. Profiles of goroutines and of the processors' time, and dumps,
/// show them. A name or value ends at its first NUL character. Throws std::bad_alloc, and what f
/// throws. Go: pprof.Do.
///
///     rota::pprof::do_labels({{"tenant", "blue"}}, [] { serve(); });
template <class F>
decltype(auto) do_labels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels, F&& f) {
    const detail::label_scope scope(labels);
    return std::forward<F>(f)();
}

}  // namespace rota::pprof
