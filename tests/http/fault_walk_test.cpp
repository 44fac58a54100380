// The walk of faults: everyday work of a server, done again and again, and each time one more call
// to the kernel is refused: the first of its kind, the second, up to the one that no longer comes.
// What is asked for each time: an end, of success or of an error that was thrown to the caller;
// nothing left behind, neither goroutine nor descriptor; and that interruptions, short reads and
// writes, and want of descriptors where one can wait for them, are not seen by anybody.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>
#include <unistd.h>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/os.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include "sys/fault.hpp"

#include "../open_descriptors.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using namespace rota::rt;
using namespace std::chrono_literals;
namespace net = rota::net;
namespace http = rota::http;
namespace os = rota::os;

constexpr auto patience = 20s;
constexpr int places_max = 24;  // of calls that come as often as threads happen to sleep

// --- one refusal ---------------------------------------------------------------------------------

std::atomic<sys_call> refused_call{sys_call::count};
std::atomic<int> refused_with{0}, calls_until{0};

int refuse_one(sys_call call) {
    return call == refused_call.load() && calls_until.fetch_sub(1) == 1 ? refused_with.load() : 0;
}

// While it lives, the nth call of this kind fails, and no other.
struct refusing_nth {
    refusing_nth(sys_call call, int error, int n) {
        refused_call = call;
        refused_with = error;
        calls_until = n;
        plant_fault(refuse_one);
    }
    ~refusing_nth() { plant_fault(nullptr); }
    static bool has_come() { return calls_until.load() <= 0; }
};

enum class must : unsigned char { be_absorbed, end };

struct fault {
    sys_call call;
    const char* name;
    int error;  // or -n: no more than n bytes
    must outcome = must::end;
};

constexpr fault of_sockets[] = {
    {sys_call::socket, "socket", EMFILE},
    {sys_call::socket, "socket", ENOMEM},
    {sys_call::bind, "bind", EADDRINUSE},
    {sys_call::listen, "listen", EADDRINUSE},
    {sys_call::accept, "accept", EMFILE},
    {sys_call::accept, "accept", ENOMEM},
    {sys_call::accept, "accept", EINTR, must::be_absorbed},
    {sys_call::connect, "connect", ECONNREFUSED},
    {sys_call::connect, "connect", EINTR, must::be_absorbed},
    {sys_call::poll_add, "epoll_ctl", ENOMEM},
    {sys_call::poll_wait, "epoll_wait", EINTR, must::be_absorbed},
    {sys_call::event, "eventfd", EINTR, must::be_absorbed},
    {sys_call::read, "recv", EINTR, must::be_absorbed},
    {sys_call::read, "recv", ECONNRESET},
    {sys_call::read, "recv", ENOMEM},
    {sys_call::write, "send", EINTR, must::be_absorbed},
    {sys_call::write, "send", EPIPE},
    {sys_call::write, "send", ECONNRESET},
    {sys_call::write, "send", ENOBUFS},
};

constexpr fault of_servers[] = {
    {sys_call::accept, "accept", EMFILE, must::be_absorbed},
    {sys_call::accept, "accept", ENFILE, must::be_absorbed},
    {sys_call::accept, "accept", ENOMEM, must::be_absorbed},
    {sys_call::accept, "accept", ECONNABORTED, must::be_absorbed},
};

constexpr fault of_files[] = {
    {sys_call::open, "open", EMFILE},
    {sys_call::open, "open", EINTR, must::be_absorbed},
    {sys_call::pipe, "pipe", EMFILE},
    {sys_call::poll_add, "epoll_ctl", ENOMEM},
    {sys_call::poll_wait, "epoll_wait", EINTR, must::be_absorbed},
    {sys_call::read, "read", EINTR, must::be_absorbed},
    {sys_call::read, "read", EIO},
    {sys_call::read, "read", -1, must::be_absorbed},
    {sys_call::write, "write", EINTR, must::be_absorbed},
    {sys_call::write, "write", ENOSPC},
    {sys_call::write, "write", -1, must::be_absorbed},
    {sys_call::sync, "fsync", EIO},
    {sys_call::sync, "fsync", EINTR, must::be_absorbed},
    {sys_call::close_file, "close", EINTR, must::be_absorbed},
    {sys_call::close_file, "close", EIO},
    {sys_call::spawn, "spawn", EAGAIN},
    {sys_call::spawn, "spawn", ENOMEM},
    {sys_call::pidfd, "pidfd", EMFILE},
};

