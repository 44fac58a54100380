// Beginning, going on and ending; and a goroutine that sees to it once a second.
#include "diag/trace_session.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>

#include <fcntl.h>

#include <rota/detail/spawn.hpp>
#include <rota/sync/latch.hpp>
#include <rota/time.hpp>

#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sched/entry.hpp"
#include "sched/hooks.hpp"
#include "sched/syscall.hpp"
#include "sched/trace_events.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t generation_ns = 1'000'000'000;
constexpr std::int64_t look_ns = 100'000'000;
constexpr std::int64_t pauses_apart = 50;       // a stop takes at most one part in so many
constexpr std::size_t early_at = 16u << 20;     // bytes of events that end a generation early
constexpr std::size_t session_stack = 1 << 20;  // for the demangler

// Runs f on a goroutine with a large stack, whoever asks: a thread of the program's own cannot stop
// the world for a trace, which needs a goroutine that is told to run.
template <class F>
void on_own_goroutine(F f) {
    latch done(1);
    detail::spawn_any(session_stack, "rota trace", [&] {
        f();
        done.count_down();
    });
    done.wait();
}

// At the end of the process, and in the child of a fork, goroutines do not run: nobody could be
// waited for.
bool is_too_late(std::error_code& ec) {
    // relaxed, both: our own, or hints
    if (!sched.exiting.load(memory_order_relaxed) && !sched.forked.load(memory_order_relaxed))
        return false;
    ec = std::make_error_code(std::errc::operation_canceled);
    return true;
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
    entersyscall();
    const int fd = file_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    exitsyscall();
    if (fd < 0) return system_error_code(-fd);
    fd_ = fd;
    error_.clear();
    kept_.clear();
    put(trace_header, sizeof trace_header);
    return {};
}

void trace_file::put(const void* from, std::size_t size) {
    constexpr std::size_t at_once = 1 << 20;
    kept_.append(static_cast<const char*>(from), size);
    if (kept_.size() >= at_once) flush();
}

void trace_file::flush() {
    if (!error_ && !kept_.empty()) error_ = write_all(fd_, kept_.data(), kept_.size());
    kept_.clear();
}

std::error_code trace_file::close() {
    flush();
    entersyscall();
    const int result = file_close(fd_);
    exitsyscall();
    fd_ = -1;
    if (!error_ && result < 0) error_ = system_error_code(-result);
    return error_;
}

void trace_ring::end_generation(std::int64_t ended, std::int64_t min_age, std::size_t bytes_max) {
    size_ += now_.size();
    all_.push_back({std::move(now_), ended});
    now_.clear();
    // The second is old enough for all that is asked, or the first too many.
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
            sleep_for(std::chrono::nanoseconds(look_ns));
            const std::lock_guard<mutex> guard(of->mu_);
            of->dump_if_wanted();
            if (!of->runs_ || of->run_ != run) return;
            of->look(nanotime());
        }
    }
};

void trace_session::look(std::int64_t now) {
    if (now >= next_step_ || trace_chunks.bytes_in_use() >= early_at) step(trace_step::go_on);
    end_if_unwanted();
}

bool trace_session::is_wanted() const {
    return has_recorder_ || (has_file_ && file_->is_open() && !file_->has_failed());
}

void trace_session::deliver(const trace_generation& done) {
    if (!done.is_whole()) {
        if (has_file_) file_->fail(std::make_error_code(std::errc::no_buffer_space));
        if (has_recorder_) ring_->clear();
        return;
    }
    if (has_file_ && !file_->has_failed()) {
        format_->write(done, *file_);
        file_->flush();
    }
    if (!has_recorder_) return;
    format_->write(done, *ring_);
    ring_->end_generation(done.ended, recorder_wish_.min_age, recorder_wish_.bytes_max);
}

bool trace_session::step(trace_step what) {
    trace_generation done;
    const bool stacks =
        (has_file_ && file_wish_.stacks) || (has_recorder_ && recorder_wish_.stacks);
    {
        const runtime_entry inside;
        if (!trace_advance(what, stacks, done)) return false;
    }
    if (what != trace_step::begin) deliver(done);
    {
        const runtime_entry inside;
        trace_chunks.release(done.chunks, what != trace_step::end);
        if (what == trace_step::end) trace_chunks.trim();
    }
    last_step_ = nanotime();
    const std::int64_t rest = done.pause * pauses_apart;
    next_step_ = last_step_ + (rest > generation_ns ? rest : generation_ns);
    return true;
}

// Somebody is about to want the trace: what comes from here on is a generation of its own.
std::error_code trace_session::begin() {
    if (is_trace_impossible()) return std::make_error_code(std::errc::not_supported);
    if (file_ == nullptr) {
        file_ = new trace_file;
        ring_ = new trace_ring;
        format_ = new trace_format;
    }
    if (runs_) step(trace_step::go_on);
    return {};
}

