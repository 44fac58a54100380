// Runs the searches of a test in child processes, within their budgets, and collects their results.
//
// Each search runs in a child: a schedule that corrupts memory or dies ends no other search. A
// failing schedule, with its held locks and half-finished threads, needs no cleaning up.
#include "explore.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.hpp"
#include "heap.hpp"

namespace model {

namespace {

constexpr std::size_t text_max = 1 << 20;

// The result of a search, in memory shared with the children.
struct outcome {
    search done;
    bool failed;
    bool ended;
    std::uint64_t seen[4];
    char why[512];
    char replay[16384];
    char report[text_max];
};

struct image {
    void* at;
    std::vector<std::byte> bytes;
};

outcome* own = nullptr;  // the outcome of this child
std::vector<image> images;

void keep(char* to, std::size_t size, const std::string& text) {
    std::snprintf(to, size, "%s", text.c_str());
}

// Reports a failure, and ends the child.
[[noreturn]] void report(engine& e, const char* why) {
    rota::detail::explored = nullptr;
    own->failed = true;
    keep(own->why, sizeof own->why, why);
    keep(own->replay, sizeof own->replay, e.replay_string());
    keep(own->report, sizeof own->report, e.threads() + e.table());
    std::_Exit(0);
}

void die_by_signal(int number) {
    static char why[64];
    std::snprintf(why, sizeof why, "the program dies of %s",
                  number == SIGSEGV   ? "SIGSEGV"
                  : number == SIGABRT ? "SIGABRT"
                  : number == SIGBUS  ? "SIGBUS"
                                      : "SIGFPE");
    if (the_engine != nullptr && the_engine->is_running()) report(*the_engine, why);
    ::signal(number, SIG_DFL);
    ::raise(number);
}

void catch_crashes() {
    static char stack[256 * 1024];
    const stack_t alternate{stack, 0, sizeof stack};
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_handler = die_by_signal;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT})
        ::sigaction(number, &action, nullptr);
    rota::rt::crash.print_traces = [](rota::rt::trace_scope) {
        if (the_engine != nullptr && the_engine->is_running())
            report(*the_engine, "the runtime ends the process, for the reason printed above");
    };
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

bool is_long() { return std::getenv("ROTA_TEST_LONG") != nullptr; }

std::uint64_t runs_wanted(const search& done, unsigned depth) {
    const double p = 1 / (std::max(1u, done.threads) *
                          std::pow(std::max(1u, done.choices), static_cast<double>(depth) - 1));
    return static_cast<std::uint64_t>(std::log(1e4) / p) + 1;
}

class searcher {
  public:
    searcher(const options& how, const std::function<void()>& body)
        : how_(how), body_(body), engine_(how, report) {}

    // Runs one schedule; false: the strategy has no more.
    bool once(strategy& s) {
        if (!s.begin()) return false;
        for (const image& i : images) std::memcpy(i.at, i.bytes.data(), i.bytes.size());
        heap::begin_schedule();
        engine_.run(body_, s);
        const long left = heap::end_schedule();
        search& done = own->done;
        ++done.schedules;
        done.steps = std::max(done.steps, engine_.steps());
        done.choices = std::max(done.choices, engine_.choices());
        done.threads = std::max(done.threads, engine_.thread_count());
        if (left != 0 && how_.leaks) report(engine_, "a leak: memory is allocated and not freed");
        return true;
    }

    void learn() {
        random_priorities s(how_.depth, 1);
        for (int i = 0; i < 200; ++i) once(s);
        own->done = {};
    }

    void depth_first_search() {
        learn();
        depth_first s(how_.preemptions + (is_long() ? 1 : 0), how_.departures);
        search& done = own->done;
        const double begun = now();
        const double limit = how_.seconds * (is_long() ? 20 : 1);
        for (;;) {
            if (!once(s)) {
                done.complete = true;
                break;
            }
            if (done.schedules % 64 == 0 && now() - begun > limit) break;
        }
        done.seconds = now() - begun;
    }

    void random_search() {
        learn();
        const char* const seed = std::getenv("ROTA_TEST_SEED");
        random_priorities s(how_.depth,
                            seed == nullptr ? 0x5eed : std::strtoull(seed, nullptr, 10));
        search& done = own->done;
        const double begun = now();
        const double limit = how_.seconds * (is_long() ? 20 : 1);
        for (;;) {
            once(s);
            if (done.schedules % 64 != 0) continue;
            done.wanted = runs_wanted(done, how_.depth);
            done.complete = done.schedules >= done.wanted;
            if (done.complete || now() - begun > limit) break;
        }
        done.seconds = now() - begun;
    }

