// Handles the stop signal: a thread is held, answers a question or stops, at the place where the
// signal has interrupted it.
#include "sys/signal/stop_handler.hpp"

#include <cerrno>
#include <csignal>

#include <ucontext.h>

#include "base/atomic.hpp"
#include "sys/signal/ask_thread.hpp"
#include "sys/signal/hold_threads.hpp"
#include "sys/signal/interrupted.hpp"
#include "sys/signal/stop_signal.hpp"

namespace rota::rt {

namespace {

struct sigaction before_stop;  // written before the handler is installed
constinit atomic<void (*)(const gobuf&)> stop_handler{nullptr};

void call_earlier_handler(int signal, siginfo_t* info, void* context) {
    if ((before_stop.sa_flags & SA_SIGINFO) != 0) before_stop.sa_sigaction(signal, info, context);
    else if (before_stop.sa_handler != SIG_DFL && before_stop.sa_handler != SIG_IGN)
        before_stop.sa_handler(signal);
}

void on_stop(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    const gobuf at = interrupted_at(*static_cast<const ucontext_t*>(context));
    wait_if_held(at);
    answer_if_asked(at);
    stop_handler.load(memory_order_relaxed)(at);  // relaxed: stored before the signal could come
    wait_if_held(at);  // a thread that was stopped above counts as held: it may not go on alone
    errno = error;
    call_earlier_handler(signal, info, context);
    errno = error;
}

}  // namespace

void on_stop_signal(int signal, void (*handler)(const gobuf& interrupted)) {
    stop_handler.store(handler, memory_order_relaxed);  // relaxed: sigaction below orders it
    note_stop_signal(signal);
    ::sigaction(signal, nullptr, &before_stop);
    struct sigaction ours{};
    ours.sa_sigaction = on_stop;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ::sigfillset(&ours.sa_mask);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
        ::sigdelset(&ours.sa_mask, fault);
    ::sigaction(signal, &ours, nullptr);
}

}  // namespace rota::rt
