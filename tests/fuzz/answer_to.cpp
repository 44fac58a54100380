// A client of what servers are fed with.
#include <chrono>

#include <rota/net.hpp>
#include <rota/sync.hpp>

#include "targets.hpp"

namespace rota_fuzz {

std::string answer_to(const rota::net::conn& c, std::string_view input) {
    std::error_code error;
    c.set_deadline(rota::clock::now() + std::chrono::seconds(20), error);
    rota::wait_group writer;
    writer.go([&] {
        std::error_code closed;  // the server may have had enough
        c.write(input, closed);
        c.close_write(closed);
    });
    std::string all;
    std::byte part[4096];
    while (const std::size_t n = c.read(part, error))
        all.append(reinterpret_cast<const char*>(part), n);
    writer.wait();
    require(error != std::errc::timed_out, "a connection comes to its end");
    return all;
}

}  // namespace rota_fuzz
