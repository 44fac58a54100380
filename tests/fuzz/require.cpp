// Ends the process where a target finds a fault.
#include <cstdio>
#include <cstdlib>

#include "targets.hpp"

namespace rota_fuzz {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: it does not hold that %s\n", what);
    std::abort();
}

std::string_view take(std::string_view& rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view part = rest.substr(0, at);
    rest = at == rest.npos ? std::string_view() : rest.substr(at + 1);
    return part;
}

}  // namespace rota_fuzz