// --- everyday work -------------------------------------------------------------------------------

// The first error that one of several goroutines has met; each may open the door for the others.
class first_error {
  public:
    template <class F, class G>
    void guarded(F&& f, G&& let_others_go) {
        try {
            f();
        } catch (...) {
            const std::lock_guard guard(mu_);
            if (error_ == nullptr) error_ = std::current_exception();
            let_others_go();
        }
    }
    void rethrow() {
        if (error_ != nullptr) std::rethrow_exception(error_);
    }

  private:
    rota::mutex mu_;
    std::exception_ptr error_;
};

void say(const net::conn& c, std::string_view text) {
    c.set_deadline(rota::clock::now() + patience);
    c.write(text);
}

std::string hear(const net::conn& c, std::size_t size) {
    std::string text(size, '\0');
    c.set_deadline(rota::clock::now() + patience);
    text.resize(c.read_full(std::as_writable_bytes(std::span(text))));
    if (text.size() != size) throw std::system_error(ECONNRESET, std::generic_category(), "half");
    return text;
}

void talk(std::string_view network, const std::string& address) {
    const net::listener l = net::listen(network, address);
    first_error failed;
    const auto close = [&] {
        std::error_code gone;
        l.close(gone);
    };
    rota::wait_group server;
    server.go([&] {
        failed.guarded(
            [&] {
                const net::conn c = l.accept();
                for (int i = 0; i < 3; ++i) say(c, hear(c, 5));
            },
            close);
    });
    failed.guarded(
        [&] {
            const net::conn c = net::dial(network, l.addr().to_string());
            for (int i = 0; i < 3; ++i) {
                say(c, "hello");
                if (hear(c, 5) != "hello") throw std::logic_error("another text came back");
            }
        },
        close);
    server.wait();
    failed.rethrow();
}

void talk_by_tcp() { talk("tcp", "127.0.0.1:0"); }
void talk_by_unix() { talk("unix", "@rota-fault-walk-" + std::to_string(::getpid())); }

// What the server's handler meets comes as a status.
void expect_answer(const http::response& r, std::string_view body) {
    if (r.status >= 400) throw std::system_error(EREMOTEIO, std::generic_category(), "refused");
    if (r.status != 200 || r.body != body) throw std::logic_error("another answer");
}

// Sends so many bytes in chunks, when the server asks for them, and takes them back piece by piece.
void stream_http(const http::client& c, const std::string& url, std::size_t size) {
    http::request r("PUT", url);
    r.headers().set("Expect", "100-continue");
    r.trailers().set("X-Sum", "1");
    r.set_repeatable_body([size] {
        return [left = size](std::span<std::byte> to, const rota::context&) mutable {
            const std::size_t n = std::min({to.size(), left, std::size_t{3000}});
            std::fill_n(to.begin(), n, std::byte{'x'});
            left -= n;
            return n;
        };
    });
    http::response_stream a = c.open(r);
    http::response whole;
    whole.status = a.status();
    whole.body = a.body();
    expect_answer(whole, std::string(size, 'x'));
    if (a.trailers().get("X-Sum") != "1") throw std::logic_error("no trailer came back");
}

