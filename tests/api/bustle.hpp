// Goroutines that move from thread to thread, for tests of those that must not.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>
#include <rota/rota.hpp>

namespace rota_test {

[[gnu::noinline]] inline int thread_id() { return static_cast<int>(::syscall(SYS_gettid)); }

// Everything after which a goroutine may be on another thread.
inline void wander() {
    rota::runtime::gosched();
    rota::sleep_for(std::chrono::microseconds(50));
    rota::blocking([] { std::this_thread::yield(); });
    auto ch = rota::make_chan<int>();
    rota::go([ch] {
        rota::runtime::gosched();
        ch.send(1);
    });
    ch.recv();
}

// Keeps all processors busy with goroutines that move, until it ends.
class bustle {
  public:
    bustle() {
        for (int i = 0; i < 8; ++i) {
            all_.go([this] {
                while (!over_) wander();
            });
        }
    }
    ~bustle() {
        over_ = true;
        all_.wait();
    }
    bustle(const bustle&) = delete;
    bustle& operator=(const bustle&) = delete;

  private:
    std::atomic<bool> over_{false};
    rota::wait_group all_;
};

}  // namespace rota_test
