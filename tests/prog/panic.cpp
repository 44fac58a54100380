// Programs that end by an uncaught exception.
#include <atomic>
#include <locale>
#include <stdexcept>
#include <string>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

struct custom_error {
    int code;
};

// The tests look for this name in the trace.
__attribute__((noinline)) void function_that_throws(int n) {
    if (n == 0) throw std::runtime_error("boom");
    function_that_throws(n - 1);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call: each call has its frame
}

namespace {

// Throws in a goroutine while main sleeps.
int panic_error() {
    return in_goroutine([] { rota::panic("something broke"); });
}
int runtime_error() {
    return in_goroutine([] { throw std::runtime_error("boom"); });
}
int no_text() {
    return in_goroutine([] { throw std::runtime_error(""); });
}
int an_int() {
    return in_goroutine([] { throw 42; });
}
int text() {
    return in_goroutine([] { throw "a literal"; });
}
int string() {
    return in_goroutine([] { throw std::string("a string"); });
}
int custom() {
    return in_goroutine([] { throw custom_error{3}; });
}
int closed_channel() {
    return in_goroutine([] {
        auto ch = rota::make_chan<int>();
        ch.close();
        ch.close();
    });
}
int two_lines() {
    return in_goroutine([] { rota::panic("one\ntwo"); });
}
int long_text() {
    return in_goroutine([] { rota::panic(std::string(100'000, 'x')); });
}

// A library throws deep inside a call, on a goroutine that has parked and migrated before.
int from_library() {
    return in_goroutine([] {
        for (int i = 0; i < 100; ++i) rota::sleep_for(10us);
        const std::locale nowhere("no such place");
    });
}

int named_functions() {
    return in_goroutine([] { function_that_throws(3); });
}

int main_in_long_sleep() {
    rota::run([] {
        const std::uint64_t before = parks();
        rota::go([before] {
            await([before] { return parks() > before; });
            rota::panic("late");
        });
        rota::sleep_for(1h);
    });
    return 0;
}

int main_in_blocking() {
    rota::run([] {
        rota::go([] { rota::panic("elsewhere"); });
        rota::blocking([] {
            for (;;) ::pause();
        });
    });
    return 0;
}

// An exception of main's own function goes to the caller of run().
int left_by_run() {
    try {
        rota::run([] { throw std::runtime_error("for the caller"); });
    } catch (const std::runtime_error& e) {
        say(e.what());
        return 0;
    }
    return 1;
}

int left_by_run_and_main() {
    rota::go([] { rota::sleep_for(1h); });
    return rota::run([]() -> int {
        await([] { return rota::runtime::stack(true).find(" [sleep") != std::string::npos; });
        throw std::runtime_error("for nobody");
    });
}

// An exception of C++'s main does not belong to rota, even if an exception has left a run() before.
int left_by_main_alone() {
    left_by_run();
    throw std::logic_error("of main itself");
}

int rethrown() {
    return in_goroutine([] {
        try {
            throw std::runtime_error("first");
        } catch (...) {
            rota::runtime::gosched();
            throw;
        }
    });
}

// While a handler handles an exception, a second exception leaves the goroutine.
int nested() {
    return in_goroutine([] {
        try {
            throw std::runtime_error("first");
        } catch (...) {
            rota::panic("second");
        }
    });
}

int dropped_future() {
    rota::run([] {
        {
            auto f = rota::async([]() -> int { throw std::runtime_error("nobody asks"); });
        }
        block_for_ever();
    });
    return 0;
}

// The goroutine has failed long before the program drops its future.
int dropped_later() {
    rota::run([] {
        auto f = rota::async([]() -> int { throw std::runtime_error("nobody asks"); });
        f.wait();
        f = {};
        block_for_ever();
    });
    return 0;
}

// Outside of run() no thread waits for the goroutine, which may have no time left to panic.
int dropped_by_main() {
    auto f = rota::async([]() -> int { throw std::runtime_error("nobody asks"); });
    f.wait();
    f = {};
    return 0;
}

int taken_future() {
    return rota::run([] {
        auto f = rota::async([]() -> int { throw std::runtime_error("asked for"); });
        try {
            f.get();
        } catch (const std::runtime_error&) {
            return 0;
        }
        return 1;
    });
}

// Two goroutines crash at the same moment, as nearly as two processors can.
int both_at_once() {
    static std::atomic<int> there{0};
    const auto crash = [](const char* name) {
        there.fetch_add(1);
        const auto until = std::chrono::steady_clock::now() + 2s;
        while (there.load() < 2 && std::chrono::steady_clock::now() < until) {
        }
        rota::panic(name);
    };
    rota::run([crash] {
        rota::go(crash, "one of two");
        rota::go(crash, "one of two");
        block_for_ever();
    });
    return 0;
}

// Another m takes its p meanwhile, and still has it when the goroutine throws.
int after_raw_sleep() {
    static std::atomic<unsigned> turns{0};
    rota::run([] {
        rota::go([] {
            for (;;) {
                ++turns;
                rota::runtime::gosched();
            }
        });
        rota::go([] {
            const unsigned before = turns;
            while (turns < before + 3) {
                const timespec nap{0, 2'000'000};
                ::nanosleep(&nap, nullptr);
            }
            throw std::runtime_error("boom");
        });
        block_for_ever();
    });
    return 0;
}

int with_sleepers() {
    rota::run([] {
        const std::uint64_t before = parks();
        rota::go([] { rota::make_chan<int>().recv(); });
        rota::go([] { rota::chan<int>().recv(); });
        await([before] { return parks() >= before + 2; });
        rota::go([] { rota::panic("boom"); });
        block_for_ever();
    });
    return 0;
}

// A crash runs no destructors.
int through_destructors() {
    struct loud {
        ~loud() { say("destroyed"); }
    };
    return in_goroutine([] {
        const loud object;
        function_that_throws(3);
    });
}

// stderr has no reader.
int broken_stderr() {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    return panic_error();
}

int named_goroutine() {
    rota::run([] {
        rota::go(rota::go_options{.name = "the culprit"}, [] { rota::panic("boom"); });
        block_for_ever();
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"panic_error", panic_error},
                     {"runtime_error", runtime_error},
                     {"no_text", no_text},
                     {"int", an_int},
                     {"text", text},
                     {"string", string},
                     {"custom", custom},
                     {"closed_channel", closed_channel},
                     {"two_lines", two_lines},
                     {"long_text", long_text},
                     {"from_library", from_library},
                     {"named_functions", named_functions},
                     {"main_in_long_sleep", main_in_long_sleep},
                     {"main_in_blocking", main_in_blocking},
                     {"left_by_run", left_by_run},
                     {"left_by_run_and_main", left_by_run_and_main},
                     {"left_by_main_alone", left_by_main_alone},
                     {"rethrown", rethrown},
                     {"nested", nested},
                     {"dropped_future", dropped_future},
                     {"dropped_later", dropped_later},
                     {"dropped_by_main", dropped_by_main},
                     {"taken_future", taken_future},
                     {"both_at_once", both_at_once},
                     {"after_raw_sleep", after_raw_sleep},
                     {"with_sleepers", with_sleepers},
                     {"through_destructors", through_destructors},
                     {"broken_stderr", broken_stderr},
                     {"named_goroutine", named_goroutine}});
}
