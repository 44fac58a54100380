// Acts: the parts that this test program plays when it runs itself as a child, `--act NAME`. A
// planted mistake ends the process whose sanitizer sees it; so each act gets a process of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <rota/rota.hpp>

#include "../prog/child.hpp"

namespace rota_test {

struct act {
    const char* name;
    void (*play)();
};

inline std::vector<act>& acts() {
    static std::vector<act> all;
    return all;
}

inline bool add_act(const char* name, void (*play)()) {
    acts().push_back({name, play});
    return true;
}

// Runs an act in a child, with the sanitizer options for which the acts are made.
inline outcome play(const char* name, const char* gomaxprocs) {
    const environment env{
        {"GOMAXPROCS", gomaxprocs},
        with_options("ASAN_OPTIONS", "detect_stack_use_after_return=1:detect_leaks=1"),
        with_options("UBSAN_OPTIONS", "print_stacktrace=0"),
        with_options("TSAN_OPTIONS", "atexit_sleep_ms=100")};
    return child({"/proc/self/exe", "--act", name}, env).finish();
}

// Ends the child with status 99 if the condition does not come true. It does not enter the runtime
// and orders no memory: threads meet here as if by chance.
template <class C>
void meet(C condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) ::_exit(99);
    }
}

// The compiler must not see through these functions, or it would warn of the planted mistakes, or
// use them.
template <class T>
__attribute__((noinline)) T* opaque(T* p) {
    asm volatile("" : "+r"(p) : : "memory");
    return p;
}
inline volatile int sink = 0;

}  // namespace rota_test

// `ROTA_ACT(name) { body }` defines the act `name`.
#define ROTA_ACT(name) \
    static void act_##name(); \
    [[maybe_unused]] static const bool added_##name = rota_test::add_act(#name, act_##name); \
    static void act_##name()
