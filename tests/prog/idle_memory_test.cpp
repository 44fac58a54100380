// Checks that an idle process gives back the stacks that no goroutine uses.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../resident.hpp"
#include "child.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

constexpr long allowed_kib = 8 << 10;  // above the memory before

// A child that falls idle. The test reads its memory from outside, so that nothing in it needs to
// run.
struct idle_child {
    std::string how;
    child process;

    explicit idle_child(const char* what, const environment& env = {})
        : how(what), process(program("idle_memory", {what}), env) {}

    // The number after the child's last `name`; -1: the child has not said it.
    long said(const std::string& name) const {
        const std::string& out = process.so_far().out;
        const std::size_t at = out.rfind(name + " ");
        return at == std::string::npos ? -1 : std::stol(out.substr(at + name.size() + 1));
    }

    // Waits until the child's memory is back at its former size.
    void judge() {
        ASSERT_TRUE(process.says("idle\n")) << process.finish(0s);
        const auto since = std::chrono::steady_clock::now();
        const long before = said("before"), peak = said("peak");
        ASSERT_GT(before, 0);
        ASSERT_GE(peak, before + 10 * 1024) << how << ": the goroutines have taken no memory";
        const std::string pid = std::to_string(process.pid());
        long now = resident_kib(pid);
        while (now > before + allowed_kib && std::chrono::steady_clock::now() - since < 20s) {
            std::this_thread::sleep_for(10ms);  // between two readings
            now = resident_kib(pid);
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - since;
        std::printf("%s: %ld KiB before, %ld with the goroutines, %ld after %.1f s\n", how.c_str(),
                    before, peak, now, took.count());
        EXPECT_LE(now, before + allowed_kib) << how;
        EXPECT_EQ(process.kill_and_finish().err, "") << how;
    }
};

}  // namespace

TEST(idle_memory, stacks_of_many_goroutines_go_after_the_last_has_run) {
    // Fails if sysmon sleeps before it has checked: no event wakes it then, and 4 KiB of each
    // goroutine stay. Fails if sysmon checks only the pool, and not the lists that processors keep
    // for themselves.
    if (!plain_build) {
        std::printf("%s: the sanitizer's own memory hides that of stacks\n", sanitizer_name);
        return;
    }
    std::vector<std::unique_ptr<idle_child>> all;
    all.push_back(std::make_unique<idle_child>("in_poller"));
    all.push_back(std::make_unique<idle_child>("in_poller", environment{{"GOMAXPROCS", "1"}}));
    all.push_back(std::make_unique<idle_child>("after_run"));
    all.push_back(std::make_unique<idle_child>("deep"));
    all.push_back(std::make_unique<idle_child>("few_deep", environment{{"GOMAXPROCS", "1"}}));
    for (const auto& each : all) each->judge();
}
