// Runs a server of HTTP/2 against a client that sends frames made of the input.
#include <algorithm>
#include <map>
#include <string>

#include <unistd.h>
#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/sync.hpp>

#include "targets.hpp"

namespace rota_fuzz {

namespace {

namespace http = rota::http;
namespace net = rota::net;

constexpr std::size_t frame_head = 9, frame_max = 16 * 1024;
enum frame_type : unsigned char { data, headers, priority, reset, settings, push, ping, goaway };
constexpr unsigned end_stream = 1;

unsigned at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

std::string frame(unsigned type, unsigned flags, unsigned stream, std::string_view payload) {
    std::string f;
    for (const int shift : {16, 8, 0}) f += static_cast<char>(payload.size() >> shift);
    f += static_cast<char>(type);
    f += static_cast<char>(flags);
    for (const int shift : {24, 16, 8, 0}) f += static_cast<char>(stream >> shift);
    return f.append(payload);
}

// A frame of the input has a head of four bytes: type, flags, stream, and the payload's length. The
// end of the input cuts the last frame off. A type of 255 sends the bytes behind it as they are, so
// that heads of frames can be wrong too.
std::string frames_of(std::string_view input) {
    constexpr std::size_t head = 4;
    std::string all = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0, 0, "");
    while (input.size() >= head) {
        const unsigned type = at(input, 0), flags = at(input, 1), stream = at(input, 2);
        const std::size_t size = at(input, 3);
        const std::string_view payload = input.substr(head, size);
        all += type == 255 ? std::string(payload) : frame(type, flags, stream, payload);
        input.remove_prefix(std::min(input.size(), head + size));
    }
    return all;
}

// Checks the server's answer, frame by frame. The connection may be cut within a frame.
void check(std::string_view said) {
    struct stream {
        bool begun = false, ended = false;
    };
    std::map<unsigned, stream> streams;
    bool is_first = true;
    while (said.size() >= frame_head) {
        const std::size_t size = at(said, 0) << 16 | at(said, 1) << 8 | at(said, 2);
        const unsigned type = at(said, 3), flags = at(said, 4);
        const unsigned id = at(said, 5) << 24 | at(said, 6) << 16 | at(said, 7) << 8 | at(said, 8);
        require(size <= frame_max, "a frame has the size that all clients take");
        require(!is_first || type == settings, "settings come first");
        require(type != push, "nothing is pushed");
        is_first = false;
        if (type == data || type == headers) {
            require(id % 2 == 1, "an answer goes to a stream of the client's");
            stream& s = streams[id];
            require(!s.ended, "nothing comes behind the end of an answer");
            require(s.begun || type == headers, "a head comes before its body");
            s.begun = true;
            s.ended = (flags & end_stream) != 0;
        }
        said.remove_prefix(std::min(said.size(), frame_head + size));
    }
}

}  // namespace

void frames(std::string_view input) {
    static std::uint64_t number = 0;
    const http::server server(
        [](http::response_writer& w, http::request& r) {
            w.header().set("X-Query", r.query("q"));
            w.write(r.method());
            if (r.path() == "/flush") w.flush();
            w.write(r.body());
        },
        {.max_header_bytes = 4096, .max_body_bytes = 4096, .h2c = true});
    const net::listener l = net::listen(
        "unix", "@rota-frames-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    check(answer_to(net::dial("unix", l.addr().to_string()), frames_of(input)));
    server.shutdown(rota::background());
    serving.wait();
}

}  // namespace rota_fuzz
