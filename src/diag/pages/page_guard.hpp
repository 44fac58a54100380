// Decides which requests may see the pages of rota::debug: by rota::debug::options, and by the
// headers that a browser sends.
//
// A server on a loopback address gets requests from the machine's users and from every web page
// that they open. A page's scripts can send requests there, and read the answers under a host name
// of their own that leads to 127.0.0.1 (DNS rebinding). So the Host must be a loopback name, and a
// browser must not speak for another site. Each request is judged by itself: a connection may be
// shared.
#pragma once

#include <rota/debug.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>

namespace rota::rt {

class page_guard {
  public:
    // Throws std::invalid_argument for a token that no header could carry.
    explicit page_guard(debug::options o);

    // Whether these options restrict or open the pages explicitly for a non-loopback address.
    bool covers_everybody() const {
        return options_.open_to_everybody || !options_.token.empty() || options_.admit != nullptr;
    }

    // False: the request is refused, and the response has been written.
    bool admits(http::response_writer& w, const http::request& r) const;

  private:
    bool has_token(const http::request& r) const;
    bool is_token(std::string_view text) const;

    debug::options options_;
};

// 127.0.0.0/8 and ::1. Sockets of a file system count: their files have owners.
bool is_loopback(const net::endpoint& e);

}  // namespace rota::rt
