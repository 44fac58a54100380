// The server of tcp_echo and idle_conns: a goroutine for each connection, which writes back the
// bytes that it reads. The figure is its own time for a request (peers/loadgen); good is less than
// that of every other peer.
#include <array>
#include <cstdio>
#include <rota/go.hpp>
#include <rota/net.hpp>

#include "workloads.hpp"

namespace rota_bench {

void tcp_echo_server() {
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    std::printf("PORT %d\n", l.addr().port());
    std::fflush(stdout);
    for (;;) {
        rota::go([c = l.accept()] {
            std::array<std::byte, 1024> buffer;
            std::error_code gone;
            for (;;) {
                const std::size_t n = c.read(buffer, gone);
                if (gone || n == 0) return;
                c.write(std::span(buffer).first(n), gone);
                if (gone) return;
            }
        });
    }
}

}  // namespace rota_bench
