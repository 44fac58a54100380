// Signals of the operating system, by channels. Go: os/signal.
//
//     auto ends = rota::make_chan<int>(1);
//     rota::os::notify(ends, SIGINT, SIGTERM);
//     ends.recv();
//
// A goroutine of the runtime sends the signals, one after the other, and never waits: where a
// channel is full the value is lost, so give it the capacity that it needs; 1 for one kind of
// signal. A signal that comes again before it has been sent on may be sent once, as the kernel does
// with those that are pending. To send to a channel that the program has closed is a panic.
//
// Until it is asked for, a signal does what it did when the program began: what nohup ignores stays
// ignored. A goroutine that waits for signals which somebody has asked for is not deadlocked.
//
// SIGKILL, SIGSTOP, those that tell of faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS,
// SIGABRT) and the one by which rota stops threads (SIGURG) can be neither asked for nor ignored:
// std::system_error with std::errc::invalid_argument says so. None of these functions waits for
// anybody but that goroutine; they may migrate. From any goroutine and thread.
#pragma once

#include <csignal>  // SIGTERM and the like
#include <initializer_list>

#include <rota/chan.hpp>

namespace rota::os {

namespace detail {
void notify(const send_chan<int>& to, std::initializer_list<int> signals);
void ignore(std::initializer_list<int> signals);
void reset(std::initializer_list<int> signals);
}  // namespace detail

/// From now on these signals, or all that can be asked for if none is named, are sent to the
/// channel, by their numbers, instead of doing what they did. Adds to what the channel got before.
/// Throws panic_error for the nil channel, std::system_error also for EMFILE. Go: signal.Notify.
template <class... S>
void notify(send_chan<int> to, S... signals) {
    detail::notify(to, {static_cast<int>(signals)...});
}

/// No signal is sent to the channel any more once this has returned; those whose handler had begun
/// before it was called have been sent. A signal that no other channel gets does again what it did
/// before notify. So does one that the kernel had handed to another thread, whose handler begins
/// after the call: it reaches a channel or the old action, and never both. Go: signal.Stop.
void stop(send_chan<int> to);

/// Ignores these signals, or all that can be; no channel gets them any more. Go: signal.Ignore.
template <class... S>
void ignore(S... signals) {
    detail::ignore({static_cast<int>(signals)...});
}

/// Takes back notify and ignore: these signals, or all, do what they did before. Go: signal.Reset.
template <class... S>
void reset(S... signals) {
    detail::reset({static_cast<int>(signals)...});
}

/// Whether it is ignored now. Go: signal.Ignored.
bool ignored(int signal);

}  // namespace rota::os
