// Programs that end by a signal, or that print the stacks of their goroutines on request.
#include <atomic>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <rota/pprof.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

// The tests look for these names in traces.
__attribute__((noinline)) void receives_for_ever(rota::chan<int> ch) {
    ch.recv();
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

__attribute__((noinline)) void locks_for_ever(rota::mutex& mu) {
    mu.lock();
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

std::atomic<int> zero{0};
std::atomic<int*> no_address{nullptr};
std::atomic<void (*)()> no_function{nullptr};

__attribute__((noinline)) int reads_null() { return *no_address.load() + 1; }
__attribute__((noinline)) int divides_by_zero() { return 7 / zero.load(); }
__attribute__((noinline)) void jumps_to_null() {
    no_function.load()();
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

namespace {

int segv() {
    return in_goroutine([] { std::exit(reads_null()); });
}
int segv_in_main() {
    return rota::run([] { return reads_null(); });
}
int fpe() {
    return in_goroutine([] { std::exit(divides_by_zero()); });
}
int jump_to_null() {
    return in_goroutine([] { jumps_to_null(); });
}

// An access behind the end of a mapped file.
int bus() {
    return in_goroutine([] {
        char name[] = "/tmp/rota-crash-XXXXXX";
        const int fd = ::mkstemp(name);
        ::unlink(name);
        auto* const page = static_cast<volatile char*>(
            ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        page[0] = 1;
    });
}

// The fault is inside the allocator, which holds its lock.
int segv_in_free() {
    static std::atomic<void*> not_ours{reinterpret_cast<void*>(0x1000)};
    return in_goroutine([] { std::free(not_ours.load()); });
}

int segv_in_thread() {
    rota::run([] {});
    std::thread([] { std::exit(reads_null()); }).join();
    return 0;
}

// Eight goroutines crash at once, on every available thread: each second panics, each other reads a
// null pointer.
int many_at_once() {
    static std::atomic<int> there{0};
    rota::run([] {
        for (int i = 0; i < 8; ++i) {
            rota::go([i] {
                there.fetch_add(1);
                const auto until = std::chrono::steady_clock::now() + 100ms;
                while (there.load() < 2 && std::chrono::steady_clock::now() < until) {
                }
                if (i % 2 == 0) rota::panic("one of several");
                std::exit(reads_null());
            });
        }
        block_for_ever();
    });
    return 0;
}

// A goroutine panics while main returns.
int main_returns_meanwhile() {
    static std::atomic<bool> panics{false};
    rota::run([] {
        rota::go([] {
            panics = true;
            rota::panic(std::string(1 << 20, 'x'));
        });
        while (!panics) rota::runtime::gosched();
    });
    return 0;
}

// A goroutine still computes while static objects are destroyed, and then panics.
std::atomic<bool> statics_go{false};
std::atomic<bool> panics_late{false};
struct last_object {
    bool armed = false;
    ~last_object() {
        if (!armed) return;
        statics_go = true;
        while (!panics_late) {
        }
    }
} last;
int main_has_returned() {
    last.armed = true;
    rota::run([] {
        std::atomic<bool> computes{false};
        rota::go([&] {
            computes = true;
            while (!statics_go) {
            }
            const std::string text(1 << 20, 'x');
            panics_late = true;
            rota::panic(text);
        });
        while (!computes) rota::runtime::gosched();
    });
    return 0;
}

// Acts as the destructor of a library that the program uses: it runs after the program's own
// destructors and rota's.
bool quits_at_the_end = false;
#if !defined(__clang__)  // clang has no such warning
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif
[[gnu::destructor(100)]] void at_the_end() {
    if (quits_at_the_end) std::raise(SIGQUIT);
}
int quits_while_ending() {
    rota::run([] {});
    quits_at_the_end = true;
    return 0;
}

// The report of a panic waits for a reader; meanwhile SIGQUIT arrives at the reporting thread.
int quits_while_reporting() {
    int report[2] = {}, go_on[2] = {};
    if (::pipe(report) != 0 || ::pipe(go_on) != 0) return 1;
    const std::string filling(1 << 16, '.');  // the capacity of a pipe
    if (::write(report[1], filling.data(), filling.size()) != ssize_t{1 << 16}) return 1;
    if (::fork() == 0) {  // the reader: it reads on request, and outlives its parent
        ::close(report[1]);
        ::close(go_on[1]);
        char text[4096];
        if (::read(go_on[0], text, 1) != 1) ::_exit(1);
        for (ssize_t n = 0; (n = ::read(report[0], text, sizeof text)) > 0;) {
            if (::write(STDERR_FILENO, text, static_cast<std::size_t>(n)) != n) ::_exit(1);
        }
        ::_exit(0);
    }
    ::dup2(report[1], STDERR_FILENO);
    ::close(report[1]);
    std::atomic<long> reporter{0};
    std::thread quits([&] {
        await_in_blocking([&] {
            std::ifstream call("/proc/self/task/" + std::to_string(reporter) + "/syscall");
            long number = -1;
            std::string to;
            return reporter != 0 && call >> number >> to && number == SYS_write && to == "0x2";
        });
        ::syscall(SYS_tgkill, ::getpid(), reporter.load(), SIGQUIT);
        if (::write(go_on[1], "!", 1) != 1) std::abort();
    });
    return in_goroutine([&] {
        reporter = ::syscall(SYS_gettid);
        throw std::runtime_error("said in spite of a signal");
    });
}

// The program supplies what(), which may lock and park.
struct parks_in_what : std::exception {
    const char* what() const noexcept override {
        rota::mutex mu;
        mu.lock();
        for (int i = 0; i < 10; ++i) rota::sleep_for(100us);
        mu.unlock();
        return "after a while";
    }
};
int what_parks() {
    return in_goroutine([] { throw parks_in_what(); });
}

int aborts() {
    return in_goroutine([] { std::abort(); });
}

struct outer : std::runtime_error {
    using std::runtime_error::runtime_error;
};
int nested_exception() {
    return in_goroutine([] {
        try {
            throw std::runtime_error("inner");
        } catch (...) {
            std::throw_with_nested(outer("outer"));
        }
    });
}

// Starts three goroutines that wait, each in its own way.
void populate() {
    static rota::mutex held;
    held.lock();
    const std::uint64_t before = parks();
    rota::pprof::do_labels({{"tenant", "blue"}}, [] {
        rota::go(rota::go_options{.name = "receiver"},
                 [] { receives_for_ever(rota::make_chan<int>()); });
    });
    rota::go([] { locks_for_ever(held); });
    rota::go([] { rota::sleep_for(1h); });
    await([before] { return parks() >= before + 3; });
}

std::atomic<bool> in_call{false};

__attribute__((noinline)) void pauses_in_a_call() {
    rota::blocking([] {
        in_call = true;
        ::pause();
    });
    std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
}

__attribute__((noinline)) void computes_for_ever() {
    for (;;) zero.fetch_add(1);
}

int waits_for_signal() {
    rota::run([] {
        populate();
        rota::go([] { pauses_in_a_call(); });
        rota::go([] {
            await([] { return in_call.load(); });
            say("ready");
            computes_for_ever();
        });
        block_for_ever();
    });
    return 0;
}

void own_quit_handler(int) {
    // The handler avoids stdio: the signal may interrupt the output of another line.
    constexpr char text[] = "mine\n";
    const bool written = ::write(STDOUT_FILENO, text, sizeof text - 1) == sizeof text - 1;
    ::_exit(written ? 7 : 8);
}

int own_handler_of_quit() {
    std::signal(SIGQUIT, own_quit_handler);
    rota::run([] {
        rota::blocking([] {
            say("ready");
            for (;;) ::pause();
        });
    });
    return 0;
}

int deadlock() {
    rota::run([] {
        static rota::mutex held;
        held.lock();
        rota::go([] { receives_for_ever(rota::make_chan<int>()); });
        rota::go([] { locks_for_ever(held); });
        receives_for_ever(rota::make_chan<int>());
    });
    return 0;
}

__attribute__((noinline)) void many_frames(int n) {
    if (n == 0) rota::panic("deep");
    if (n > 0) many_frames(n - 1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
}
int deep() {
    return in_goroutine([] {
        many_frames(300);
        std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"segv", segv},
                     {"segv_in_main", segv_in_main},
                     {"fpe", fpe},
                     {"jump_to_null", jump_to_null},
                     {"bus", bus},
                     {"segv_in_free", segv_in_free},
                     {"segv_in_thread", segv_in_thread},
                     {"many_at_once", many_at_once},
                     {"main_returns_meanwhile", main_returns_meanwhile},
                     {"main_has_returned", main_has_returned},
                     {"quits_while_ending", quits_while_ending},
                     {"quits_while_reporting", quits_while_reporting},
                     {"what_parks", what_parks},
                     {"aborts", aborts},
                     {"nested_exception", nested_exception},
                     {"waits_for_signal", waits_for_signal},
                     {"own_handler_of_quit", own_handler_of_quit},
                     {"deadlock", deadlock},
                     {"deep", deep}});
}
