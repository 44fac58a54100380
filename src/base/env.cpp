// Parses the settings of the environment. An unknown name in GODEBUG is reported and changes
// nothing: otherwise a typing error looks like a setting without effect. Differs from Go, which is
// silent.
#include "base/env.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

#include "base/atomic.hpp"
#include "base/fatal.hpp"

namespace rota::rt {

namespace {

constexpr int procs_max = 1024;

void complain(const char* variable, std::string_view value, const char* form) {
    print_error("rota: %s: bad value \"%.*s\" (accepted: %s); the default is used\n", variable,
                static_cast<int>(value.size()), value.data(), form);
}

bool parse(std::string_view text, int lo, int hi, int& out) {
    return parse_int(text.data(), text.data() + text.size(), lo, hi, out);
}

// Hash of GOMAXPROCS at the last complaint about it.
constinit atomic<std::size_t> refused_gomaxprocs{0};

// `again`: a value that was complained about before is refused in silence.
void read_gomaxprocs(environment& env, bool again) {
    const char* value = std::getenv("GOMAXPROCS");
    if (value == nullptr || *value == '\0' || parse(value, 1, procs_max, env.gomaxprocs)) return;
    const std::size_t hash = std::hash<std::string_view>{}(value);
    const std::size_t before =
        refused_gomaxprocs.exchange(hash, memory_order_relaxed);  // relaxed: for reports
    if (!again || hash != before) complain("GOMAXPROCS", value, "a whole number from 1 to 1024");
}

bool is_signal_for_preemption(int signal) {
    for (const int taken :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGQUIT, SIGKILL, SIGSTOP})
        if (signal == taken) return false;
    return signal < 32 || (signal >= SIGRTMIN && signal <= SIGRTMAX);
}

// Settings whose value is a whole number and no more.
struct godebug_number {
    std::string_view key;
    int lo, hi;
    int environment::* to;
    const char* form;
};
constexpr int int_max = std::numeric_limits<int>::max();
constexpr godebug_number godebug_numbers[] = {
    {"schedtrace", 0, 1 << 30, &environment::schedtrace_ms, "milliseconds, 0 for off"},
    {"deadlock", 0, 1, &environment::deadlock,
     "1 to report goroutines that wait for each other, 0"},
    {"tracebacklabels", 0, 1, &environment::tracebacklabels, "1 to show labels in traces, 0"},
    {"tracebackancestors", 0, int_max, &environment::tracebackancestors,
     "1 to keep the stacks that have made goroutines, 0"},
    {"stackdepth", 0, 1, &environment::stackdepth,
     "1 to note how deep goroutines have used their stacks, 0"},
    {"leakcheck", 0, 1, &environment::leakcheck,
     "1 to be told at the end which goroutines can never run again, 0"},
    {"chaos", 0, int_max, &environment::chaos, "a seed from 1 to 2147483647, 0 for off"},
    {"schedseed", 0, int_max, &environment::schedseed, "a seed from 1 to 2147483647, 0 for off"},
    {"asyncpreemptoff", 0, 1, &environment::asyncpreemptoff, "1 to stop no thread in user code, 0"},
    {"interactiveafter", 100, 10'000, &environment::interactiveafter,
     "100 to 10000 microseconds that a goroutine computes undisturbed"},
    {"asymmetric", 0, 1, &environment::asymmetric, "1 for cheap fences where there are some, 0"},
    {"heaptrim", 0, 1, &environment::heaptrim,
     "1 to return the memory of connections to the kernel, 0"},
    {"cgroupceil", 0, 1, &environment::cgroupceil, "1 for rounding quotas up, 0 for down"},
    {"pollalone", -1, 1, &environment::pollalone,
     "1 to leave what the network brings to one thread, 0 to share it, -1 to try"},
    {"scheddetail", 0, 1, &environment::scheddetail, "1 for all that schedtrace can show, 0"},
};

void complain_of(std::string_view key, std::string_view value, const char* form) {
    char variable[64];
    (void)std::snprintf(variable, sizeof variable, "GODEBUG %.*s", static_cast<int>(key.size()),
                        key.data());
    complain(variable, value, form);
}

// The names that read_godebug_entry knows beside the numbers.
constexpr std::string_view godebug_others[] = {"preemptsignal", "netpoll", "gctrace", "hook",
                                               "parkcheck"};

void complain_of_name(std::string_view key) {
    char accepted[512];
    std::size_t used = 0;
    const auto add = [&](std::string_view name) {
        const int n =
            std::snprintf(accepted + used, sizeof accepted - used, "%s%.*s", used == 0 ? "" : ", ",
                          static_cast<int>(name.size()), name.data());
        used = std::min(used + static_cast<std::size_t>(std::max(n, 0)), sizeof accepted - 1);
    };
    for (const godebug_number& n : godebug_numbers) add(n.key);
    for (const std::string_view name : godebug_others) add(name);
    constexpr std::size_t shown = 64;
    print_error("rota: GODEBUG: unknown name \"%.*s\" (accepted: %s); it has no effect\n",
                static_cast<int>(std::min(key.size(), shown)), key.data(), accepted);
}

// Words, joined by +.
void read_hook(environment& env, std::string_view value) {
    environment read = env;
    for (std::string_view rest = value;;) {
        const std::size_t plus = rest.find('+');
        const std::string_view word = rest.substr(0, plus);
        if (word == "off") read.hook_off = true;
        else if (word == "trace") read.hook_traces = true;
        else if (word == "locks") read.hook_takes_locks = true;
        else return complain_of("hook", value, "off, trace, locks, trace+locks");
        if (plus == std::string_view::npos) break;
        rest.remove_prefix(plus + 1);
    }
    env = read;
}

// Whether `word` can be, or begin, the name of a library or a function as traces show it.
bool is_name(std::string_view word) {
    constexpr std::size_t longest = 63;
    constexpr std::string_view first = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view more = "0123456789:.-~";
    return !word.empty() && word.size() <= longest && first.find(word[0]) != first.npos &&
           std::all_of(word.begin(), word.end(), [&](char c) {
               return first.find(c) != first.npos || more.find(c) != more.npos;
           });
}

// Words, joined by +: 1, fatal, and names after these two. 0 alone: no setting.
void read_parkcheck(environment& env, std::string_view value) {
    if (value == "0") return;
    constexpr std::size_t names_max = 16;
    environment read = env;
    std::size_t names = 0;
    for (std::string_view rest = value;;) {
        const std::size_t plus = rest.find('+');
        const std::string_view word = rest.substr(0, plus);
        bool is_good = true;
        if (names == 0 && word == "1") read.parkcheck_mutexes = true;
        else if (names == 0 && word == "fatal") read.parkcheck_is_fatal = true;
        else is_good = is_name(word) && ++names <= names_max;
        if (names == 1) read.parkcheck_names = rest;
        const bool is_last = plus == rest.npos;
        if (!is_good || (is_last && names == 0 && !read.parkcheck_mutexes))
            return complain_of("parkcheck", value,
                               "1 for pthread mutexes, fatal, then up to 16 names of libraries or "
                               "functions, joined by +; 0");
        if (is_last) break;
        rest.remove_prefix(plus + 1);
    }
    env = read;
}

void read_godebug_entry(environment& env, std::string_view key, std::string_view value) {
    for (const godebug_number& n : godebug_numbers) {
        if (n.key != key) continue;
        if (!parse(value, n.lo, n.hi, env.*n.to)) complain_of(key, value, n.form);
        return;
    }
    if (key == "preemptsignal") {
        if (!parse(value, 1, 64, env.preemptsignal) ||
            !is_signal_for_preemption(env.preemptsignal)) {
            env.preemptsignal = environment{}.preemptsignal;
            complain_of(key, value,
                        "the number of a signal that is neither a fault nor the C library's own");
        }
    } else if (key == "netpoll") {
        env.uring = value == "uring";
        if (!env.uring && value != "epoll") complain_of(key, value, "epoll, uring");
    } else if (key == "hook") {
        read_hook(env, value);
    } else if (key == "parkcheck") {
        read_parkcheck(env, value);
    } else if (key == "gctrace") {
        int n = 0;
        if (!parse(value, 0, int_max, n)) {
            complain_of(key, value, "1 for a line for each collection, 0 for none");
        } else if (n > 0) {  // tells users not to wait for such lines
            print_error("rota: GODEBUG gctrace=%d: there is no collector, so there are no lines\n",
                        n);
        }
    } else {
        complain_of_name(key);
    }
}

void read_godebug(environment& env) {
    const char* value = std::getenv("GODEBUG");
    if (value == nullptr) return;
    std::string_view rest = value;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view entry = rest.substr(0, comma);
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
        if (entry.empty()) continue;
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) {
            complain("GODEBUG", entry, "key=value, separated by commas");
            continue;
        }
        read_godebug_entry(env, entry.substr(0, equals), entry.substr(equals + 1));
    }
}

