// Programs that fork while goroutines run, and what their children do then. The parent ends with
// the child's exit status, or 90 if it was killed.
#include <atomic>
#include <cerrno>

#include <spawn.h>
#include <sys/wait.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

extern char** environ;

namespace {

std::atomic<bool> over{false};

// Something of everything: goroutines that compute, sleep, hold locks and sit in blocking().
void start_load() {
    static rota::mutex mu;
    for (int i = 0; i < 8; ++i) {
        rota::go([] {
            while (!over) {
                const std::lock_guard guard(mu);
                rota::runtime::gosched();
            }
        });
        rota::go([] {
            while (!over) rota::sleep_for(20us);
        });
        rota::go([] {
            while (!over) sit_in_a_call(50);
        });
    }
}

int status_of(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return 91;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 90;
}

// Forks in a goroutine under load; `child` runs in the child, which ends with what it returns.
template <class F>
int fork_under_load(F child) {
    return rota::run([child] {
        start_load();
        int status = 0;
        for (int i = 0; i < 20 && status == 0; ++i) {
            rota::sleep_for(200us);
            const pid_t pid = ::fork();
            if (pid == 0) ::_exit(child());
            status = pid < 0 ? 92 : rota::blocking([pid] { return status_of(pid); });
        }
        over = true;
        return status;
    });
}

int just_exits() {
    return fork_under_load([] { return 0; });
}
int execs() {
    return fork_under_load([] {
        ::execl("/bin/true", "true", static_cast<char*>(nullptr));
        return 93;
    });
}
int runs_exit_handlers() {
    return fork_under_load([] {
        std::exit(0);
        return 94;
    });
}
// Their destructors run in the child, which has no clock to stop.
int has_static_timers() {
    static const rota::ticker every_ms(1ms);
    static const rota::timer once(1h);
    static const auto channel = rota::after(1h);
    return runs_exit_handlers();
}

int starts_a_goroutine() {
    return fork_under_load([] {
        rota::go([] {});
        return 0;
    });
}
int uses_a_channel() {
    return fork_under_load([] {
        auto ch = rota::make_chan<int>(1);
        ch.send(1);
        return 0;
    });
}
int yields() {
    return fork_under_load([] {
        rota::runtime::gosched();
        return rota::runtime::num_goroutine() < 0 ? 1 : 0;
    });
}
int sleeps() {
    return fork_under_load([] {
        rota::sleep_for(1ms);
        return 0;
    });
}
int runs() {
    return fork_under_load([] { return rota::run([] { return 0; }); });
}

// From a thread that rota did not start, and which has used it.
int in_thread() {
    std::atomic<int> status{0};
    auto ch = rota::make_chan<int>(1);
    std::thread([&status, ch] {
        ch.send(1);
        const pid_t pid = ::fork();
        if (pid == 0) {
            ch.recv();
            ::_exit(0);
        }
        status = status_of(pid);
    }).join();
    return status;
}

// Not a child: the parent goes on as before.
int parent_goes_on() {
    const int status = just_exits();
    return rota::run([status] {
        auto answer = rota::async([status] { return status; });
        return answer.get();
    });
}

// posix_spawn, popen and system take care of everything themselves.
int spawns() {
    return rota::run([] {
        start_load();
        int status = 0;
        for (int i = 0; i < 20 && status == 0; ++i) {
            char name[] = "true";
            char* const argv[] = {name, nullptr};
            pid_t pid = 0;
            if (::posix_spawn(&pid, "/bin/true", nullptr, nullptr, argv, environ) != 0) return 92;
            status = rota::blocking([pid] { return status_of(pid); });
            if (status == 0) status = rota::blocking([] { return std::system("exit 0"); });
            std::FILE* const pipe = ::popen("echo said", "r");
            char line[16] = "";
            if (pipe == nullptr || std::fgets(line, sizeof line, pipe) == nullptr) return 95;
            if (status == 0) status = ::pclose(pipe) | std::strcmp(line, "said\n");
        }
        over = true;
        return status;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"just_exits", just_exits},
                     {"execs", execs},
                     {"runs_exit_handlers", runs_exit_handlers},
                     {"has_static_timers", has_static_timers},
                     {"starts_a_goroutine", starts_a_goroutine},
                     {"uses_a_channel", uses_a_channel},
                     {"yields", yields},
                     {"sleeps", sleeps},
                     {"runs", runs},
                     {"in_thread", in_thread},
                     {"parent_goes_on", parent_goes_on},
                     {"spawns", spawns}});
}
