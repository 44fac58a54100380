// The account at the end: what the scheduler did for this run, as two lines of text or as JSON.
//
// The figures are the runtime's own counters since the process began, except two that only a
// program can take: the peak of living goroutines, noted at every start (their number grows nowhere
// else), and the clock.
#pragma once

#include <rota/runtime.hpp>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace treesum {

class account {
  public:
    // Call after each go().
    void note_goroutines() {
        const int now = rota::runtime::num_goroutine();
        int peak = peak_goroutines_.load(std::memory_order_relaxed);
        while (now > peak && !peak_goroutines_.compare_exchange_weak(
                                 peak, now, std::memory_order_relaxed, std::memory_order_relaxed)) {
        }
    }

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

    // Takes the figures; what happens afterwards is not in them.
    void close(std::uint64_t files, std::uint64_t bytes, std::uint64_t problems) {
        stats_ = rota::runtime::read_sched_stats();
        threads_ = rota::runtime::num_thread();
        procs_ = rota::runtime::gomaxprocs(0);
        seconds_ = seconds();
        files_ = files;
        bytes_ = bytes;
        problems_ = problems;
    }

    std::string text() const {
        char line[512];
        std::snprintf(
            line, sizeof line,
            "treesum: %" PRIu64 " files, %.1f MB in %.3f s (%.1f MB/s), %" PRIu64 " %s\n"
            "scheduler: %" PRIu64 " goroutines created (peak %d), %d threads on %d Ps, %" PRIu64
            " steals (%" PRIu64 " goroutines), %" PRIu64 " hand-offs, %" PRIu64
            " system calls, %" PRIu64 " parks",
            files_, megabytes(), seconds_, rate(), problems_,
            problems_ == 1 ? "problem" : "problems", stats_.goroutines_created, peak(), threads_,
            procs_, stats_.steals, stats_.stolen, stats_.handoffs, stats_.syscalls, stats_.parks);
        return line;
    }

    std::string json() const {
        char text[768];
        std::snprintf(
            text, sizeof text,
            "{\"files\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"seconds\": %.6f, "
            "\"megabytes_per_second\": %.3f, \"problems\": %" PRIu64 ", \"procs\": %d, "
            "\"threads\": %d, \"threads_created\": %" PRIu64 ", \"goroutines_created\": %" PRIu64
            ", \"goroutines_ended\": %" PRIu64 ", \"goroutines_peak\": %d, \"parks\": %" PRIu64
            ", \"steals\": %" PRIu64 ", \"stolen\": %" PRIu64 ", \"handoffs\": %" PRIu64
            ", \"syscalls\": %" PRIu64 ", \"wakeups\": %" PRIu64 "}",
            files_, bytes_, seconds_, rate(), problems_, procs_, threads_, stats_.threads_created,
            stats_.goroutines_created, stats_.goroutines_ended, peak(), stats_.parks, stats_.steals,
            stats_.stolen, stats_.handoffs, stats_.syscalls, stats_.wakeups);
        return text;
    }

  private:
    int peak() const { return peak_goroutines_.load(std::memory_order_relaxed); }
    double megabytes() const { return static_cast<double>(bytes_) / 1e6; }
    double rate() const { return seconds_ > 0 ? megabytes() / seconds_ : 0; }

    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::atomic<int> peak_goroutines_{1};  // the main goroutine
    rota::runtime::sched_stats stats_{};
    int threads_ = 0;
    int procs_ = 0;
    double seconds_ = 0;
    std::uint64_t files_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t problems_ = 0;
};

}  // namespace treesum
