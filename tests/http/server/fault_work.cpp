// Implements the everyday work that the walk of faults repeats: connections, HTTP, files, programs,
// signals.
#include "fault_work.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/os.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>
#include <rota/tls.hpp>

#include "../../certificates.hpp"

namespace rota_test {

namespace {

using namespace std::chrono_literals;
namespace net = rota::net;
namespace http = rota::http;
namespace os = rota::os;
namespace tls = rota::tls;

constexpr auto patience = 20s;

void expect(bool holds, const char* otherwise) {
    if (!holds) throw std::logic_error(otherwise);
}

// Keeps the first error of several goroutines; a goroutine that fails may release the other
// goroutines.
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

std::string of_this_process(std::string_view what) {
    return std::string(what) + std::to_string(::getpid());
}

// --- connections ---------------------------------------------------------------------------------

// Sends the text in two pieces, by one call.
template <class Conn>
void say(const Conn& c, std::string_view text) {
    c.set_deadline(rota::clock::now() + patience);
    const auto bytes = std::as_bytes(std::span(text));
    const std::span<const std::byte> pieces[] = {bytes.first(2), bytes.subspan(2)};
    c.write(pieces);
}

template <class Conn>
std::string hear(const Conn& c, std::size_t size) {
    std::string text(size, '\0');
    c.set_deadline(rota::clock::now() + patience);
    text.resize(c.read_full(std::as_writable_bytes(std::span(text))));
    if (text.size() != size) throw std::system_error(ECONNRESET, std::generic_category(), "half");
    return text;
}

// Sends a greeting and reads its answer, three times, and then ends the connection.
template <class Conn>
void ask(const Conn& c) {
    for (int i = 0; i < 3; ++i) {
        say(c, "hello");
        expect(hear(c, 5) == "hello", "another text came back");
    }
    c.write("bye");
    expect(hear(c, 3) == "bye", "another farewell came back");
    c.close_write();
    std::byte none;
    expect(c.read({&none, 1}) == 0, "something came behind the end");
}

template <class Conn>
void answer(const Conn& c) {
    for (int i = 0; i < 3; ++i) say(c, hear(c, 5));
    c.write(hear(c, 3));
    std::byte none;
    expect(c.read({&none, 1}) == 0, "something came behind the farewell");
    c.close_write();
}

template <class Accept, class Dial>
void talk(const net::listener& l, Accept accept, Dial dial) {
    first_error failed;
    const auto close = [&] {
        std::error_code gone;
        l.close(gone);
    };
    rota::wait_group server;
    server.go([&] { failed.guarded([&] { answer(accept()); }, close); });
    failed.guarded([&] { ask(dial()); }, close);
    server.wait();
    failed.rethrow();
}

void talk_by(std::string_view network, const std::string& address) {
    const net::listener l = net::listen(network, address);
    talk(
        l, [&] { return l.accept(); },
        [&] {
            net::conn c = net::dial(network, l.addr().to_string());
            expect(c.remote_addr() == l.addr(), "connected to somebody else");
            return c;
        });
}

// Removes the socket's name, also where the kernel has refused once to remove it.
struct socket_name {
    const std::string path = of_this_process("/tmp/rota-fault-walk-socket-");
    ~socket_name() { ::unlink(path.c_str()); }
};

}  // namespace

void talk_by_tcp() { talk_by("tcp", "127.0.0.1:0"); }

void talk_by_unix() {
    const socket_name name;
    talk_by("unix", name.path);
}

void talk_by_tls() {
    const certificate& own = local_certificate();
    static const tls::config of_server({.certificate = own.pem, .key = own.key});
    static const tls::config of_client({.roots = own.pem, .server_name = "localhost"});
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    const tls::listener over(l, of_server);
    talk(
        l, [&] { return over.accept(); },
        [&] { return tls::dial("tcp", l.addr().to_string(), of_client); });
}

void send_messages() {
    const net::packet_conn to = net::listen_packet("udp", "127.0.0.1:0");
    const net::conn from = net::dial("udp", to.addr().to_string());
    to.set_deadline(rota::clock::now() + patience);
    from.set_deadline(rota::clock::now() + patience);
    std::byte room[16];
    for (int i = 0; i < 3; ++i) {
        from.write("hello");
        const auto [size, sender] = to.read_from(room);
        expect(size == 5, "another size of message");
        to.write_to(std::span(room).first(size), sender);
        expect(from.read(room) == 5, "another size of answer");
    }
    const std::span<const std::byte> pieces[] = {std::span(room).first(2),
                                                 std::span(room).first(3)};
    from.write(pieces);
    expect(to.read_from(room).first == 5, "another size of a message in pieces");
}

void look_names_up() {
    const auto all = net::lookup_host("localhost");
    expect(!all.empty(), "no address");
    // A zone that this machine does not have is no zone.
    const std::string zoned = net::resolve("tcp", "[fe80::1%lo]:80").to_string();
    if (zoned == "[fe80::1]:80") throw std::system_error(ENODEV, std::generic_category(), "zone");
    expect(zoned == "[fe80::1%lo]:80", "another zone");
}

// --- HTTP ----------------------------------------------------------------------------------------

namespace {

// An error inside the server's handler arrives as a status.
void expect_answer(const http::response& r, std::string_view body) {
    if (r.status >= 400) throw std::system_error(EREMOTEIO, std::generic_category(), "refused");
    expect(r.status == 200 && r.body == body, "another answer");
}

// Serves while `ask` runs with a client and the server's address.
template <class Ask>
void serve(http::handler h, Ask ask) {
    const http::server server(std::move(h));
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    first_error failed;
    failed.guarded(
        [&] {
            const http::client c({.timeout = patience, .proxy_from_environment = false});
            ask(c, "http://" + l.addr().to_string() + "/");
        },
        [] {});
    server.close();
    server.shutdown(rota::background());
    serving.wait();
    failed.rethrow();
}

}  // namespace

// Sends `size` bytes in chunks when the server asks for them, and reads them back piece by piece.
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
    expect(a.trailers().get("X-Sum") == "1", "no trailer came back");
}

