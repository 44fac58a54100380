// Begins, continues and ends the process's trace; a goroutine does periodic work once a second.
//
// A lack of memory here ends the trace with an error, never the program: in writing a generation,
// and in making a goroutine.
#include "diag/trace/session.hpp"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include <fcntl.h>

#include <rota/detail/spawn.hpp>
#include <rota/sync/latch.hpp>

#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/trace_rest.hpp"
#include "sched/record/trace_events.hpp"
#include "sched/thread/syscall.hpp"
#include "sys/call/clock.hpp"
#include "sys/io/file.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t generation_ns = 1'000'000'000;
constexpr std::int64_t look_ns = 100'000'000;
constexpr std::int64_t pauses_apart = 50;       // a stop takes at most one part in this many
constexpr std::size_t early_at = 16u << 20;     // bytes of events that end a generation early,
constexpr std::size_t early_factor = 4;         // or this many times the bytes of untold goroutines
constexpr std::size_t status_bytes = 24;        // of one goroutine
constexpr std::size_t session_stack = 1 << 20;  // for the demangler

std::error_code no_memory() { return std::make_error_code(std::errc::not_enough_memory); }

// Calls f, and returns what it returns, or that there is no memory.
template <class F>
std::error_code unless_out_of_memory(F f) {
    try {
        return f();
    } catch (const std::bad_alloc&) {
        return no_memory();
    }
}

// A goroutine with a large stack; an error if there is no memory for it.
template <class F>
std::error_code spawn_own(F f) {
    try {
        detail::spawn_any(session_stack, "rota trace", std::move(f));
        return {};
    } catch (const std::bad_alloc&) {
        return no_memory();
    } catch (const std::system_error& e) {
        return e.code();
    }
}

// Runs f on a goroutine with a large stack: a thread of the program's own cannot stop the world for
// a trace, because the trace needs a running goroutine to record. Returns the result of f, or the
// reason why f could not be called.
template <class F>
std::error_code on_own_goroutine(F f) {
    latch done(1);
    std::error_code result;
    const std::error_code none = spawn_own([&] {
        result = unless_out_of_memory(f);
        done.count_down();
    });
    if (none) return none;
    done.wait();
    return result;
}

// At the end of the process, and in the child of a fork, goroutines do not run, so the caller must
// not wait for a goroutine.
bool is_too_late(std::error_code& ec) {
    // relaxed, both: our own, or hints
    if (!sched.exiting.load(memory_order_relaxed) && !sched.forked.load(memory_order_relaxed))
        return false;
    ec = std::make_error_code(std::errc::operation_canceled);
    return true;
}

// Waits, if a trace is very short, until the rate of the ticks is known.
void watch_ticks() {
    while (const std::int64_t ns = trace_clock.watch_ns()) {
        entersyscall();
        thread_sleep_ns(ns);
        exitsyscall();
    }
}

std::error_code system_error_code(int number) { return {number, std::system_category()}; }

std::error_code write_all(int fd, const char* from, std::size_t size) {
    entersyscall();
    std::int64_t n = 0;
    while (size > 0) {
        n = file_write_quietly(fd, from, size);
        if (n == -EINTR) continue;
        if (n <= 0) break;
        from += n;
        size -= static_cast<std::size_t>(n);
    }
    exitsyscall();
    if (size == 0) return {};
    return system_error_code(n < 0 ? static_cast<int>(-n) : EIO);
}

}  // namespace

std::error_code trace_file::create(const char* path) {
    error_.clear();
    kept_.clear();
    written_ = whole_ = 0;
    put(trace_header, sizeof trace_header);
    entersyscall();
    const int fd = file_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    exitsyscall();
    if (fd < 0) return system_error_code(-fd);
    fd_ = fd;
    end_generation();  // the first one has nothing before it but the header
    return {};
}

void trace_file::put(const void* from, std::size_t size) {
    constexpr std::size_t at_once = 1 << 20, worth_a_call = 1 << 14;
    if (size >= worth_a_call) {
        flush();
        write(static_cast<const char*>(from), size);
        return;
    }
    kept_.append(static_cast<const char*>(from), size);
    if (kept_.size() >= at_once) flush();
}

