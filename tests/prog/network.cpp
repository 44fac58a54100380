// Programs in which every goroutine waits, with or without a goroutine that waits for a socket.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

namespace net = rota::net;

// The sockets were used and are closed, or no goroutine waits for them: the goroutines wait for
// each other.
int deadlock_after_use() {
    rota::run([] {
        const net::listener l = net::listen("tcp", "127.0.0.1:0");  // stays open
        for (int i = 0; i < 100; ++i) {
            const net::conn c = net::dial("tcp", l.addr().to_string());
            const net::conn s = l.accept();
            rota::wait_group all;
            std::byte buffer[16];
            std::error_code error;
            all.go([&] { (void)s.read(buffer, error); });
            if (i % 3 == 0) c.write("x");
            if (i % 3 == 1) s.set_read_deadline(rota::clock::now() + 100us);
            if (i % 3 == 2) s.close();
            all.wait();
        }
        rota::make_chan<int>().recv();
    });
    return 0;
}

// The last wait for a descriptor ends while a thread sleeps in the poller; no event tells that
// thread.
int deadlock_after_close() {
    rota::run([] {
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        rota::wait_group all;
        all.go([&] {
            std::error_code error;
            (void)l.accept(error);
        });
        rota::blocking([] { await_in_blocking(do_the_others_sleep); });
        l.close();
        all.wait();
        rota::make_chan<int>().recv();
    });
    return 0;
}

constexpr const char* scratch_file = "rota-network-test-file";

// The program has used files, and the kernel threads that did the work remain.
int deadlock_after_files() {
    rota::run([] {
        const auto f = rota::os::file::open(scratch_file, O_RDWR | O_CREAT | O_TRUNC, 0600);
        ::unlink(scratch_file);
        rota::wait_group all;
        for (int i = 0; i < 8; ++i) {
            all.go([&, i] {
                f.pwrite("some text", 100 * i);
                f.sync();
                std::byte bytes[4096];
                (void)f.pread(bytes, 0);
            });
        }
        all.wait();
        rota::make_chan<int>().recv();
    });
    return 0;
}

// Writes while the program's static objects are destroyed: no goroutine can be woken at that time.
struct farewell {
    rota::os::file to;
    ~farewell() {
        if (!to) return;
        std::error_code error;
        to.write("farewell", error);
        to.sync(error);
        std::byte bytes[16];
        if (error || to.pread(bytes, 0, error) != 8) ::_exit(1);
    }
};

int writes_at_exit() {
    static farewell last;
    rota::run([] {
        last.to = rota::os::file::open(scratch_file, O_RDWR | O_CREAT | O_TRUNC, 0600);
        ::unlink(scratch_file);
        std::exit(0);
    });
    return 1;
}

// The child has no watcher thread to make the call, and the parent's watcher must not make it.
int forks_amid_files() {
    rota::run([] {
        const auto f = rota::os::file::open(scratch_file, O_RDWR | O_CREAT | O_TRUNC, 0600);
        ::unlink(scratch_file);
        rota::wait_group all;
        all.go([&] {
            for (int i = 0; i < 200; ++i) f.pwrite("parent", 100);
        });
        for (int i = 0; i < 20; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                f.pwrite("child", 0);
                f.sync();
                ::_exit(7);
            }
            int status = 0;
            rota::blocking([&] {
                while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
                }
            });
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) std::abort();
        }
        all.wait();
        char text[5] = {};
        if (f.pread(std::as_writable_bytes(std::span(text)), 0) != 5 ||
            std::string_view(text, 5) != "child")
            std::abort();
    });
    return 0;
}

// Connects to the port that it reads from `ports`, once its parent process is asleep.
[[noreturn]] void be_a_client(int ports) {
    std::uint16_t port = 0;
    if (::read(ports, &port, sizeof port) != sizeof port) ::_exit(1);
    await([] { return do_threads_sleep(::getppid()); });
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::_exit(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 ? 0 : 1);
}

// A goroutine waits for the network, and main waits for that goroutine: no deadlock, because
// another process connects.
int waits() {
    int ports[2];
    if (::pipe2(ports, O_CLOEXEC) != 0) return 1;
    if (::fork() == 0) be_a_client(ports[0]);
    rota::run([&] {
        const net::listener l = net::listen("tcp", "127.0.0.1:0");
        const std::uint16_t port = l.addr().port();
        if (::write(ports[1], &port, sizeof port) != sizeof port) std::abort();
        auto done = rota::make_chan<int>();
        rota::go([l, done] {
            (void)l.accept();
            done.send(1);
        });
        done.recv();
    });
    return 0;
}

// A goroutine still waits for connections of a listener that outlives main.
rota::net::listener forgotten;

int exits() {
    rota::run([] {
        forgotten = net::listen("tcp", "127.0.0.1:0");
        const std::uint64_t before = parks();
        rota::go([] {
            std::error_code error;
            (void)forgotten.accept(error);
        });
        await([before] { return parks() > before; });
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"deadlock_after_use", deadlock_after_use},
                     {"deadlock_after_close", deadlock_after_close},
                     {"deadlock_after_files", deadlock_after_files},
                     {"writes_at_exit", writes_at_exit},
                     {"forks_amid_files", forks_amid_files},
                     {"waits", waits},
                     {"exits", exits}});
}
