// A program with AddressSanitizer, linked to a library without it: sanitized_test.py. With the
// argument `fault` a goroutine reads freed memory; with `boot` the program only boots the runtime.
#include <rota/rota.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

// An exception leaves frames with arrays, which AddressSanitizer surrounds with red zones.
int thrown_through(int depth) {
    char fenced[100];
    std::memset(fenced, depth, sizeof fenced);
    asm volatile("" ::"r"(fenced) : "memory");
    if (depth == 0) throw std::runtime_error("from below");
    return thrown_through(depth - 1) + fenced[depth % 100];
}

bool catches() {
    try {
        thrown_through(20);
    } catch (const std::runtime_error& e) {
        return e.what() == std::string("from below");
    }
    return false;
}

// Each goroutine keeps a frame, and memory that only it references, while other goroutines run on
// its thread.
bool works() {
    constexpr int count = 1000;
    auto results = rota::make_chan<std::string>(10);
    std::atomic<int> caught{0};
    for (int i = 0; i < count; ++i) {
        rota::go([results, i, &caught]() mutable {
            char frame[64];
            std::snprintf(frame, sizeof frame, "goroutine %d", i);
            const auto kept = std::make_unique<std::string>(frame);
            rota::sleep_for(std::chrono::milliseconds(i % 10));
            if (catches()) ++caught;
            rota::runtime::gosched();
            results.send(*kept + frame);
        });
    }
    std::size_t length = 0;
    for (int i = 0; i < count; ++i) length += results.recv()->size();
    // "goroutine " twice and the number twice
    return caught == count && length == 2 * (10 * count + 10 + 180 + 2700);
}

int fault() {
    int seen = 0;
    rota::run([&] {
        std::vector<int>* gone = new std::vector<int>(100, 7);
        const int* const at = gone->data();
        rota::wait_group deleted;
        deleted.go([gone] { delete gone; });
        deleted.wait();
        seen = at[50];
    });
    return seen == 7 ? 0 : 4;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "fault") == 0) return fault();
    if (argc > 1 && std::strcmp(argv[1], "boot") == 0) {
        rota::make_chan<int>(1).send(1);
        return 0;
    }
    for (int round = 0; round < 3; ++round) {
        if (!rota::run(works)) return 3;
    }
    // These goroutines still wait when the process ends: the memory that they hold is not a leak.
    rota::run([] {
        for (int i = 0; i < 10; ++i) {
            rota::go([held = std::make_unique<int>(i)] {
                const auto more = std::make_unique<int>(1);
                rota::chan<int>().recv();
            });
        }
        rota::sleep_for(1ms);
    });
    return 0;
}
