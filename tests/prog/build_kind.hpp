// Which sanitizer this build carries.
#pragma once

namespace rota_test {

#if defined(__SANITIZE_THREAD__)
#define ROTA_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ROTA_TEST_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ROTA_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROTA_TEST_ASAN 1
#endif
#endif
#ifndef ROTA_TEST_TSAN
#define ROTA_TEST_TSAN 0
#endif
#ifndef ROTA_TEST_ASAN
#define ROTA_TEST_ASAN 0
#endif

inline constexpr bool under_tsan = ROTA_TEST_TSAN != 0;
inline constexpr bool under_asan = ROTA_TEST_ASAN != 0;
inline constexpr bool plain_build = !under_tsan && !under_asan;
inline constexpr const char* sanitizer_name = under_tsan   ? "ThreadSanitizer"
                                              : under_asan ? "AddressSanitizer"
                                                           : "none";

// tsan keeps a shadow stack per goroutine and has room for some 8,000 of them; asan looks through
// each stack for what it refers to when the process ends.
inline constexpr int many_goroutines = plain_build ? 10'000 : 2000;

}  // namespace rota_test
