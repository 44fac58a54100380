// Handles the signals that the program asks for: notes them in a handler, and changes their
// actions.
//
// The handler sets the signal's bit and, if it was not set, adds to an eventfd; both are allowed in
// a handler, wherever the thread was. The reader of the eventfd takes every bit. A signal that
// comes again before it has been taken is the same bit, just as a pending signal is the same to the
// kernel.
//
// A caller that stops watching a signal first takes the pending signals from the kernel and changes
// the action. Then it waits until no handler is under way: earlier signals are then in the bits.
// The kernel may have given the signal to a thread whose handler has not begun. That handler finds
// the signal unwatched, and sends it to its own thread again, where it meets the action of that
// moment.
#pragma once

#include <cstdint>

namespace rota::rt {

inline constexpr int signal_max = 64;
constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// Null, or why the signal cannot be watched or ignored.
const char* why_not_watched(int signal);
// The signals that can be watched.
std::uint64_t signals_to_watch();

// Sets the eventfd to add to. Caller: before the first signal is watched.
void watched_tell(int event);

// Callers of these: one at a time. The signal's action before the first call is kept.
void signal_watch(int signal);
void signal_ignore(int signal);
void signal_reset(int signal);  // as before the first watch or ignore
bool signal_is_ignored(int signal);

// Takes the signals that have come since the last call.
[[nodiscard]] std::uint64_t watched_take();
// Reads the same without taking them.
[[nodiscard]] std::uint64_t watched_come();
// Whether a handler is under way in some thread.
[[nodiscard]] bool watched_is_busy();

}  // namespace rota::rt
