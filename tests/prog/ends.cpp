// Programs whose goroutines end by goexit or call std::terminate, and programs that tell which
// goroutine is the main goroutine.
#include <atomic>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// The numbers of main goroutines, and the number outside goroutines.
int main_numbers() {
    std::atomic<bool> taken{false};
    std::thread([&taken] {  // no main goroutine yet: its number stays reserved
        rota::wait_group all;
        for (int i = 0; i < 100; ++i)
            all.go([&taken] { taken = taken || rota::runtime::goid() == 1; });
        all.wait();
    })
        .join();
    if (taken) return 2;
    const std::uint64_t outside = rota::runtime::goid();
    const std::uint64_t first = rota::run([] { return rota::runtime::goid(); });
    const std::uint64_t second = rota::run([] { return rota::runtime::goid(); });
    const std::uint64_t other = rota::async([] { return rota::runtime::goid(); }).get();
    const bool different = first != second && second != other && first != other;
    return outside == 0 && first == 1 && second != 0 && other != 0 && different ? 0 : 1;
}

// Main ends by goexit; the other goroutines continue, and each says so.
int main_goexits() {
    static std::atomic<bool> said{false};  // set by main, which the goroutines could outrun
    rota::run([] {
        const rota::defer d([] {
            say("deferred");
            said = true;
        });
        for (int i = 0; i < 3; ++i) {
            rota::go([] {
                await([] { return said.load(); });
                rota::sleep_for(5ms);
                say("another");
            });
        }
        rota::runtime::goexit();
    });
    say("run has returned");
    return 0;
}

// The same, and another goroutine ends the process.
int main_goexits_other_exits() {
    rota::run([] {
        rota::go([] {
            rota::sleep_for(5ms);
            std::exit(3);
        });
        rota::runtime::goexit();
    });
    return 1;
}

int main_goexits_others_sleep() {
    rota::run([] {
        rota::go([] { block_for_ever(); });
        rota::runtime::goexit();
    });
    return 0;
}

// Main ends locked to the thread of run(): goroutines run on every other thread, but not on that
// thread.
int main_goexits_locked() {
    rota::run([] {
        rota::runtime::lock_os_thread();
        const pid_t mains = ::gettid();
        static std::atomic<int> left{50};
        for (int i = 0; i < 50; ++i) {
            rota::go([mains] {
                bool came = false;
                for (int k = 0; k < 200; ++k) {
                    came = came || ::gettid() == mains;
                    if (k % 50 == 0) rota::blocking([] { std::this_thread::sleep_for(1ms); });
                    rota::runtime::gosched();
                }
                if (came) std::exit(4);
                if (left.fetch_sub(1) == 1) std::exit(3);
            });
        }
        rota::runtime::goexit();
    });
    return 1;
}

// Threads of the program's own that wait for an event that cannot come; the program ends beside
// them.
int threads_on_nil_channels() {
    static std::atomic<int> returned{0};
    void (*const waits[])() = {
        [] { rota::chan<int>().send(1); }, [] { (void)rota::chan<int>().recv(); },
        [] {
            for ([[maybe_unused]] const int v : rota::chan<int>()) {
            }
        },
        [] { rota::select(); },
        [] {
            rota::select(rota::on_recv(rota::chan<int>()), rota::on_send(rota::chan<int>(), 1));
        }};
    static std::atomic<int> begun{0};
    for (void (*const wait)() : waits) {
        std::thread([wait] {
            begun.fetch_add(1);
            wait();
            returned.fetch_add(1);
        }).detach();
    }
    await([&waits] { return begun == std::ssize(waits) && do_the_others_sleep(); });
    rota::run([] { rota::runtime::gosched(); });
    await(do_the_others_sleep);
    return returned == 0 ? 0 : 1;
}

