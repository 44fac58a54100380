// Tests copies of the runtime side by side in a process: plugins that contain librota.a, and
// programs that contain it too. The way of hiding symbols decides which of them the copies share.
#include "child.hpp"

using namespace rota_test;

#if defined(ROTA_PLUGIN_DIR)

namespace {

struct way {
    const char* kind;  // the way the plugins are built: tests/prog/plugins/CMakeLists.txt
    const char* mode;  // the way they are loaded
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
    // Fails if the copies share a variable: the second copy aborts when it boots, or treats the
    // goroutines of the first as its own.
    EXPECT_TRUE(went_well(run("work")));
}

TEST_P(plugins, a_plugin_that_is_closed_at_work_stays) {
    // Fails if its sysmon, and its sleeping goroutine, continue in unmapped code.
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
    // Fails if the runtime pins an object that only contains it.
    EXPECT_TRUE(went_well(run("close_unused", {"bare", "local", "host"})));
}

TEST_F(plugins, a_fault_is_reported_by_the_copy_that_has_the_goroutine) {
    // The copy that booted first has its handlers below those of the second. Fails if the second
    // takes it for a program that handles faults by itself, so that neither reports.
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
