// Reports to a nonblocking pipe. Its reader comes late, never comes, or has gone. The program is
// its own reader: it forks before it uses rota, and the child's stderr is the pipe.
#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr int pipe_size = 4096, goroutines = 300;

int held_by(int pipe) {
    int bytes = 0;
    return ::ioctl(pipe, FIONREAD, &bytes) == 0 ? bytes : -1;
}

// Makes a report of more than ten times the pipe's capacity.
[[noreturn]] void crash() {
    ::setenv("GOTRACEBACK", "all", 1);
    rota::run([] {
        for (int i = 0; i < goroutines; ++i) rota::go(block_for_ever);
        await([] { return parks() >= goroutines; });
        rota::go([] { throw std::runtime_error("the end"); });
        block_for_ever();
    });
    ::_exit(98);
}

// sysmon writes a line every millisecond, and must still preempt goroutines: a goroutine computes
// until another goroutine on the same processor has had a turn.
[[noreturn]] void trace_and_end() {
    ::setenv("GODEBUG", "schedtrace=1", 1);
    ::setenv("GOMAXPROCS", "1", 1);
    rota::run([] {
        constexpr int line_max = 256;  // bytes; the next line finds no room
        await([] { return held_by(STDERR_FILENO) > pipe_size - line_max; }, [] {});
        std::atomic<bool> had_turn{false};
        rota::go([&] { had_turn = true; });
        await([&] { return had_turn.load(); }, [] {});
    });
    ::_exit(0);
}

struct writer {
    pid_t pid;
    int from;
};

writer start(void (*run)()) {
    int ends[2];
    if (::pipe(ends) != 0 || ::fcntl(ends[1], F_SETPIPE_SZ, pipe_size) != pipe_size) ::_exit(98);
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        run();
    }
    ::close(ends[1]);
    return {pid, ends[0]};
}

// Waits until the pipe has no room for the next piece of a report.
void await_full(const writer& w) {
    int before = 0;
    await([&] {
        const int now = held_by(w.from);
        const bool stands = now > 0 && now == before;
        before = now;
        if (!stands) std::this_thread::sleep_for(20ms);
        return stands;
    });
}

int status_of(const writer& w) {
    int status = 0;
    ::waitpid(w.pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string read_all(const writer& w) {
    std::string text;
    char part[4096];
    for (ssize_t n = 0; (n = ::read(w.from, part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(n));
    return text;
}

int late_reader() {
    const writer w = start(crash);
    await_full(w);
    const std::string text = read_all(w);
    int found = 0;
    for (std::size_t at = 0; (at = text.find("\ngoroutine ", at)) != text.npos; ++at) ++found;
    std::printf("%zu bytes, %d goroutines\n", text.size(), found);
    return status_of(w) == 2 && text.size() > 10 * pipe_size && found > goroutines ? 0 : 1;
}

int no_reader() {
    const writer w = start(crash);
    const int status = status_of(w);
    const int held = held_by(w.from);
    return status == 2 && held > 0 && held <= pipe_size ? 0 : 1;
}

int reader_goes() {
    const writer w = start(crash);
    await_full(w);
    ::close(w.from);
    return status_of(w) == 2 ? 0 : 1;
}

int no_reader_of_schedtrace() { return status_of(start(trace_and_end)); }

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"late_reader", late_reader},
                     {"no_reader", no_reader},
                     {"reader_goes", reader_goes},
                     {"no_reader_of_schedtrace", no_reader_of_schedtrace}});
}
