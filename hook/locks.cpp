// pthread mutexes and conditions: with GODEBUG=hook=locks a goroutine waits for them in a blocking
// section, with GODEBUG=parkcheck=1 the runtime is told which mutexes are held.
//
// A mutex whose kind records its owner's thread (recursive, error-checking, robust, priority
// inheritance) blocks its caller's thread, as without this library: behind a blocking section a
// goroutine may be on another thread.
#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

bool takes_locks() {
    if ((wanted_of_locks() & takes_locks_bit) == 0) return false;
    const calling by = find_caller();
    return by.caller != hook_caller::other && by.runtime->takes_locks;
}

bool records_its_owner(const pthread_mutex_t* m) {
    // glibc: 0 is a normal one, 3 an adaptive one.
    const int kind = __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED) & 0x7f;
    return kind != 0 && kind != 3;
}

int lock_without_processor(pthread_mutex_t* m) {
    const int error = ROTA_REAL(pthread_mutex_trylock)(m);
    if (error != EBUSY) return error;
    return in_blocking_section_with_code(hooked::pthread_mutex_lock,
                                         [&] { return ROTA_REAL(pthread_mutex_lock)(m); });
}

// `error` is what locking m has returned to the caller at `at`.
int noted(int error, const pthread_mutex_t* m, const void* at) {
    if (error == 0 || error == EOWNERDEAD) tell_locked(m, at, records_its_owner(m));
    return error;
}

bool notes_mutexes() { return (wanted_of_locks() & notes_mutexes_bit) != 0; }

}  // namespace

}  // namespace rota::hook

using namespace rota::hook;

ROTA_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
    if (wanted_of_locks() == 0) return ROTA_REAL(pthread_mutex_lock)(m);
    const int error = takes_locks() && !records_its_owner(m) ? lock_without_processor(m)
                                                           : ROTA_REAL(pthread_mutex_lock)(m);
    return notes_mutexes() ? noted(error, m, __builtin_return_address(0)) : error;
}

ROTA_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
    if (!notes_mutexes()) return ROTA_REAL(pthread_mutex_trylock)(m);
    return noted(ROTA_REAL(pthread_mutex_trylock)(m), m, __builtin_return_address(0));
}

ROTA_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) noexcept {
    if (!notes_mutexes()) return ROTA_REAL(pthread_mutex_timedlock)(m, until);
    return noted(ROTA_REAL(pthread_mutex_timedlock)(m, until), m, __builtin_return_address(0));
}

ROTA_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock,
                                        const timespec* until) noexcept {
    if (!notes_mutexes()) return ROTA_REAL(pthread_mutex_clocklock)(m, clock, until);
    return noted(ROTA_REAL(pthread_mutex_clocklock)(m, clock, until), m,
                 __builtin_return_address(0));
}

// Told before: behind the call the mutex may be another one's, or gone.
ROTA_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
    if (notes_mutexes()) tell_unlocked(m);
    return ROTA_REAL(pthread_mutex_unlock)(m);
}

ROTA_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* m) {
    const auto real = [&] { return ROTA_REAL(pthread_cond_wait)(condition, m); };
    if (!takes_locks() || records_its_owner(m)) return real();
    return in_blocking_section_with_code(hooked::pthread_cond_wait, real);
}

ROTA_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* m,
                                       const timespec* until) {
    const auto real = [&] { return ROTA_REAL(pthread_cond_timedwait)(condition, m, until); };
    if (!takes_locks() || records_its_owner(m)) return real();
    return in_blocking_section_with_code(hooked::pthread_cond_timedwait, real);
}