void trace_file::write(const char* from, std::size_t size) {
    if (!error_ && size > 0) error_ = write_all(fd_, from, size);
    written_ += size;
}

void trace_file::flush() {
    write(kept_.data(), kept_.size());
    kept_.clear();
}

void trace_file::end_generation() {
    flush();
    if (error_) cut();
    else whole_ = written_;
}

void trace_file::fail(std::error_code why) {
    if (error_) return;
    error_ = why;
    kept_.clear();
    cut();
}

// A target that is not a regular file has no length, and stays as it is.
void trace_file::cut() {
    entersyscall();
    (void)file_truncate(fd_, static_cast<std::int64_t>(whole_));
    exitsyscall();
}

std::error_code trace_file::close() {
    entersyscall();
    const int result = file_close(fd_);
    exitsyscall();
    fd_ = -1;
    if (!error_ && result < 0) error_ = system_error_code(-result);
    return error_;
}

void trace_ring::end_generation(std::int64_t ended, std::int64_t min_age, std::size_t bytes_max) {
    const std::size_t size = now_.size();
    all_.push_back({std::move(now_), ended});
    size_ += size;
    now_.clear();
    // Drop the first if the second alone is old enough, or if the bytes are too many.
    while (all_.size() > 1 && (size_ > bytes_max || all_.front().ended <= ended - min_age)) {
        size_ -= all_.front().bytes.size();
        all_.pop_front();
    }
}

void trace_ring::clear() {
    all_.clear();
    now_.clear();
    size_ = 0;
}

// The goroutine that lives as long as the trace.
struct trace_session::keeper {
    trace_session* of;
    std::uint64_t run;
    void operator()() const {
        for (;;) {
            trace_rest(look_ns);
            const std::lock_guard<mutex> guard(of->mu_);
            of->dump_if_wanted();
            if (!of->runs_ || of->run_ != run) return;
            trace_samples.collect();
            of->look(nanotime());
        }
    }
};

void trace_session::look(std::int64_t now) {
    if (now >= next_step_ || trace_chunks.bytes_in_use() >= early_at_) step(trace_step::go_on);
    end_if_unwanted();
}

bool trace_session::is_wanted() const {
    return has_recorder_ || (has_file_ && file_->is_open() && !file_->has_failed());
}

// The file ends with the last generation, and the recorder begins anew after this generation.
std::errc trace_session::lose(std::errc why) {
    if (has_file_) file_->fail(std::make_error_code(why));
    if (has_recorder_ && !is_writing_ring_) ring_->clear();
    return why;
}

// Writes a generation to a file and to a recorder. If memory runs out, takes back the parts that
// were written.
std::errc trace_session::deliver(const trace_generation& done) {
    const std::vector<traced_sample> samples = trace_samples.take_until(done.ended.mono);
    if (done.chunks.refused) return lose(std::errc::not_enough_memory);
    if (!done.is_whole()) return lose(std::errc::no_buffer_space);
    if (done.uses_ticks) watch_ticks();
    if (has_file_ && !file_->has_failed()) {
        const std::error_code ec = unless_out_of_memory([&]() -> std::error_code {
            format_->write(done, samples, *file_);
            file_->end_generation();
            return {};
        });
        if (ec) format_->forget();
        if (ec) file_->fail(ec);
    }
    if (!has_recorder_) return {};
    const std::error_code ec = unless_out_of_memory([&]() -> std::error_code {
        format_->write(done, samples, *ring_);
        ring_->end_generation(done.ended.mono, recorder_wish_.min_age, recorder_wish_.bytes_max);
        return {};
    });
    if (!ec) return {};
    format_->forget();
    if (is_writing_ring_) ring_->undo();
    else ring_->clear();
    return std::errc::not_enough_memory;
}

// Records, while the program goes on, the goroutines without an event yet.
void trace_session::tell_untold() {
    if (!runs_) return;
    const std::int64_t began = nanotime();
    std::uint64_t count = 0;
    std::size_t room = 0;
    stack_place at;
    for (bool is_more = true; is_more;) {
        const runtime_entry inside;
        is_more = trace_tell_some(at, count);
        if (!is_more) room = trace_chunks.limit() / 2;
    }
    told_ns_ = nanotime() - began;
    // Raises early_at_ to early_factor times the bytes of the untold goroutines, at most to `room`.
    std::size_t bytes = count * status_bytes * early_factor;
    if (bytes > room) bytes = room;
    early_at_ = bytes > early_at ? bytes : early_at;
    early_at_ = early_at_ < room ? early_at_ : room;
}