void serve_http() {
    const http::server server([](http::response_writer& w, http::request& r) {
        w.write(r.method() == "GET" ? std::string("hello") : r.body());
        w.trailer() = r.trailers();
    });
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    first_error failed;
    failed.guarded(
        [&] {
            const http::client c({.timeout = patience, .proxy_from_environment = false});
            const std::string url = "http://" + l.addr().to_string() + "/";
            for (int i = 0; i < 2; ++i) expect_answer(c.get(url), "hello");
            const std::string body(10'000, 'x');
            expect_answer(c.post(url, "text/plain", body), body);
            stream_http(c, url, body.size());
        },
        [] {});
    server.close();
    server.shutdown(rota::background());
    serving.wait();
    failed.rethrow();
}

void use_files() {
    const std::string path = "/tmp/rota-fault-walk-" + std::to_string(::getpid());
    const std::string text(10'000, 'x');
    struct remove {
        const std::string& path;
        ~remove() { ::unlink(path.c_str()); }
    } at_end{path};
    os::write_file(path, text);
    {
        const os::file f = os::file::open(path, O_RDWR);
        f.pwrite("y", 0);
        f.sync();
    }
    if (os::read_file(path) != "y" + text.substr(1)) throw std::logic_error("another text");
    auto [reader, writer] = os::pipe();
    first_error failed;
    rota::wait_group write;
    write.go([&, w = std::move(writer)]() mutable {
        failed.guarded([&] { w.write(text); }, [] {});
        w = {};
    });
    failed.guarded(
        [&] {
            if (reader.read_all() != text) throw std::logic_error("another text from the pipe");
        },
        [&] { reader = {}; });
    write.wait();
    failed.rethrow();
}

void run_program() {
    if (os::command({"echo", "said"}).output() != "said\n")
        throw std::logic_error("another output");
}

// --- the walk ------------------------------------------------------------------------------------

struct result {
    int places = 0, absorbed = 0, reported = 0;
    std::string other;  // reported as something else than was said, the last of them
};

bool is_back_at(int descriptors) {
    const auto until = rota::clock::now() + patience;
    while (rota::runtime::num_goroutine() > 0 || rota_test::open_descriptors() > descriptors) {
        if (rota::clock::now() > until) return false;
        rota::sleep_for(200us);
    }
    return true;
}

void meet(const fault& f, int n, int descriptors, void (*work)(), result& r) {
    std::string told;
    bool is_expected = true, has_come = false;
    try {
        const refusing_nth now(f.call, f.error, n);
        rota::run(work);
        has_come = refusing_nth::has_come();
    } catch (const std::system_error& e) {
        has_come = true;
        told = e.code().message();
        if (e.code().value() != f.error) r.other = told;
        EXPECT_NE(e.code(), std::errc::timed_out) << "somebody was not woken";
    } catch (const std::bad_alloc&) {
        has_come = true;
        told = "bad_alloc";
    } catch (const std::exception& e) {
        has_come = true;
        is_expected = false;
        told = e.what();
    }
    EXPECT_TRUE(is_expected) << told;
    if (f.outcome == must::be_absorbed) {
        EXPECT_EQ(told, "");
    }
    EXPECT_TRUE(is_back_at(descriptors))
        << "goroutines: " << rota::runtime::num_goroutine()
        << ", descriptors: " << rota_test::open_descriptors() << " instead of " << descriptors;
    if (!has_come) return;
    ++r.places;
    ++(told.empty() ? r.absorbed : r.reported);
}

template <std::size_t size>
void walk(const char* name, void (*work)(), const fault (&faults)[size]) {
    rota::run(work);  // what is opened once stays
    const int descriptors = rota_test::open_descriptors();
    int rows = 0;
    for (const fault& f : faults) {
        const std::string what = f.error < 0 ? "short" : std::strerror(f.error);
        SCOPED_TRACE(std::string(name) + ": " + f.name + ": " + what);
        result r;
        for (int n = 1, before = -1; n <= places_max && before != r.places; ++n) {
            SCOPED_TRACE("call " + std::to_string(n));
            before = r.places;
            meet(f, n, descriptors, work, r);
            if (testing::Test::HasFailure()) return;
        }
        if (r.places == 0) continue;
        ++rows;
        std::printf("fault: %-10s %-10s %-36s %3d places %3d absorbed %3d reported  %s\n", name,
                    f.name, what.c_str(), r.places, r.absorbed, r.reported, r.other.c_str());
    }
    EXPECT_GT(rows, 3);
}

class fault_walk : public testing::Test {
    // What servers write about connections that failed.
    void SetUp() override { testing::internal::CaptureStderr(); }
    void TearDown() override {
        const std::string log = testing::internal::GetCapturedStderr();
        if (HasFailure()) std::fputs(log.c_str(), stderr);
    }
};

TEST_F(fault_walk, talk_by_tcp) { walk("tcp", talk_by_tcp, of_sockets); }
TEST_F(fault_walk, talk_by_unix) { walk("unix", talk_by_unix, of_sockets); }
TEST_F(fault_walk, serve_http) {
    walk("http", serve_http, of_sockets);
    walk("http", serve_http, of_servers);
}
TEST_F(fault_walk, use_files) { walk("files", use_files, of_files); }
TEST_F(fault_walk, run_program) { walk("command", run_program, of_files); }

}  // namespace

#endif
