// Known bug 57: guards use up the kernel's mappings. Parks hundreds of thousands of goroutines with
// each kind of guard. Each kind runs in a child process, since a process chooses the kind once.
//
// 200,000 goroutines take 1 GB; with ROTA_TEST_LONG there are 1,000,000, which take 4.7 GB. The
// children print the cost of one goroutine.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>
#include <rota/rota.hpp>

#include "base/annotations.hpp"
#include "mem/stack.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/mmap.hpp"

#if !ROTA_ASAN && !ROTA_TSAN

namespace rota::rt {
namespace {

// The number in a line of a file of /proc, such as "VmPTE:   513 kB"; -1 without such a line.
long proc_figure(const char* path, const char* name) {
    std::FILE* const file = std::fopen(path, "r");
    if (file == nullptr) return -1;
    char line[256];
    long value = -1;
    const std::size_t length = std::strlen(name);
    while (value < 0 && std::fgets(line, sizeof line, file) != nullptr) {
        if (std::strncmp(line, name, length) == 0 && line[length] == ':')
            value = std::atol(line + length + 1);
    }
    std::fclose(file);
    return value;
}

double status_bytes(const char* name) {
    return static_cast<double>(proc_figure("/proc/self/status", name)) * 1024;
}

long mappings() {
    std::FILE* const file = std::fopen("/proc/self/maps", "r");
    if (file == nullptr) return -1;
    long lines = 0;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) lines += c == '\n';
    std::fclose(file);
    return lines;
}

struct census {
    long slots = 0, unguarded = 0;
};

// A system call tells whether a page can be read, without a fault.
void count_guards(const stack_slot& slot, void* arg) {
    auto& seen = *static_cast<census*>(arg);
    ++seen.slots;
    for (const std::byte* at : {slot.lo, slot.usable_lo() - page_size}) {
        if (::access(reinterpret_cast<const char*>(at), F_OK) == 0 || errno == EFAULT) continue;
        ++seen.unguarded;
        return;
    }
}

[[noreturn]] void give_up(const char* why, long parked) {
    std::fprintf(stderr, "kb57: %s (%ld parked, %ld mappings)\n", why, parked, mappings());
    _exit(1);
}

enum class expected { markers, mappings };

// Sysmon may have claimed slots that it is about to guard; that takes only a moment.
census take_census(expected kind) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    census seen;
    stack_for_each(count_guards, &seen);
    while (kind == expected::markers && seen.unguarded > 0 &&
           std::chrono::steady_clock::now() < until) {
        seen = {};
        stack_for_each(count_guards, &seen);
    }
    return seen;
}

// While the goroutines are parked: checks their guards and the price of them.
void judge(expected kind, long n, double rss_before, double pte_before) {
    const census seen = take_census(kind);
    const long maps = mappings(), bound = max_map_count();
    const double rss = (status_bytes("VmRSS") - rss_before) / static_cast<double>(n);
    const double pte = (status_bytes("VmPTE") - pte_before) / static_cast<double>(n);
    std::printf("kb57: %ld parked, %ld without guard, %ld mappings of %ld, per goroutine %.0f B "
                "resident and %.0f B of page tables\n",
                n, seen.unguarded, maps, bound, rss, pte);
    std::fflush(stdout);
    if (seen.slots < n) give_up("some stacks are in no arena", n);
    if (rss > 4400) give_up("a parked goroutine has more than 4400 bytes resident", n);
    if (kind == expected::markers && seen.unguarded > 0) give_up("markers leave gaps", n);
    if (kind == expected::markers && maps > 5000) give_up("markers take mappings", n);
    // Two mappings for each guard, at most half of the bound; the rest belongs to the program.
    if (maps > bound * 3 / 4) give_up("guards leave no mappings to the program", n);
    if (kind == expected::mappings && seen.slots - seen.unguarded < std::min(n, bound / 4) - 1)
        give_up("fewer guards than half of the mappings allow", n);
}

// Parks n goroutines, judges, lets them end. Exits with 7 on success.
[[noreturn]] void park(expected kind, long n) {
    rota::run([&] {
        const double rss = status_bytes("VmRSS"), pte = status_bytes("VmPTE");
        const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(5);
        auto gate = rota::make_chan<rota::unit>();
        std::atomic<long> up{0}, down{0};
        for (long i = 0; i < n; ++i) {
            rota::go([&] {
                up.fetch_add(1);
                gate.recv();
                down.fetch_add(1);
            });
        }
        while (up.load() < n) {
            if (std::chrono::steady_clock::now() > until) give_up("they do not all run", up.load());
            rota::runtime::gosched();
        }
        judge(kind, n, rss, pte);
        gate.close();
        while (down.load() < n) {
            if (std::chrono::steady_clock::now() > until)
                give_up("they do not end", n - down.load());
            rota::runtime::gosched();
        }
    });
    _exit(7);
}

// How many goroutines this machine can hold. The page tables of the children's guards count as
// well.
long how_many() {
    constexpr long few = 200'000, many = 1'000'000, kib_each = 5;
    const long wanted = std::getenv("ROTA_TEST_LONG") != nullptr ? many : few;
    const long possible = proc_figure("/proc/meminfo", "MemAvailable") / kib_each;
    if (possible >= wanted) return wanted;
    std::printf("kb57: not %ld but %ld goroutines: MemAvailable is %ld KiB\n", wanted, possible,
                possible * kib_each);
    return possible;
}

// The children are programs of their own. An emulator makes GoogleTest fork them; a forked child
// would inherit this process's runtime.
bool can_start_children() {
    const char* const style = std::getenv("GTEST_DEATH_TEST_STYLE");
    if (style == nullptr || std::string_view(style) != "fast") {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
        return true;
    }
    std::printf("kb57: not shown: this program cannot start itself anew\n");
    return false;
}

bool has_markers() {
    void* const page = mmap_reserve(page_size);
    const bool has = page != nullptr && mmap_guard(page, page_size) == 0;
    if (page != nullptr) mmap_free(page, page_size);
    return has;
}

TEST(kb57_guards, of_hundreds_of_thousands_of_stacks_take_no_mappings) {
    // If a guard were a mapping, the process would end, or guards would be missing, after 32,000
    // goroutines. Some stacks would then have no guard, or there would be tens of thousands of
    // mappings.
    if (!can_start_children()) return;
    if (!has_markers()) {
        std::printf("kb57: not shown: this kernel has no MADV_GUARD_INSTALL\n");
        return;
    }
    EXPECT_EXIT(park(expected::markers, how_many()), testing::ExitedWithCode(7), "^$");
}

#if defined(ROTA_DEBUG_CHECKS)

int refuse_markers(sys_call call) { return call == sys_call::madvise ? EINVAL : 0; }

TEST(kb57_guards, that_are_mappings_leave_half_of_them_to_the_program_and_say_so) {
    // On a kernel without markers 200,000 goroutines need more mappings than there are. Each
    // goroutine must run, and one line must name the bound and its value: no crash, no silence.
    if (!can_start_children()) return;
    EXPECT_EXIT(
        {
            plant_fault(refuse_markers);
            park(expected::mappings, how_many());
        },
        testing::ExitedWithCode(7),
        "^rota: goroutine stacks: [^\n]*vm\\.max_map_count \\([0-9]+\\)[^\n]*\n$");
}

#endif

}  // namespace
}  // namespace rota::rt

#endif
