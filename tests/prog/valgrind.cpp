// A program for valgrind: a channel and ten sleeps, on stacks that goroutines of different sizes
// reuse. With the argument `faulty` it reads freed memory.
#include <cstring>
#include <string>

#include <rota/rota.hpp>

#include "program.hpp"

namespace {

// Goroutines with closures and frames of different sizes run one after the other on the same
// stacks.
template <std::size_t Size>
int use_stack(int seed) {
    struct filled {
        unsigned char bytes[Size];
    } with;
    std::memset(with.bytes, seed, sizeof with.bytes);
    int sum = 0;
    rota::wait_group done;
    done.go([&, with] {
        unsigned char frame[Size * 2];
        std::memcpy(frame, with.bytes, Size);
        rota::runtime::gosched();
        for (std::size_t i = 0; i < Size; ++i) sum += frame[i];
    });
    done.wait();
    return sum;
}

bool catches() {
    try {
        rota::panic("thrown");
    } catch (const rota::panic_error& e) {
        return e.what() == std::string("thrown");
    }
    return false;
}

int clean() {
    bool well = true;
    rota::run([&] {
        auto values = rota::make_chan<int>(1);
        rota::go([values]() mutable {
            for (int i = 0; i < 10; ++i) {
                rota::sleep_for(std::chrono::milliseconds(1));
                values.send(i);
            }
            values.close();
        });
        int sum = 0;
        for (const int v : values) sum += v;
        well = sum == 45;
        for (int i = 1; i <= 20; ++i) {
            well = well && use_stack<16>(i) == 16 * i && use_stack<8000>(i) == 8000 * i &&
                   use_stack<400>(i) == 400 * i && catches();
        }
    });
    return well ? 0 : 3;
}

int faulty() {
    int seen = 0;
    rota::run([&] {
        int* gone = new int(7);
        const int* volatile at = gone;  // hides the address from the compiler
        delete gone;
        seen = *at;
    });
    return seen == 7 ? 0 : 4;
}

constexpr rota_test::program_case cases[] = {{"clean", clean}, {"faulty", faulty}};

}  // namespace

int main(int argc, char** argv) { return rota_test::run_case(argc, argv, cases); }
