// Tests optional system calls that a filter refuses: the program does the same without them. The
// filter says ENOSYS, like a kernel without the call, or EPERM, like many sandboxes.
#include <cerrno>
#include <deque>
#include <string_view>

#include <sys/syscall.h>

#include "child.hpp"

using namespace rota_test;

namespace {

struct optional_call {
    const char* name;
    long number;
    const char* part = "";    // the line with this name differs
    const char* result = "";  // and its text is then this
};

// <sys/syscall.h> of older systems lacks some of them; these numbers are the same everywhere.
constexpr optional_call calls[] = {
    {"close_range", 436},
    {"epoll_pwait2", 441},
    {"faccessat2", 439},
    {"getcpu", SYS_getcpu},
    {"io_uring_enter", 426},
    {"io_uring_register", 427},
    {"io_uring_setup", 425},
    {"membarrier", SYS_membarrier},
    {"memfd_create", SYS_memfd_create},
    {"mincore", SYS_mincore},
    {"openat2", 437},
    {"pidfd_open", 434},
    {"pidfd_send_signal", 424},
    {"preadv2", SYS_preadv2},
    {"prlimit64", SYS_prlimit64},
    {"process_madvise", 440},
    {"process_vm_readv", SYS_process_vm_readv},
    {"pwritev2", SYS_pwritev2},
    {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"sched_getattr", SYS_sched_getattr},
    {"sched_getscheduler", SYS_sched_getscheduler},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_setattr", SYS_sched_setattr},
    {"sendfile", SYS_sendfile},
    {"sigaltstack", SYS_sigaltstack},
    {"statfs", SYS_statfs},
    {"statx", SYS_statx},
    {"sysinfo", SYS_sysinfo},
    {"timer_create", SYS_timer_create, "profile: ", "refused"},
};

constexpr int no_filter = 97;

// The output without a filter, except for the line that differs.
std::string expected(std::string said, const optional_call& c) {
    const std::size_t at = *c.part == '\0' ? said.npos : said.find(c.part);
    if (at == said.npos) return said;
    const std::size_t from = at + std::string_view(c.part).size();
    return said.replace(from, said.find('\n', from) - from, c.result);
}

struct refusal {
    refusal(const optional_call* c, int e, std::vector<std::string> command, const environment& env)
        : call(c), error(e), running(std::move(command), env) {}
    const optional_call* call;
    int error;
    child running;
};

std::vector<std::string> command(const char* when, long number, int error) {
    return program("sandbox", {when, std::to_string(number), std::to_string(error)});
}

// Runs a few at a time: most of the time of each run is waiting.
void expect_no_change(const char* when, const environment& env,
                      bool (*is_meant)(const optional_call&)) {
    if (!plain_build) {
        std::puts("skipped: the sanitizer's own library needs some of these calls");
        return;
    }
    constexpr std::size_t at_once = 4;
    const outcome free = child(command(when, 0, 0), env).finish();
    EXPECT_TRUE(went_well(free));
    std::deque<refusal> runs;
    const auto finish_first = [&] {
        const outcome o = runs.front().running.finish();
        const optional_call& c = *runs.front().call;
        EXPECT_TRUE(o.status == no_filter || ended_with(o, 0)) << c.name;
        EXPECT_TRUE(o.status == no_filter || o.out == expected(free.out, c))
            << c.name << ", errno " << runs.front().error << "\n"
            << o << "without a filter:\n"
            << free.out;
        runs.pop_front();
        return o.status != no_filter;
    };
    bool may_filter = true;
    for (const optional_call& c : calls) {
        for (const int error : {EPERM, ENOSYS}) {
            if (!is_meant(c) || !may_filter) continue;
            if (runs.size() == at_once) may_filter = finish_first();
            runs.emplace_back(&c, error, command(when, c.number, error), env);
        }
    }
    while (!runs.empty()) may_filter = finish_first() && may_filter;
    if (!may_filter)  // for example under a filter that forbids filters
        std::puts("no filter of system calls may be set here");
}

bool is_any(const optional_call&) { return true; }

bool is_for_rings(const optional_call& c) {
    return std::string_view(c.name).starts_with("io_uring_") || c.number == SYS_preadv2;
}

}  // namespace

// Fails if a call has its replacement for only one of the two errors.

TEST(sandbox, that_refuses_an_optional_call_changes_nothing) {
    expect_no_change("works", {{"GOMAXPROCS", "2"}}, is_any);
}

TEST(sandbox, that_begins_when_the_runtime_has_been_at_work_changes_nothing) {
    expect_no_change("boots", {{"GOMAXPROCS", "2"}}, [](const optional_call& c) {
        // The runtime relies on it once the kernel grants it at the start: the program ends with a
        // message.
        return c.number != SYS_membarrier;
    });
}

TEST(sandbox, that_refuses_rings_leaves_epoll) {
    expect_no_change("works", {{"GOMAXPROCS", "2"}, {"GODEBUG", "netpoll=uring"}}, is_for_rings);
}
