// Searches for goroutines that can never run again, beside the tests of a program.
//
// With ROTA_TEST_UNREACHABLE set to a number of milliseconds, a thread searches at that interval
// while the tests run. If a goroutine that it named has ended or stands elsewhere later on, the
// goroutine could run: a defect of the proof. The searcher is part of every program whose tests can
// bear it (scripts/testing/searches.py). Tests that leak goroutines and release them afterwards
// give them names, and the searcher skips named goroutines.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include <rota/leak.hpp>

namespace rota_test {

namespace {

class searcher {
  public:
    explicit searcher(std::chrono::milliseconds pause)
        : thread_([this, pause] { search(pause); }) {}
    ~searcher() {
        stop_ = true;
        thread_.join();
        std::printf("find_unreachable: asked %d times beside the tests, %zu goroutines named\n",
                    searches_, named_.size());
        std::fflush(stdout);
    }

  private:
    // The trace without its header, which says how long the goroutine has waited.
    static std::string_view frames_of(std::string_view trace) {
        return trace.substr(std::min(trace.find('\n'), trace.size()));
    }

    void search(std::chrono::milliseconds pause) {
        while (!stop_) {
            std::this_thread::sleep_for(pause);
            const auto found = rota::leak::find_unreachable();
            ++searches_;
            if (!named_.empty()) look_at_named();
            for (const auto& g : found) {
                if (g.name.empty()) named_.emplace(g.id, g.trace);
            }
        }
    }

    void look_at_named() {
        std::map<std::uint64_t, std::string> alive;
        for (const auto& g : rota::leak::find({.max_wait = std::chrono::nanoseconds(0)}))
            alive.emplace(g.id, g.trace);
        for (const auto& [id, trace] : named_) {
            const auto now = alive.find(id);
            if (now != alive.end() && frames_of(now->second) == frames_of(trace)) continue;
            std::fprintf(stderr, "find_unreachable named one that runs on:\n%s\nnow:\n%s\n",
                         trace.c_str(), now != alive.end() ? now->second.c_str() : "ended");
            std::abort();
        }
    }

    std::atomic<bool> stop_{false};
    int searches_ = 0;                            // written by the thread; read when it has ended
    std::map<std::uint64_t, std::string> named_;  // as searches_
    std::thread thread_;
};

class searcher_of_program : public testing::EmptyTestEventListener {
  public:
    void OnTestProgramStart(const testing::UnitTest&) override {
        const char* const pause = std::getenv("ROTA_TEST_UNREACHABLE");
        if (pause != nullptr)
            searcher_ = std::make_unique<searcher>(std::chrono::milliseconds(std::atoi(pause)));
    }
    void OnTestProgramEnd(const testing::UnitTest&) override { searcher_.reset(); }

  private:
    std::unique_ptr<searcher> searcher_;
};

bool install_searcher() {
    testing::UnitTest::GetInstance()->listeners().Append(new searcher_of_program);
    return true;
}
[[maybe_unused]] const bool searcher_installed = install_searcher();

}  // namespace

}  // namespace rota_test
