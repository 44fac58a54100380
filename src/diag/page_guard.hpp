// Who may see the pages of rota::debug: rota::debug::options, and what a browser says of itself.
//
// A server on a loopback address is asked by users of the machine, and by each web page that one of
// them opens: its scripts can send requests there, and read the answers under a host name of their
// own that leads to 127.0.0.1 (DNS rebinding). So the Host must be a loopback one, and a browser
// must not speak for another site. Each request is judged by itself: a connection may be shared.
#pragma once

#include <rota/debug.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>

namespace rota::rt {

class page_guard {
  public:
    // Throws std::invalid_argument for a token that no header could carry.
    explicit page_guard(debug::options o);

    // Whether these options say who may see pages on an address that is not a loopback one.
    bool covers_everybody() const {
        return options_.open_to_everybody || !options_.token.empty() || options_.admit != nullptr;
    }

    // False: it has answered.
    bool admits(http::response_writer& w, const http::request& r) const;

  private:
    bool has_token(const http::request& r) const;
    bool is_token(std::string_view text) const;

    debug::options options_;
};

// 127.0.0.0/8 and ::1. Sockets of a file system count: their files have owners.
bool is_loopback(const net::endpoint& e);

}  // namespace rota::rt
