// The seam for sockets that are not the kernel's: repeatable test runs have a simulated TCP behind
// it (netpoll/simulated_tcp.hpp).
//
// A simulated socket's number is still a descriptor of the kernel, on which no call is made: so the
// number is reserved and counted. The functions of sys/io/io.hpp ask here first, and return its
// results. Outside tests there is no such kernel, and the price is one load of a word that is never
// written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

struct sockaddr;
struct iovec;

namespace rota::rt {

class socket_kernel {
  public:
    virtual bool takes(int family, int type) const = 0;
    // From this call on the number is a socket of this kernel.
    virtual int adopt(int number, int family) = 0;
    virtual bool has(int number) const = 0;
    virtual void close(int number) = 0;

    virtual int bind(int number, const sockaddr* to, std::uint32_t size) = 0;
    virtual int listen(int number, int backlog) = 0;
    // 0, and `fresh` is the connection's number.
    virtual int accept(int number, int fresh, sockaddr* from, std::uint32_t* from_size) = 0;
    virtual int connect(int number, const sockaddr* to, std::uint32_t size) = 0;
    virtual int shutdown(int number, int how) = 0;
    virtual int get_option(int number, int level, int name, int& value) = 0;
    virtual int address(int number, bool of_peer, sockaddr* to, std::uint32_t& size) = 0;

    virtual std::int64_t receive(int number, void* to, std::size_t size, bool stays) = 0;
    virtual std::int64_t send(int number, const iovec* parts, std::size_t count) = 0;
    virtual int poll(int number, short events) = 0;

  protected:
    ~socket_kernel() = default;
};

// relaxed, each access: it is set while no thread makes calls.
inline constinit atomic<socket_kernel*> other_kernel{nullptr};

inline bool has_other_kernel() { return other_kernel.load(memory_order_relaxed) != nullptr; }

inline socket_kernel* kernel_of(int number) {
    socket_kernel* const k = other_kernel.load(memory_order_relaxed);
    return k != nullptr && k->has(number) ? k : nullptr;
}

}  // namespace rota::rt