bool trace_session::step(trace_step what, bool wants_stacks) {
    trace_generation done;
    const bool stacks = wants_stacks || (has_file_ && file_wish_.stacks) ||
                        (has_recorder_ && recorder_wish_.stacks);
    if (what != trace_step::begin) tell_untold();
    else told_ns_ = 0;
    lost_ = {};
    {
        const runtime_entry inside;
        if (!trace_advance(what, stacks, done)) return false;
    }
    if (what == trace_step::begin) trace_samples.begin();
    else lost_ = deliver(done);
    if (what == trace_step::end) trace_samples.end();
    {
        const runtime_entry inside;
        trace_chunks.release(done.chunks, what != trace_step::end);
        if (what == trace_step::end) trace_chunks.trim();
    }
    const std::int64_t now = nanotime();
    const std::int64_t rest = (done.pause + told_ns_) * pauses_apart;
    next_step_ = now + (rest > generation_ns ? rest : generation_ns);
    return true;
}

// Prepares for a new consumer of the trace: events from here on go to a generation of their own.
std::error_code trace_session::begin(const trace_wish& wish) {
    if (is_trace_impossible()) return std::make_error_code(std::errc::not_supported);
    // An error of another consumer's file stays as it is, if this call has no error.
    if (file_ == nullptr) file_ = new trace_file;
    if (ring_ == nullptr) ring_ = new trace_ring;
    if (format_ == nullptr) format_ = new trace_format;
    trace_samples.prepare();
    if (runs_) step(trace_step::go_on, wish.stacks);
    else trace_clock.choose();
    return {};
}

void trace_session::set_limit() {
    const std::size_t file = has_file_ ? file_wish_.memory_max : 0;
    const std::size_t ring = has_recorder_ ? recorder_wish_.memory_max : 0;
    const runtime_entry inside;
    trace_chunks.set_limit(file > ring ? file : ring);
}

std::error_code trace_session::keep_going() {
    set_limit();
    if (runs_) return {};
    if (!step(trace_step::begin)) return std::make_error_code(std::errc::operation_canceled);
    runs_ = true;
    const std::error_code ec = spawn_own(keeper{this, ++run_});
    if (ec) {
        step(trace_step::end);
        runs_ = false;
    }
    return ec;
}

void trace_session::end_if_unwanted() {
    if (!runs_ || is_wanted()) return;
    step(trace_step::end);
    runs_ = false;
}

std::error_code trace_session::start_file(const char* path, const trace_wish& wish) {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    return on_own_goroutine([&]() -> std::error_code {
        const std::lock_guard<mutex> guard(mu_);
        if (has_file_) return std::make_error_code(std::errc::device_or_resource_busy);
        if (const std::error_code cannot = begin(wish)) return cannot;
        if (const std::error_code refused = file_->create(path)) return refused;
        file_wish_ = wish;
        has_file_ = true;
        const std::error_code ended = keep_going();
        if (ended) {
            has_file_ = false;
            file_->fail(ended);
            file_->close();
        }
        return ended;
    });
}

std::error_code trace_session::stop_file() {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    return on_own_goroutine([&]() -> std::error_code {
        const std::lock_guard<mutex> guard(mu_);
        if (!has_file_) return {};
        if (runs_) step(has_recorder_ ? trace_step::go_on : trace_step::end);
        has_file_ = false;
        if (has_recorder_) set_limit();
        runs_ = runs_ && has_recorder_;
        return file_->close();
    });
}

std::error_code trace_session::start_recorder(const trace_wish& wish) {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    return on_own_goroutine([&]() -> std::error_code {
        const std::lock_guard<mutex> guard(mu_);
        if (has_recorder_) return std::make_error_code(std::errc::device_or_resource_busy);
        if (const std::error_code cannot = begin(wish)) return cannot;
        ring_->clear();
        recorder_wish_ = wish;
        has_recorder_ = true;
        arm(wish);
        const std::error_code ended = keep_going();
        if (ended) forget_recorder();
        return ended;
    });
}

