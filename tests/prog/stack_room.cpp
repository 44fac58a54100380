// A goroutine that prints its stack waits in malloc, for example for a lock: other goroutines
// continue meanwhile, also at GOMAXPROCS=1. In sanitized builds, which have their own malloc, this
// program does nothing.
#include <atomic>
#include <cstddef>

#include "program.hpp"

using namespace std::chrono_literals;

namespace {

std::atomic<int> armed{0};  // thread id; malloc waits on this thread
std::atomic<int> turns{0};  // turns of the other goroutine
std::atomic<bool> over{false};

}  // namespace

#if !ROTA_TEST_ASAN && !ROTA_TEST_TSAN

extern "C" void* __libc_malloc(std::size_t size) noexcept;

extern "C" void* malloc(std::size_t size) noexcept {
    int me = armed == 0 ? -1 : ::gettid();
    if (armed.compare_exchange_strong(me, 0)) {
        const int before = turns;
        for (int i = 0; turns < before + 3; ++i) {
            if (i == 10'000) ::_exit(5);
            ::usleep(1000);  // between two checks, ten thousand at most
        }
        armed = ::gettid();
    }
    return __libc_malloc(size);
}

#endif

int main() {
    rota::run([] {
        rota::wait_group group;
        group.go([] {
            for (; !over; ++turns) rota::sleep_for(200us);
        });
        (void)rota::runtime::stack(true);  // reads the files and the names in advance
        rota_test::await([] { return turns >= 3; }, [] { rota::sleep_for(1ms); });
        armed = ::gettid();
        const std::string text = rota::runtime::stack(true);
        armed = 0;
        over = true;
        group.wait();
        if (text.find("goroutine ") == std::string::npos) ::_exit(6);
    });
    rota_test::say("done");
    return 0;
}
