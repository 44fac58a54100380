// Copies of the runtime that lie side by side in one process: plugins that have librota.a inside,
// and programs that have it too. The ways of hiding symbols decide what the copies share.
#include "child.hpp"

using namespace rota_test;

#if defined(ROTA_PLUGIN_DIR)

namespace {

struct way {
    const char* kind;  // how the plugins were built: tests/prog/plugins/CMakeLists.txt
    const char* mode;  // how they are loaded
    const char* host;
};

std::string name_of(const testing::TestParamInfo<way>& info) {
    return std::string(info.param.kind) + "_" + info.param.mode + "_in_" + info.param.host;
}

class plugins : public testing::TestWithParam<way> {
  protected:
    static outcome run(const char* name, const way& w) {
        const std::string dir = ROTA_PLUGIN_DIR;
        const std::string file = dir + "/plugin_" + w.kind;
        return child({dir + "/" + w.host, name, w.mode, file + ".so", file + "_copy.so"}).finish();
    }
    outcome run(const char* name) const { return run(name, GetParam()); }
};

}  // namespace

TEST_P(plugins, copies_work_side_by_side) {
    // The copies share a variable: the second one aborts when it boots, or takes the first one's
    // goroutines for its own.
    EXPECT_TRUE(went_well(run("work")));
}

TEST_P(plugins, a_plugin_that_is_closed_at_work_stays) {
    // Its sysmon, and the goroutine that sleeps there, go on in code that has been unmapped.
    EXPECT_TRUE(went_well(run("close_at_work")));
}

INSTANTIATE_TEST_SUITE_P(
    ways, plugins,
    testing::Values(
        way{"plain", "local", "host"}, way{"plain", "global", "host"},
        way{"excluded", "local", "host"}, way{"excluded", "global", "host"},
        way{"hidden", "local", "host"}, way{"hidden", "global", "host"},
        way{"plain", "local", "host_with_copy"}, way{"plain", "global", "host_with_copy"},
        way{"excluded", "global", "host_with_copy"}, way{"plain", "local", "host_that_exports"},
        way{"excluded", "local", "host_that_exports"}, way{"hidden", "local", "host_that_exports"}),
    name_of);

TEST_F(plugins, one_that_never_used_the_runtime_is_unloaded) {
    // The runtime pins an object that merely has it inside.
    EXPECT_TRUE(went_well(run("close_unused", {"bare", "local", "host"})));
}

TEST_F(plugins, a_fault_is_reported_by_the_copy_that_has_the_goroutine) {
    // The copy that booted first has its handlers below those of the second one, which takes it for
    // a program that handles faults by itself: nobody reports.
    for (const char* name : {"fault", "first_fault"})
        EXPECT_TRUE(reported(run(name, {"plain", "local", "host"}),
                             "panic: runtime error: invalid memory address or nil pointer "
                             "dereference"))
            << name;
}

#else

TEST(plugins, copies_work_side_by_side) {
    std::puts("shows nothing here: a copy for each object needs librota.a, and the sanitizers take "
              "copies of a variable for a fault");
}

#endif
