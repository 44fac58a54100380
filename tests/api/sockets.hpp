// Helpers for tests of sockets: two ends of a connection, bytes as text, and counts of remains.
#pragma once

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "../open_descriptors.hpp"
#include "anywhere.hpp"

namespace rota_test {

namespace net = rota::net;

struct ends {
    net::conn client, server;
};

// A path for a Unix socket that no other test has; "@..." lies in no directory.
inline std::string socket_name() {
    static std::atomic<int> number{0};
    return "@rota-test-" + std::to_string(::getpid()) + "-" + std::to_string(number.fetch_add(1));
}

inline std::string local_address(std::string_view network) {
    return network == "unix" ? socket_name() : "127.0.0.1:0";
}

// Two ends of a connection. The accept waits in the kernel's queue, so no second goroutine is
// needed.
inline ends connected(std::string_view network = "tcp") {
    const net::listener l = net::listen(network, local_address(network));
    ends both;
    both.client = net::dial(network, l.addr().to_string());
    both.server = l.accept();
    return both;
}

inline std::string read_text(const net::conn& c, std::size_t at_most = 4096) {
    std::string text(at_most, '\0');
    text.resize(c.read(std::as_writable_bytes(std::span(text))));
    return text;
}

inline std::string read_exactly(const net::conn& c, std::size_t size) {
    std::string text(size, '\0');
    text.resize(c.read_full(std::as_writable_bytes(std::span(text))));
    return text;
}

// The error with which a read ends; no error if it returns bytes.
inline std::error_code read_error(const net::conn& c) {
    std::array<std::byte, 16> buffer;
    std::error_code error;
    (void)c.read(buffer, error);
    return error;
}

inline rota::clock::time_point in(std::chrono::nanoseconds d) { return rota::clock::now() + d; }

}  // namespace rota_test
