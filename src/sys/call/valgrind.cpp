// Makes the client requests to valgrind.
#include "sys/call/valgrind.hpp"

#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#define ROTA_VALGRIND 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <valgrind/memcheck.h>
#pragma GCC diagnostic pop
#else
#define ROTA_VALGRIND 0
#endif

namespace rota::rt {

#if ROTA_VALGRIND

void look_for_valgrind() { is_on_valgrind = RUNNING_ON_VALGRIND != 0; }

void tell_valgrind_of_stack(void* lo, void* hi) {
    (void)VALGRIND_STACK_REGISTER(lo, static_cast<std::byte*>(hi) - 1);
}

void tell_valgrind_of_beginning(void* lo, void* hi) {
    (void)VALGRIND_MAKE_MEM_UNDEFINED(lo,
                                      static_cast<std::byte*>(hi) - static_cast<std::byte*>(lo));
}

#else

void look_for_valgrind() {}
void tell_valgrind_of_stack(void*, void*) {}
void tell_valgrind_of_beginning(void*, void*) {}

#endif

}  // namespace rota::rt
