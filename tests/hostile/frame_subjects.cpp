// Measures an HTTP/2 server's work for long requests; the client reads the answers as they come.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <rota/rota.hpp>

#include "../api/h2_frames.hpp"
#include "served.hpp"
#include "subjects.hpp"

namespace rota_hostile {

namespace {

using namespace rota_test;

constexpr std::size_t frame_max = 16 << 10, header_size = 9;
constexpr std::string_view last_ping = "the last";

std::string begin() { return std::string(preface) + frame(h2_settings, 0, 0, ""); }
std::string end() { return frame(h2_ping, 0, 0, last_ping); }

// POST http://a/length.
constexpr std::string_view length_head("\x83\x86\x04\x07/length\x41\x01\x61", 14);

// A block of fields in as many frames as it needs; nghttp2 allows eight CONTINUATION frames.
std::string head_of(std::string_view begin, std::string_view fields, std::uint8_t flags) {
    const std::string block = std::string(begin).append(fields);
    std::string all;
    for (std::size_t at = 0; at < block.size(); at += frame_max) {
        const bool is_last = at + frame_max >= block.size();
        const auto own =
            static_cast<std::uint8_t>((at == 0 ? flags : 0) | (is_last ? end_headers : 0));
        all += frame(at == 0 ? h2_headers : h2_continuation, own, 1,
                     std::string_view(block).substr(at, frame_max));
    }
    return all;
}

class frame_reader {
  public:
    explicit frame_reader(const rota::net::conn& c) : c_(c) {}

    // Reads until the server has answered the last ping: it has processed every frame before.
    void read_to_last_ping() {
        for (has_ping_ = false; !has_ping_;) read_one();
    }
    // Reads until `count` streams have been answered to their end.
    void read_answers(std::uint32_t count) {
        while (answers_ < count) read_one();
    }

  private:
    void read_one() {
        const std::string_view h = take(header_size);
        const std::size_t size = byte(h, 0) << 16 | byte(h, 1) << 8 | byte(h, 2);
        const std::size_t type = byte(h, 3);
        const bool ends = (type == h2_headers || type == h2_data) && (byte(h, 4) & end_stream) != 0;
        const std::string_view payload = take(size);
        require(type != h2_goaway, "the server has had enough");
        require(type != h2_reset, "the server has reset a stream");
        answers_ += ends ? 1 : 0;
        has_ping_ = has_ping_ || (type == h2_ping && payload == last_ping);
    }
    static std::size_t byte(std::string_view text, std::size_t at) {
        return static_cast<unsigned char>(text[at]);
    }
    // The next bytes; good until the next call.
    std::string_view take(std::size_t size) {
        text_.erase(0, taken_);
        taken_ = size;
        std::array<char, 16384> part;
        while (text_.size() < size) {
            const std::size_t n = c_.read(std::as_writable_bytes(std::span(part)));
            require(n != 0, "the server has closed the connection");
            text_.append(part.data(), n);
        }
        return std::string_view(text_).substr(0, size);
    }

    const rota::net::conn& c_;
    std::string text_;
    std::size_t taken_ = 0;
    std::uint32_t answers_ = 0;
    bool has_ping_ = false;
};

// Sends all bytes, and reads the answers meanwhile.
void exchange(const std::string& bytes) {
    const rota::net::conn c = rota::net::dial("tcp", site_address);
    rota::wait_group writing;
    writing.go([&] {
        std::error_code closed;  // an error: the server may have closed already
        c.write(bytes, closed);
    });
    frame_reader(c).read_to_last_ping();
    writing.wait();
}

// As exchange, for frames of `size` bytes that the server answers. It sends them in lots, since the
// server ends a client that does not take its answers.
void exchange_in_lots(const std::string& frames, std::size_t size) {
    constexpr std::size_t at_once = 200;
    const rota::net::conn c = rota::net::dial("tcp", site_address);
    c.write(begin());
    frame_reader reader(c);
    for (std::size_t at = 0; at < frames.size(); at += at_once * size) {
        c.write(frames.substr(at, at_once * size) + end());
        reader.read_to_last_ping();
    }
}

// A request whose block repeats the field `piece`.
auto fields(std::string_view piece) {
    return [piece](std::size_t bytes) {
        return begin() + head_of(get_head, repeated(piece, bytes), end_stream) + end();
    };
}
auto frames(std::string one) {
    return [one = std::move(one)](std::size_t bytes) {
        return begin() + repeated(one, bytes) + end();
    };
}

// Sends requests on streams of their own, in lots that respect the limit of open streams.
void many_requests(const std::string& count) {
    constexpr std::uint32_t at_once = 100;
    const auto requests = static_cast<std::uint32_t>(count.size());
    const rota::net::conn c = rota::net::dial("tcp", site_address);
    c.write(begin() + frame(h2_window, 0, 0, word(1 << 30)));  // window for the sum of all answers
    frame_reader reader(c);
    for (std::uint32_t i = 0; i < requests;) {
        std::string lot;
        for (const std::uint32_t until = std::min(i + at_once, requests); i < until; ++i)
            lot += get(2 * i + 1);
        c.write(lot);
        reader.read_answers(i);
    }
}

// A body in frames of one byte, at most as long as a stream's window.
std::string tiny_data(std::size_t bytes) {
    const std::string one = frame(h2_data, 0, 1, "x");
    return begin() + head_of(length_head, "", 0) + repeated(one, bytes) +
           frame(h2_data, end_stream, 1, "") + end();
}

}  // namespace

void add_frames(subjects& all) {
    using namespace std::string_view_literals;
    constexpr std::size_t block_max = 120 << 10, most = 2 << 20;
    const auto add = [&](const char* name, auto input, std::size_t at_most, auto work,
                         std::size_t least = 8 << 10) {
        all.push_back({name, least, at_most, input, work});
    };
    add("HTTP/2: short fields", fields("\x00\x01\x61\x01\x62"sv), block_max, exchange);
    add("HTTP/2: cookies in crumbs", fields("\x0f\x11\x03\x61=b"sv), block_max, exchange);
    add("HTTP/2: fields that enter the table", fields("\x40\x01\x61\x01\x62"sv), block_max,
        exchange);
    add("HTTP/2: a body in frames of a byte", tiny_data, most / 4, exchange);
    for (const auto& [name, one] : {std::pair("HTTP/2: pings", frame(h2_ping, 0, 0, "12345678")),
                                    std::pair("HTTP/2: settings", frame(h2_settings, 0, 0, ""))}) {
        add(
            name, [one = one](std::size_t bytes) { return repeated(one, bytes); }, most,
            [size = one.size()](const std::string& all_of_them) {
                exchange_in_lots(all_of_them, size);
            });
    }
    add("HTTP/2: windows", frames(frame(h2_window, 0, 0, word(1))), most, exchange);
    add("HTTP/2: priorities", frames(frame(h2_priority, 0, 1, word(3) + "x")), most, exchange);
    add(
        "HTTP/2: requests", [](std::size_t bytes) { return std::string(bytes / 15, 'x'); },
        most / 4, many_requests, 32 << 10);
}

}  // namespace rota_hostile
