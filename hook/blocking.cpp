// Calls that cannot park: getaddrinfo, flock, and with GODEBUG=hook=locks the waits of pthread
// mutexes and conditions. The goroutine gives its processor away and its thread blocks.
//
// Mutexes that record their owner's thread (recursive, error-checking, robust, priority
// inheritance) are left to the C library: after a blocking section a goroutine may run on another
// thread.
#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

template <class Real>
int in_blocking_section(hooked which, Real real) {
    return make(which, false, real, [&](call& c) { return c.block(real); });
}

// The same for functions that return an errno value, or a code of their own.
template <class Real>
int in_blocking_section_with_code(hooked which, Real real) {
    call c(which);
    if (c.is_straight()) return real();
    int code = 0, errno_then = 0;
    (void)c.block([&] {
        code = real();
        errno_then = get_errno();
        return 0;
    });
    (void)c.finish_with_code(code);
    if (which == hooked::getaddrinfo && code == EAI_SYSTEM) set_errno(errno_then);
    return code;
}

bool takes_locks() {
    const calling by = find_caller();
    return by.caller != hook_caller::other && by.runtime->takes_locks;
}

bool records_its_owner(const pthread_mutex_t* m) {
    // glibc: 0 is a normal mutex, 3 an adaptive mutex.
    const int kind = __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED) & 0x7f;
    return kind != 0 && kind != 3;
}

}  // namespace

}  // namespace rota::hook

using namespace rota::hook;

ROTA_EXPORT int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                            addrinfo** found) {
    return in_blocking_section_with_code(
        hooked::getaddrinfo, [&] { return ROTA_REAL(getaddrinfo)(name, service, hints, found); });
}

ROTA_EXPORT int flock(int fd, int operation) noexcept {
    const auto real = [&] { return ROTA_REAL(flock)(fd, operation); };
    if ((operation & LOCK_NB) != 0) return real();
    return in_blocking_section(hooked::flock, real);
}

ROTA_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
    const auto real = [&] { return ROTA_REAL(pthread_mutex_lock)(m); };
    if (!is_any_lock_wanted() || !takes_locks() || records_its_owner(m)) return real();
    const int error = ::pthread_mutex_trylock(m);
    if (error != EBUSY) return error;
    return in_blocking_section_with_code(hooked::pthread_mutex_lock, real);
}

ROTA_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* m) {
    const auto real = [&] { return ROTA_REAL(pthread_cond_wait)(condition, m); };
    if (!is_any_lock_wanted() || !takes_locks() || records_its_owner(m)) return real();
    return in_blocking_section_with_code(hooked::pthread_cond_wait, real);
}

ROTA_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* m,
                                       const timespec* until) {
    const auto real = [&] { return ROTA_REAL(pthread_cond_timedwait)(condition, m, until); };
    if (!is_any_lock_wanted() || !takes_locks() || records_its_owner(m)) return real();
    return in_blocking_section_with_code(hooked::pthread_cond_timedwait, real);
}
