// Defines io_receive and io_send inline, for callers that they cost most. Contract: sys/io/io.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/socket.h>

#include "base/annotations.hpp"
#include "sys/call/call.hpp"
#include "sys/call/fault.hpp"
#include "sys/io/socket_kernel.hpp"

namespace rota::rt {

// The calls with a simulated kernel. Out of line, so that callers without it need no stack for it.
ROTA_COLD std::int64_t receive_by_either(int fd, void* to, std::size_t size, int flags);
ROTA_COLD std::int64_t send_by_either(int fd, const void* from, std::size_t size);

// Never receives less than is available, as fd::has_drained requires. So a test that wants short
// reads passes a small `size`. `flags` are recv(2)'s.
inline std::int64_t io_receive(int fd, void* to, std::size_t size, int flags = 0) {
    if (const int error = fault_at(sys_call::read)) return -error;
    if (ROTA_UNLIKELY(has_other_kernel())) return receive_by_either(fd, to, size, flags);
    return call(SYS_recvfrom, fd, to, size, flags, nullptr, nullptr);
}

inline std::int64_t io_send(int fd, const void* from, std::size_t size) {
    if (const int error = faulty_size(sys_call::write, size)) return -error;
    if (ROTA_UNLIKELY(has_other_kernel())) return send_by_either(fd, from, size);
    return call(SYS_sendto, fd, from, size, MSG_NOSIGNAL, nullptr, 0);
}

}  // namespace rota::rt
