// A goroutine that asks for its stack waits in malloc, for a lock say: the others go on meanwhile,
// also at GOMAXPROCS=1. In sanitized builds, whose malloc is their own, this program does nothing.
#include <atomic>
#include <cstddef>

#include "program.hpp"

using namespace std::chrono_literals;

namespace {

std::atomic<int> armed{0};  // the thread whose calls of malloc wait
std::atomic<int> turns{0};  // that the others have had
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
            ::usleep(1000);  // between two looks, ten thousand at most
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
        (void)rota::runtime::stack(true);  // so that files are read and names known
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
