// What the kernel refuses to a client, at each call: an error or the whole answer, and nothing
// left.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "../../open_descriptors.hpp"
#include "sys/call/fault.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using namespace std::chrono_literals;
namespace rt = rota::rt;

struct echo_server {
    echo_server() {
        serving.go([this] { server.serve(listener); });
    }
    ~echo_server() {
        server.close();
        server.shutdown(rota::background());
        serving.wait();
    }
    const rota::http::server server{[](rota::http::response_writer& w, rota::http::request& r) {
        w.write(r.body());
        w.trailer() = r.trailers();
    }};
    const rota::net::listener listener = rota::net::listen("tcp", "127.0.0.1:0");
    const std::string url = "http://" + listener.addr().to_string() + "/";
    rota::wait_group serving;
};

std::atomic<rt::sys_call> kind_to_fail{rt::sys_call::count};
std::atomic<int> calls_left{0}, fault_error{0};

int fail_nth(rt::sys_call call) {
    if (call != kind_to_fail) return 0;
    return calls_left.fetch_sub(1) == 1 ? fault_error.load() : 0;
}

// Two calls, the second on the connection of the first; false: the fault has not been met. The
// server is hit as well as the client, and either may end the connection.
bool meets_fault(const std::string& url, const std::string& body, int nth) {
    rota::http::client c({.timeout = 20s, .proxy_from_environment = false});
    calls_left = nth;
    rt::plant_fault(fail_nth);
    for (int i = 0; i < 2; ++i) {
        std::error_code error;
        const rota::http::response r = c.post(url, "", body, error);
        EXPECT_TRUE(error || r.status != 200 || r.body == body) << r.body.size();
        EXPECT_NE(error, std::errc::timed_out) << "the " << nth << ". call";
        EXPECT_FALSE(error && fault_error == EINTR) << error.message();
    }
    rt::plant_fault(nullptr);
    return calls_left <= 0;
}

// The same with a body in chunks and a trailer, and an answer that is read piece by piece.
bool stream_meets_fault(const std::string& url, const std::string& body, int nth) {
    rota::http::client c({.timeout = 20s, .proxy_from_environment = false});
    calls_left = nth;
    rt::plant_fault(fail_nth);
    for (int i = 0; i < 2; ++i) {
        rota::http::request r("PUT", url);
        if (i == 0) r.headers().set("Expect", "100-continue");
        r.trailers().set("X-Sum", "1");
        r.set_repeatable_body([&body] {
            return [rest = std::string_view(body)](std::span<std::byte> to,
                                                   const rota::context&) mutable {
                const std::size_t n = std::min(to.size(), rest.size());
                std::memcpy(to.data(), rest.data(), n);
                rest.remove_prefix(n);
                return n;
            };
        });
        std::error_code error;
        rota::http::response_stream a = c.open(r, error);
        const std::string got = error ? "" : a.body(error);
        EXPECT_TRUE(error || a.status() != 200 || (got == body && a.trailers().get("X-Sum") == "1"))
            << got.size();
        EXPECT_NE(error, std::errc::timed_out) << "the " << nth << ". call";
        EXPECT_FALSE(error && fault_error == EINTR) << error.message();
    }
    rt::plant_fault(nullptr);
    return calls_left <= 0;
}

TEST(kb36_http_client, each_refusal_of_a_call_is_told_or_passes) {
    rota::run([] {
        const echo_server s;
        const std::string small = "body", large(200'000, 'x');
        rota::http::client after({.proxy_from_environment = false});
        EXPECT_EQ(after.post(s.url, "", small).body, small);
        after.close_idle();
        const int descriptors = rota_test::open_descriptors();
        using rt::sys_call;
        int met = 0;
        for (const auto& [kind, error] : {std::pair(sys_call::socket, EMFILE),
                                          {sys_call::socket, ENOBUFS},
                                          {sys_call::connect, ECONNREFUSED},
                                          {sys_call::poll_add, ENOMEM},
                                          {sys_call::read, ECONNRESET},
                                          {sys_call::read, ENOMEM},
                                          {sys_call::read, EINTR},
                                          {sys_call::write, EPIPE},
                                          {sys_call::write, ENOBUFS},
                                          {sys_call::write, EINTR}}) {
            kind_to_fail = kind;
            fault_error = error;
            for (const std::string& body : {small, large}) {
                for (int n = 1; n <= 12 && meets_fault(s.url, body, n); ++n) ++met;
                for (int n = 1; n <= 12 && stream_meets_fault(s.url, body, n); ++n) ++met;
            }
        }
        EXPECT_GT(met, 40);
        EXPECT_EQ(after.post(s.url, "", small).body, small);
        after.close_idle();
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (rota_test::open_descriptors() > descriptors + 1 &&
               std::chrono::steady_clock::now() < until)
            rota::runtime::gosched();
        EXPECT_LE(rota_test::open_descriptors(), descriptors + 1);
    });
}

}  // namespace

#endif
