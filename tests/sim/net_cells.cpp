// Cells for descriptors in this machine's memory: pipes, Unix sockets, and TCP in memory. They have
// deadlines and closes amid the traffic, while the simulated kernel interrupts, shortens, delays,
// refuses and resets (net_faults.hpp). Each byte comes out once and in order, unless a caller gets
// an error; and no goroutine waits for ever.
#include <string>
#include <system_error>

#include <unistd.h>

#include <rota/net.hpp>
#include <rota/os.hpp>

#include "net_traffic.hpp"

using namespace rota_sim;
using namespace std::chrono_literals;

namespace {

std::pair<rota::os::file, rota::os::file> make_pipe(dice& d) {
    return patiently(d, [](std::error_code& error) { return rota::os::pipe(error); });
}

}  // namespace

ROTA_CELL(pipe_in_order) {
    // More than a pipe holds, so that both sides wait.
    const auto size = static_cast<std::size_t>(d.in(0, 150'000));
    auto [reader, writer] = make_pipe(d);
    progress written;
    rota::wait_group all;
    all.go([&, out = writer, own = d.fork()]() mutable {
        written = write_all(out, own, size);
        out.close();
    });
    const progress read = read_all(reader, d, size + 1);
    reader.close();
    all.wait();
    SIM_CHECK(read.is_cut || written.is_cut || (read.bytes == size && written.bytes == size));
    SIM_CHECK(read.is_cut || read.bytes >= written.bytes);
}

ROTA_CELL(pipe_closed_amid) {
    // A goroutine that waits at a descriptor learns of its close; bytes written before are not
    // lost.
    auto [reader, writer] = make_pipe(d);
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
                      error == rota::net::net_errc::closed || is_planted(error));
            ++ended;
        });
    }
    rota::sleep_for(std::chrono::microseconds(d.in(0, 3'000)));
    std::error_code error;
    if (d.once_in(2)) (void)writer.write("x", error);
    SIM_CHECK(!error || is_planted(error));
    noise(d);
    if (d.once_in(2)) writer.close();
    else reader.close();
    all.wait();
    SIM_CHECK(ended == readers);
}

namespace {

// Clients connect, send bytes, read them back, and leave: up to `most` bytes, now and then `more`.
void echo(dice& d, std::string_view network, const std::string& where, int most, int more) {
    const rota::net::listener door = patiently(
        d, [&](std::error_code& error) { return rota::net::listen(network, where, error); });
    const std::string at = door.addr().to_string();
    const int clients = d.in(1, 4);
    int served = 0, heard = 0, cut = 0;
    rota::wait_group all, accepting, serving;
    // If a refusal hits an accepted connection, its client reads the end, and comes again.
    accepting.go([&, own = d.fork()]() mutable {
        while (heard < clients) {
            std::error_code error;
            rota::net::conn c = door.accept(error);
            if (error == rota::net::net_errc::closed) break;
            SIM_CHECK(!error || is_planted(error));
            if (error) continue;
            serving.go([&, c, mine = own.fork()]() mutable {
                const progress read = read_all(c, mine, 1'000'000);
                if (!read.is_cut) (void)write_all(c, mine, read.bytes);
                c.close();
                ++served;
            });
        }
    });
    for (int i = 0; i < clients; ++i) {
        all.go([&, own = d.fork()]() mutable {
            noise(own);
            const rota::net::conn c = patiently(
                own, [&](std::error_code& error) { return rota::net::dial(network, at, error); });
            const auto size = static_cast<std::size_t>(own.in(0, own.once_in(8) ? more : most));
            const progress said = write_all(c, own, size);
            c.close_write();
            const progress read = read_all(c, own, size + 1);
            // If the server cuts the answer short it ends early: the server has got an error.
            SIM_CHECK(read.bytes <= size);
            cut += said.is_cut || read.is_cut || read.bytes < size ? 1 : 0;
            ++heard;
        });
    }
    all.wait();
    door.close();
    accepting.wait();
    serving.wait();
    SIM_CHECK(heard == clients && served <= clients);
    SIM_CHECK(cut == 0 || net_faults::has_planted());
}

}  // namespace

ROTA_CELL(unix_echo) {
    static int number = 0;
    // Now and then more than the socket holds.
    echo(d, "unix", "@rota-sim-" + std::to_string(::getpid()) + "-" + std::to_string(++number),
         5'000, 400'000);
}

ROTA_CELL(tcp_echo) {
    // Connections take their time, and buffers may hold only a few hundred bytes: few bytes are
    // enough, and fit the time of a program.
    echo(d, "tcp", "127.0.0.1:0", 2'000, 5'000);
}