    void replay_one(const char* text) {
        replay s(std::strcmp(text, "none") == 0 ? "" : text);
        while (once(s)) {
        }
        keep(own->report, sizeof own->report, engine_.table());
    }

  private:
    const options& how_;
    const std::function<void()>& body_;
    engine engine_;
};

using task = void (*)(searcher&);

struct child {
    outcome* out;
    pid_t id;
};

child start(const options& how, const std::function<void()>& body, task what) {
    void* const shared =
        ::mmap(nullptr, sizeof(outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    child c{new (shared) outcome{}, 0};
    std::fflush(nullptr);
    c.id = ::fork();
    if (c.id < 0) std::abort();
    if (c.id != 0) return c;
    own = c.out;
    catch_crashes();
    {
        searcher s(how, body);
        what(s);
    }
    own->ended = true;
    std::_Exit(0);
}

void finish(const child& c, result& into, search& done) {
    int status = 0;
    ::waitpid(c.id, &status, 0);
    const outcome& out = *c.out;
    done = out.done;
    for (unsigned i = 0; i < 4; ++i) into.seen[i] |= out.seen[i];
    if (out.failed && !into.failed) {
        into.failed = true;
        into.why = out.why;
        into.replay = out.replay;
    }
    if (into.report.empty()) into.report = out.report;
    if (!out.failed && !out.ended && !into.failed) {
        into.failed = true;
        into.why = "the search died, wait status " + std::to_string(status);
    }
    ::munmap(c.out, sizeof(outcome));
}

std::string test_name() {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    return info == nullptr ? "" : std::string(info->test_suite_name()) + "." + info->name();
}

void print_search(const char* name, const search& s) {
    std::printf("    %-7s %9llu schedules%s, %u threads, %u steps, %u choices, %.0f/s", name,
                static_cast<unsigned long long>(s.schedules),
                s.complete ? ", complete" : " (time is up)", s.threads, s.steps, s.choices,
                s.seconds > 0 ? static_cast<double>(s.schedules) / s.seconds : 0.0);
    if (s.wanted > 0 && !s.complete) {
        // The chance that the search has met a bug of that depth, if the code has one.
        const double missed =
            std::pow(1e-4, static_cast<double>(s.schedules) / static_cast<double>(s.wanted));
        std::printf(", %.2f %% sure", 100 * (1 - missed));
    }
    std::printf("\n");
}

}  // namespace

result explore(const options& how, const std::function<void()>& body) {
    result r;
    if (const char* const text = std::getenv("ROTA_MODEL_REPLAY")) {
        static const char* replayed;
        replayed = text;
        options all = how;
        all.all_points = true;
        finish(start(all, body, [](searcher& s) { s.replay_one(replayed); }), r, r.depth_first);
        std::printf("%s", r.report.c_str());
        return r;
    }
    const child first = start(how, body, [](searcher& s) { s.depth_first_search(); });
    const child second = start(how, body, [](searcher& s) { s.random_search(); });
    finish(first, r, r.depth_first);
    finish(second, r, r.random);
    return r;
}

result expect_holds(const options& how, const std::function<void()>& body) {
    const result r = explore(how, body);
    print_search("search", r.depth_first);
    print_search("random", r.random);
    if (r.failed) {
        ADD_FAILURE() << r.why << "\n"
                      << r.report << "replay: ROTA_MODEL_REPLAY=" << r.replay
                      << " rota_model --gtest_filter=" << test_name();
    }
    return r;
}

void expect_fails(const options& how, const char* why, const std::function<void()>& body) {
    const result r = explore(how, body);
    if (!r.failed) {
        ADD_FAILURE() << "the explorer has not found what is planted: " << why;
    } else {
        EXPECT_NE(r.why.find(why), std::string::npos) << r.why << "\n" << r.report;
    }
}

void observe(unsigned code) {
    if (own != nullptr && code < 256) own->seen[code / 64] |= std::uint64_t{1} << code % 64;
}

void restore_before_each(void* at, std::size_t size) {
    const auto* const bytes = static_cast<const std::byte*>(at);
    images.push_back({at, std::vector<std::byte>(bytes, bytes + size)});
}

void forget_images() { images.clear(); }

}  // namespace model
