// Bytes that tell their place, and goroutines that send and check them while the simulated kernel
// does what it does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>

#include "net_faults.hpp"

namespace rota_sim {

inline char byte_at(std::size_t place) { return static_cast<char>(place * 7 + place / 251); }

inline std::string text_from(std::size_t place, std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = byte_at(place + i);
    return text;
}

inline rota::clock::time_point soon(dice& d) {
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

}  // namespace rota_sim