void read_gotraceback(environment& env) {
    const char* value = std::getenv("GOTRACEBACK");
    if (value == nullptr || *value == '\0') return;
    const std::string_view level = value;
    if (level == "none" || level == "0") env.traceback = traceback_level::none;
    else if (level == "single") env.traceback = traceback_level::single;
    else if (level == "all" || level == "1") env.traceback = traceback_level::all;
    else if (level == "system" || level == "2") env.traceback = traceback_level::system;
    else if (level == "crash") env.traceback = traceback_level::crash;
    else complain("GOTRACEBACK", level, "none, single, all, system or crash");
}

// The runtime has no collector yet that GOGC and GOMEMLIMIT could steer. A typing error is reported
// nonetheless.
void look_at_gogc() {
    const char* value = std::getenv("GOGC");
    if (value == nullptr || *value == '\0' || std::string_view(value) == "off") return;
    if (int percent = 0; !parse(value, 0, std::numeric_limits<int>::max(), percent))
        complain("GOGC", value, "a whole number of percent, or off");
}

void look_at_gomemlimit() {
    const char* value = std::getenv("GOMEMLIMIT");
    if (value == nullptr || *value == '\0' || std::string_view(value) == "off") return;
    const char* const end = value + std::strlen(value);
    std::int64_t bytes = 0;
    const auto [unit, error] = std::from_chars(value, end, bytes);
    int shift = 0;
    const std::string_view name(unit, static_cast<std::size_t>(end - unit));
    for (const std::string_view known : {"KiB", "MiB", "GiB", "TiB"}) {
        shift += 10;
        if (name == known) break;
        if (known == "TiB") shift = name.empty() || name == "B" ? 0 : -1;
    }
    if (error != std::errc{} || bytes < 0 || shift < 0 ||
        bytes > std::numeric_limits<std::int64_t>::max() >> shift)
        complain("GOMEMLIMIT", value, "bytes, or a whole number of KiB, MiB, GiB or TiB, or off");
}

}  // namespace

bool parse_int(const char* first, const char* last, int lo, int hi, int& out) {
    int n = 0;
    const auto [end, error] = std::from_chars(first, last, n);
    if (error != std::errc{} || end != last || n < lo || n > hi) return false;
    out = n;
    return true;
}

int environment_gomaxprocs() {
    environment env;
    read_gomaxprocs(env, true);
    return env.gomaxprocs;
}

environment read_environment() {
    environment env;
    read_gomaxprocs(env, false);
    read_godebug(env);
    read_gotraceback(env);
    look_at_gogc();
    look_at_gomemlimit();
    return env;
}

}  // namespace rota::rt
