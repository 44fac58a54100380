// ROTA_CHECK tests an invariant in every build, where a breach would corrupt other data.
// ROTA_DCHECK tests the costly invariants.
//
// A failed check is our own mistake: it names the fact that does not hold, lets the crash hook
// print its knowledge of the goroutines, and aborts. A mistake of the user is a panic or a fatal
// error instead (base/fatal.hpp).
#pragma once

#include "base/annotations.hpp"

namespace rota::rt {

[[noreturn]] ROTA_COLD void check_failed(const char* fact, const char* file, int line);

}  // namespace rota::rt

#define ROTA_CHECK(fact) \
    (ROTA_LIKELY(fact) ? static_cast<void>(0) : ::rota::rt::check_failed(#fact, __FILE__, __LINE__))

#if defined(ROTA_DEBUG_CHECKS)
#define ROTA_DCHECK(fact) ROTA_CHECK(fact)
#else
#define ROTA_DCHECK(fact) static_cast<void>(0)
#endif
