// Runs a client against a server that sends the input as its answer to any request.
#include <algorithm>
#include <string>

#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/sync.hpp>

#include "targets.hpp"

namespace rota_fuzz {

namespace {

namespace http = rota::http;
namespace net = rota::net;

constexpr std::size_t head_max = 4096, body_max = 3000;

struct outcome {
    std::error_code error;
    http::response answer;
};

// Reads the request first, since a close with unread bytes would be a reset.
void say(const net::conn& to, std::string_view input, std::size_t at_once) {
    std::error_code error;  // an error: the client may have closed already
    std::string asked;
    std::byte part[512];
    while (!asked.ends_with("\r\n\r\n")) {
        const std::size_t n = to.read(part, error);
        if (n == 0) return;
        asked.append(reinterpret_cast<const char*>(part), n);
    }
    while (!input.empty() && !error) {
        to.write(input.substr(0, at_once), error);
        input.remove_prefix(std::min(at_once, input.size()));
    }
    to.close_write(error);
    while (to.read(part, error) > 0) {
    }
}

// The client's outcome when the input comes in pieces of `at_once` bytes. One listener serves each
// call.
outcome ask(const char* method, std::string_view input, std::size_t at_once) {
    static const net::listener l = net::listen("tcp", "127.0.0.1:0");
    const http::client client({.timeout = std::chrono::seconds(20),
                               .keep_alive = false,
                               .max_redirects = 0,
                               .max_header_bytes = head_max,
                               .max_body_bytes = body_max,
                               .proxy_from_environment = false});
    rota::wait_group saying;
    saying.go([&] {
        const net::conn c = l.accept();
        say(c, input, at_once);
        c.close();
    });
    outcome o;
    const http::request r(method, "http://" + l.addr().to_string());
    o.answer = client.perform(r, o.error);
    saying.wait();
    return o;
}

void check(const outcome& o, bool to_head) {
    require(o.error != std::errc::timed_out, "an answer comes to its end");
    require(o.answer.body.size() <= body_max || o.error, "a body keeps to its limit");
    if (o.error) return;
    require((o.answer.status >= 200 && o.answer.status <= 999) || o.answer.status == 101,
            "a final status is one");
    require(!to_head || o.answer.body.empty(), "an answer to HEAD has no body");
    std::size_t size = 0;
    for (const auto& [name, value] : o.answer.headers) {
        require(value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos,
                "a field is one line");
        size += name.size() + value.size();
    }
    require(size <= head_max, "a head keeps to its limit");
}

}  // namespace

// The first byte chooses the method.
void answer(std::string_view input) {
    if (input.empty()) return;
    const char* const method = input[0] == 'H' ? "HEAD" : "GET";
    input.remove_prefix(1);
    const outcome whole = ask(method, input, input.size() + 1), parts = ask(method, input, 7);
    for (const outcome* each : {&whole, &parts}) check(*each, method[0] == 'H');
    require(whole.error == parts.error, "an answer that comes in pieces ends the same way");
    require(whole.error || (whole.answer.status == parts.answer.status &&
                            whole.answer.body == parts.answer.body &&
                            whole.answer.headers.size() == parts.answer.headers.size()),
            "an answer that comes in pieces is the same");
}

}  // namespace rota_fuzz
