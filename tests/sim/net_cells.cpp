// Descriptors of this machine's memory: pipes and Unix sockets, with deadlines and closes amid the
// traffic, while the simulated kernel interrupts, shortens, puts off, refuses and resets
// (net_faults.hpp). Every byte comes out once and in order, as far as nobody is told of an error;
// and nobody waits for ever.
#include <string>
#include <system_error>

#include <unistd.h>

#include <rota/net.hpp>
#include <rota/os.hpp>

#include "net_faults.hpp"

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

// How far it has come, and whether the simulated kernel has ended it.
struct progress {
    std::size_t bytes = 0;
    bool is_cut = false;
};

// Reads to the end, and checks what comes; a deadline that passes now and then costs nothing.
template <class Source>
progress read_all(const Source& from, dice& d, std::size_t most) {
    progress got;
    std::string room(static_cast<std::size_t>(d.in(100, 9'000)), '\0');
    while (got.bytes < most) {
        if (d.once_in(4)) from.set_read_deadline(soon(d));
        std::error_code error;
        const std::size_t n = from.read(std::as_writable_bytes(std::span(room)), error);
        for (std::size_t i = 0; i < n; ++i) SIM_CHECK(room[i] == byte_at(got.bytes + i));
        got.bytes += n;
        if (error == std::errc::timed_out) from.set_read_deadline({});
        else if (!error && n == 0) break;
        else if (error) {
            got.is_cut = is_planted(error);
            SIM_CHECK(got.is_cut);
            break;
        }
        noise(d);
    }
    return got;
}

template <class Sink>
progress write_all(const Sink& to, dice& d, std::size_t size) {
    progress done;
    while (done.bytes < size && !done.is_cut) {
        const std::size_t n =
            std::min(size - done.bytes, static_cast<std::size_t>(d.in(1, 20'000)));
        const std::string text = text_from(done.bytes, n);
        std::error_code error;
        (void)to.write(text, error);
        if (error) {
            done.is_cut = is_planted(error);
            SIM_CHECK(done.is_cut);
            break;
        }
        done.bytes += n;
        noise(d);
    }
    return done;
}

// Until it is not refused.
template <class Make>
auto patiently(dice& d, Make make) {
    for (int i = 0;; ++i) {
        std::error_code error;
        auto made = make(error);
        if (!error) return made;
        SIM_CHECK(is_planted(error) && i < 1'000);
        rota::sleep_for(std::chrono::microseconds(d.in(0, 100)));
    }
}

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
    // Who waits in a descriptor that is closed is told; what was written before is not lost.
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

ROTA_CELL(unix_echo) {
    // Connections come, say something, hear it, and go.
    static int number = 0;
    const std::string at =
        "@rota-sim-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
    const rota::net::listener door =
        patiently(d, [&](std::error_code& error) { return rota::net::listen("unix", at, error); });
    const int clients = d.in(1, 4);
    int served = 0, heard = 0, cut = 0;
    rota::wait_group all, accepting, serving;
    // Where a refusal meets what has been accepted already, its client finds the end, and comes
    // again.
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
                own, [&](std::error_code& error) { return rota::net::dial("unix", at, error); });
            // Now and then more than the socket holds.
            const int most = own.once_in(8) ? 400'000 : 5'000;
            const auto size = static_cast<std::size_t>(own.in(0, most));
            const progress said = write_all(c, own, size);
            c.close_write();
            const progress read = read_all(c, own, size + 1);
            // Cut short by the other side, it ends early: somebody has been told.
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
