// Signals that the program asks for: the handler that notes them, and what they do otherwise.
//
// The handler sets the signal's bit and, if it was not set, adds to an eventfd; both are allowed in
// a handler, wherever the thread was. Who is told by the eventfd takes all bits. A signal that
// comes again before it has been taken is the same bit, as one that is pending is the same to the
// kernel.
//
// A caller that stops watching a signal takes first what the kernel still holds of it, changes the
// action, and then waits until no handler is under way: what came before is then in the bits. The
// kernel may have given the signal to a thread whose handler has not begun. That handler finds the
// signal unwatched, and sends it to its own thread again, where it meets the action of that moment.
#pragma once

#include <cstdint>

namespace rota::rt {

inline constexpr int signal_max = 64;
constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// Null, or why it cannot be watched or ignored.
const char* why_not_watched(int signal);
// All that can.
std::uint64_t signals_to_watch();

// The eventfd to be told. Before the first signal is watched.
void watched_tell(int event);

// Callers of these: one at a time. What a signal did before the first of them is kept.
void signal_watch(int signal);
void signal_ignore(int signal);
void signal_reset(int signal);  // as before the first of the other two
bool signal_is_ignored(int signal);

// All that have come since.
[[nodiscard]] std::uint64_t watched_take();
// The same, and they stay.
[[nodiscard]] std::uint64_t watched_come();
// Whether a handler is under way in some thread.
[[nodiscard]] bool watched_is_busy();

}  // namespace rota::rt
