// A server of HTTP/2, and a client of it that writes what it likes, frame by frame.
#pragma once

#include "h2_frames.hpp"
#include "http_client.hpp"

namespace rota_test {

struct h2_frame {
    int type = -1;  // none: the connection has ended
    std::uint8_t flags = 0;
    std::uint32_t id = 0;
    std::string payload;
};

struct h2_server : http_server {
    explicit h2_server(http::handler h, http::server_options o = {})
        : http_server(std::move(h), (o.h2c = true, o)) {}
};

class h2_client {
  public:
    explicit h2_client(const http_server& s) : c(s.dial()) {
        c.set_deadline(in(patience));
        send(std::string(preface) + frame(h2_settings, 0, 0, ""));
    }
    void send(std::string_view bytes) const {
        std::error_code gone;  // it may have had enough
        c.write(bytes, gone);
    }
    h2_frame next() const {
        std::string head(9, '\0');
        std::error_code error;
        h2_frame f;
        if (c.read_full(std::as_writable_bytes(std::span(head)), error) < head.size()) return f;
        const auto at = [&head](std::size_t i) { return static_cast<unsigned char>(head[i]); };
        f.payload.resize(at(0) * 65536u + at(1) * 256u + at(2));
        f.type = at(3);
        f.flags = at(4);
        f.id = at(5) * 16777216u + at(6) * 65536u + at(7) * 256u + at(8);
        (void)c.read_full(std::as_writable_bytes(std::span(f.payload)), error);
        if (f.type == h2_settings && (f.flags & 1) == 0) send(frame(h2_settings, 1, 0, ""));
        return f;
    }
    // The next one of this type and, unless it is 0, stream.
    h2_frame next_of(h2_type type, std::uint32_t id) const {
        for (;;) {
            h2_frame f = next();
            if (f.type == -1 || (f.type == type && (id == 0 || f.id == id))) return f;
        }
    }
    // The body of an answer, to its end.
    std::string body(std::uint32_t id) const {
        std::string all;
        for (;;) {
            const h2_frame f = next();
            if (f.type == -1) return all + "<end of connection>";
            if (f.id != id) continue;
            if (f.type == h2_reset) return all + "<reset>";
            if (f.type == h2_data) all += f.payload;
            if ((f.type == h2_data || f.type == h2_headers) && (f.flags & end_stream) != 0)
                return all;
        }
    }

    net::conn c;
};

inline std::uint32_t code_of(const h2_frame& f) {
    if (f.payload.size() < 4) return 999;
    const std::string_view last =
        std::string_view(f.payload).substr(f.type == h2_goaway ? 4 : 0, 4);
    std::uint32_t n = 0;
    for (const char c : last) n = n * 256 + static_cast<unsigned char>(c);
    return n;
}

}  // namespace rota_test
