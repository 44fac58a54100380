// The C library's own functions, which the hooked functions call; and errno.
#pragma once

#include <cstddef>
#include <cstdint>

#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace rota::hook {

// Every function that is hooked and counted, in the order of the statistics.
#define ROTA_HOOK_COUNTED(X) \
    X(read) \
    X(readv) \
    X(recv) \
    X(recvfrom) \
    X(recvmsg) \
    X(write) \
    X(writev) \
    X(send) \
    X(sendto) \
    X(sendmsg) \
    X(connect) \
    X(accept) \
    X(accept4) \
    X(poll) \
    X(ppoll) \
    X(select) \
    X(pselect) \
    X(epoll_wait) \
    X(epoll_pwait) \
    X(nanosleep) \
    X(usleep) \
    X(sleep) \
    X(clock_nanosleep) \
    X(getaddrinfo) \
    X(flock) \
    X(pthread_mutex_lock) \
    X(pthread_cond_wait) \
    X(pthread_cond_timedwait)

// The functions that close descriptors. They are not counted.
#define ROTA_HOOK_CLOSING(X) \
    X(close) \
    X(dup2) \
    X(dup3) \
    X(close_range) \
    X(closefrom) \
    X(fclose)

// Those that are only noted: which mutexes a goroutine holds.
#define ROTA_HOOK_NOTED(X) \
    X(pthread_mutex_trylock) \
    X(pthread_mutex_timedlock) \
    X(pthread_mutex_clocklock) \
    X(pthread_mutex_unlock)

enum class hooked : unsigned {
#define ROTA_HOOK_NAME(name) name,
    ROTA_HOOK_COUNTED(ROTA_HOOK_NAME) first_uncounted,
    before_uncounted = first_uncounted - 1,
    ROTA_HOOK_CLOSING(ROTA_HOOK_NAME) ROTA_HOOK_NOTED(ROTA_HOOK_NAME) count
#undef ROTA_HOOK_NAME
};
inline constexpr unsigned counted = static_cast<unsigned>(hooked::first_uncounted);

// The next function of that name in the dynamic linker's order: the C library's, unless another
// library hooks it too. Ends the process if there is none.
void* real_function(hooked which);

#define ROTA_REAL(name) \
    (reinterpret_cast<decltype(&::name)>(::rota::hook::real_function(::rota::hook::hooked::name)))

// A goroutine may be on another thread after each wait, and each thread has its own errno.
// Compilers keep errno's address across a call. So all code here uses errno through these two
// functions.
int get_errno();
void set_errno(int value);

}  // namespace rota::hook
