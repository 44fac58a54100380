// Signals of the operating system, by channels. Go: os/signal.
//
//     auto ends = rota::make_chan<int>(1);
//     rota::os::notify(ends, SIGINT, SIGTERM);
//     ends.recv();
//
// A goroutine of the runtime sends the signals, one after another, and never waits: if a channel is
// full the value is lost, so give it the capacity that it needs; 1 for one kind of signal. A signal
// that comes again before it has been sent on may be sent once, as the kernel merges pending
// signals. To send to a channel that the program has closed is a panic.
//
// Until the program asks for a signal, the signal keeps its action from the program's start: a
// signal that nohup ignores stays ignored. A goroutine that waits for signals that the program has
// asked for is not deadlocked.
//
// SIGKILL, SIGSTOP, the signals of faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS,
// SIGABRT) and the signal by which rota stops threads (SIGURG) can be neither asked for nor
// ignored: the call throws std::system_error with std::errc::invalid_argument. Each of these
// functions waits only for that goroutine; they may migrate. From any goroutine and thread.
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

/// From now on the channel gets these signals, by their numbers, instead of their former actions;
/// every signal that can be asked for if none is named. Adds to the signals that the channel got
/// before. Throws panic_error for the nil channel, std::system_error also for EMFILE. Go:
/// signal.Notify.
template <class... S>
void notify(send_chan<int> to, S... signals) {
    detail::notify(to, {static_cast<int>(signals)...});
}

/// No signal is sent to the channel any more once this has returned. A signal has been sent if its
/// handler had begun before the call. A signal that no other channel gets has its action of before
/// notify again. The kernel may have delivered a signal to another thread where the handler begins
/// after the call: the signal reaches a channel or the old action, and never both. Go: signal.Stop.
void stop(send_chan<int> to);

/// Ignores these signals, or every signal that can be ignored; no channel gets them any more. Go:
/// signal.Ignore.
template <class... S>
void ignore(S... signals) {
    detail::ignore({static_cast<int>(signals)...});
}

/// Takes back notify and ignore: these signals, or every signal, have their original actions. Go:
/// signal.Reset.
template <class... S>
void reset(S... signals) {
    detail::reset({static_cast<int>(signals)...});
}

/// Whether the signal is ignored at the call. Go: signal.Ignored.
bool ignored(int signal);

}  // namespace rota::os
