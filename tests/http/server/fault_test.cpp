// Makes the kernel and the allocator refuse calls of a server: the connection in question may end,
// but the server and its other connections must go on.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/os.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "sys/call/fault.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using namespace rota::rt;
using namespace std::chrono_literals;
namespace net = rota::net;
namespace http = rota::http;

constexpr std::string_view closing = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

std::string ask(const std::string& address, std::string_view text) {
    std::error_code error;
    const net::conn c = net::dial("tcp", address, error);
    if (!error) c.write(text, error);
    c.set_read_deadline(rota::clock::now() + 20s, error);
    std::string all;
    std::byte part[1024];
    for (std::size_t n = 1; !error && n != 0;) {
        n = c.read(part, error);
        all.append(reinterpret_cast<const char*>(part), n);
    }
    if (error == std::errc::timed_out) all += "<the server does not close>";
    return all;
}

struct running {
    explicit running(http::handler h)
        : server(std::move(h)),
          listener(net::listen("tcp", "127.0.0.1:0")),
          address(listener.addr().to_string()) {
        serving.go([this] { server.serve(listener); });
    }
    ~running() {
        server.close();
        server.shutdown(rota::background());
        serving.wait();
    }
    const http::server server;
    const net::listener listener;
    const std::string address;
    rota::wait_group serving;
};

std::atomic<int> refusals{0};
std::atomic<int> refusal{0};

TEST(kb36_http, each_refusal_of_an_accept_is_waited_for_and_passes) {
    rota::run([] {
        const running s([](auto& w, auto&) { w.write("hello"); });
        testing::internal::CaptureStderr();
        for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) {
            refusal = error;
            refusals = 4;
            plant_fault([](sys_call call) {
                return call == sys_call::accept && refusals.fetch_sub(1) > 0 ? refusal.load() : 0;
            });
            EXPECT_TRUE(ask(s.address, closing).ends_with("hello")) << error;
            EXPECT_LT(refusals.load(), 0) << error;
        }
        plant_fault(nullptr);
        (void)testing::internal::GetCapturedStderr();
        EXPECT_TRUE(ask(s.address, closing).ends_with("hello"));
    });
}

std::int64_t processor_time() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

TEST(kb36_http, refused_accepts_come_after_longer_and_longer_pauses) {
    // An accept that fails at once would occupy a processor for as long as there is no descriptor.
    rota::run([] {
        const running s([](auto& w, auto&) { w.write("hello"); });
        testing::internal::CaptureStderr();
        refusals = 0;
        plant_fault([](sys_call call) {
            return call == sys_call::accept ? (refusals.fetch_add(1), EMFILE) : 0;
        });
        const auto start = rota::clock::now();
        const std::int64_t used = processor_time();
        const net::conn waits = net::dial("tcp", s.address);
        rota::sleep_for(300ms);  // the time in which the test counts the server's attempts
        const int tries = refusals;
        const std::int64_t busy = processor_time() - used;
        const auto took = rota::clock::now() - start;
        plant_fault(nullptr);
        EXPECT_GE(tries, 1);
        // 5 ms before the second attempt, and twice the last pause before each further attempt.
        EXPECT_LE(5ms * ((1 << (tries - 1)) - 1), took) << tries << " attempts";
        EXPECT_LT(busy * 5, took.count()) << busy << " ns of processor time";
        waits.write(closing);
        std::array<std::byte, 16> answer;
        EXPECT_GT(waits.read(answer), 0U);
        (void)testing::internal::GetCapturedStderr();
    });
}

