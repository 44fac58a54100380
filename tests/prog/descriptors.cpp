// Programs without standard descriptors: closed before the start, or later, as daemons do.
#include <cerrno>
#include <csignal>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "program.hpp"

using namespace rota_test;

namespace {

namespace net = rota::net;
namespace os = rota::os;

// Exit statuses, since there may be no output: the last two digits of the failed line, plus 100.
void require_at(bool holds, int line) {
    if (!holds) ::_exit(100 + line % 100);
}
#define REQUIRE(fact) require_at((fact), __LINE__)

void close_standard() {
    for (const int number : {0, 1, 2}) ::close(number);
}

bool is_closed(int number) { return ::fcntl(number, F_GETFD) < 0 && errno == EBADF; }

bool is_null(int number) {
    struct stat about{};
    return ::fstat(number, &about) == 0 && S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3);
}

std::string scratch() { return "/tmp/rota_descriptors_" + std::to_string(::getpid()); }

// Opens a file, a pipe, sockets of each kind, a channel of signals and a program at once. Meanwhile
// printf and std::fprintf write to descriptors 1 and 2. Calls `look` while they are open.
template <class F>
void use_descriptors(F look) {
    const std::string path = scratch();
    const os::file data = os::file::open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ::unlink(path.c_str());
    auto [from, to] = os::pipe();
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    net::conn server;
    rota::wait_group accepted;
    accepted.go([&] { server = l.accept(); });
    const net::conn client = net::dial("tcp", l.addr().to_string());
    accepted.wait();
    const auto signals = rota::make_chan<int>(1);
    os::notify(signals, SIGUSR1);
    ::kill(::getpid(), SIGUSR1);
    REQUIRE(signals.recv() == SIGUSR1);
    for (int i = 0; i < 100; ++i) {
        std::printf("stray output\n");
        std::fprintf(stderr, "stray errors\n");
    }
    std::fflush(stdout);
    data.write("data");
    client.write("sent");
    char text[8] = {};
    REQUIRE(server.read(std::as_writable_bytes(std::span(text))) == 4);
    REQUIRE(std::string_view(text) == "sent");
    struct stat about{};
    REQUIRE(data.fd() >= 3 && ::fstat(data.fd(), &about) == 0 && about.st_size == 4);
    REQUIRE(from.fd() >= 3 && to.fd() >= 3);
    look();
    // Each of a child's three descriptors is as requested.
    to.write("given");
    to.close();
    os::command child({"/bin/sh", "-c", "cat; echo error >&2"});
    child.stdin_from(from);
    REQUIRE(child.combined_output() == "givenerror\n");
    REQUIRE(os::command({"/bin/sh", "-c", "cat; echo out; echo error >&2"}).output() == "out\n");
    look();
    os::stop(signals);
}

void all_null() {
    for (const int number : {0, 1, 2}) REQUIRE(is_null(number));
}
void all_closed() {
    for (const int number : {0, 1, 2}) REQUIRE(is_closed(number));
}

int missing() {
    close_standard();
    rota::run([] {
        all_null();
        use_descriptors(all_null);
    });
    return 0;
}

// No run: a thread of the program's own is the first to use rota.
int missing_for_a_thread() {
    close_standard();
    const auto c = rota::make_chan<int>(1);
    c.send(1);
    all_null();
    const os::file data = os::file::open(scratch(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ::unlink(scratch().c_str());
    REQUIRE(data.fd() >= 3);
    return 0;
}

// Only descriptor 1 is missing: the rest stay as they were.
int output_missing() {
    ::close(1);
    rota::run([] { REQUIRE(is_null(1) && !is_null(2)); });
    return 0;
}

int closed_later() {
    rota::run([] {
        close_standard();
        use_descriptors(all_closed);
    });
    return 0;
}

// The runtime opens its files in /proc, its timers and its tables while the standard descriptors
// are missing.
int closed_later_with_reports() {
    rota::run([] {
        close_standard();
        REQUIRE(!rota::runtime::stack(true).empty());
        use_descriptors(all_closed);
    });
    return 0;
}

// No number from 3 on is left: the caller gets an error, and 0 is free again.
int no_number_left() {
    rota::run([] {
        // The first listener raises the limit.
        (void)net::listen("tcp", "127.0.0.1:0");
        const os::file null = os::file::open("/dev/null", O_RDWR);
        ::close(0);
        const rlimit before = [] {
            rlimit now{};
            ::getrlimit(RLIMIT_NOFILE, &now);
            return now;
        }();
        for (const rlim_t limit : {rlim_t{3}, rlim_t{2}}) {
            const rlimit tight{limit, before.rlim_max};
            REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
            std::error_code error;
            (void)os::file::open("/dev/null", O_RDWR, error);
            REQUIRE(error == std::errc::too_many_files_open && is_closed(0));
            (void)os::pipe(error);
            REQUIRE(error == std::errc::too_many_files_open && is_closed(0));
            (void)net::listen("tcp", "127.0.0.1:0", error);
            REQUIRE(error == std::errc::too_many_files_open && is_closed(0));
        }
        ::setrlimit(RLIMIT_NOFILE, &before);
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"missing", missing},
                     {"missing_for_a_thread", missing_for_a_thread},
                     {"output_missing", output_missing},
                     {"closed_later", closed_later},
                     {"closed_later_with_reports", closed_later_with_reports},
                     {"no_number_left", no_number_left}});
}
