// Checks the limits that the runtime reads from control groups, with trees of files that look like
// the kernel's.
#include "sys/proc/cgroup.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace rota::rt {
namespace {

namespace fs = std::filesystem;

// A root directory with the test's own files, for the life of the object.
class fake_root {
  public:
    fake_root() {
        std::string name = fs::temp_directory_path() / "rota-cgroup-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary directory";
        path_ = name;
    }
    ~fake_root() { fs::remove_all(path_); }
    fake_root(const fake_root&) = delete;
    fake_root& operator=(const fake_root&) = delete;

    fake_root& file(const std::string& path, const std::string& text) {
        fs::create_directories(fs::path(path_ + path).parent_path());
        std::ofstream(path_ + path) << text;
        return *this;
    }
    fake_root& groups(const std::string& text) { return file("/proc/self/cgroup", text); }
    fake_root& mounts(const std::string& text) { return file("/proc/self/mountinfo", text); }
    // The files of a version 1 group in place of cpu.max.
    fake_root& cfs(const std::string& group, int quota, int period) {
        file(group + "/cpu.cfs_quota_us", std::to_string(quota) + "\n");
        return file(group + "/cpu.cfs_period_us", std::to_string(period) + "\n");
    }
    void remove(const std::string& path) { fs::remove_all(path_ + path); }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

const std::string v2_mount =
    "24 1 0:21 / / rw shared:1 - ext4 /dev/vda1 rw\n"
    "29 24 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1_mount =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime shared:7 - cgroup cgroup rw,cpuset\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:8 master:2 - cgroup cgroup rw,cpu,cpuacct\n";

// "quota/period" of the tightest limit, or "none".
std::string limit(cgroup_reader& reader) {
    const cpu_quota q = reader.quota();
    if (!q.is_limit()) return "none";
    return std::to_string(q.quota) + "/" + std::to_string(q.period);
}
std::string limit(const fake_root& root) {
    cgroup_reader reader(root.path());
    return limit(reader);
}

void expect_throttling(const fake_root& root, unsigned periods, unsigned throttled, unsigned us) {
    cgroup_reader reader(root.path());
    cpu_throttling t;
    ASSERT_TRUE(reader.throttling(t));
    EXPECT_EQ(t.periods, periods);
    EXPECT_EQ(t.throttled, throttled);
    EXPECT_EQ(t.throttled_us, us);
}

int down(std::int64_t quota, std::int64_t period) {
    return cpu_quota{quota, period}.rounded_down();
}
int up(std::int64_t quota, std::int64_t period) { return cpu_quota{quota, period}.rounded_up(); }

}  // namespace

TEST(kb46_quota, is_rounded_down_to_at_least_one) {
    // Half a processor could become none, and a fraction a whole processor that is then throttled.
    EXPECT_EQ(down(50'000, 100'000), 1);
    EXPECT_EQ(down(99'999, 100'000), 1);
    EXPECT_EQ(down(100'000, 100'000), 1);
    EXPECT_EQ(down(250'000, 100'000), 2);
    EXPECT_EQ(down(399'999, 100'000), 3);
    EXPECT_EQ(down(1'000, 1'000'000), 1);
    EXPECT_EQ(down(INT64_MAX, 1), INT32_MAX);
}

TEST(kb46_quota, is_rounded_up_to_at_least_two_on_request) {
    // Go's rule could be confused with the default rule, or lose its bound.
    EXPECT_EQ(up(50'000, 100'000), 2);
    EXPECT_EQ(up(100'000, 100'000), 2);
    EXPECT_EQ(up(200'000, 100'000), 2);
    EXPECT_EQ(up(200'001, 100'000), 3);
    EXPECT_EQ(up(250'000, 100'000), 3);
    EXPECT_EQ(up(INT64_MAX, 1), INT32_MAX);
}

TEST(kb46_quota, that_is_smaller_in_proportion_is_the_tighter_one) {
    // Quotas alone say nothing: periods differ.
    EXPECT_TRUE((cpu_quota{50'000, 100'000}.is_tighter_than({20'000, 20'000})));
    EXPECT_FALSE((cpu_quota{20'000, 20'000}.is_tighter_than({50'000, 100'000})));
    EXPECT_TRUE((cpu_quota{50'000, 100'000}.is_tighter_than({})));
    EXPECT_FALSE((cpu_quota{}.is_tighter_than({50'000, 100'000})));
    EXPECT_FALSE(cpu_quota{}.is_tighter_than({}));
}

TEST(kb46_cgroup_v2, quota_of_the_own_group_is_found) {
    // The simplest case.
    fake_root root;
    root.groups("0::/app\n").mounts(v2_mount).file("/sys/fs/cgroup/app/cpu.max", "250000 100000\n");
    EXPECT_EQ(limit(root), "250000/100000");
}

TEST(kb46_cgroup_v2, tightest_quota_of_all_ancestors_counts) {
    // A reader that looks only at the leaf's file would miss a pod's limit.
    fake_root root;
    root.groups("0::/kube/pod/box\n").mounts(v2_mount);
    root.file("/sys/fs/cgroup/kube/pod/box/cpu.max", "400000 100000\n");
    root.file("/sys/fs/cgroup/kube/pod/cpu.max", "30000 20000\n");
    root.file("/sys/fs/cgroup/kube/cpu.max", "max 100000\n");
    EXPECT_EQ(limit(root), "30000/20000");
    root.file("/sys/fs/cgroup/kube/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(root), "100000/100000");
    root.file("/sys/fs/cgroup/cpu.max", "50000 100000\n");  // the top that a container sees
    EXPECT_EQ(limit(root), "50000/100000");
}

TEST(kb46_cgroup_v2, max_and_missing_files_limit_nothing) {
    // "max" could be read as 0, a missing file as an error that ends the walk upwards.
    fake_root root;
    root.groups("0::/a/b/c\n")
        .mounts(v2_mount)
        .file("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    EXPECT_EQ(limit(root), "none");
    root.file("/sys/fs/cgroup/a/cpu.max", "70000 100000\n");
    EXPECT_EQ(limit(root), "70000/100000");
    root.remove("/sys/fs/cgroup/a/b");
    EXPECT_EQ(limit(root), "70000/100000") << "the own group's directory is gone";
}

TEST(kb46_cgroup_v2, nonsense_limits_nothing) {
    // A divisor of 0, a sign, half a line: none may become a number of processors.
    fake_root root;
    root.groups("0::/app\n").mounts(v2_mount);
    for (const char* text :
         {"0 100000\n", "-1 100000\n", "50000 0\n", "50000 -5\n", "50000\n", "", "\n", "x 100000\n",
          "50000 100000 7\n", "50000x 100000\n", "99999999999999999999 100000\n"}) {
        root.file("/sys/fs/cgroup/app/cpu.max", text);
        EXPECT_EQ(limit(root), "none") << text;
    }
}

TEST(kb46_cgroup_v2, process_in_the_top_group_has_the_limit_of_the_mount) {
    // The path "/" could give a double slash or a walk beyond the mount.
    fake_root root;
    root.groups("0::/\n").mounts(v2_mount).file("/sys/fs/cgroup/cpu.max", "150000 100000\n");
    root.file("/sys/fs/cpu.max", "10000 100000\n");  // not a group
    EXPECT_EQ(limit(root), "150000/100000");
}

TEST(kb46_cgroup_v1, quota_of_the_own_group_and_of_its_ancestors_is_found) {
    // The reader could look for the tree under a wrong name: cpu and cpuacct share a mount, cpuset
    // has its own.
    fake_root root;
    root.groups("5:cpuset:/wrong\n4:cpu,cpuacct:/pod/box\n1:name=systemd:/other\n")
        .mounts(v1_mount);
    const std::string top = "/sys/fs/cgroup/cpu,cpuacct";
    root.cfs(top + "/pod/box", 300'000, 100'000);
    EXPECT_EQ(limit(root), "300000/100000");
    root.cfs(top + "/pod", 200'000, 100'000);
    EXPECT_EQ(limit(root), "200000/100000");
}

TEST(kb46_cgroup_v1, minus_one_zero_and_a_missing_half_limit_nothing) {
    // -1 is the kernel's value for "no limit"; the kernel itself refuses 0.
    fake_root root;
    root.groups("4:cpu,cpuacct:/box\n").mounts(v1_mount);
    const std::string box = "/sys/fs/cgroup/cpu,cpuacct/box/";
    root.file(box + "cpu.cfs_period_us", "100000\n");
    for (const char* text : {"-1\n", "0\n", "", "many\n"}) {
        root.file(box + "cpu.cfs_quota_us", text);
        EXPECT_EQ(limit(root), "none") << text;
    }
    root.file(box + "cpu.cfs_quota_us", "50000\n").file(box + "cpu.cfs_period_us", "0\n");
    EXPECT_EQ(limit(root), "none");
    root.remove(box + "cpu.cfs_period_us");
    EXPECT_EQ(limit(root), "none");
}

TEST(kb46_cgroup_v1, bind_mounted_top_is_taken_off_the_path) {
    // A container sees its own group as the top of the mount: the path must be cut, not appended.
    fake_root root;
    root.groups("4:cpu,cpuacct:/docker/0af3/inner\n");
    root.mounts("40 30 0:29 /docker/0af3 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n");
    root.cfs("/sys/fs/cgroup/cpu", 120'000, 60'000);
    EXPECT_EQ(limit(root), "120000/60000");
    root.cfs("/sys/fs/cgroup/cpu/inner", 30'000, 60'000);
    EXPECT_EQ(limit(root), "30000/60000");
}

TEST(kb46_cgroup, mount_that_does_not_show_the_own_group_is_left_alone) {
    // "/docker/0af" is not above "/docker/0af3", and a group above the namespace is not visible.
    fake_root root;
    root.groups("0::/docker/0af3\n");
    root.mounts("40 30 0:29 /docker/0af /mnt/one ro - cgroup2 cgroup2 rw\n");
    root.file("/mnt/one/cpu.max", "10000 100000\n").file("/mnt/one/3/cpu.max", "20000 100000\n");
    EXPECT_EQ(limit(root), "none");
    fake_root above;
    above.groups("0::/../../other\n");
    above.mounts("40 30 0:29 /here /mnt/one ro - cgroup2 cgroup2 rw\n");
    above.file("/mnt/one/cpu.max", "10000 100000\n");
    EXPECT_EQ(limit(above), "none");
}

TEST(kb46_cgroup, of_several_mounts_the_one_that_shows_most_counts) {
    // A bind mount of the own group hides the limits above it.
    fake_root root;
    root.groups("0::/pod/box\n");
    root.mounts("40 30 0:29 /pod/box /mnt/box ro - cgroup2 cgroup2 rw\n"
                "41 30 0:29 / /mnt/all ro - cgroup2 cgroup2 rw\n"
                "42 30 0:29 /pod /mnt/pod ro - cgroup2 cgroup2 rw\n");
    root.file("/mnt/box/cpu.max", "400000 100000\n");
    root.file("/mnt/all/pod/box/cpu.max", "400000 100000\n");
    root.file("/mnt/all/pod/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(root), "100000/100000");
}

TEST(kb46_cgroup, escaped_mount_paths_are_understood) {
    // mountinfo writes blank, tab, newline and backslash in octal.
    fake_root root;
    root.groups("0::/my group/x\\y\n");
    root.mounts("40 30 0:29 /my\\040group /mnt/a\\040b\\011c\\134d rw - cgroup2 cgroup2 rw\n");
    root.file("/mnt/a b\tc\\d/x\\y/cpu.max", "60000 100000\n");
    EXPECT_EQ(limit(root), "60000/100000");
}

TEST(kb46_cgroup, both_versions_at_once_give_the_tighter_limit) {
    // In a hybrid system version 2 is mounted too, without files for processors.
    fake_root root;
    root.groups("4:cpu,cpuacct:/a\n0::/b\n");
    root.mounts(v1_mount + "35 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    root.cfs("/sys/fs/cgroup/cpu,cpuacct/a", 300'000, 100'000);
    root.file("/sys/fs/cgroup/unified/b/cgroup.procs", "1\n");
    EXPECT_EQ(limit(root), "300000/100000");
    root.file("/sys/fs/cgroup/unified/b/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(root), "100000/100000");
}

TEST(kb46_cgroup, nothing_to_read_limits_nothing) {
    // No /proc, no mounts, no groups: each alone must do no harm.
    fake_root empty;
    EXPECT_EQ(limit(empty), "none");
    fake_root no_mounts;
    no_mounts.groups("0::/app\n");
    EXPECT_EQ(limit(no_mounts), "none");
    fake_root no_groups;
    no_groups.mounts(v2_mount).file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    EXPECT_EQ(limit(no_groups), "none");
    fake_root garbage;
    garbage.groups(":::\n\n4\n0:\n::/x").mounts("\n1 2 3\n - \n- - -\n");
    EXPECT_EQ(limit(garbage), "none");
}

TEST(kb46_cgroup, lines_longer_than_any_buffer_are_passed_over) {
    // An overlay of a hundred layers fills many kilobytes; the reader must find the line behind it.
    fake_root root;
    root.groups("0::/app\n");
    root.mounts("20 1 0:9 / / rw - overlay overlay rw,lowerdir=" + std::string(20'000, 'x') + "\n" +
                std::string(8191, 'y') + "\n" + std::string(8192, 'z') + "\n" + v2_mount);
    root.file("/sys/fs/cgroup/app/cpu.max", "80000 100000\n");
    EXPECT_EQ(limit(root), "80000/100000");
    root.groups("0::/" + std::string(5000, 'g') + "\n");
    EXPECT_EQ(limit(root), "none") << "no path is that long";
}

TEST(kb46_cgroup, changes_are_seen_by_the_next_look) {
    // The reader could remember an old answer: a new quota, or another group.
    fake_root root;
    root.groups("0::/app\n").mounts(v2_mount).file("/sys/fs/cgroup/app/cpu.max", "max 100000\n");
    cgroup_reader reader(root.path());
    EXPECT_EQ(limit(reader), "none");
    root.file("/sys/fs/cgroup/app/cpu.max", "50000 100000\n");
    EXPECT_EQ(limit(reader), "50000/100000");
    root.file("/sys/fs/cgroup/other/cpu.max", "90000 100000\n").groups("0::/other\n");
    EXPECT_EQ(limit(reader), "90000/100000");
}

TEST(cgroup_throttling, is_read_from_both_versions) {
    // Version 1 counts nanoseconds under another name.
    fake_root v2;
    v2.groups("0::/app\n").mounts(v2_mount);
    v2.file("/sys/fs/cgroup/app/cpu.stat",
            "usage_usec 12\nnr_periods 40\nnr_throttled 7\nthrottled_usec 5100\nnr_bursts 0\n");
    expect_throttling(v2, 40, 7, 5100);
    fake_root v1;
    v1.groups("4:cpu,cpuacct:/box\n").mounts(v1_mount);
    v1.file("/sys/fs/cgroup/cpu,cpuacct/box/cpu.stat",
            "nr_periods 3\nnr_throttled 2\nthrottled_time 4000000\n");
    expect_throttling(v1, 3, 2, 4000);
    fake_root none;
    none.groups("0::/app\n").mounts(v2_mount).file("/sys/fs/cgroup/app/cpu.stat", "usage_usec 3\n");
    cgroup_reader without(none.path());
    cpu_throttling t;
    EXPECT_FALSE(without.throttling(t)) << "groups without a quota count no throttling";
}

TEST(cgroup, this_machines_own_files_are_understood) {
    // For any file of this machine's kernel the answer is a limit or none.
    static constinit cgroup_reader reader;
    const cpu_quota q = reader.quota();
    if (q.is_limit()) {
        EXPECT_GE(q.rounded_down(), 1);
    }
    cpu_throttling t;
    (void)reader.throttling(t);
    EXPECT_LE(t.throttled, t.periods);
}

}  // namespace rota::rt
