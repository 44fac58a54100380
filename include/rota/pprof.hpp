// Profiles: where goroutines are, where they wait, which locks they wait for, and where processor
// time is spent. Go: runtime/pprof.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string_view>
#include <utility>

#include <rota/detail/labels.hpp>
#include <rota/detail/vector.hpp>

namespace rota::pprof {

/// Writes a profile of the process's current state.
///
///     goroutine     the stacks of all goroutines; one that runs on another thread has only the
///                   function that it was started with
///     goroutineleak the stacks of goroutines that can never run again: leak::find_unreachable,
///                   which stops the world and all other threads
///     block         where goroutines have waited for others: see set_block_profile_rate
///     mutex         unlocks that ended long waits for locks: see set_mutex_profile_fraction
///     threadcreate  threads, by purpose
///     heap, allocs  rota's own memory: stacks of goroutines, by size, and the scheduler's tables,
///                   both as address space; of the program's own memory it knows nothing
///
/// `debug` 0 is the file that `go tool pprof` reads, with functions and lines of source in it; 1 is
/// Go's text, with a record for each stack. For goroutine and goroutineleak, 2 is the dump of
/// runtime::stack(true), which marks those of goroutineleak as leaked. Functions have names if the
/// program has symbols. Goroutines that do not run are held still for a few microseconds each;
/// nothing else stops. Reads the program's files when it first meets their functions. Throws
/// std::invalid_argument for an unknown name, std::bad_alloc, and what the stream throws; the
/// stream's state says whether writing has worked. May be called from any goroutine and thread;
/// blocks briefly. Go: Profile.WriteTo.
void write_profile(std::string_view name, std::ostream& out, int debug = 0);

/// The names, in order, and the current number of records of each. Go: Profiles.
struct profile_info {
    std::string_view name;
    std::size_t count;
};
rota::detail::vector<profile_info> profiles();

/// Begins to sample the threads of the process, a hundred times for each second of processor time
/// that a thread uses, until stop_cpu_profile, which writes the profile to `out`. A thread that
/// begins meanwhile is sampled after at most a tenth of a second; a thread that sleeps or blocks
/// costs nothing.
///
/// It takes SIGPROF, for good; signals that are not its own go to the program's handler, if that
/// was installed first. Samples carry the labels of the goroutine. Callers are found by the unwind
/// tables, and by frame pointers in code without them (-fno-omit-frame-pointer). Throws
/// std::system_error with std::errc::device_or_resource_busy if a profile is being taken, or if it
/// can create no thread, or no timer for a thread (a filter of system calls forbids timer_create).
/// `out` must live until stop_cpu_profile has returned. Go: StartCPUProfile.
void start_cpu_profile(std::ostream& out);

/// Ends the CPU profile and writes it. Without a profile, has no effect. Blocks the goroutine, not
/// its processor. Throws std::bad_alloc, and what the stream throws; sampling has ended even then.
/// Go: StopCPUProfile.
void stop_cpu_profile();

/// From now on waits for other goroutines (channels, select, locks, conditions, groups; neither
/// sleeps nor I/O) are recorded with their stacks: every wait of `ns` nanoseconds or more, and of
/// shorter waits a sample of one for each `ns` of waiting. 1: every wait, about a microsecond for
/// each frame of the stack; 0 or less: none, as initially. Earlier records stay. Go:
/// runtime.SetBlockProfileRate.
void set_block_profile_rate(int ns);

/// From now on one of `n` waits for a mutex or shared_mutex is recorded, with the stack of the
/// unlock that ends it. 1: every wait; 0: none, as initially; less: changes nothing. Returns the
/// previous value. Go: runtime.SetMutexProfileFraction.
int set_mutex_profile_fraction(int n);

/// Calls f with these labels added to the labels of the calling goroutine or thread, and restores
/// those afterwards, also on exceptions and goexit. A goroutine inherits the labels of its starter,
/// for good. Profiles of goroutines and of processor time, and dumps, show them. A name or value
/// ends at its first NUL character. Throws std::bad_alloc, and what f throws. Go: pprof.Do.
///
///     rota::pprof::do_labels({{"tenant", "blue"}}, [] { serve(); });
template <class F>
decltype(auto) do_labels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels, F&& f) {
    const detail::label_scope scope(labels);
    return std::forward<F>(f)();
}

}  // namespace rota::pprof