void serve_http() {
    serve(
        [](http::response_writer& w, http::request& r) {
            w.write(r.method() == "GET" ? std::string("hello") : r.body());
            w.trailer() = r.trailers();
        },
        [](const http::client& c, const std::string& url) {
            for (int i = 0; i < 2; ++i) expect_answer(c.get(url), "hello");
            const std::string body(10'000, 'x');
            expect_answer(c.post(url, "text/plain", body), body);
            stream_http(c, url, body.size());
        });
}

void serve_files() {
    const std::string root = of_this_process("/tmp/rota-fault-walk-served-");
    const std::string text(100'000, 'x');
    static const bool made = [&] {
        ::mkdir(root.c_str(), 0777);
        ::mkdir((root + "/in").c_str(), 0777);
        (void)!::symlink("in", (root + "/link").c_str());
        os::write_file(root + "/in/f", text);
        return true;
    }();
    expect(made, "no files");
    serve(http::file_server(root), [&](const http::client& c, const std::string& url) {
        expect_answer(c.get(url + "link/f"), text);
        const http::response listing = c.get(url + "in/");
        if (listing.status >= 400)
            throw std::system_error(EREMOTEIO, std::generic_category(), "refused");
        expect(listing.body.find("<a href=\"f\">") != listing.body.npos, "another listing");
    });
}

// --- files, programs, signals --------------------------------------------------------------------

namespace {

struct temporary {
    const std::string path = of_this_process("/tmp/rota-fault-walk-");
    ~temporary() { ::unlink(path.c_str()); }
};

// Reads by pread until the bytes are complete: one call may return fewer bytes.
std::string read_at(const os::file& f, std::int64_t place, std::size_t size) {
    std::string got(size, '\0');
    for (std::size_t done = 0; done < size;) {
        const std::size_t n = f.pread(std::as_writable_bytes(std::span(got)).subspan(done),
                                      place + static_cast<std::int64_t>(done));
        expect(n != 0, "the file ends too early");
        done += n;
    }
    return got;
}

void use_pipe(const std::string& text) {
    auto [reader, writer] = os::pipe();
    first_error failed;
    rota::wait_group write;
    write.go([&, w = std::move(writer)]() mutable {
        failed.guarded([&] { w.write(text); }, [] {});
        w = {};
    });
    failed.guarded([&] { expect(reader.read_all() == text, "another text from the pipe"); },
                   [&] { reader = {}; });
    write.wait();
    failed.rethrow();
}

}  // namespace

void use_files() {
    const temporary file;
    const std::string text(10'000, 'x');
    os::write_file(file.path, text);
    {
        const os::file f = os::file::open(file.path, O_RDWR);
        f.pwrite("yes", 100);
        expect(read_at(f, 99, 4) == "xyes", "another text at its place");
        expect(f.seek(0, SEEK_END) == 10'000 && f.size() == 10'000, "another size");
        f.truncate(200);
        f.sync();
    }
    expect(os::read_file(file.path) == text.substr(0, 100) + "yes" + text.substr(0, 97),
           "another text");
    use_pipe(text);
}

void run_programs() {
    // Reaps children for which the work could not wait because of a refusal.
    struct reap {
        ~reap() {
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
        }
    } at_end;
    expect(os::command({"echo", "said"}).output() == "said\n", "another output");
    // The shell's child keeps the pipe open: the output is the pipe's content at the end. output()
    // reports that it may be incomplete.
    std::error_code late;
    const std::string held =
        os::command({"sh", "-c", "sleep 0.1 & echo said"}).wait_delay(1ms).output(late);
    if (late && late != std::errc::timed_out) throw std::system_error(late);
    // The kernel may have refused the shell a process of its own.
    if (held.empty()) throw std::system_error(EAGAIN, std::generic_category(), "sh");
    expect(held == "said\n", "another output beside a program that goes on");
    auto [reader, writer] = os::pipe();  // closing the writer ends cat, where kill is refused
    os::command c({"cat"});
    c.stdin_from(std::move(reader)).start();
    c.kill(SIGKILL);
    expect(c.wait().signal == SIGKILL, "another end");
}

void watch_signals() {
    const auto c = rota::make_chan<int>(1);
    os::notify(c, SIGUSR1);
    for (int i = 0; i < 3; ++i) {
        ::raise(SIGUSR1);
        expect(c.recv() == SIGUSR1, "another signal");
    }
    os::stop(c);
}

}  // namespace rota_test
