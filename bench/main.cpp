// The command line of rota_bench, the same as that of every program in peers/:
//
//     rota_bench -procs N WORKLOAD      measures one workload with GOMAXPROCS=N
//     rota_bench -list                  prints the names of the workloads
//
// Environment: BENCH_MS (length of a repetition in ms, 1000), BENCH_REPS (repetitions for the
// median, 5), BENCH_OPS (operations in each repetition, without calibration); PEER (the name in the
// results, rota), PROCS (-procs if not given, 2), BENCH_TRACE (the file of an execution trace that
// runs meanwhile), BENCH_TRACE_STACKS (0: a trace without stacks). Every result is a JSON line on
// stdout. Exit 2 with the names on stderr means that no such workload exists; a workload that fails
// ends like every rota program, with its cause on stderr.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <rota/go.hpp>
#include <rota/trace.hpp>
#include <string>
#include <string_view>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace {

struct workload {
    const char* name;
    void (*run)();
};

constexpr workload workloads[] = {
    {"spawn", rota_bench::spawn},
    {"spawn_wake", rota_bench::spawn_wake},
    {"yield", rota_bench::yield},
    {"ping_pong", rota_bench::ping_pong},
    {"chan_spsc", rota_bench::chan_spsc},
    {"chan_mpmc", rota_bench::chan_mpmc},
    {"chan_unbuffered_mpmc", rota_bench::chan_unbuffered_mpmc},
    {"select_2", rota_bench::select_2},
    {"select_default", rota_bench::select_default},
    {"mutex_uncontended", rota_bench::mutex_uncontended},
    {"mutex_contended", rota_bench::mutex_contended},
    {"rwmutex_read", rota_bench::rwmutex_read},
    {"waitgroup_fanout", rota_bench::waitgroup_fanout},
    {"skynet", rota_bench::skynet},
    {"fib_forkjoin", rota_bench::fib_forkjoin},
    {"parallel_sum", rota_bench::parallel_sum},
    {"parked_100k", rota_bench::parked_100k},
    {"parked_1m", rota_bench::parked_1m},
    {"sleep_100k", rota_bench::sleep_100k},
    {"timer_reset", rota_bench::timer_reset},
    {"preempt", rota_bench::preempt},
    {"syscall_handoff", rota_bench::syscall_handoff},
    {"gomaxprocs_change", rota_bench::gomaxprocs_change},
    {"time_slices", rota_bench::time_slices},
    {"trace_cost", rota_bench::trace_cost},
    {"tcp_echo_server", rota_bench::tcp_echo_server},
    {"http_hello_server", rota_bench::http_hello_server},
};

const workload* find(std::string_view name) {
    for (const workload& w : workloads)
        if (name == w.name) return &w;
    static constexpr workload part{"time_slices_once", rota_bench::time_slices_once};
    if (name == part.name) return &part;
    return nullptr;
}

[[noreturn]] void list_and_exit(std::FILE* to, int code) {
    if (to == stderr) std::fprintf(to, "workloads:");
    for (const workload& w : workloads) std::fprintf(to, to == stderr ? " %s" : "%s\n", w.name);
    if (to == stderr) std::fprintf(to, "\n");
    std::exit(code);
}

// The number of procs in `text`; runtime::gomaxprocs takes at most 1024.
int procs_of(std::string_view text) {
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error == std::errc{} && end == text.data() + text.size() && n >= 1 && n <= 1024) return n;
    std::fprintf(stderr, "rota_bench: -procs %.*s: give a number from 1 to 1024\n",
                 static_cast<int>(text.size()), text.data());
    std::exit(1);
}

struct options {
    int procs;
    std::string_view workload;
};

// Accepts -procs N and -procs=N, with one dash or two, like Go's flag package.
options parse(int argc, char** argv) {
    const std::string from_env = peers::env_or("PROCS", "2");
    std::optional<std::string_view> procs;
    options o{};
    for (int i = 1; i < argc; i++) {
        std::string_view arg = argv[i];
        if (!arg.starts_with('-')) {
            if (!o.workload.empty()) list_and_exit(stderr, 2);
            o.workload = arg;
            continue;
        }
        arg.remove_prefix(arg.starts_with("--") ? 2 : 1);
        if (arg == "list") list_and_exit(stdout, 0);
        if (arg.starts_with("procs=")) {
            procs = arg.substr(sizeof "procs=" - 1);
        } else if (arg == "procs" && i + 1 < argc) {
            procs = argv[++i];
        } else {
            std::fprintf(stderr,
                         "rota_bench: what is %s?\n"
                         "usage: rota_bench [-procs N] WORKLOAD | rota_bench -list\n",
                         argv[i]);
            std::exit(1);
        }
    }
    o.procs = procs_of(procs.value_or(from_env));
    return o;
}

}  // namespace

int main(int argc, char** argv) {
    const options o = parse(argc, argv);
    const workload* chosen = find(o.workload);
    if (chosen == nullptr) list_and_exit(stderr, 2);
    peers::peer = peers::env_or("PEER", "rota");
    peers::procs = o.procs;
    // The runtime reads GOMAXPROCS when it boots, inside run().
    setenv("GOMAXPROCS", std::to_string(o.procs).c_str(), 1);
    const std::string trace = peers::env_or("BENCH_TRACE", "");
    if (trace.empty()) {
        rota::run(chosen->run);
        return 0;
    }
    rota::run([&] {
        rota::trace::start(trace, {.stacks = peers::env_or("BENCH_TRACE_STACKS", "1") != "0"});
        chosen->run();
        rota::trace::stop();
    });
}
