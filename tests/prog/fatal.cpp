// Programs that make a mistake which ends the process: with locks, threads or stacks, and in
// memory.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <netdb.h>
#include <sys/mman.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

int unlock() {
    rota::run([] { rota::mutex().unlock(); });
    return 0;
}

int unlock_twice() {
    return in_goroutine([] {
        rota::mutex mu;
        mu.lock();
        mu.unlock();
        mu.unlock();
    });
}

// A fatal error is no exception: no catch clause stops it.
int unlock_caught() {
    rota::run([] {
        try {
            rota::mutex().unlock();
        } catch (...) {
            say("caught");
        }
    });
    return 0;
}

// A goroutine that ends before its pin does: the runtime does not end the pin for it.
int ends_pinned() {
    return in_goroutine([] { new rota::runtime::pin; });
}

int pin_ends_elsewhere() {
    return in_goroutine([] {
        auto* const mine = new rota::runtime::pin;
        rota::wait_group one;
        one.go([mine] { delete mine; });
        one.wait();
    });
}

int unlock_in_thread() {
    std::thread([] { rota::mutex().unlock(); }).join();
    return 0;
}

int unlock_shared() {
    rota::run([] { rota::shared_mutex().unlock(); });
    return 0;
}

int runlock() {
    rota::run([] { rota::shared_mutex().unlock_shared(); });
    return 0;
}

int runlock_in_thread() {
    std::thread([] {
        rota::shared_mutex mu;
        mu.lock_shared();
        mu.unlock_shared();
        mu.unlock_shared();
    }).join();
    return 0;
}

// The writer detects a surplus unlock_shared() of readers that count per processor.
int runlock_after_many() {
    rota::run([] {
        rota::shared_mutex mu;
        for (int i = 0; i < 10'000; ++i) {
            mu.lock_shared();
            mu.unlock_shared();
        }
        mu.unlock_shared();
        mu.lock();
    });
    return 0;
}

int unlock_of_a_reader() {
    rota::run([] {
        rota::shared_mutex mu;
        mu.lock_shared();
        mu.unlock();
    });
    return 0;
}

int nil_function() {
    rota::run([] {
        rota::go(std::function<void()>());
        block_for_ever();
    });
    return 0;
}

int nil_function_of_a_group() {
    return rota::run([] {
        rota::wait_group wg;
        wg.go(std::function<void()>());
        wg.wait();
        return 0;
    });
}

int nil_function_with_options() {
    rota::run([] {
        rota::go({.name = "none"}, std::function<void()>());
        block_for_ever();
    });
    return 0;
}

int nil_function_from_a_thread() {
    std::thread([] { rota::go(std::function<void()>()); }).join();
    return 0;
}

int nil_pointer() {
    rota::run([] {
        void (*none)() = nullptr;
        rota::go(none);
        block_for_ever();
    });
    return 0;
}

void block_on_threads_of_their_own(int goroutines) {
    for (int i = 0; i < goroutines; ++i) {
        rota::go([] {
            rota::blocking([] {
                for (;;) ::pause();
            });
        });
    }
}

int too_many_threads() {
    rota::run([] {
        rota::runtime::set_max_threads(8);
        block_on_threads_of_their_own(20);
        rota::make_chan<int>().recv();
    });
    return 0;
}

// For goroutines that compute, the runtime starts threads which do not count towards the limit.
int too_many_threads_beside_hogs() {
    rota::run([] {
        rota::runtime::set_max_threads(8);
        for (int i = 0; i < 4; ++i) {
            rota::go([] {
                for (volatile bool on = true; on;) {
                }
            });
        }
        const auto before = rota::runtime::read_sched_stats().handoffs;
        await([=] {  // main's timers come due while every p computes: sysmon takes a p
            rota::sleep_for(std::chrono::milliseconds(1));
            return rota::runtime::read_sched_stats().handoffs != before;
        });
        block_on_threads_of_their_own(40);
        rota::make_chan<int>().recv();
    });
    return 0;
}

// Below its limit a program runs without an error; sysmon's thread does not count.
int enough_threads() {
    return rota::run([] {
        rota::runtime::set_max_threads(40);
        rota::wait_group all;
        std::atomic<int> inside{0};
        for (int i = 0; i < 20; ++i) {
            all.go([&inside] {
                inside.fetch_add(1);
                rota::blocking(
                    [&inside] { await_in_blocking([&inside] { return inside.load() == 20; }); });
            });
        }
        all.wait();
        return 0;
    });
}

// --- stacks --------------------------------------------------------------------------------------

__attribute__((noinline)) int recurse(int depth) {
    char frame[512];
    std::snprintf(frame, sizeof frame, "%d", depth);
    const int below = depth == 0 ? 0 : recurse(depth - 1);
    return below + frame[0] - '0';
}

// The recursion ends inside a function of libc: the overflow is inside snprintf.
__attribute__((noinline)) int print_deeper(int depth) {
    char frame[96];
    const int written = std::snprintf(frame, sizeof frame, "%d %.40f %s", depth, depth / 7.0, "x");
    return written + (depth == 0 ? 0 : print_deeper(depth - 1));
}

// The same, with stdout's lock held at the end of the stack.
__attribute__((noinline)) int printf_deeper(int depth) {
    char frame[96];
    frame[depth % 96] = 'x';
    const int written = std::printf("%d %.60f\n", depth, depth / 7.0);
    return written + (depth == 0 ? 0 : printf_deeper(depth - 1)) + frame[depth % 96];
}

// The same in the resolver, whose frames are large and which holds its own locks. A numeric port
// and no network: the resolver sends no query.
__attribute__((noinline)) int resolve_deeper(int depth) {
    char frame[4000];
    frame[depth % 4000] = 'x';
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo("localhost", "80", &hints, &found);
    if (found != nullptr) ::freeaddrinfo(found);
    return failed + (depth == 0 ? 0 : resolve_deeper(depth - 1)) + frame[depth % 4000];
}

