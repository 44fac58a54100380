// TCP by netpoll/simulated_tcp.hpp, for as long as one of these lives. No socket may be left then.
#pragma once

#include "netpoll/simulated_tcp.hpp"
#include "sim.hpp"

namespace rota_sim {

class tcp_in_memory {
  public:
    // relaxed, both: nobody makes a call now
    tcp_in_memory() {
        rota::rt::other_kernel.store(&rota::rt::simulated_net, std::memory_order_relaxed);
    }
    ~tcp_in_memory() {
        SIM_CHECK(rota::rt::simulated_net.socket_count() == 0);
        rota::rt::other_kernel.store(nullptr, std::memory_order_relaxed);
    }
    tcp_in_memory(const tcp_in_memory&) = delete;
    tcp_in_memory& operator=(const tcp_in_memory&) = delete;
};

}  // namespace rota_sim