// The main goroutine of one run() ends by goexit while another run() continues.
int main_goexits_beside_another_run() {
    static std::thread other;
    rota::run([] {
        static std::atomic<bool> ended{false};
        other = std::thread([] {
            rota::run([] {
                const rota::defer d([] { ended = true; });
                rota::runtime::goexit();
            });
        });
        await([] { return ended && rota::runtime::num_goroutine() == 1; });
        rota::sleep_for(5ms);
        say("not concerned");
    });
    // Only that run() can end the wait of this thread. A thread that could bring work would rule
    // out the deadlock.
    other.join();
    return 1;
}

int swallowed() {
    return in_goroutine([] {
        try {
            rota::runtime::goexit();
        } catch (...) {
        }
        say("went on");
    });
}

int swallowed_by_main() {
    rota::run([] {
        try {
            rota::runtime::goexit();
        } catch (...) {
        }
        say("went on");
    });
    return 0;
}

// The handler leaves by an exception of its own.
int replaced() {
    return in_goroutine([] {
        try {
            try {
                rota::runtime::goexit();
            } catch (...) {
                throw std::runtime_error("instead");
            }
        } catch (const std::runtime_error&) {
            say("went on");
        }
    });
}

__attribute__((noinline)) void no_exceptions() noexcept { rota::runtime::goexit(); }

int goexit_through_noexcept() {
    return in_goroutine([] { no_exceptions(); });
}

int goexit_in_goexit() {
    return in_goroutine([] {
        const rota::defer again([] { rota::runtime::goexit(); });
        rota::runtime::goexit();
    });
}

std::atomic<bool> always{true};

int goexit_while_unwinding() {
    return in_goroutine([] {
        try {
            const rota::defer exits([] {
                if (always) rota::runtime::goexit();  // the compiler must not know
            });
            throw std::runtime_error("passes");
        } catch (const std::exception&) {
            say("went on");
        }
    });
}

__attribute__((noinline)) void throws() { throw std::runtime_error("boom"); }
__attribute__((noinline)) void throws_noexcept() noexcept { throws(); }

int exception_out_of_noexcept() {
    return in_goroutine([] { throws_noexcept(); });
}

int exception_out_of_noexcept_in_thread() {
    rota::run([] {});
    std::thread([] { throws_noexcept(); }).join();
    return 0;
}

int panic_in_defer_while_panicking() {
    return in_goroutine([] {
        const rota::defer second([] { rota::panic("second in defer"); });
        rota::panic("first");
    });
}

// A defer may throw where no exception passes: the exception leaves the goroutine.
int panic_in_defer() {
    return in_goroutine([] { const rota::defer d([] { rota::panic("in defer"); }); });
}

// A defer runs before the end of the process only if a frame catches the exception.
int terminate_called() {
    return in_goroutine([] { std::terminate(); });
}

void handler_of_program() {
    say("the program's own handler");
    std::_Exit(7);
}

int own_terminate_handler() {
    std::set_terminate(handler_of_program);
    return in_goroutine([] { throws_noexcept(); });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"main_goexits", main_goexits},
                     {"main_numbers", main_numbers},
                     {"main_goexits_other_exits", main_goexits_other_exits},
                     {"main_goexits_others_sleep", main_goexits_others_sleep},
                     {"main_goexits_locked", main_goexits_locked},
                     {"threads_on_nil_channels", threads_on_nil_channels},
                     {"main_goexits_beside_another_run", main_goexits_beside_another_run},
                     {"swallowed", swallowed},
                     {"swallowed_by_main", swallowed_by_main},
                     {"replaced", replaced},
                     {"goexit_through_noexcept", goexit_through_noexcept},
                     {"goexit_in_goexit", goexit_in_goexit},
                     {"goexit_while_unwinding", goexit_while_unwinding},
                     {"exception_out_of_noexcept", exception_out_of_noexcept},
                     {"exception_out_of_noexcept_in_thread", exception_out_of_noexcept_in_thread},
                     {"panic_in_defer_while_panicking", panic_in_defer_while_panicking},
                     {"panic_in_defer", panic_in_defer},
                     {"terminate_called", terminate_called},
                     {"own_terminate_handler", own_terminate_handler}});
}
