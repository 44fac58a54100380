// Checks that the runtime follows the default of GOMAXPROCS while the program runs, in the test's
// own tree of control groups.
#include "sched/world/default_procs.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <rota/rota.hpp>

#include "core/sched.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {
namespace {

namespace fs = std::filesystem;

// A group with the quota that a test sets; the environment has no GOMAXPROCS meanwhile.
class in_a_group : public testing::Test {
  protected:
    void SetUp() override {
        if (const char* text = std::getenv("GOMAXPROCS")) variable_ = text;
        ::unsetenv("GOMAXPROCS");
        procs_ = runtime::gomaxprocs();
        static std::string root;  // the reader keeps a view of it
        root = fs::temp_directory_path() / "rota-limits-XXXXXX";
        ASSERT_NE(::mkdtemp(root.data()), nullptr);
        root_ = root;
        write("/proc/self/cgroup", "0::/app\n");
        write("/proc/self/mountinfo", "29 24 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
        quota("max 100000");
        read_limits_below(root);
        runtime::set_default_gomaxprocs();
    }
    void TearDown() override {
        if (!variable_.empty()) ::setenv("GOMAXPROCS", variable_.c_str(), 1);
        read_limits_below({});
        runtime::set_default_gomaxprocs();
        runtime::gomaxprocs(procs_);
        fs::remove_all(root_);
    }

    void write(const std::string& path, const std::string& text) {
        fs::create_directories(fs::path(root_ + path).parent_path());
        // renamed below: no reader sees half a file
        const std::string next = root_ + path + ".next";
        std::ofstream(next) << text;
        fs::rename(next, root_ + path);
    }
    void quota(const std::string& text) { write("/cg/app/cpu.max", text + "\n"); }

    int all_ = allowed_processors(0);

  private:
    std::string root_;
    std::string variable_;
    int procs_ = 0;
};

// Waits without asking for the number, as a busy program does: sysmon must notice the change by
// itself.
bool becomes(int n) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (proc_count() != n) {
        if (std::chrono::steady_clock::now() > until) return false;
        if (runtime::goid() != 0) runtime::gosched();
        else std::this_thread::yield();
    }
    return true;
}

TEST_F(in_a_group, kb46_default_is_what_mask_and_quota_allow) {
    // The runtime could forget the mask or the quota.
    EXPECT_EQ(runtime::gomaxprocs(), all_);
    quota("50000 100000");
    runtime::set_default_gomaxprocs();
    EXPECT_EQ(runtime::gomaxprocs(), 1);
    quota("100000000 100000");
    runtime::set_default_gomaxprocs();
    EXPECT_EQ(runtime::gomaxprocs(), all_);
}

TEST_F(in_a_group, the_environment_comes_first_when_the_default_is_set) {
    // As at the start of the program.
    ::setenv("GOMAXPROCS", "5", 1);
    runtime::set_default_gomaxprocs();
    EXPECT_EQ(runtime::gomaxprocs(), 5);
    ::unsetenv("GOMAXPROCS");
    runtime::set_default_gomaxprocs();
    EXPECT_EQ(runtime::gomaxprocs(), all_);
}

TEST_F(in_a_group, quota_is_followed_while_goroutines_run) {
    // sysmon could look once, or change the number without any effect.
    if (all_ < 2) std::printf("one processor: the quota can change nothing here\n");
    run([this] {
        quota("100000 100000");
        EXPECT_TRUE(becomes(1));
        quota("max 100000");
        EXPECT_TRUE(becomes(all_));
    });
}

TEST_F(in_a_group, quota_is_seen_by_who_asks_after_a_long_sleep) {
    // sysmon sleeps while no goroutine runs; the first answer afterwards must not be the old
    // number.
    run([this] {
        quota("100000 100000");
        sleep_for(std::chrono::milliseconds(1100));
        EXPECT_EQ(runtime::gomaxprocs(), 1);
        quota("max 100000");
        sleep_for(std::chrono::milliseconds(1100));
        EXPECT_EQ(runtime::gomaxprocs(), all_);
    });
}

TEST_F(in_a_group, number_that_the_program_has_fixed_stays) {
    // A change under way could come after the program's own call.
    run([this] {
        quota("100000 100000");
        runtime::gomaxprocs(3);
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
        while (std::chrono::steady_clock::now() < until) {
            ASSERT_EQ(runtime::gomaxprocs(), 3);
            runtime::gosched();
        }
        runtime::set_default_gomaxprocs();
        EXPECT_EQ(runtime::gomaxprocs(), 1);
    });
}

}  // namespace
}  // namespace rota::rt
