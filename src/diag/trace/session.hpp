// The one trace of the process, written to a file, kept by a flight recorder, or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <system_error>

#include <rota/sync/mutex.hpp>

#include "base/atomic.hpp"
#include "diag/trace/format.hpp"
#include "sched/world/trace_world.hpp"

namespace rota::rt {

// A file written generation by generation: one system call each, with the p given away.
class trace_file final : public trace_output {
  public:
    std::error_code create(const char* path);
    bool is_open() const { return fd_ >= 0; }
    void put(const void* from, std::size_t size) override;
    // Writes the bytes put since the last call as a generation. The first error stays.
    void end_generation();
    // Drops the bytes put since the last generation, and every later byte. As after any error, the
    // file ends with the last whole generation.
    void fail(std::error_code why);
    std::error_code close();
    bool has_failed() const { return static_cast<bool>(error_); }

  private:
    void flush();
    void write(const char* from, std::size_t size);
    void cut();

    int fd_ = -1;
    std::string kept_;
    std::size_t written_ = 0;
    std::size_t whole_ = 0;  // of that, the bytes up to the end of a generation
    std::error_code error_;
};

// Keeps the last generations in memory.
class trace_ring final : public trace_output {
  public:
    void put(const void* from, std::size_t size) override {
        now_.append(static_cast<const char*>(from), size);
    }
    // Ends the generation that has been put; it ended at that moment. Drops the first generations
    // that are no longer needed.
    void end_generation(std::int64_t ended, std::int64_t min_age, std::size_t bytes_max);
    // Drops the bytes put since the last generation.
    void undo() { now_.clear(); }
    void clear();
    template <class F>
    void for_each(F f) const {
        for (const piece& p : all_) f(p.bytes);
    }

  private:
    struct piece {
        std::string bytes;
        std::int64_t ended;
    };
    std::deque<piece> all_;
    std::size_t size_ = 0;
    std::string now_;
};

struct trace_wish {
    bool stacks = true;
    std::size_t memory_max = 256u << 20;
    std::int64_t min_age = 0;  // ns; for the recorder
    std::size_t bytes_max = 0;
    const char* crash_path = "";  // valid until the session has copied it
    std::int64_t crash_wait = 0;  // ns
};

// The session. Every call may come from any goroutine or thread, blocks, and may migrate.
class trace_session {
  public:
    static constexpr std::size_t crash_path_max = 4095;

    constexpr trace_session() = default;

    std::error_code start_file(const char* path, const trace_wish& wish);
    std::error_code stop_file();
    std::error_code start_recorder(const trace_wish& wish);
    void stop_recorder();
    std::error_code write_recorder(const char* path);

    // For a process that is about to end on the calling thread, which may be anywhere but in the
    // scheduler. If a dump was asked for, the session's goroutine writes the recorder. Waits for
    // that at most as long as was asked for. Acts on the first call only.
    void dump_before_end();

  private:
    // The state of a recorder that is to be written when the process ends badly.
    enum class dump : std::uint32_t { unwanted, armed, wanted, written, failed };

    struct keeper;
    // Caller of these: holds mu_, on a goroutine of the session's own.
    std::error_code begin(const trace_wish& wish);
    bool step(trace_step what, bool wants_stacks = false);
    std::errc deliver(const trace_generation& done);
    std::errc lose(std::errc why);
    void tell_untold();
    bool is_wanted() const;
    void end_if_unwanted();
    void forget_recorder();
    void look(std::int64_t now);
    void set_limit();
    std::error_code keep_going();
    std::error_code write_ring(const char* path);
    void arm(const trace_wish& wish);
    void dump_if_wanted();

    rota::mutex mu_;
    bool runs_ = false;
    bool has_file_ = false;  // started and not stopped: it may have failed meanwhile
    bool has_recorder_ = false;
    trace_wish file_wish_, recorder_wish_;
    bool is_writing_ring_ = false;  // it is not cleared then
    std::int64_t told_ns_ = 0;      // ns that the last pass over the untold goroutines took
    std::errc lost_{};              // why the recorder misses the last generation
    std::int64_t next_step_ = 0;
    std::size_t early_at_ = 16u << 20;
    std::uint64_t run_ = 0;       // how many traces have begun
    trace_file* file_ = nullptr;  // made by the first use, as what follows
    trace_ring* ring_ = nullptr;
    trace_format* format_ = nullptr;

    // Written with mu_ held while dump_ is unwanted; read by the thread that has found it armed.
    std::int64_t crash_wait_ = 0;
    char crash_path_[crash_path_max + 1] = {};
    atomic<dump> dump_{dump::unwanted};
};
inline constinit trace_session the_trace;

}  // namespace rota::rt
