// The progress bar on stderr: a goroutine of its own draws it ten times a second while stderr is a
// terminal.
//
// The goroutine sleeps between two drawings and may be asleep when the work is over; no goroutine
// waits for it. So it owns the data that it reads, by shared pointers, and draws no more after the
// end of the bar.
#pragma once

#include <rota/go.hpp>
#include <rota/time.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "console.hpp"
#include "hasher.hpp"

namespace treesum {

// The amount of work. It grows while the tree is walked; `complete` says that it is final.
struct work_ahead {
    std::atomic<std::uint64_t> files{0};
    std::atomic<std::uint64_t> bytes{0};
    std::chrono::steady_clock::time_point listed;  // written once, before `complete`
    std::atomic<bool> complete{false};

    void end_listing() {
        listed = std::chrono::steady_clock::now();
        complete.store(true, std::memory_order_release);
    }
};

struct progress_state {
    work_ahead ahead;
    work_done done;
};

inline bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

inline std::size_t terminal_columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

inline std::string clock_text(double seconds) {
    char text[32];
    const auto whole = static_cast<long>(std::min(seconds + 0.5, 359999.0));
    if (whole >= 3600) {
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                      whole % 60);
    } else {
        std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    }
    return text;
}

// The text of a drawing. The share done is that of bytes, since a file may have a byte or a
// terabyte. It is that of files if no size is known.
inline std::string bar_text(const progress_state& state, std::size_t columns) {
    const auto files_done = state.done.files.load(std::memory_order_relaxed);
    const auto bytes_done = state.done.bytes.load(std::memory_order_relaxed);
    const auto files_all = state.ahead.files.load(std::memory_order_relaxed);
    const auto bytes_all = state.ahead.bytes.load(std::memory_order_relaxed);
    char text[160];
    if (!state.ahead.complete.load(std::memory_order_acquire)) {
        std::snprintf(text, sizeof text, "listing: %llu files found",
                      static_cast<unsigned long long>(files_all));
        return text;
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - state.ahead.listed)
            .count();
    double share = 1;
    if (bytes_all > 0) {
        share = static_cast<double>(bytes_done) / static_cast<double>(bytes_all);
    } else if (files_all > 0) {
        share = static_cast<double>(files_done) / static_cast<double>(files_all);
    }
    share = std::clamp(share, 0.0, 1.0);  // files may grow while they are read
    const double rate = seconds > 0 ? static_cast<double>(bytes_done) / 1e6 / seconds : 0;
    const std::string eta = share > 0 ? clock_text(seconds / share * (1 - share)) : "-:--";
    std::snprintf(text, sizeof text, "%3.0f%%  %llu/%llu files  %.1f MB/s  ETA %s", share * 100,
                  static_cast<unsigned long long>(files_done),
                  static_cast<unsigned long long>(files_all), rate, eta.c_str());
    const std::string figures = text;
    if (columns < figures.size() + 14) return figures.substr(0, columns > 0 ? columns - 1 : 0);
    const std::size_t width = std::min<std::size_t>(columns - figures.size() - 4, 40);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    return "[" + std::string(filled, '#') + std::string(width - filled, '-') + "] " + figures;
}

// Starts the goroutine that draws until console::end_bar() has been called.
inline void start_progress_bar(std::shared_ptr<console> messages,
                               std::shared_ptr<progress_state> state) {
    rota::go([messages = std::move(messages), state = std::move(state)] {
        for (;;) {
            rota::sleep_for(std::chrono::milliseconds(100));
            if (!messages->draw_bar(bar_text(*state, terminal_columns()))) return;
        }
    });
}

}  // namespace treesum
