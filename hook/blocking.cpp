// Calls that cannot park: getaddrinfo and flock. The goroutine gives its processor away and its
// thread blocks.
#include "call.hpp"
#include "export.hpp"

namespace rota::hook {

namespace {

template <class Real>
int in_blocking_section(hooked which, Real real) {
    return make(which, false, real, [&](call& c) { return c.block(real); });
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
