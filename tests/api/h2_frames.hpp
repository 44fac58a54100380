// Frames of HTTP/2, written as a client likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rota_test {

enum h2_type : std::uint8_t {
    h2_data,
    h2_headers,
    h2_priority,
    h2_reset,
    h2_settings,
    h2_push,
    h2_ping,
    h2_goaway,
    h2_window,
    h2_continuation
};
inline constexpr std::uint8_t end_stream = 1, end_headers = 4;

inline constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// GET http://a/ and POST, by HPACK's static table.
inline constexpr std::string_view get_head("\x82\x86\x84\x41\x01\x61", 6);
inline constexpr std::string_view post_head("\x83\x86\x84\x41\x01\x61", 6);

inline std::string frame(h2_type type, std::uint8_t flags, std::uint32_t id,
                         std::string_view payload) {
    std::string f;
    const auto put = [&f](std::size_t n, int bytes) {
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
            f += static_cast<char>(static_cast<unsigned char>(n >> shift));
    };
    put(payload.size(), 3);
    f += static_cast<char>(type);
    f += static_cast<char>(flags);
    put(id, 4);
    return f.append(payload);
}

inline std::string word(std::uint32_t n) {
    std::string w;
    for (int shift = 24; shift >= 0; shift -= 8) w += static_cast<char>(n >> shift);
    return w;
}

inline std::string get(std::uint32_t id) {
    return frame(h2_headers, end_stream | end_headers, id, get_head);
}

}  // namespace rota_test
