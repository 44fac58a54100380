// A goroutine waits, or yields, where it should not leave its thread. The argument says where.
#include <atomic>
#include <mutex>

#include <pthread.h>

#include "program.hpp"

extern "C" int callback_call(int (*f)(void*), void* arg);  // prog/callback/library.cpp

namespace fake::asio {

// As of a library that is all headers: no object of its own.
template <class F>
[[gnu::noinline]] int run(F f) {
    const int result = f();
    asm volatile("" ::: "memory");  // no tail call
    return result + 1;
}

}  // namespace fake::asio

namespace {

using namespace std::chrono_literals;

std::mutex plain_mutex;
std::recursive_mutex recursive_mutex;

[[gnu::noinline]] int wait_here(void*) {
    rota::sleep_for(1ms);
    return 1;
}

// A goroutine that is always runnable: at GOMAXPROCS=1 each gosched beside it leaves the thread.
class runnable_companion {
  public:
    runnable_companion() {
        group_.go([this] {
            while (!is_over_) rota::runtime::gosched();
        });
    }
    ~runnable_companion() {
        is_over_ = true;
        group_.wait();
    }
    runnable_companion(const runnable_companion&) = delete;
    runnable_companion& operator=(const runnable_companion&) = delete;

  private:
    std::atomic<bool> is_over_{false};
    rota::wait_group group_;
};

// Only gosched: rota::go may yield on its way out too, where a slow build has used up its slice,
// and that is a second place.
[[gnu::noinline]] int yield_here(void*) {
    rota::runtime::gosched();
    return 1;
}

int in_library(int (*f)(void*)) { return callback_call(f, nullptr); }

void several_times() {
    for (int i = 0; i < 3; ++i) in_library(wait_here);
    rota::wait_group w;
    w.go([] { in_library(wait_here); });
    w.wait();
}

void yields() {
    const runnable_companion other;
    in_library(yield_here);
}

// In chaos mode gosched yields once more on its way out, one time in eight.
void yields_often() {
    constexpr int times = 100;
    for (int i = 0; i < times; ++i) in_library(yield_here);
}

void two_places() {
    in_library(wait_here);
    in_library([](void*) {
        rota::wait_group w;
        w.go([] { rota::sleep_for(1ms); });
        w.wait();
        return 1;
    });
}

void keeps_its_thread() {
    const runnable_companion other;
    {
        const rota::runtime::pin here;
        in_library(wait_here);
        in_library(yield_here);
        const std::scoped_lock lock(plain_mutex, recursive_mutex);
        wait_here(nullptr);
    }
    rota::runtime::lock_os_thread();
    in_library(wait_here);
    {
        const std::scoped_lock lock(plain_mutex, recursive_mutex);
        wait_here(nullptr);
    }
    rota::runtime::unlock_os_thread();
}

void is_outside() {
    in_library([](void*) { return 1; });
    {
        const std::scoped_lock lock(plain_mutex, recursive_mutex);
    }
    if (plain_mutex.try_lock()) plain_mutex.unlock();
    wait_here(nullptr);
    std::thread([] {  // a thread stays where it is
        const std::scoped_lock lock(plain_mutex, recursive_mutex);
        in_library(wait_here);
    })
        .join();
}

void in_function() {
    fake::asio::run([] { return wait_here(nullptr); });
}

void with_mutex() {
    for (int i = 0; i < 3; ++i) {
        const std::lock_guard lock(plain_mutex);
        wait_here(nullptr);
    }
    const std::lock_guard lock(recursive_mutex);
    {
        const std::lock_guard again(recursive_mutex);
    }
    wait_here(nullptr);
}

void with_mutex_on_the_heap() {
    const auto mutex = std::make_unique<std::timed_mutex>();
    if (mutex->try_lock_for(1s)) {
        wait_here(nullptr);
        mutex->unlock();
    }
    if (mutex->try_lock()) {
        in_library(wait_here);
        mutex->unlock();
    }
}

void yields_with_mutex() {
    const runnable_companion other;
    {
        const std::lock_guard lock(plain_mutex);
        yield_here(nullptr);
    }
    const std::lock_guard lock(recursive_mutex);
    yield_here(nullptr);
}

[[noreturn]] void aborts() {
    in_library(wait_here);
    std::abort();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    return rota::run([what] {
        if (what == "several_times") several_times();
        else if (what == "two_places") two_places();
        else if (what == "yields") yields();
        else if (what == "yields_often") yields_often();
        else if (what == "keeps_its_thread") keeps_its_thread();
        else if (what == "is_outside") is_outside();
        else if (what == "in_function") in_function();
        else if (what == "with_mutex") with_mutex();
        else if (what == "with_mutex_on_the_heap") with_mutex_on_the_heap();
        else if (what == "yields_with_mutex") yields_with_mutex();
        else if (what == "aborts") aborts();
        else return 3;
        return 0;
    });
}
