// What is made of traces: files for Perfetto, and a flight recorder's last moments when the process
// ends badly. prog/trace_tools.cpp is the program.
#include <filesystem>
#include <sstream>

#include <sys/stat.h>

#include "child.hpp"

using namespace rota_test;

namespace {

namespace fs = std::filesystem;

class trace_tools : public testing::Test {
  protected:
    trace_tools() {
        char name[] = "/tmp/rota_trace_XXXXXX";
        directory_ = ::mkdtemp(name);
    }
    ~trace_tools() override { fs::remove_all(directory_); }

    std::string path(const char* name) const { return directory_ + "/" + name; }

    static outcome python(const char* script, std::vector<std::string> arguments) {
        const std::string at = fs::path(ROTA_TRACE_CHECK).parent_path() / script;
        arguments.insert(arguments.begin(), {"/usr/bin/env", "python3", at});
        return child(std::move(arguments)).finish();
    }

    // How many of them the checker has found.
    static int count(const std::string& said, const std::string& what) {
        const std::size_t at = said.find(what + " ");
        return at == said.npos ? 0 : std::atoi(said.c_str() + at + what.size() + 1);
    }

    std::string directory_;
};

class trace_tools_ends : public trace_tools,
                         public testing::WithParamInterface<std::pair<const char*, const char*>> {};

}  // namespace

TEST_F(trace_tools, traces_become_what_perfetto_reads) {
    // Slices that overlap, never end, or are on the wrong track: Perfetto shows another program.
    for (const char* procs : {"1", "4"}) {
        ASSERT_TRUE(went_well(
            run_program("trace_tools", {"convert", path("it")}, {{"GOMAXPROCS", procs}})));
        const outcome o = python("perfetto_check.py", {path("it"), path("it.pftrace")});
        ASSERT_TRUE(went_well(o));
        for (const char* what :
             {"Threads_(M)/system_call", "Tasks/request", "Goroutines/parse", "Goroutines/step",
              "instant/half_way", "Stops_of_the_world/GOMAXPROCS", "instant/wakes", "instant/go"})
            EXPECT_GT(count(o.out, what), 0) << what << ": " << o;
        EXPECT_GE(count(o.out, "Tasks/request"), 6) << o;
        EXPECT_GE(count(o.out, "Threads_(M)/G"), 600) << o;
        EXPECT_GE(count(o.out, "Processors_(P)/G"), 600) << o;
        EXPECT_GE(count(o.out, "flows"), 300) << o;
    }
}

TEST_F(trace_tools, traces_have_the_samples_of_a_profile) {
    // They are lost, come into another trace, or hang on another thread, p or goroutine.
    ASSERT_TRUE(went_well(run_program("trace_tools", {"samples", path("it")})));
    const outcome o = python("trace_check.py", {path("it"), path("it.box"), path("it.none")});
    ASSERT_TRUE(went_well(o));
    std::vector<std::string> of;  // each of the files
    std::istringstream lines(o.out);
    for (std::string line; std::getline(lines, line);) of.push_back(line);
    ASSERT_EQ(of.size(), 3U) << o;
    for (const std::size_t i : {0U, 1U}) {
        const int all = count(of[i], "samples"), ours = count(of[i], "samples of goroutines");
        EXPECT_GE(ours, 10) << of[i];
        EXPECT_GE(all, ours + 10) << of[i];
        EXPECT_GE(count(of[i], "works_here(long))"), all / 2) << of[i];
    }
    EXPECT_EQ(count(of[2], "samples"), 0) << of[2];
    EXPECT_TRUE(went_well(python("perfetto_check.py", {path("it"), path("it.pftrace")})));
    const outcome go = python("trace_check.py", {"--go", path("it"), path("it.box")});
    EXPECT_TRUE(went_well(go));
    if (go.out.starts_with("skipped")) std::printf("%s", go.out.c_str());
}

TEST_F(trace_tools, what_is_no_trace_is_refused) {
    // It is taken for one, or a length in it is believed.
    EXPECT_TRUE(went_well(run_program("trace_tools", {"convert_others", path("it")})));
}

TEST_P(trace_tools_ends, leave_the_last_moments_behind) {
    // The process ends before they are written, the file is broken, or the report suffers.
    const auto [how, line] = GetParam();
    if (!plain_build && std::string_view(how) == "fault")
        GTEST_SKIP() << "faults are the sanitizer's: " << sanitizer_name;
    for (const char* procs : {"1", "4"}) {
        const outcome o = run_program("trace_tools", {how, path("box")}, {{"GOMAXPROCS", procs}});
        EXPECT_TRUE(o.says(line)) << o;
        EXPECT_TRUE(o.status == 2 || o.signal == SIGABRT) << o;
        EXPECT_TRUE(o.says("rota: the last moments are in " + path("box"))) << o;
        const outcome replay = python("trace_check.py", {path("box")});
        EXPECT_TRUE(went_well(replay));
        EXPECT_GE(count(replay.out, "UserTaskBegin(request)"), 3) << replay;
        fs::remove(path("box"));
    }
}

INSTANTIATE_TEST_SUITE_P(
    ends, trace_tools_ends,
    testing::Values(std::pair{"panic", "panic: std::runtime_error: as planned\n"},
                    std::pair{"fault", "panic: runtime error: invalid memory address"},
                    std::pair{"fatal", "fatal error: sync: unlock of unlocked mutex\n"},
                    std::pair{"abort", "SIGABRT: abort\n"}),
    [](const auto& of) { return std::string("by_") + of.param.first; });

TEST_F(trace_tools, an_end_waits_for_the_last_moments_as_long_as_it_was_told) {
    // A file system that hangs keeps a process that should end.
    ASSERT_EQ(::mkfifo(path("box").c_str(), 0600), 0);
    const outcome o = run_program("trace_tools", {"panic_in_vain", path("box")});
    EXPECT_TRUE(reported(o, "panic: std::runtime_error: as planned"));
    EXPECT_TRUE(o.says("rota: the last moments could not be written to")) << o;
}

TEST_F(trace_tools, a_recorder_that_was_stopped_leaves_nothing) {
    const outcome o = run_program("trace_tools", {"panic_later", path("box")});
    EXPECT_TRUE(reported(o, "panic: std::runtime_error: as planned"));
    EXPECT_FALSE(fs::exists(path("box"))) << o;
    EXPECT_FALSE(o.says("last moments")) << o;
}

TEST_F(trace_tools, a_path_that_cannot_be_kept_is_refused) {
    EXPECT_TRUE(went_well(run_program("trace_tools", {"too_long_a_path"})));
}
