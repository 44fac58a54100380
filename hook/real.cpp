// Looked up at the first use, since other libraries' constructors may call before ours has run.
#include "real.hpp"

#include <cerrno>

#include <dlfcn.h>

#include "sys/call/call.hpp"

namespace rota::hook {

namespace {

constexpr const char* names[] = {
#define ROTA_HOOK_NAME(name) #name,
    ROTA_HOOK_COUNTED(ROTA_HOOK_NAME) ROTA_HOOK_CLOSING(ROTA_HOOK_NAME)
        ROTA_HOOK_NOTED(ROTA_HOOK_NAME)
#undef ROTA_HOOK_NAME
};
constexpr unsigned name_count = sizeof names / sizeof *names;
static_assert(name_count == static_cast<unsigned>(hooked::count));

constinit void* found[name_count] = {};  // relaxed: every thread finds the same

[[gnu::noinline]] void* look_up(unsigned which) {
    void* const address = ::dlsym(RTLD_NEXT, names[which]);
    if (address == nullptr) {
        constexpr char text[] = "rota: librota_hook.so: the C library lacks a function\n";
        (void)rt::call(SYS_write, STDERR_FILENO, text, sizeof text - 1);
        ::_exit(127);
    }
    __atomic_store_n(&found[which], address, __ATOMIC_RELAXED);
    return address;
}

// So that goroutines, whose stacks are small, find them looked up.
[[gnu::constructor]] void look_up_all() {
    for (unsigned i = 0; i < name_count; ++i) (void)look_up(i);
}

}  // namespace

void* real_function(hooked which) {
    const auto i = static_cast<unsigned>(which);
    void* const address = __atomic_load_n(&found[i], __ATOMIC_RELAXED);
    return address != nullptr ? address : look_up(i);
}

// A call that the compiler cannot see through reads the thread's errno anew.
[[gnu::noinline]] int get_errno() {
    asm volatile("" ::: "memory");
    return errno;
}

[[gnu::noinline]] void set_errno(int value) {
    asm volatile("" ::: "memory");
    errno = value;
}

}  // namespace rota::hook
