// A goroutine that spoils its thread: with a working directory of its own.
#include <atomic>
#include <string>

#include <sched.h>
#include <sys/syscall.h>

#include "program.hpp"

using namespace rota_test;

namespace {

std::string own_directory() {
    char text[4096];
    const ssize_t n = ::readlink("/proc/thread-self/cwd", text, sizeof text);
    return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : "?";
}

// More goroutines than there are threads, each in a call: how many are in another directory.
int strays(const std::string& home) {
    const int many = rota::runtime::num_thread() + rota::runtime::gomaxprocs() + 4;
    std::atomic<int> inside{0}, wrong{0};
    rota::wait_group all;
    for (int i = 0; i < many; ++i) {
        all.go([&] {
            rota::blocking([&] {
                if (own_directory() != home) ++wrong;
                ++inside;
                await_in_blocking([&] { return inside == many; });
            });
        });
    }
    all.wait();
    return wrong;
}

int spoiled() {
    return rota::run([] {
        const std::string home = own_directory();
        std::atomic<int> tid{0};
        std::atomic<int> wrong{0};
        bool spoilt = true;
        rota::wait_group one;
        one.go([&] {
            rota::runtime::lock_os_thread();
            tid = static_cast<int>(::syscall(SYS_gettid));
            if (::unshare(CLONE_FS) != 0 || ::chdir("/proc") != 0) {
                spoilt = false;
                return;
            }
            wrong += strays(home);  // threads are made while this one runs
            if (own_directory() != "/proc") wrong += 1000;
        });
        one.wait();
        if (!spoilt) {
            std::printf("unshare(CLONE_FS) is refused here\n");
            return 0;
        }
        await([&] {
            return ::access(("/proc/self/task/" + std::to_string(tid)).c_str(), F_OK) != 0;
        });
        wrong += strays(home);
        std::printf("wrong=%d\n", wrong.load());
        return wrong == 0 ? 0 : 1;
    });
}

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, {{"spoiled", spoiled}}); }
