// Registers the two tests of a TEST_ANYWHERE body, and runs the watchdog over every test.
#include "anywhere.hpp"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <unistd.h>

namespace rota_test {

std::string scheduler_state() {
    const rota::runtime::sched_stats s = rota::runtime::read_sched_stats();
    char text[400];
    std::snprintf(
        text, sizeof text,
        "gomaxprocs=%d goroutines=%d threads=%d created=%llu ended=%llu parks=%llu steals=%llu "
        "handoffs=%llu syscalls=%llu wakeups=%llu preemptions=%llu timers=%llu",
        rota::runtime::gomaxprocs(0), rota::runtime::num_goroutine(), rota::runtime::num_thread(),
        static_cast<unsigned long long>(s.goroutines_created),
        static_cast<unsigned long long>(s.goroutines_ended),
        static_cast<unsigned long long>(s.parks), static_cast<unsigned long long>(s.steals),
        static_cast<unsigned long long>(s.handoffs), static_cast<unsigned long long>(s.syscalls),
        static_cast<unsigned long long>(s.wakeups), static_cast<unsigned long long>(s.preemptions),
        static_cast<unsigned long long>(s.timers_run));
    return text;
}

bool eventually_alone() {
    const int own = rota::runtime::goid() != 0 ? 1 : 0;
    return eventually([own] { return rota::runtime::num_goroutine() == own + left_behind.load(); });
}

namespace {

// Ends the process when a test exceeds its limit; after each test checks for goroutines left
// behind.
class watchdog : public testing::EmptyTestEventListener {
  public:
    explicit watchdog(std::chrono::seconds limit) : limit_(limit) {}

    ~watchdog() override {
        {
            const std::lock_guard guard(mu_);
            stop_ = true;
        }
        changed_.notify_one();
        if (thread_.joinable()) thread_.join();
    }

    void OnTestStart(const testing::TestInfo& info) override {
        const std::lock_guard guard(mu_);
        name_ = std::string(info.test_suite_name()) + "." + info.name();
        ++round_;
        if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
        changed_.notify_one();
    }

    void OnTestEnd(const testing::TestInfo&) override {
        if (eventually_alone()) return;
        ADD_FAILURE() << "goroutines left behind: " << rota::runtime::num_goroutine()
                      << ", announced: " << left_behind.load() << "; " << scheduler_state();
        // so that the next test is judged by its own goroutines
        left_behind = rota::runtime::num_goroutine();
    }

  private:
    void watch() {
        std::unique_lock guard(mu_);
        for (unsigned seen = round_; !stop_; seen = round_) {
            const bool moved =
                changed_.wait_for(guard, limit_, [&] { return stop_ || round_ != seen; });
            if (!moved) give_up();
        }
    }

    [[noreturn]] void give_up() {
        std::fprintf(stderr, "watchdog: %s has not ended within %lld s; %s\n", name_.c_str(),
                     static_cast<long long>(limit_.count()), scheduler_state().c_str());
        if (std::getenv("ROTA_TEST_HOLD") != nullptr) {
            std::fprintf(stderr, "watchdog: process %d waits for a debugger\n",
                         static_cast<int>(getpid()));
            for (;;) pause();
        }
        std::abort();
    }

    const std::chrono::seconds limit_;
    std::mutex mu_;
    std::condition_variable changed_;
    std::string name_;
    unsigned round_ = 0;
    bool stop_ = false;
    std::thread thread_;
};

bool install_watchdog() {
    const std::chrono::seconds limit{under_tsan || under_asan ? 240 : 90};
    testing::UnitTest::GetInstance()->listeners().Append(new watchdog(limit));
    return true;
}
[[maybe_unused]] const bool watched = install_watchdog();

class anywhere : public testing::Test {
  public:
    anywhere(void (*its_body)(), bool on_its_own_thread)
        : body(its_body), on_a_thread(on_its_own_thread) {}

  private:
    void TestBody() override {
        if (on_a_thread) on_thread(body);
        else rota::run(body);
    }

    void (*const body)();
    const bool on_a_thread;
};

}  // namespace

bool add_anywhere(const char* suite, const char* name, const char* file, int line, void (*body)()) {
    for (const bool on_a_thread : {false, true}) {
        const std::string full = std::string(name) + (on_a_thread ? "_in_thread" : "_in_goroutine");
        testing::RegisterTest(suite, full.c_str(), nullptr, nullptr, file, line,
                              [=]() -> testing::Test* { return new anywhere(body, on_a_thread); });
    }
    return true;
}

}  // namespace rota_test