TEST(kb42_http, interrupted_calls_are_made_again) {
    rota::run([] {
        const running s([](auto& w, auto& r) { w.write(r.body()); });
        static std::atomic<unsigned> asked{0};
        plant_fault([](sys_call call) {
            const bool may = call == sys_call::read || call == sys_call::write ||
                             call == sys_call::accept || call == sys_call::poll_wait;
            return may && asked.fetch_add(1) % 2 == 0 ? EINTR : 0;
        });
        const std::string body(100'000, 'x');
        for (int i = 0; i < 10; ++i) {
            const std::string got =
                ask(s.address, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                               "Content-Length: 100000\r\n\r\n" +
                                   body);
            EXPECT_NE(got.find(body), got.npos) << got.size();
        }
        plant_fault(nullptr);
    });
}

// A file of `size` bytes that is removed at the end.
struct served_files {
    const std::string root = "/tmp/rota-test-served-" + std::to_string(::getpid());
    std::string text;
    explicit served_files(std::size_t size) : text(size, '\0') {
        for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
        ::mkdir(root.c_str(), 0777);
        rota::os::write_file(root + "/f", text);
    }
    ~served_files() {
        ::unlink((root + "/f").c_str());
        ::rmdir(root.c_str());
    }
};
constexpr std::string_view for_file = "GET /f HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

TEST(http_files_faults, kernel_that_cannot_send_files_has_them_copied) {
    rota::run([] {
        const served_files files(1'000'000);
        const running s(rota::http::file_server(files.root));
        for (const int error : {EINVAL, ENOSYS, EOPNOTSUPP}) {
            refusal = error;
            refusals = 0;
            plant_fault([](sys_call call) {
                return call == sys_call::send_file ? (refusals.fetch_add(1), refusal.load()) : 0;
            });
            const std::string got = ask(s.address, for_file);
            plant_fault(nullptr);
            EXPECT_TRUE(got.ends_with(files.text)) << error << " " << got.size();
            EXPECT_EQ(refusals.load(), 1);
        }
    });
}

TEST(kb42_http_files, interrupted_and_cut_calls_are_made_again) {
    rota::run([] {
        const served_files files(300'000);
        const running s(rota::http::file_server(files.root));
        static std::atomic<unsigned> asked{0};
        plant_fault([](sys_call call) {
            const bool may = call == sys_call::read || call == sys_call::write ||
                             call == sys_call::open || call == sys_call::send_file ||
                             call == sys_call::poll_wait;
            const unsigned n = may ? asked.fetch_add(1) : 1;
            return n % 2 == 0 ? EINTR : 0;
        });
        EXPECT_TRUE(ask(s.address, for_file).ends_with(files.text));
        plant_fault([](sys_call call) { return call == sys_call::send_file ? -5'000 : 0; });
        EXPECT_TRUE(ask(s.address, for_file).ends_with(files.text));
        plant_fault(nullptr);
    });
}

TEST(http_files_faults, error_amid_a_file_ends_the_connection) {
    // The server must send nothing in place of the bytes that it could not read.
    rota::run([] {
        const served_files files(1'000'000);
        const running s(rota::http::file_server(files.root));
        refusals = 0;
        plant_fault([](sys_call call) {
            if (call != sys_call::send_file) return 0;
            return refusals.fetch_add(1) == 0 ? -100'000 : EIO;
        });
        const std::string got = ask(s.address, for_file);
        plant_fault(nullptr);
        EXPECT_NE(got.find("Content-Length: 1000000\r\n"), got.npos);
        EXPECT_TRUE(got.ends_with(files.text.substr(0, 100'000)));
    });
}

TEST(kb36_http_files, each_refusal_of_an_open_is_answered) {
    rota::run([] {
        const served_files files(10);
        const running s(rota::http::file_server(files.root));
        for (const auto& [error, status] : {std::pair{EMFILE, "503"},
                                            {ENFILE, "503"},
                                            {ENOMEM, "503"},
                                            {EIO, "500"},
                                            {EACCES, "403"},
                                            {ENOENT, "404"}}) {
            refusal = error;
            plant_fault([](sys_call c) { return c == sys_call::open ? refusal.load() : 0; });
            EXPECT_EQ(ask(s.address, for_file).substr(9, 3), status);
        }
        plant_fault(nullptr);
        EXPECT_EQ(ask(s.address, for_file).substr(9, 3), "200");
    });
}

}  // namespace

#endif
