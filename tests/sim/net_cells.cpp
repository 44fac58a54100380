// Descriptors of this machine's memory: pipes and Unix sockets, with deadlines and closes amid the
// traffic. Every byte comes out once and in order, and nobody waits for ever.
#include <string>
#include <system_error>

#include <unistd.h>

#include <rota/net.hpp>
#include <rota/os.hpp>

#include "sim.hpp"

using namespace rota_sim;
using namespace std::chrono_literals;

namespace {

char byte_at(std::size_t place) { return static_cast<char>(place * 7 + place / 251); }

std::string text_from(std::size_t place, std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = byte_at(place + i);
    return text;
}

rota::clock::time_point soon(dice& d) {
    return rota::clock::now() + std::chrono::microseconds(d.in(0, 2'000));
}

// Reads to the end, and checks what comes; a deadline that passes now and then costs nothing.
template <class Source>
std::size_t read_all(const Source& from, dice& d, std::size_t most) {
    std::size_t got = 0;
    std::string room(static_cast<std::size_t>(d.in(100, 9'000)), '\0');
    while (got < most) {
        if (d.once_in(4)) from.set_read_deadline(soon(d));
        std::error_code error;
        const std::size_t n = from.read(std::as_writable_bytes(std::span(room)), error);
        for (std::size_t i = 0; i < n; ++i) SIM_CHECK(room[i] == byte_at(got + i));
        got += n;
        if (error == std::errc::timed_out) from.set_read_deadline({});
        else if (error || n == 0) break;
        noise(d);
    }
    return got;
}

template <class Sink>
void write_all(const Sink& to, dice& d, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
        const std::size_t n = std::min(size - done, static_cast<std::size_t>(d.in(1, 20'000)));
        (void)to.write(text_from(done, n));
        done += n;
        noise(d);
    }
}

}  // namespace

ROTA_CELL(pipe_in_order) {
    // More than a pipe holds, so that both sides wait.
    const auto size = static_cast<std::size_t>(d.in(0, 150'000));
    auto [reader, writer] = rota::os::pipe();
    rota::wait_group all;
    all.go([&, out = writer, own = d.fork()]() mutable {
        write_all(out, own, size);
        out.close();
    });
    SIM_CHECK(read_all(reader, d, size + 1) == size);
    all.wait();
}

ROTA_CELL(pipe_closed_amid) {
    // Who waits in a descriptor that is closed is told; what was written before is not lost.
    auto [reader, writer] = rota::os::pipe();
    int ended = 0;
    const int readers = d.in(1, 3);
    rota::wait_group all;
    for (int i = 0; i < readers; ++i) {
        all.go([&, in = reader, own = d.fork()]() mutable {
            char byte;
            std::error_code error;
            noise(own);
            if (own.once_in(2)) in.set_read_deadline(soon(own), error);
            (void)in.read(std::as_writable_bytes(std::span(&byte, 1)), error);
            SIM_CHECK(!error || error == std::errc::timed_out ||
                      error == rota::net::net_errc::closed);
            ++ended;
        });
    }
    rota::sleep_for(std::chrono::microseconds(d.in(0, 3'000)));
    if (d.once_in(2)) (void)writer.write("x");
    noise(d);
    if (d.once_in(2)) writer.close();
    else reader.close();
    all.wait();
    SIM_CHECK(ended == readers);
}

ROTA_CELL(unix_echo) {
    // Connections come, say something, hear it, and go.
    static int number = 0;
    const std::string at =
        "@rota-sim-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
    const rota::net::listener door = rota::net::listen("unix", at);
    const int clients = d.in(1, 4);
    int served = 0, heard = 0;
    rota::wait_group all;
    all.go([&, own = d.fork()]() mutable {
        for (int i = 0; i < clients; ++i) {
            all.go([&, c = door.accept(), mine = own.fork()]() mutable {
                const std::size_t n = read_all(c, mine, 1'000'000);
                write_all(c, mine, n);
                c.close();
                ++served;
            });
        }
    });
    for (int i = 0; i < clients; ++i) {
        all.go([&, own = d.fork()]() mutable {
            noise(own);
            const rota::net::conn c = rota::net::dial("unix", at);
            // Now and then more than the socket holds.
            const int most = own.once_in(8) ? 400'000 : 5'000;
            const auto size = static_cast<std::size_t>(own.in(0, most));
            write_all(c, own, size);
            c.close_write();
            SIM_CHECK(read_all(c, own, size + 1) == size);
            ++heard;
        });
    }
    all.wait();
    SIM_CHECK(served == clients && heard == clients);
}
