// Shared code of the small programs in this folder: it selects a case by the first argument, and
// waits for a state with a bound.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <sys/uio.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "../asleep.hpp"
#include "../slow_call.hpp"
#include "build_kind.hpp"

namespace rota_test {

struct program_case {
    const char* name;
    int (*run)();
};

// Status 64: the program lacks the case that the test requests.
template <std::size_t N>
int run_case(int argc, char** argv, const program_case (&cases)[N]) {
    for (const program_case& c : cases) {
        if (argc > 1 && std::strcmp(c.name, argv[1]) == 0) return c.run();
    }
    std::fprintf(stderr, "%s: no such case: %s\n", argv[0], argc > 1 ? argv[1] : "(none)");
    return 64;
}

// Waits until condition() holds, and calls `yield` between checks; ends the program with status 99
// at the time limit.
template <class C, class Y>
void await(C condition, Y yield) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(plain_build ? 20 : 60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) {
            std::fprintf(stderr, "the awaited state did not come\n");
            ::_exit(99);
        }
        yield();
    }
}

template <class C>
void await(C condition) {
    if (rota::runtime::goid() != 0) await(condition, [] { rota::runtime::gosched(); });
    else await(condition, [] { std::this_thread::yield(); });
}

// For use inside blocking(), where gosched would take the goroutine out of its call.
template <class C>
void await_in_blocking(C condition) {
    await(condition, [] { std::this_thread::yield(); });
}

inline std::uint64_t parks() { return rota::runtime::read_sched_stats().parks; }

// Blocks for ever, in goroutines and in threads.
[[noreturn]] inline void block_for_ever() {
    for (;;) rota::chan<int>().recv();
}

// Runs f in a goroutine whose end, or failure, ends the program: main waits for ever.
template <class F>
int in_goroutine(F f) {
    rota::run([f] {
        rota::go(f);
        block_for_ever();
    });
    return 0;
}

// Writes a line to stdout, unbuffered.
// Signal handlers call this too, perhaps in the middle of another output: no stdio.
inline void say(const char* text) {
    char newline = '\n';
    const iovec line[] = {{const_cast<char*>(text), std::strlen(text)}, {&newline, 1}};
    if (::writev(STDOUT_FILENO, line, 2) != static_cast<ssize_t>(line[0].iov_len + 1)) ::_exit(98);
}

}  // namespace rota_test
