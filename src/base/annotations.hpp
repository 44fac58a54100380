// Attributes for clang's thread-safety analysis, for inlining and for the sanitizers.
#pragma once

#include <cstddef>

#if defined(__clang__)
#define ROTA_TSA(x) __attribute__((x))
#else
#define ROTA_TSA(x)
#endif

#define ROTA_CAPABILITY(name) ROTA_TSA(capability(name))
#define ROTA_SCOPED_CAPABILITY ROTA_TSA(scoped_lockable)
#define ROTA_GUARDED_BY(l) ROTA_TSA(guarded_by(l))
#define ROTA_REQUIRES(...) ROTA_TSA(requires_capability(__VA_ARGS__))
#define ROTA_EXCLUDES(...) ROTA_TSA(locks_excluded(__VA_ARGS__))
#define ROTA_ACQUIRE(...) ROTA_TSA(acquire_capability(__VA_ARGS__))
#define ROTA_RELEASE(...) ROTA_TSA(release_capability(__VA_ARGS__))
#define ROTA_TRY_ACQUIRE(...) ROTA_TSA(try_acquire_capability(__VA_ARGS__))
#define ROTA_NO_TSA ROTA_TSA(no_thread_safety_analysis)

#define ROTA_NOINLINE __attribute__((noinline))
#define ROTA_ALWAYS_INLINE inline __attribute__((always_inline))
#define ROTA_COLD __attribute__((cold, noinline))
#define ROTA_LIKELY(x) __builtin_expect(static_cast<bool>(x), 1)
#define ROTA_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), 0)

#if defined(__SANITIZE_THREAD__)
#define ROTA_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ROTA_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ROTA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROTA_ASAN 1
#endif
#endif
#ifndef ROTA_TSAN
#define ROTA_TSAN 0
#endif
#ifndef ROTA_ASAN
#define ROTA_ASAN 0
#endif

// A function that reads memory while other threads change it, where barriers that tsan does not
// know make that sound.
#if ROTA_TSAN
#define ROTA_READS_RACING __attribute__((no_sanitize("thread"), noinline))
#else
#define ROTA_READS_RACING
#endif

// A function that switches stacks: tsan must not keep its shadow call stack across the switch.
#if ROTA_TSAN
#define ROTA_SWITCHES_STACK __attribute__((no_sanitize("thread")))
#else
#define ROTA_SWITCHES_STACK
#endif

// A function that tsan must not know of: it runs where tsan's own functions may be interrupted.
#if ROTA_TSAN && defined(__clang__)
#define ROTA_UNSEEN_BY_TSAN __attribute__((disable_sanitizer_instrumentation, noinline))
#elif ROTA_TSAN
#define ROTA_UNSEEN_BY_TSAN __attribute__((no_sanitize("thread"), noinline))
#endif

namespace rota::rt {
inline constexpr std::size_t cache_line = 64;
}  // namespace rota::rt
