// Tests of the settings in the environment, and of the runtime's work before main.
#include <algorithm>
#include <sstream>

#include <sched.h>
#include <signal.h>

#include "child.hpp"

using namespace rota_test;

namespace {

outcome work(const environment& env) { return run_program("environment", {"work"}, env); }

// The program, ended once it has printed so many reports of the scheduler with such a line: sysmon
// prints them, and a busy machine may not run it for a second.
outcome after_reports(int n, std::string_view with, const char* what, environment env) {
    if (under_tsan) env.push_back(with_options("TSAN_OPTIONS", "atexit_sleep_ms=50"));
    child c(program("environment", {what}), env);
    EXPECT_TRUE(c.complains(with, n));
    ::kill(c.pid(), SIGTERM);
    outcome o = c.finish();
    o.err.resize(std::min(o.err.size(), o.err.rfind("SCHED ")));  // may have been cut by the end
    return o;
}

// The required result of a bad value: a line that names the variable, the value and the accepted
// values, and then the program's own output.
testing::AssertionResult complained(const outcome& o, const std::string& variable,
                                    const std::string& value, const std::string& accepted) {
    const bool ran = !o.timed_out && o.status == 0 && o.out.find("sum=5050\n") != std::string::npos;
    const std::string line = o.first_line();
    const auto names = [&line](const std::string& text) {
        return line.find(text) != std::string::npos;
    };
    if (ran && names(variable) && names(value) && names(accepted) && o.err == line + "\n")
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected one line with " << variable << ", " << value
                                       << " and \"" << accepted << "\" from " << o;
}

}  // namespace

TEST(gomaxprocs, is_what_the_environment_says) {
    // Fails if the runtime reads the number wrongly, or ignores it.
    for (const char* n : {"1", "2", "3", "16", "100"}) {
        const outcome o = work({{"GOMAXPROCS", n}});
        EXPECT_TRUE(went_well(o));
        EXPECT_EQ(o.out, "gomaxprocs=" + std::string(n) + " sum=5050\n");
    }
}

