// Execution traces: the scheduler's events in order, for `go tool trace`. Go: package
// runtime/trace.
//
// A trace shows each goroutine's life: its waits with their reasons, the goroutine that woke it,
// its system calls. It also shows processors, the program's own annotations (tasks, regions, logs),
// and the samples of a CPU profile (rota/pprof.hpp) that runs meanwhile. It consists of
// generations, of about a second each. Each generation is complete in itself: if a process dies,
// its file can be read up to the last whole generation. Go 1.23 and later read it.
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

/// The options of start().
struct options {
    /// Whether events carry stacks. Without them a trace costs less, and shows only the functions
    /// of its goroutines.
    bool stacks = true;
    /// Bytes of events that are kept in memory until they are written; at least 1 MiB, or few
    /// events fit. If the file is so slow that the events exceed it, the trace ends; see stop().
    /// The end of a generation needs some 25 bytes more for each goroutine that exists.
    std::size_t memory_max = 256u << 20;
};

/// Starts a trace to a new file, and replaces a file of that name. Every goroutine stops for some
/// microseconds meanwhile, and once a second afterwards, however many goroutines there are.
///
/// Blocks, and may migrate; on any goroutine or thread. Throws std::system_error, and no trace runs
/// then: the file system's error for the path; device_or_resource_busy if a trace has been started
/// and not stopped; not_supported under GODEBUG=schedseed or asymmetric=0, where the kernel has no
/// membarrier, and in a bubble of rota::synctest; not_enough_memory; operation_canceled at the end
/// of the process and in the child of a fork. Go: trace.Start.
void start(const std::filesystem::path& path, const options& how = {});
void start(const std::filesystem::path& path, const options& how, std::error_code& ec);

/// Ends the trace; its file is complete when this returns. Does nothing if no trace runs.
///
/// Blocks, and may migrate. Throws std::system_error if the trace ended before: the file system's
/// error for the file; no_buffer_space if events came faster than they could be written, or had
/// more different texts than there are numbers; not_enough_memory if there was none for an event or
/// for writing it down. The file then ends, whole, with the last generation before, and another
/// trace may be started. If there is no memory even to end it, the trace goes on, and stop() may be
/// called again. At the end of the process, in exit handlers and destructors of static objects:
/// operation_canceled; the file then ends up to a second earlier. Go: trace.Stop.
void stop();
void stop(std::error_code& ec);

/// Whether a trace or a flight recorder runs. Go: trace.IsEnabled.
bool is_enabled() noexcept;

/// The options of a flight recorder.
struct recorder_options {
    /// The least age of the oldest event that it keeps, unless max_bytes forbids it.
    std::chrono::milliseconds min_age{10'000};
    /// Bytes of trace that it keeps; it always keeps the last generation.
    std::size_t max_bytes = 16u << 20;
    bool stacks = true;  ///< as for start()
    /// The file for a crash: if the process ends by a panic, a fatal error or a signal that rota
    /// reports, the kept trace is written there, and a line on stderr says so. Empty: no file. At
    /// most 4,095 bytes.
    std::filesystem::path crash_path = {};
    /// The longest time that such an end waits for the file. If the process is too broken, or the
    /// disk too slow, the file is missing or ends early.
    std::chrono::milliseconds crash_wait{1000};
};

/// Keeps the last seconds of the process in memory, to be written after a fault. One recorder at a
/// time may run, beside a trace or alone. Go: trace.FlightRecorder.
class flight_recorder {
  public:
    explicit flight_recorder(const recorder_options& how = {});
    ~flight_recorder();
    flight_recorder(const flight_recorder&) = delete;
    flight_recorder& operator=(const flight_recorder&) = delete;

    /// As trace::start; device_or_resource_busy if a recorder runs, filename_too_long for
    /// crash_path. Where too many events or a lack of memory would end a trace, a recorder drops
    /// the events that it has, and goes on.
    void start();
    void start(std::error_code& ec);
    /// Drops everything. Does nothing if it does not run.
    void stop() noexcept;
    bool is_enabled() const noexcept;

    /// Writes the kept trace, up to this moment, to a new file; the recorder goes on. Blocks, and
    /// may migrate. Throws std::system_error: the file system's error; operation_not_permitted if
    /// the recorder does not run. Go: FlightRecorder.WriteTo.
    void write_to(const std::filesystem::path& path);
    void write_to(const std::filesystem::path& path, std::error_code& ec);

  private:
    recorder_options how_;
    bool is_on_ = false;
};

/// A task of the program, perhaps in several goroutines, from construction to destruction. Without
/// a trace it costs next to nothing; in threads outside rota it is not shown. Go: trace.NewTask.
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

/// A part of the work of one goroutine, from construction to destruction, both on that goroutine.
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
    std::string name_;         // kept only while a trace runs
    std::uint32_t epoch_ = 0;  // the trace that has recorded the beginning; 0: none
};

/// Records one message with its category, at most 1,024 bytes of each. Go: trace.Log.
void log(std::string_view category, std::string_view message);
void log(const task& of, std::string_view category, std::string_view message);

/// Converts a file of start() or of a flight recorder for Perfetto (ui.perfetto.dev). The result
/// has a track for each processor and each thread, with a slice for every turn of a goroutine and
/// each system call. Flows lead from the goroutine that wakes or starts a goroutine to its next
/// turn. Tasks, regions and logs are there too. The file of a process that has died is converted up
/// to its last whole generation.
///
/// Blocks the thread for about as long as it takes to read the file, which it holds in memory.
/// Throws std::system_error: no_such_file_or_directory if `in` cannot be read; bad_message if it is
/// no trace, and `out` then has the readable part; io_error if `out` cannot be written. Also throws
/// std::bad_alloc.
void to_perfetto(const std::filesystem::path& in, const std::filesystem::path& out);
void to_perfetto(const std::filesystem::path& in, const std::filesystem::path& out,
                 std::error_code& ec);

}  // namespace rota::trace
