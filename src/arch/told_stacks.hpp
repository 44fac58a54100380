// Tells the program's own AddressSanitizer of stack switches, from a library that was built without
// it.
//
// The library refers to the sanitizer's functions weakly: they are null unless the program was
// linked with -fsanitize=address. If they are there, each switch goes through context_switch_told
// (sched/base/switch_told). Otherwise a switch costs the load of a byte of the m's record. A build
// with ROTA_SANITIZE tells by arch/fiber.hpp instead.
//
// ThreadSanitizer cannot be told in this way. It would see none of the library's own atomic
// accesses, which order the goroutines' work, and report false races.
#pragma once

#include <cstddef>

#include "base/annotations.hpp"

#if !ROTA_TSAN && !ROTA_ASAN
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** save, const void* bottom,
                                                  std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* save, const void** bottom,
                                                   std::size_t* size);
[[gnu::weak]] void __asan_unpoison_memory_region(const void* start, std::size_t size);
[[gnu::weak]] void __lsan_register_root_region(const void* start, std::size_t size);
[[gnu::weak]] void __lsan_unregister_root_region(const void* start, std::size_t size);
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
}
#endif

namespace rota::rt {

// Whether the program has that sanitizer and the library does not.
#if !ROTA_TSAN && !ROTA_ASAN
inline bool is_asan_to_be_told() {
    return &__sanitizer_start_switch_fiber != nullptr &&
           &__sanitizer_finish_switch_fiber != nullptr && &__asan_unpoison_memory_region != nullptr;
}
inline bool is_tsan_untold() { return &__tsan_create_fiber != nullptr; }
#else
inline bool is_asan_to_be_told() { return false; }
inline bool is_tsan_untold() { return false; }
#endif

// Makes pointers in that memory of the runtime count for the leak checker, if there is one.
inline void tell_leak_checker([[maybe_unused]] const void* start,
                              [[maybe_unused]] std::size_t size) {
#if !ROTA_TSAN && !ROTA_ASAN
    if (&__lsan_register_root_region != nullptr && size > 0)
        __lsan_register_root_region(start, size);
#endif
}
inline void untell_leak_checker([[maybe_unused]] const void* start,
                                [[maybe_unused]] std::size_t size) {
#if !ROTA_TSAN && !ROTA_ASAN
    if (&__lsan_unregister_root_region != nullptr && size > 0)
        __lsan_unregister_root_region(start, size);
#endif
}

}  // namespace rota::rt