TEST(gomaxprocs, is_the_number_of_processors_without_it) {
    // An empty variable is no bad value. The mask of taskset counts, not the machine.
    cpu_set_t before, one;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    EXPECT_EQ(work({{"GOMAXPROCS", ""}}).out,
              "gomaxprocs=" + std::to_string(CPU_COUNT(&before)) + " sum=5050\n");
    CPU_ZERO(&one);
    for (std::size_t i = 0; CPU_COUNT(&one) == 0; ++i) {
        if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const outcome o = work({{"GOMAXPROCS", ""}});
    ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
    EXPECT_TRUE(went_well(o));
    EXPECT_EQ(o.out, "gomaxprocs=1 sum=5050\n");
}

namespace {

// `complained`, and the number of processors is the default without the variable.
testing::AssertionResult took_the_default(const outcome& o, const std::string& bad) {
    cpu_set_t mask;
    if (::sched_getaffinity(0, sizeof mask, &mask) != 0)
        return testing::AssertionFailure() << "sched_getaffinity failed";
    const std::string line = "gomaxprocs=" + std::to_string(CPU_COUNT(&mask)) + " sum=5050\n";
    if (o.out == line) return complained(o, "GOMAXPROCS", "\"" + bad + "\"", "from 1 to 1024");
    return testing::AssertionFailure() << "expected " << line << "from " << o;
}

}  // namespace

TEST(gomaxprocs, bad_values_are_reported_and_the_default_used) {
    // Fails if a typing error stops the program, or passes unnoticed.
    for (const char* bad : {"abc", "0", "-1", "99999999999", "4x", " 4", "+4", "1e3", "0x4", "2.5"})
        EXPECT_TRUE(took_the_default(work({{"GOMAXPROCS", bad}}), bad));
}

TEST(gomaxprocs, beyond_what_is_served_is_reported_and_the_default_used) {
    // The runtime has no records for more processors: the value is out of range, like any bad
    // value.
    for (const char* bad : {"1025", "5000"})
        EXPECT_TRUE(took_the_default(work({{"GOMAXPROCS", bad}}), bad));
}

TEST(godebug, bad_entries_are_reported_and_the_rest_obeyed) {
    // Fails if a bad entry spoils the rest, stops the program, or passes unnoticed.
    const struct {
        const char *entry, *value, *accepted;
    } bad[] = {{"schedtrace=abc", "abc", "milliseconds"},
               {"schedtrace=-5", "-5", "milliseconds"},
               {"schedtrace=", "\"\"", "milliseconds"},
               {"schedtrace", "schedtrace", "key=value"},
               {"scheddetail=2", "2", "1 for all"},
               {"asyncpreemptoff=yes", "yes", "1 to stop no thread"},
               {"tracebacklabels=2", "2", "1 to show labels"},
               {"leakcheck=2", "2", "1 to be told at the end"},
               {"tracebackancestors=-1", "-1", "1 to keep the stacks"},
               {"cgroupceil=2", "2", "1 for rounding quotas up"},
               {"interactiveafter=99", "99", "100 to 10000 microseconds"},
               {"preemptsignal=9", "9", "the number of a signal"},
               {"gctrace=on", "on", "1 for a line"},
               {"pollalone=2", "2", "1 to leave what the network brings"},
               {"parkcheck=2", "2", "1 for pthread mutexes"},
               {"netpoll=select", "select", "epoll, uring"},
               {"chaos=", "\"\"", "a seed from 1 to 2147483647"},
               {"chaos=yes", "yes", "a seed from 1 to 2147483647"},
               {"chaos=-1", "-1", "a seed from 1 to 2147483647"},
               {"chaos=2147483648", "2147483648", "a seed from 1 to 2147483647"},
               {"chaos=1.5", "1.5", "a seed from 1 to 2147483647"}};
    for (const auto& b : bad)
        EXPECT_TRUE(complained(work({{"GODEBUG", b.entry}}), "GODEBUG", b.value, b.accepted));
    const outcome o = work({{"GODEBUG", "nonsense,schedtrace=x"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_TRUE(o.says("nonsense") && o.says("\"x\"")) << o;
}

TEST(settings_of_a_collector, that_cannot_be_read_are_reported) {
    // rota has no collector to control, but it still reports a typing error.
    EXPECT_TRUE(complained(work({{"GOGC", "abc"}}), "GOGC", "\"abc\"", "a whole number"));
    EXPECT_TRUE(complained(work({{"GOMEMLIMIT", "4GB"}}), "GOMEMLIMIT", "\"4GB\"", "GiB"));
    EXPECT_TRUE(went_well(work({{"GOGC", "50"}, {"GOMEMLIMIT", "4GiB"}})));
    const outcome traced = work({{"GODEBUG", "gctrace=1"}});
    EXPECT_TRUE(ended_with(traced, 0));
    EXPECT_EQ(traced.lines_with("rota: GODEBUG gctrace=1: there is no collector"), 1) << traced;
}

TEST(godebug, unknown_keys_are_reported_once_and_change_nothing) {
    // Fails if a misspelt key has no effect and no report.
    const outcome o = work({{"GODEBUG", "http2client=0,,asynctimerchan=1"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(o.lines_with("rota: GODEBUG: unknown name \"http2client\""), 1) << o;
    EXPECT_EQ(o.lines_with("rota: GODEBUG: unknown name \"asynctimerchan\""), 1) << o;
    EXPECT_TRUE(went_well(work({{"GODEBUG", "schedtrace=0,chaos=0"}})));
    EXPECT_TRUE(went_well(work({{"GODEBUG", "chaos=2147483647"}})));
}

TEST(godebug, schedtrace_prints_go_s_line) {
    // Fails if a tool that reads Go's line cannot read rota's: because of the layout, the period,
    // or the number of processors.
    const outcome o = after_reports(6, "SCHED ", "works_and_rests",
                                    {{"GOMAXPROCS", "3"}, {"GODEBUG", "schedtrace=50"}});
    ASSERT_TRUE(ended_with(o, 0));
    const std::string layout =
        "^SCHED ([0-9]+)ms: gomaxprocs=3 idleprocs=[0-3] threads=[0-9]+ spinningthreads=[0-9]+ "
        "needspinning=[01] idlethreads=[0-9]+ runqueue=[0-9]+ \\[ (?:[0-9]+ ){3}\\] "
        "schedticks=\\[ (?:[0-9]+ ){3}\\]$";
    std::istringstream lines(o.err);
    std::string line;
    std::vector<long> at_ms;
    while (std::getline(lines, line)) {
        const std::string ms = first_group(line, layout);
        ASSERT_FALSE(ms.empty()) << line;
        at_ms.push_back(std::stol(ms));
    }
    ASSERT_GE(at_ms.size(), 2U) << o;
    EXPECT_LE(static_cast<double>(at_ms.size()), o.seconds * 1000 / 50 + 1) << o;
    EXPECT_EQ(at_ms.front(), 0) << o;
    // The time counts from the start, since the preceding line may have been printed long after it
    // was due.
    for (long i = 1; i < std::ssize(at_ms); ++i)
        EXPECT_GE(at_ms[static_cast<std::size_t>(i)], 50 * i - 5) << o;
}

namespace {

// The shape of a report line: each value is replaced by its kind. Scripts that read the line rely
// on the shape.
std::string shape_of(const std::string& line) {
    std::string shape;
    std::size_t at = 0;
    while (at < line.size()) {
        std::size_t end = line.find_first_of("= ", at);
        if (end == std::string::npos) end = line.size();
        const std::string word = line.substr(at, end - at);
        const bool is_value = at > 0 && line[at - 1] == '=';
        const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
        if (!is_value) {
            for (const char c : word) {
                if (c < '0' || c > '9') shape += c;  // SCHED 20ms:, P0:, M11:
            }
        } else if (word == "true" || word == "false") {
            shape += "BOOL";
        } else if (word == "nil" || is_number) {
            shape += "N";
        } else if (word.find('(') != word.npos) {
            shape += "N(";
            end = line.find(')', at);  // a reason may contain spaces
        }
        if (end < line.size()) shape += line[end];
        at = end + 1;
    }
    return shape;
}

}  // namespace

TEST(godebug, scheddetail_prints_go_s_fields_in_go_s_order) {
    // Fails if a script that reads Go's lines finds a field missing, renamed or in another place.
    // The samples are Go's own output.
    const std::string samples[] = {
        "SCHED 205ms: gomaxprocs=4 idleprocs=0 threads=6 spinningthreads=0 needspinning=1 "
        "idlethreads=0 runqueue=3 gcwaiting=false nmidlelocked=0 stopwait=0 sysmonwait=false",
        "  P0: status=1 schedtick=40 syscalltick=1 m=5 runqsize=7 gfreecnt=0 timerslen=0",
        "  M1: p=nil curg=nil mallocing=0 throwing=0 preemptoff= locks=32 dying=0 spinning=false "
        "blocked=false lockedg=nil",
        "  G2: status=4(force gc (idle)) m=nil lockedm=nil"};
    const outcome o =
        after_reports(4, "SCHED ", "works_and_rests",
                      {{"GOMAXPROCS", "3"}, {"GODEBUG", "schedtrace=100,scheddetail=1"}});
    ASSERT_TRUE(ended_with(o, 0));
    std::istringstream lines(o.err);
    std::string line;
    int seen[std::size(samples)] = {};
    int goroutines_before = 0;
    while (std::getline(lines, line)) {
        std::string shape = shape_of(line);
        const std::size_t throttled = shape.find(" throttled=");
        if (throttled != shape.npos) shape.resize(throttled);
        std::size_t i = 0;
        const std::string head = line.substr(0, 3);
        while (i < std::size(samples) && samples[i].substr(0, 3) != head) ++i;
        ASSERT_LT(i, std::size(samples)) << line;
        std::string wanted = shape_of(samples[i]);
        // The reason in Go's sample contains brackets.
        if (head == "  G") wanted = shape_of("  G2: status=4(sleep) m=nil lockedm=nil");
        ASSERT_EQ(shape, wanted) << line;
        // sysmon may print the first report before main has a goroutine, and the last after main
        // has ended.
        if (i == 0 && seen[0] > 1) {
            EXPECT_GT(seen[3], goroutines_before) << "none in line " << seen[0] << o;
        }
        if (i == 0) goroutines_before = seen[3];
        ++seen[i];
    }
    EXPECT_GT(seen[3], 0) << o;
    EXPECT_GE(seen[0], 2) << o;
    EXPECT_EQ(seen[1], 3 * seen[0]) << o;
    EXPECT_GE(seen[2], seen[0]) << o;
    EXPECT_TRUE(o.says(": status=4(sleep) m=nil") || o.says("status=4(sync.WaitGroup.Wait)")) << o;
    EXPECT_FALSE(o.says("status=6")) << "dead goroutines wait for their next use: " << o;
}

namespace {

// The sum of the values of `field` in the lines that begin with `head`.
long sum_of(const std::string& text, const std::string& head, const std::string& field) {
    std::istringstream lines(text);
    long sum = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find(" " + field + "=");
        if (line.rfind(head, 0) == 0 && at != line.npos)
            sum += std::atol(line.c_str() + at + field.size() + 2);
    }
    return sum;
}

}  // namespace

TEST(godebug, scheddetail_agrees_with_what_the_program_counts) {
    // Fails if a field has the value of another field, which a look at the line would not show, or
    // if a goroutine is missing.
    const outcome o =
        after_reports(2, "  G1: status=4(sleep)", "all_stand_still",
                      {{"GOMAXPROCS", "2"}, {"GODEBUG", "schedtrace=60,scheddetail=1"}});
    ASSERT_TRUE(ended_with(o, 0));
    const auto said = [&](const char* what) {
        return first_group(o.out, std::string(what) + " ([0-9]+)");
    };
    // Takes a report during main's sleep: main may have woken, or ended, before sysmon read the
    // rest.
    const std::size_t main_sleeps = o.err.rfind("  G1: status=4(sleep)");
    ASSERT_NE(main_sleeps, o.err.npos) << o;
    const std::size_t at = o.err.rfind("SCHED ", main_sleeps);
    const std::string last = o.err.substr(at, o.err.find("SCHED ", main_sleeps) - at);
    const auto count = [&](const std::string& head, const std::string& part) {
        std::istringstream lines(last);
        long n = 0;
        for (std::string line; std::getline(lines, line);)
            n += line.rfind(head, 0) == 0 && line.find(part) != line.npos ? 1 : 0;
        return n;
    };
    EXPECT_EQ(count("  G", ""), std::stol(said("goroutines"))) << o;
    EXPECT_EQ(count("  G", "status=4(chan receive) m=nil lockedm="), 10) << o;
    EXPECT_EQ(count("  G", "status=4(sleep) m=nil lockedm=nil"), 6) << o;
    // A p retaken from a call counts once more; a call of an m without a p does not count.
    EXPECT_LE(std::labs(sum_of(last, "  P", "syscalltick") - std::stol(said("calls"))),
              std::stol(said("handoffs")))
        << o;
    EXPECT_GT(sum_of(last, "  P", "schedtick"), 0) << o;
    EXPECT_EQ(sum_of(last, "  P", "timerslen"), 6) << o;
    EXPECT_EQ(sum_of(last, "  P", "runqsize"), 0) << o;
    EXPECT_EQ(sum_of(last, "SCHED ", "runqueue"), 0) << o;
    EXPECT_EQ(count("  P", "status=0 "), sum_of(last, "SCHED ", "idleprocs")) << o;
    EXPECT_EQ(count("  M", "spinning=true"), sum_of(last, "SCHED ", "spinningthreads")) << o;
    // A locked goroutine and its thread name each other.
    const std::string id = said("locked");
    const std::string its_m = first_group(last, "  G" + id + ": [^\n]* lockedm=([0-9]+)\n");
    ASSERT_FALSE(its_m.empty()) << o;
    EXPECT_FALSE(first_group(last, "  M" + its_m +
                                       ": p=nil curg=nil [^\n]* blocked=true "
                                       "lockedg=(" +
                                       id + ")\n")
                     .empty())
        << o;
    EXPECT_EQ(count("  M", "lockedg=" + id), 1) << o;
}

TEST(godebug, scheddetail_says_who_runs_where) {
    // Fails if the references between the lines contradict each other although no goroutine moves.
    const outcome o =
        after_reports(3, "  G1: status=2", "one_computes",
                      {{"GOMAXPROCS", "2"}, {"GODEBUG", "schedtrace=100,scheddetail=1"}});
    ASSERT_TRUE(ended_with(o, 0));
    const std::string last = o.err.substr(o.err.rfind("SCHED ", o.err.rfind("  G")));
    const std::string its_m = first_group(last, "status=2\\([^)]*\\) m=([0-9]+) ");
    ASSERT_FALSE(its_m.empty()) << o;
    const std::string its_p = first_group(last, "  M" + its_m + ": p=([0-9]+) curg=[0-9]+ ");
    ASSERT_FALSE(its_p.empty()) << o;
    EXPECT_FALSE(
        first_group(last, "  P" + its_p + ": status=1 [a-z=0-9 ]* m=(" + its_m + ") ").empty())
        << o;
}

TEST(static_constructors, may_use_the_runtime_before_run) {
    // The runtime boots itself on first use, whatever the program has constructed by then.
    // Goroutines that start before main must continue inside run().
    for (const char* procs : {"1", "2", "4"}) {
        for (const char* name : {"in_main", "without_run"}) {
            const outcome o = run_program("early", {name}, {{"GOMAXPROCS", procs}});
            EXPECT_TRUE(went_well(o));
            EXPECT_EQ(o.out, "made by a static constructor\n") << o;
        }
    }
}
