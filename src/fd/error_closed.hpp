// The result of a call on a closed descriptor.
#pragma once

namespace rota::rt {

// The object is closed: no errno value.
inline constexpr int error_closed = 4096;

}  // namespace rota::rt
