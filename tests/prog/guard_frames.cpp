// A call of a library lays a large frame over the end of a goroutine's stack: `KB BEYOND`. The low
// end of the frame, which is all that the call touches, lies so many bytes beyond the end.
//
// Neighbours on both sides hold a pattern on their stacks. When the process ends, whichever way, it
// says on stdout how many of them have lost theirs.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/syscall.h>

#include "program.hpp"

using namespace rota_test;

extern "C" {
int unprobed_8(int n);
int unprobed_16(int n);
int unprobed_32(int n);
int unprobed_64(int n);
int unprobed_131(int n);
}

namespace {

constexpr std::size_t stack_bytes = 256 * 1024, marked_bytes = 200 * 1024;
constexpr char pattern = 0x5a;
constexpr std::size_t neighbour_count = 6, victim_count = neighbour_count - 1;  // made in turn

// Written by each neighbour before it counts itself in `ready`.
std::array<const volatile char*, neighbour_count> marks{};
std::atomic<std::size_t> ready{0};

// Written by each victim before it counts itself in `waiting`.
std::array<std::uintptr_t, victim_count> ends{};
std::atomic<std::size_t> waiting{0}, chosen{victim_count};  // chosen: none yet

bool is_whole(const volatile char* mark) {
    for (std::size_t i = 0; i < marked_bytes; ++i) {
        if (mark[i] != pattern) return false;
    }
    return true;
}

void say_who_is_touched() {
    std::size_t touched = 0;
    for (const volatile char* mark : marks) touched += is_whole(mark) ? 0 : 1;
    char text[64];
    const int n = std::snprintf(text, sizeof text, "neighbours touched: %zu\n", touched);
    (void)!::write(STDOUT_FILENO, text, static_cast<std::size_t>(n));
}

void hold_pattern(std::size_t me) {
    volatile char mark[marked_bytes];
    for (volatile char& c : mark) c = pattern;
    marks[me] = mark;
    ready.fetch_add(1);
    block_for_ever();
}

// The end of the calling goroutine's stack. Its first frames lie in the stack's highest page.
std::uintptr_t end_of_stack() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return (here + 4095) / 4096 * 4096 - stack_bytes;
}

// Calls f with the stack pointer at about `sp`.
[[gnu::noinline]] int call_at(std::uintptr_t sp, int (*f)(int)) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    auto* const room = static_cast<volatile char*>(__builtin_alloca(here - sp));
    room[0] = 1;
    return f(1) + room[0];
}

int (*function_of(std::size_t kb))(int) {
    switch (kb) {
        case 8: return unprobed_8;
        case 16: return unprobed_16;
        case 32: return unprobed_32;
        case 64: return unprobed_64;
        case 131: return unprobed_131;
        default: return nullptr;
    }
}

// Whether neighbours are in the slots below and above the victim's, which ends there.
bool has_neighbours(std::uintptr_t end) {
    constexpr std::uintptr_t apart_max = 2 * stack_bytes;
    bool below = false, above = false;
    for (const volatile char* mark : marks) {
        const auto at = reinterpret_cast<std::uintptr_t>(mark);
        if (at < end) below |= end - at < apart_max;
        else above |= at - end < apart_max;
    }
    return below && above;
}

// Waits until it is chosen, and lays the frame of f over the end of its stack.
void overflow(std::size_t me, int (*f)(int), std::size_t kb, std::size_t beyond) {
    ends[me] = end_of_stack();
    waiting.fetch_add(1);
    await([me] { return chosen == me; });
    call_at(ends[me] + kb * 1024 - beyond, f);
    ::_exit(66);  // the call has returned
}

}  // namespace

// The end of each way out of the process, also of a crash report.
extern "C" void _exit(int status) {
    if (ready == neighbour_count) say_who_is_touched();
    for (;;) ::syscall(SYS_exit_group, status);
}

int main(int argc, char** argv) {
    const std::size_t kb = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
    const std::size_t beyond = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    int (*const f)(int) = function_of(kb);
    if (f == nullptr) return 64;
    return rota::run([=] {
        const rota::go_options size{.stack_size = stack_bytes};
        for (std::size_t i = 0; i < neighbour_count; ++i) {
            rota::go(size, [i] { hold_pattern(i); });
            if (i < victim_count) rota::go(size, [=] { overflow(i, f, kb, beyond); });
        }
        await([] { return ready == neighbour_count && waiting == victim_count; });
        // Slots need not follow each other in the order of the goroutines.
        const auto* const end = std::find_if(ends.begin(), ends.end(), has_neighbours);
        if (end == ends.end()) ::_exit(65);
        chosen = static_cast<std::size_t>(end - ends.begin());
        block_for_ever();
        return 0;
    });
}
