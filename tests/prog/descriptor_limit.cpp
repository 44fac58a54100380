// A program with listeners that raise its limit of descriptors, and the programs that it starts.
// Each case prints soft limits, a line at each step: "own" and "child".
#include <csignal>
#include <string>

#include <sys/resource.h>
#include <sys/syscall.h>

#include "confined.hpp"
#include "program.hpp"

using namespace rota_test;

namespace {

namespace os = rota::os;
namespace net = rota::net;

int error = 0;  // errno for the refused calls

constexpr rlim_t low = 256;

void set_own(rlim_t soft) {
    rlimit now{};
    if (::getrlimit(RLIMIT_NOFILE, &now) != 0) std::abort();
    now.rlim_cur = soft;
    if (::setrlimit(RLIMIT_NOFILE, &now) != 0) std::abort();
}

// The soft limit in a text with the format of /proc/PID/limits.
std::string soft_in(const std::string& limits) {
    constexpr std::string_view name = "Max open files";
    const std::size_t at = limits.find_first_not_of(' ', limits.find(name) + name.size());
    return limits.substr(at, limits.find(' ', at) - at);
}

// Replaces the number of the hard limit by "hard".
std::string told(const std::string& soft) {
    static const std::string hard = [] {
        rlimit now{};
        ::getrlimit(RLIMIT_NOFILE, &now);
        return now.rlim_max == RLIM_INFINITY ? "unlimited" : std::to_string(now.rlim_max);
    }();
    return soft == hard ? "hard" : soft;
}

void tell() {
    const std::string own = soft_in(os::read_file("/proc/self/limits"));
    const std::string of_child = soft_in(os::command({"cat", "/proc/self/limits"}).output());
    say(("own " + told(own) + ", child " + told(of_child)).c_str());
}

void begin() {
    set_own(low);
    (void)told("");
    tell();
}

void refuse(std::initializer_list<long> calls) {
    for (const long number : calls)
        if (!refuse_system_call(static_cast<unsigned>(number), static_cast<unsigned>(error)))
            ::_exit(97);
}

net::listener listen() { return net::listen("tcp", "127.0.0.1:0"); }

int tcp() {
    rota::run([] {
        begin();
        (void)listen();
        tell();
    });
    return 0;
}

int unix_socket() {
    rota::run([] {
        begin();
        (void)net::listen("unix", "@rota-limit-" + std::to_string(::getpid()));
        tell();
    });
    return 0;
}

// A limit that the program sets later also holds for its children, and no listener changes it.
int set_later() {
    rota::run([] {
        begin();
        (void)listen();
        set_own(300);
        (void)listen();
        tell();
        std::fputs(os::command({"sh", "-c", "ulimit -n"}).output().c_str(), stdout);
    });
    return 0;
}

// A packet socket needs one descriptor for any number of peers.
int packets() {
    rota::run([] {
        begin();
        (void)net::listen_packet("udp", "127.0.0.1:0");
        tell();
    });
    return 0;
}

// Four goroutines start children, and the first goroutine also listens. Each child has the earlier
// limit.
int at_once() {
    rota::run([] {
        set_own(low);
        (void)told("");
        std::atomic<int> others{0};
        rota::wait_group all;
        for (int i = 0; i < 4; ++i) {
            all.go([&, i] {
                for (int j = 0; j < 10; ++j) {
                    if (i == 0 && j == 5) (void)listen();
                    const std::string text = os::command({"cat", "/proc/self/limits"}).output();
                    others += soft_in(text) != std::to_string(low);
                }
            });
        }
        all.wait();
        say(std::to_string(others.load()).c_str());
    });
    return 0;
}

int prlimit_is_refused() {
    rota::run([] {
        begin();
        refuse({SYS_prlimit64});
        (void)listen();
        tell();
    });
    return 0;
}

int limits_are_refused() {
    rota::run([] {
        begin();
        refuse({SYS_prlimit64, SYS_setrlimit, SYS_getrlimit});
        (void)listen();
        tell();
    });
    return 0;
}

// The child cannot get the old limit back, but it still runs.
int limits_are_refused_later() {
    rota::run([] {
        begin();
        (void)listen();
        refuse({SYS_prlimit64, SYS_setrlimit, SYS_getrlimit});
        tell();
    });
    return 0;
}

// The caller gets the error, and stderr shows the reason once.
int clone_is_refused() {
    rota::run([] {
        refuse({SYS_clone});
        for (int i = 0; i < 2; ++i) {
            std::error_code e;
            os::command({"true"}).start(e);
            say(e.value() == error ? "refused" : e.message().c_str());
        }
    });
    return 0;
}

// The child closes all descriptors that the program opened without O_CLOEXEC, in any number.
int close_range_is_refused() {
    rota::run([] {
        int kept = 0;
        for (int i = 0; i < 100; ++i) kept = ::open("/dev/null", O_RDONLY);
        if (::dup2(kept, kept + 100) < 0) std::abort();
        refuse({436});
        std::fputs(os::command({"ls", "/proc/self/fd"}).output().c_str(), stdout);
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3) error = std::atoi(argv[2]);
    return run_case(argc, argv,
                    {{"tcp", tcp},
                     {"unix", unix_socket},
                     {"set_later", set_later},
                     {"packets", packets},
                     {"at_once", at_once},
                     {"prlimit_is_refused", prlimit_is_refused},
                     {"limits_are_refused", limits_are_refused},
                     {"limits_are_refused_later", limits_are_refused_later},
                     {"clone_is_refused", clone_is_refused},
                     {"close_range_is_refused", close_range_is_refused}});
}
