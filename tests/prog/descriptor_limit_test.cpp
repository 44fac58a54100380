// The limit of descriptors: raised for listeners, and as before for the programs that are started.
// Also the system calls that start a program, where a filter refuses them.
#include <cerrno>

#include "child.hpp"

using namespace rota_test;

namespace {

constexpr int no_filter = 97;

void expect_out(const char* name, const char* out) {
    const outcome o = run_program("descriptor_limit", {name}, {{"GOMAXPROCS", "2"}});
    EXPECT_TRUE(went_well(o));
    EXPECT_EQ(o.out, out) << name;
}

// The same for a filter that says EPERM, and for one that says ENOSYS.
void expect_refused(const char* name, const std::string& out, const std::string& err = "") {
    if (!plain_build) {
        std::puts("skipped: the sanitizer's own library needs some of these calls");
        return;
    }
    for (const int error : {EPERM, ENOSYS}) {
        const outcome o =
            run_program("descriptor_limit", {name, std::to_string(error)}, {{"GOMAXPROCS", "2"}});
        if (o.status == no_filter) {  // as under a filter that forbids filters
            std::puts("no filter of system calls may be set here");
            return;
        }
        EXPECT_TRUE(ended_with(o, 0)) << name << ", errno " << error;
        EXPECT_EQ(o.out, out) << name << ", errno " << error;
        if (err.empty()) EXPECT_EQ(o.err, "") << name << ", errno " << error;
        else EXPECT_EQ(o.lines_with(err + std::to_string(error) + "): "), 1) << o;
    }
}

}  // namespace

// A server could run out of descriptors at 1024 connections; a child that uses select() could get
// numbers that are too large for it.

TEST(descriptor_limit, is_raised_by_a_listener_and_not_for_children) {
    expect_out("tcp", "own 256, child 256\nown hard, child 256\n");
    expect_out("unix", "own 256, child 256\nown hard, child 256\n");
}

TEST(descriptor_limit, that_the_program_sets_later_stays_and_is_inherited) {
    expect_out("set_later", "own 256, child 256\nown 300, child 300\n300\n");
}

TEST(descriptor_limit, stays_where_nobody_listens_for_connections) {
    expect_out("packets", "own 256, child 256\nown 256, child 256\n");
}

TEST(descriptor_limit, of_children_is_the_old_one_also_while_a_listener_raises_it) {
    // A child could be made between two steps of the listener.
    expect_out("at_once", "0\n");
}

TEST(descriptor_limit, of_children_is_the_old_one_without_prlimit) {
    expect_refused("prlimit_is_refused", "own 256, child 256\nown hard, child 256\n");
}

TEST(descriptor_limit, that_may_not_be_changed_ends_nothing) {
    expect_refused("limits_are_refused", "own 256, child 256\nown 256, child 256\n");
    expect_refused("limits_are_refused_later", "own 256, child 256\nown hard, child hard\n");
}

TEST(child_start, names_the_call_that_a_filter_refuses) {
    // EPERM alone would look like an error of the program's file.
    expect_refused("clone_is_refused", "refused\nrefused\n",
                   "rota: the system call clone for a child is refused (errno=");
}

TEST(child_start, closes_what_was_open_without_close_range) {
    expect_refused("close_range_is_refused", "0\n1\n2\n3\n");
}
