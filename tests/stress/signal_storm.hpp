// Sends signals all the time, to every thread, without SA_RESTART.
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace rota_test {

extern "C" inline void count_signal(int) {}

// While it lives, SIGALRM comes to the process every 20 us; as a rule one thread gets it. SIGALRM,
// SIGCHLD and SIGURG, the runtime's own signal, come to each thread every `period`.
class signal_storm {
  public:
    explicit signal_storm(std::chrono::microseconds period = std::chrono::milliseconds(1))
        : period_(period) {
        struct sigaction action{};
        action.sa_handler = count_signal;  // without SA_RESTART: every system call is interrupted
        for (const int signal : {SIGALRM, SIGCHLD}) ::sigaction(signal, &action, nullptr);
        const itimerval every{{0, 20}, {0, 20}};
        ::setitimer(ITIMER_REAL, &every, nullptr);
        thread_ = std::jthread([this](const std::stop_token& end) { run(end); });
    }
    ~signal_storm() {
        thread_.request_stop();
        thread_.join();
        const itimerval never{};
        ::setitimer(ITIMER_REAL, &never,
                    nullptr);  // a signal may still be on its way: the handlers stay
        EXPECT_GT(sent_, 0) << "no thread could be sent a signal";
    }

  private:
    void run(const std::stop_token& end) {
        std::mutex mu;
        std::condition_variable_any ended;  // local to this function: only the token wakes it
        std::unique_lock lock(mu);
        do send_to_all();
        while (!ended.wait_for(lock, end, period_, [&] { return end.stop_requested(); }));
    }

    void send_to_all() {
        std::error_code error;  // a thread may end while the folder is read
        for (std::filesystem::directory_iterator task("/proc/self/task", error), end;
             !error && task != end; task.increment(error)) {
            const int tid = std::stoi(task->path().filename());
            if (tid == ::gettid()) continue;
            for (const int signal : {SIGALRM, SIGCHLD, SIGURG})
                sent_ += ::syscall(SYS_tgkill, ::getpid(), tid, signal) == 0 ? 1 : 0;
        }
    }

    const std::chrono::microseconds period_;
    long sent_ = 0;  // written by the thread until it has ended
    std::jthread thread_;
};

}  // namespace rota_test