void trace_session::set_limit() {
    const std::size_t file = has_file_ ? file_wish_.memory_max : 0;
    const std::size_t ring = has_recorder_ ? recorder_wish_.memory_max : 0;
    const runtime_entry inside;
    trace_chunks.set_limit(file > ring ? file : ring);
}

void trace_session::keep_going() {
    set_limit();
    if (runs_ || !step(trace_step::begin)) return;
    runs_ = true;
    detail::spawn_any(session_stack, "rota trace", keeper{this, ++run_});
}

void trace_session::end_if_unwanted() {
    if (!runs_ || is_wanted()) return;
    step(trace_step::end);
    runs_ = false;
}

std::error_code trace_session::start_file(const char* path, const trace_wish& wish) {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    on_own_goroutine([&] {
        const std::lock_guard<mutex> guard(mu_);
        if (has_file_) ec = std::make_error_code(std::errc::device_or_resource_busy);
        if (!ec) ec = begin();
        if (!ec) ec = file_->create(path);
        if (ec) return;
        has_file_ = true;
        file_wish_ = wish;
        keep_going();
    });
    return ec;
}

std::error_code trace_session::stop_file() {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    on_own_goroutine([&] {
        const std::lock_guard<mutex> guard(mu_);
        if (!has_file_) return;
        if (runs_) step(has_recorder_ ? trace_step::go_on : trace_step::end);
        has_file_ = false;
        if (has_recorder_) set_limit();
        ec = file_->close();
        runs_ = runs_ && has_recorder_;
    });
    return ec;
}

std::error_code trace_session::start_recorder(const trace_wish& wish) {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    on_own_goroutine([&] {
        const std::lock_guard<mutex> guard(mu_);
        if (has_recorder_) ec = std::make_error_code(std::errc::device_or_resource_busy);
        if (!ec) ec = begin();
        if (ec) return;
        ring_->clear();
        has_recorder_ = true;
        recorder_wish_ = wish;
        arm(wish);
        keep_going();
    });
    return ec;
}

void trace_session::stop_recorder() {
    std::error_code ec;
    if (is_too_late(ec)) return;
    on_own_goroutine([&] {
        const std::lock_guard<mutex> guard(mu_);
        if (!has_recorder_) return;
        has_recorder_ = false;
        // relaxed: hands over nothing
        dump_.cas(dump::armed, dump::unwanted, memory_order_relaxed);
        ring_->clear();
        if (has_file_) set_limit();
        end_if_unwanted();
    });
}

std::error_code trace_session::write_recorder(const char* path) {
    std::error_code ec;
    if (is_too_late(ec)) return ec;
    on_own_goroutine([&] {
        const std::lock_guard<mutex> guard(mu_);
        if (!has_recorder_) {
            ec = std::make_error_code(std::errc::operation_not_permitted);
            return;
        }
        ec = write_ring(path);
    });
    return ec;
}

std::error_code trace_session::write_ring(const char* path) {
    trace_file out;
    if (const std::error_code ec = out.create(path)) return ec;
    step(trace_step::go_on);
    ring_->for_each([&](const std::string& bytes) { out.put(bytes.data(), bytes.size()); });
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

// By the keeper: who is about to end cannot park, and may hold whatever a writer needs.
void trace_session::dump_if_wanted() {
    if (dump_.load(memory_order_relaxed) != dump::wanted) return;  // relaxed: hands over nothing
    const bool failed = !has_recorder_ || write_ring(crash_path_);
    // relaxed: likewise
    dump_.store(failed ? dump::failed : dump::written, memory_order_relaxed);
}

// The world may have to be stopped for it: our p, if we have one, is taken from us, since we are
// outside the runtime. If we are not, or whoever crashes holds a lock that is needed, time runs
// out.
void trace_session::dump_before_end() {
    constexpr long look_again = 1'000'000;                                    // ns
    if (!dump_.cas(dump::armed, dump::wanted, memory_order_acquire)) return;  // pairs(trace.dump)
    const std::int64_t until = nanotime() + crash_wait_;
    // relaxed: what is written is in the file
    while (dump_.load(memory_order_relaxed) == dump::wanted && nanotime() < until)
        thread_sleep_ns(look_again);
    const bool is_there = dump_.load(memory_order_relaxed) == dump::written;  // relaxed: as above
    print_error(is_there ? "\nrota: the last moments are in %.900s\n"
                         : "\nrota: the last moments could not be written to %.900s\n",
                crash_path_);
}

}  // namespace rota::rt
