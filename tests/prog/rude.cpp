// Rude goroutines, which never let another goroutine run by themselves, beside polite goroutines,
// each of which must finish.
//
//     prog_rude CASE        GOMAXPROCS and GODEBUG from the environment
//
// Each case starts some rude goroutines and then 1,000 polite goroutines, waits for the latter, and
// prints "polite" when they have finished. Then it stops the rude goroutines, and waits for them.
#include <atomic>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <dlfcn.h>
#include <netdb.h>
#include <sys/wait.h>

#include "program.hpp"

using namespace rota_test;

namespace {

std::atomic<bool> stop{false};
bool stopped() { return stop.load(std::memory_order_relaxed); }

template <class F>
int beside_polite_ones(int rude_ones, F rude) {
    rota::run([&] {
        rota::wait_group rude_group;
        for (int i = 0; i < rude_ones; ++i) rude_group.go([&] { rude(); });
        rota::wait_group polite;
        auto c = rota::make_chan<int>(1000);
        for (int i = 0; i < 1000; ++i) {
            polite.go([&, i] {
                for (int k = 0; k < 3; ++k) {
                    c.send(i);
                    rota::runtime::gosched();
                    (void)c.recv();
                }
            });
        }
        polite.wait();
        say("polite");
        stop.store(true);
        rude_group.wait();
    });
    return 0;
}

int endless_loop() {
    return beside_polite_ones(3, [] {
        while (!stopped()) {
        }
    });
}

int endless_loop_in_libc() {
    return beside_polite_ones(3, [] {
        std::vector<char> text(1 << 20, 'x');
        volatile std::size_t sum = 0;
        while (!stopped()) sum = sum + ::strnlen(text.data(), text.size());
    });
}

int raw_read() {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    rota::run([&] {
        rota::wait_group all;
        for (int i = 0; i < 8; ++i) {
            all.go([&] {
                char one = 0;
                if (::read(ends[0], &one, 1) != 1) std::_Exit(3);
            });
        }
        rota::wait_group polite;
        for (int i = 0; i < 1000; ++i) polite.go([] { rota::runtime::gosched(); });
        polite.wait();
        say("polite");
        if (::write(ends[1], "01234567", 8) != 8) std::_Exit(4);
        all.wait();
    });
    return 0;
}

int mutex_convoy() {
    static std::mutex m;
    static volatile unsigned long inside = 0;
    return beside_polite_ones(8, [] {
        while (!stopped()) {
            const std::lock_guard guard(m);
            for (int i = 0; i < 20'000; ++i) inside = inside + 1;
        }
    });
}

int recursive_mutex() {
    static std::recursive_mutex m;
    static volatile unsigned long inside = 0;
    return beside_polite_ones(4, [] {
        while (!stopped()) {
            const std::lock_guard guard(m);
            for (int i = 0; i < 5'000; ++i) {
                const std::lock_guard again(m);
                inside = inside + 1;
            }
        }
    });
}

int usleeping() {
    // The sleep itself is the rudeness; it waits for no event.
    return beside_polite_ones(8, [] {
        while (!stopped()) {
            if (::usleep(3000) != 0) std::_Exit(5);  // interrupted, although it computes nothing
        }
    });
}

int name_lookups() {
    return beside_polite_ones(4, [] {
        while (!stopped()) {
            addrinfo* found = nullptr;
            addrinfo hints{};
            hints.ai_flags = AI_NUMERICHOST;
            if (::getaddrinfo("127.0.0.1", "80", &hints, &found) != 0) std::_Exit(6);
            ::freeaddrinfo(found);
        }
    });
}

int malloc_storm() {
    return beside_polite_ones(4, [] {
        std::vector<std::unique_ptr<char[]>> held(512);
        unsigned n = 1;
        while (!stopped()) {
            n = n * 1664525 + 1013904223;
            held[n >> 23] = std::make_unique<char[]>((n >> 8) % 5000 + 1);
        }
    });
}

int iostream_storm() {
    return beside_polite_ones(4, [] {
        while (!stopped()) {
            std::ostringstream out;
            out << 3.14 << ' ' << 42 << ' ' << std::boolalpha << true;
            if (out.str() != "3.14 42 true") std::_Exit(7);
            std::clog << "" << std::flush;
            std::fputs("", stdout);
            std::fflush(stdout);
        }
    });
}

int throw_storm() {
    return beside_polite_ones(4, [] {
        unsigned long n = 0;
        while (!stopped()) {
            try {
                throw std::runtime_error(std::to_string(++n));
            } catch (const std::runtime_error& e) {
                if (std::strtoul(e.what(), nullptr, 10) != n) std::_Exit(8);
            }
        }
    });
}

int dlopen_storm() {
    return beside_polite_ones(3, [] {
        while (!stopped()) {
            void* const library = ::dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
            if (library != nullptr) ::dlclose(library);
            void* const own = ::dlopen(nullptr, RTLD_NOW);
            if (own == nullptr || ::dlsym(own, "malloc") == nullptr) std::_Exit(9);
            ::dlclose(own);
        }
    });
}

int fork_exec() {
    return beside_polite_ones(2, [] {
        while (!stopped()) {
            const pid_t child = ::fork();
            if (child == 0) {
                ::raise(SIGURG);  // as if a signal were on its way
                ::execl("/bin/true", "true", nullptr);
                ::_exit(127);
            }
            int status = 0;
            if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) std::_Exit(10);
        }
    });
}

// Calls exit() while stopped threads may hold malloc's lock: the exit handlers must not wait for
// them.
int exit_amid_mallocs() {
    rota::run([] {
        for (int i = 0; i < 6; ++i) {
            rota::go([] {
                for (;;) {
                    auto* volatile kept = new char[100];
                    delete[] kept;
                }
            });
        }
        // The load, not a wait: for three slices the goroutines are stopped and continue in turn,
        // anywhere in malloc.
        rota::sleep_for(std::chrono::milliseconds(30));
        std::exit(3);
    });
    return 0;
}

// A stopped thread must find every register unchanged when it continues.
#if defined(__x86_64__)
bool keeps_vector_registers() {
    alignas(64) unsigned long before[8], after[8];
    for (unsigned long i = 0; i < 8; ++i) before[i] = 0x0123456789abcdef * (i + 1);
    unsigned long spins = 2'000'000;
    unsigned long flags = 0;
    if (__builtin_cpu_supports("avx512f")) {
        asm volatile(
            "vmovdqu64 %[in], %%zmm0\n\tvmovdqu64 %[in], %%zmm9\n\tvmovdqu64 %[in], %%zmm31\n\t"
            "kxnorw %%k3, %%k3, %%k3\n\t"
            "1: decq %[n]\n\tjnz 1b\n\t"
            "vpxorq %%zmm0, %%zmm9, %%zmm9\n\tvpxorq %%zmm31, %%zmm0, %%zmm0\n\t"
            "vporq %%zmm0, %%zmm9, %%zmm9\n\tvpxorq %[in], %%zmm31, %%zmm31\n\t"
            "vporq %%zmm9, %%zmm31, %%zmm31\n\tvmovdqu64 %%zmm31, %[out]\n\t"
            "kmovw %%k3, %k[k]\n\tvzeroupper"
            : [n] "+r"(spins), [out] "=m"(after), [k] "=r"(flags)
            : [in] "m"(before)
            : "xmm0", "xmm9", "cc", "memory");
        if ((flags & 0xffff) != 0xffff) return false;
        for (const unsigned long word : after)
            if (word != 0) return false;
        return true;
    }
    asm volatile("movdqu %[in], %%xmm0\n\tmovdqu %[in], %%xmm15\n\t"
                 "1: decq %[n]\n\tjnz 1b\n\t"
                 "pxor %%xmm15, %%xmm0\n\tmovdqu %%xmm0, %[out]"
                 : [n] "+r"(spins), [out] "=m"(after)
                 : [in] "m"(before)
                 : "xmm0", "xmm15", "cc", "memory");
    return after[0] == 0 && after[1] == 0;
}
#else
bool keeps_vector_registers() { return true; }
#endif

int registers() {
    return beside_polite_ones(3, [] {
        while (!stopped()) {
            errno = 77;
            if (!keeps_vector_registers()) std::_Exit(11);
            if (errno != 77) std::_Exit(12);
        }
    });
}

// The program installs a handler for the signal before the runtime does: both run.
std::atomic<int> own_calls{0};
int own_handler() {
    std::signal(SIGURG, [](int) { own_calls.fetch_add(1); });
    const int status = beside_polite_ones(2, [] {
        while (!stopped()) {
        }
        ::raise(SIGURG);
    });
    return status == 0 && own_calls.load() >= 2 ? 0 : 13;
}

constexpr program_case cases[] = {{"endless_loop", endless_loop},
                                  {"endless_loop_in_libc", endless_loop_in_libc},
                                  {"raw_read", raw_read},
                                  {"mutex_convoy", mutex_convoy},
                                  {"recursive_mutex", recursive_mutex},
                                  {"usleeping", usleeping},
                                  {"name_lookups", name_lookups},
                                  {"malloc_storm", malloc_storm},
                                  {"iostream_storm", iostream_storm},
                                  {"throw_storm", throw_storm},
                                  {"dlopen_storm", dlopen_storm},
                                  {"fork_exec", fork_exec},
                                  {"exit_amid_mallocs", exit_amid_mallocs},
                                  {"registers", registers},
                                  {"own_handler", own_handler}};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
