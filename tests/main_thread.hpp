// Makes programs whose main thread has ended while other threads go on.
#pragma once

#include <cstdio>
#include <thread>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "sys/proc/thread_status.hpp"
#include "sys/thread/thread.hpp"

namespace rota_test {

// Ends the calling main thread without unwinding: the test's frames would stop an unwinding. A
// second thread calls f when the kernel shows that end. The process exits with f's result, or with
// 2 if that end does not come.
template <class F>
[[noreturn]] void without_main_thread(F f) {
    std::thread([f = std::move(f)] {
        constexpr int patience_ms = 20'000;
        constexpr int any_signal = 1;
        for (int ms = 0;
             rota::rt::thread_hears(::getpid(), any_signal) != rota::rt::thread_ears::ended; ++ms) {
            if (ms == patience_ms) {
                std::fprintf(stderr, "the main thread does not end\n");
                ::_exit(2);
            }
            rota::rt::thread_sleep_ns(1'000'000);
        }
        ::_exit(f());
    }).detach();
    for (;;) ::syscall(SYS_exit, 0);
}

}  // namespace rota_test
