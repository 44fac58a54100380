// A program for which the kernel makes no thread any more.
#include <cerrno>

#include <sys/syscall.h>

#include "confined.hpp"
#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// A goroutine computes while others wait; the thread that preemption needs does not exist yet.
int computes() {
    bool is_confined = false;
    rota::run([&] {
        (void)rota::runtime::gomaxprocs(1);
        rota::sleep_for(1ms);  // the thread that takes main's place is there
        is_confined =
            refuse_system_call(SYS_clone3, ENOSYS) && refuse_system_call(SYS_clone, EAGAIN);
        if (!is_confined) return;
        for (int i = 0; i < 2; ++i) {
            rota::wait_group all;
            all.go([&] {
                const auto until = std::chrono::steady_clock::now() + 100ms;
                while (std::chrono::steady_clock::now() < until) {
                }
            });
            rota::sleep_for(1ms);  // that is when it should lose its processor
            all.wait();
        }
    });
    return is_confined ? 0 : 97;
}

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, {{"computes", computes}}); }