// A single frame that is larger than the guard and the whole stack.
__attribute__((noinline)) int large_frame(int n) {
    char frame[1 << 20];
    std::snprintf(frame, sizeof frame, "%d", n);
    return frame[n % 3];
}

std::atomic<int> endless{1'000'000'000};

int deep() {
    return in_goroutine([] { std::exit(recurse(endless)); });
}
int deep_main() {
    return rota::run([] { return recurse(endless); });
}
int in_library() {
    return in_goroutine([] { std::exit(print_deeper(endless)); });
}
int in_printf() {
    return in_goroutine([] { std::exit(printf_deeper(endless)); });
}
int in_getaddrinfo() {
    return in_goroutine([] { std::exit(resolve_deeper(endless)); });
}
int one_frame() {
    return in_goroutine([] { std::exit(large_frame(endless)); });
}

// Sizes other than the default: the guard lies where the size demands.
template <std::size_t Size>
int of_size() {
    rota::run([] {
        rota::go(rota::go_options{.stack_size = Size}, [] { std::exit(recurse(endless)); });
        block_for_ever();
    });
    return 0;
}

// Many threads; the goroutine has moved between them before.
int after_migration() {
    rota::run([] {
        for (int i = 0; i < 50; ++i) {
            rota::go([] {
                for (;;) rota::sleep_for(20us);
            });
        }
        rota::go([] {
            for (int i = 0; i < 200; ++i) {
                rota::sleep_for(10us);
                sit_in_a_call(1);
            }
            recurse(endless);
        });
        block_for_ever();
    });
    return 0;
}

// Deep, but within the requested size: no overflow.
int large_stack() {
    return rota::run([] {
        auto done = rota::make_chan<int>();
        rota::go(rota::go_options{.stack_size = 32 << 20}, [done] { done.send(recurse(10'000)); });
        return done.recv().has_value() ? 0 : 1;
    });
}

// --- ordinary faults -----------------------------------------------------------------------------

void* forbidden_page() {
    return ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void touch(void* page) { *static_cast<volatile int*>(page) = 1; }

void handler_of_program(int, siginfo_t*, void*) {
    constexpr char text[] = "the program's own handler\n";
    (void)!::write(STDOUT_FILENO, text, sizeof text - 1);
    ::_exit(7);
}

void install_handler_of_program() {
    struct sigaction ours{};
    ours.sa_sigaction = handler_of_program;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGSEGV, &ours, nullptr);
    ::sigaction(SIGBUS, &ours, nullptr);
    ::sigaction(SIGFPE, &ours, nullptr);
}

int own_handler_in_goroutine() {
    install_handler_of_program();
    return in_goroutine([] { touch(forbidden_page()); });
}

// The page lies behind the end of its file.
int own_handler_of_bus() {
    install_handler_of_program();
    return in_goroutine([] {
        std::FILE* const empty = std::tmpfile();
        touch(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ::fileno(empty), 0));
    });
}

// Off for the sanitizer, which would end the process before the processor raises the fault.
__attribute__((noinline, no_sanitize("undefined"))) int divides(int by) { return 7 / by; }

int own_handler_of_fpe() {
    install_handler_of_program();
    return in_goroutine([] {
        static std::atomic<int> zero{0};
        std::exit(divides(zero.load()));
    });
}

int own_handler_in_thread() {
    install_handler_of_program();
    rota::run([] {});
    std::thread([] { touch(forbidden_page()); }).join();
    return 0;
}

// The handler must not hide a stack overflow: the runtime reports it.
int own_handler_and_overflow() {
    install_handler_of_program();
    return deep();
}

int fault_without_handler() {
    return in_goroutine([] { touch(forbidden_page()); });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"unlock", unlock},
                     {"unlock_twice", unlock_twice},
                     {"unlock_caught", unlock_caught},
                     {"unlock_in_thread", unlock_in_thread},
                     {"ends_pinned", ends_pinned},
                     {"pin_ends_elsewhere", pin_ends_elsewhere},
                     {"unlock_shared", unlock_shared},
                     {"runlock", runlock},
                     {"runlock_in_thread", runlock_in_thread},
                     {"runlock_after_many", runlock_after_many},
                     {"unlock_of_a_reader", unlock_of_a_reader},
                     {"nil_function", nil_function},
                     {"nil_function_of_a_group", nil_function_of_a_group},
                     {"nil_function_with_options", nil_function_with_options},
                     {"nil_function_from_a_thread", nil_function_from_a_thread},
                     {"nil_pointer", nil_pointer},
                     {"too_many_threads", too_many_threads},
                     {"too_many_threads_beside_hogs", too_many_threads_beside_hogs},
                     {"enough_threads", enough_threads},
                     {"deep", deep},
                     {"deep_main", deep_main},
                     {"in_library", in_library},
                     {"in_printf", in_printf},
                     {"in_getaddrinfo", in_getaddrinfo},
                     {"one_frame", one_frame},
                     {"after_migration", after_migration},
                     {"large_stack", large_stack},
                     {"of_64_kib", of_size<64 * 1024>},
                     {"of_8_mib", of_size<8 * 1024 * 1024>},
                     {"own_handler_in_goroutine", own_handler_in_goroutine},
                     {"own_handler_of_bus", own_handler_of_bus},
                     {"own_handler_of_fpe", own_handler_of_fpe},
                     {"own_handler_in_thread", own_handler_in_thread},
                     {"own_handler_and_overflow", own_handler_and_overflow},
                     {"fault_without_handler", fault_without_handler}});
}
