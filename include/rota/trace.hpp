// Execution traces: what the scheduler has done, event by event, for `go tool trace`. Go: package
// runtime/trace.
//
// A trace shows each goroutine's life, what it waited for and who woke it, system calls,
// processors, what the program says of itself (tasks, regions, logs), and the samples of a CPU
// profile (rota/pprof.hpp) that runs meanwhile. It consists of
// generations, of about a second each. Each is complete in itself: a file whose process has died
// can be read up to the last whole one. Go 1.23 and later read it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <rota/detail/exceptions.hpp>

namespace rota::trace {

/// What start() takes beside the path.
struct options {
    /// Whether events have stacks. Without them a trace costs less, and its goroutines are told
    /// apart by their functions only.
    bool stacks = true;
    /// Bytes of events that are kept in memory until they are written, at least 1 MiB if anything
    /// is to happen meanwhile. Where the file is too slow, so that there are more, the trace ends;
    /// see stop(). Beside them some 25 bytes for each goroutine that exists are needed when a
    /// generation ends.
    std::size_t memory_max = 256u << 20;
};

/// Starts a trace to a new file, over one of that name. All goroutines stop for some microseconds
/// meanwhile, and once a second afterwards, however many there are.
///
/// Blocks, and may migrate; on any goroutine or thread. Throws std::system_error, and there is no
/// trace then: what the file system says of the path; device_or_resource_busy if a trace has been
/// started and not stopped; not_supported under GODEBUG=schedseed or asymmetric=0, where the kernel
/// has no membarrier, and in a bubble of rota::synctest; not_enough_memory; operation_canceled at
/// the end of the process and in the child of a fork. Go: trace.Start.
void start(const std::filesystem::path& path, const options& how = {});
void start(const std::filesystem::path& path, const options& how, std::error_code& ec);

/// Ends the trace; all that it saw is in the file when this returns. Does nothing if there is none.
///
/// Blocks, and may migrate. Throws std::system_error if the trace ended before: what the file
/// system says of the file; no_buffer_space if events came faster than they could be written, or
/// had more different texts than there are numbers; not_enough_memory if there was none for an
/// event or for writing it down. The file then ends, whole, with the last generation before, and
/// another trace may be started. If there is no memory even to end it, the trace goes on, and
/// stop() may be called again. At the end of the process, in exit handlers and destructors of
/// static objects, operation_canceled: the file has what was there a second ago. Go: trace.Stop.
void stop();
void stop(std::error_code& ec);

/// Whether a trace or a flight recorder runs. Go: trace.IsEnabled.
bool is_enabled() noexcept;

/// What a flight recorder keeps.
struct recorder_options {
    /// How far back it goes at least, unless max_bytes forbids it.
    std::chrono::milliseconds min_age{10'000};
    /// Bytes of trace that it keeps; the last generation always.
    std::size_t max_bytes = 16u << 20;
    bool stacks = true;  ///< as for start()
    /// Where to write what there is when the process ends by a panic, a fatal error or a signal
    /// that rota reports; a line on stderr says so. Empty: nowhere. At most 4,095 bytes.
    std::filesystem::path crash_path = {};
    /// How long such an end waits for that at most. Where the process is too broken, or the file
    /// too slow, the file is missing or ends early.
    std::chrono::milliseconds crash_wait{1000};
};

/// Keeps the last moments of the process in memory, to be written when something has gone wrong.
/// One at a time may run, beside a trace or alone. Go: trace.FlightRecorder.
class flight_recorder {
  public:
    explicit flight_recorder(const recorder_options& how = {});
    ~flight_recorder();
    flight_recorder(const flight_recorder&) = delete;
    flight_recorder& operator=(const flight_recorder&) = delete;

    /// As trace::start; device_or_resource_busy if a recorder runs, filename_too_long for the path
    /// of crash_path. Where a trace would end because of too many events, or for lack of memory, a
    /// recorder forgets what it has, and goes on.
    void start();
    void start(std::error_code& ec);
    /// Forgets everything. Does nothing if it does not run.
    void stop() noexcept;
    bool is_enabled() const noexcept;

    /// Writes what there is, up to this moment, to a new file; the recorder goes on. Blocks, and
    /// may migrate. Throws std::system_error: what the file system says; operation_not_permitted if
    /// the recorder does not run. Go: FlightRecorder.WriteTo.
    void write_to(const std::filesystem::path& path);
    void write_to(const std::filesystem::path& path, std::error_code& ec);

  private:
    recorder_options how_;
    bool is_on_ = false;
};

/// Something that the program does, perhaps in several goroutines: from construction to
/// destruction. Without a trace it costs next to nothing; in threads outside rota it is not shown.
/// Go: trace.NewTask.
class task {
  public:
    explicit task(std::string_view name);
    task(std::string_view name, const task& parent);
    ~task();
    task(const task&) = delete;
    task& operator=(const task&) = delete;

    /// Its number in the trace, at least 1.
    std::uint64_t id() const noexcept { return id_; }

  private:
    std::uint64_t id_;
};

/// A part of what one goroutine does, from construction to destruction, both on that goroutine.
/// Regions nest. Go: trace.StartRegion.
class region {
  public:
    explicit region(std::string_view name);
    region(const task& of, std::string_view name);
    ~region();
    region(const region&) = delete;
    region& operator=(const region&) = delete;

  private:
    void begin(std::string_view name);

    std::uint64_t task_;
    std::string name_;         // its own, kept while a trace is on only
    std::uint32_t epoch_ = 0;  // of the trace that has seen its beginning; 0: none
};

/// Notes one message, at most 1,024 bytes of it, and of the category. Go: trace.Log.
void log(std::string_view category, std::string_view message);
void log(const task& of, std::string_view category, std::string_view message);

/// Converts a file of start() or of a flight recorder into one that Perfetto (ui.perfetto.dev)
/// opens: a track for each processor and each thread, with a slice for every turn of a goroutine
/// and each system call, flows from who wakes or starts a goroutine to its next turn, and tasks,
/// regions and logs. A file whose process has died is converted up to its last whole generation.
///
/// Blocks the thread, for about as long as it takes to read the file; holds it in memory. Throws
/// std::system_error: no_such_file_or_directory if `in` cannot be read, bad_message if it is no
/// trace, in which case `out` has what could be understood, io_error if `out` cannot be written;
/// and std::bad_alloc.
void to_perfetto(const std::filesystem::path& in, const std::filesystem::path& out);
void to_perfetto(const std::filesystem::path& in, const std::filesystem::path& out,
                 std::error_code& ec);

}  // namespace rota::trace
