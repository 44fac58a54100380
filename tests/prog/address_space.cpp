// A hundred goroutines under a limit on the process's address space: `KIND MB`, KIND `as` or `data`
// (RLIMIT_AS, RLIMIT_DATA). The program sets the limit and starts itself anew, as under `ulimit
// -v`.
#include <sys/resource.h>

#include "program.hpp"

using namespace rota_test;

namespace {

int talk_to_a_hundred() {
    return rota::run([] {
        constexpr int count = 100;
        const rota::chan<int> numbers = rota::make_chan<int>();
        std::atomic<int> sum{0};
        rota::wait_group all;
        for (int i = 0; i < count; ++i) all.go([&] { sum += numbers.recv().value_or(0); });
        for (int i = 0; i < count; ++i) numbers.send(1);
        all.wait();
        return sum == count ? 0 : 1;
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return talk_to_a_hundred();
    const rlim_t bytes = std::strtoul(argv[2], nullptr, 10) * 1'000'000;
    const rlimit limit{bytes, bytes};
    if (::setrlimit(std::strcmp(argv[1], "data") == 0 ? RLIMIT_DATA : RLIMIT_AS, &limit) != 0)
        return 65;
    ::execl("/proc/self/exe", argv[0], nullptr);
    return 66;
}