void trace_session::forget_recorder() {
    has_recorder_ = false;
    // relaxed: hands over nothing
    dump_.cas(dump::armed, dump::unwanted, memory_order_relaxed);
    ring_->clear();
    if (has_file_) set_limit();
}

void trace_session::stop_recorder() {
    std::error_code ec;
    if (is_too_late(ec)) return;
    const std::error_code none = on_own_goroutine([&]() -> std::error_code {
        const std::lock_guard<mutex> guard(mu_);
        if (!has_recorder_) return {};
        forget_recorder();
        end_if_unwanted();
        return {};
    });
    if (!none) return;
    // There is no memory for a goroutine: the goroutine that drives the trace ends the recorder.
    const std::lock_guard<mutex> guard(mu_);
    if (has_recorder_) forget_recorder();
}

std::error_code trace_session::write_recorder(const char* path) {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    return on_own_goroutine([&]() -> std::error_code {
        const std::lock_guard<mutex> guard(mu_);
        if (!has_recorder_) return std::make_error_code(std::errc::operation_not_permitted);
        return write_ring(path);
    });
}

// If the running generation turns out to be lost, the earlier generations are written, and dropped
// afterwards.
std::error_code trace_session::write_ring(const char* path) {
    trace_file out;
    const std::error_code refused = unless_out_of_memory([&] { return out.create(path); });
    if (refused) return refused;
    is_writing_ring_ = true;
    step(trace_step::go_on);
    is_writing_ring_ = false;
    std::error_code lost = unless_out_of_memory([&]() -> std::error_code {
        ring_->for_each([&](const std::string& bytes) {
            out.put(bytes.data(), bytes.size());
            out.end_generation();
        });
        return {};
    });
    if (lost_ != std::errc{}) {
        ring_->clear();
        lost = std::make_error_code(lost_);
    }
    if (lost) out.fail(lost);
    return out.close();
}

void trace_session::arm(const trace_wish& wish) {
    const std::size_t size = std::strlen(wish.crash_path);
    // relaxed: under mu_; from `wanted` on the process ends
    if (size == 0 || size >= sizeof crash_path_ ||
        dump_.load(memory_order_relaxed) != dump::unwanted)
        return;
    std::memcpy(crash_path_, wish.crash_path, size + 1);
    crash_wait_ = wish.crash_wait;
    dump_.store(dump::armed, memory_order_release);  // pairs(trace.dump)
}

// Called by the keeper: the ending thread cannot park, and may hold a lock that a writer needs.
void trace_session::dump_if_wanted() {
    if (dump_.load(memory_order_relaxed) != dump::wanted) return;  // relaxed: hands over nothing
    const bool failed = !has_recorder_ || write_ring(crash_path_);
    // relaxed: likewise
    dump_.store(failed ? dump::failed : dump::written, memory_order_relaxed);
}

// The dump may have to stop the world. Outside the runtime the caller's p can be taken from it. If
// the caller is inside the runtime, or the crashed thread holds a needed lock, the wait times out.
void trace_session::dump_before_end() {
    constexpr long look_again = 1'000'000;  // ns
    // relaxed: our own. The child of a fork has no goroutine that would write.
    if (sched.forked.load(memory_order_relaxed)) return;
    if (!dump_.cas(dump::armed, dump::wanted, memory_order_acquire)) return;  // pairs(trace.dump)
    const std::int64_t until = nanotime() + crash_wait_;
    // relaxed: its own
    const bool is_sysmon = sched.sysmon_tid.load(memory_order_relaxed) == current_thread_id();
    // relaxed: what is written is in the file
    while (dump_.load(memory_order_relaxed) == dump::wanted && nanotime() < until) {
        if (is_sysmon) trace_wake_rested_at_end(nanotime());  // no other thread wakes the keeper
        thread_sleep_ns(look_again);
    }
    const bool is_there = dump_.load(memory_order_relaxed) == dump::written;  // relaxed: as above
    print_error(is_there ? "\nrota: the last moments are in %.900s\n"
                         : "\nrota: the last moments could not be written to %.900s\n",
                crash_path_);
}

}  // namespace rota::rt
