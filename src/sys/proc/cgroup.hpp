// Tells how much processor time the control groups allow this process: version 1, version 2, or
// both at once.
//
// A group's quota bounds each group below it. So the tightest quota counts, on the way from the
// process's own group up to the top of the mounted tree. /proc/self/cgroup names the group,
// /proc/self/mountinfo says where it can be seen. Nothing here allocates or needs a lock that a
// stopped thread may hold: sysmon asks once a second. Go: internal/cgroup, which reads one level
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rota::rt {

// us of processor time per us of period.
struct cpu_quota {
    std::int64_t quota = 0;
    std::int64_t period = 0;  // 0: no limit

    bool is_limit() const { return period > 0; }
    bool is_tighter_than(const cpu_quota& other) const;
    // Processors that the quota pays for: rounded down, at least 1; or as Go does, rounded up, at
    // least 2.
    int rounded_down() const;
    int rounded_up() const;
};

// How much the quota of the process's own group has held it back so far.
struct cpu_throttling {
    std::uint64_t periods = 0;       // periods in which the group ran
    std::uint64_t throttled = 0;     // periods, of these, in which the group was held back
    std::uint64_t throttled_us = 0;  // us held back, of every thread together
};

// A text of bounded length; a text that does not fit is unusable.
struct path_text {
    static constexpr std::size_t capacity = 4096;
    std::size_t size = 0;
    bool overflown = false;
    char text[capacity + 1] = {};

    void clear() { size = 0, overflown = false; }
    void append(std::string_view more);
    void append(char c) { append(std::string_view(&c, 1)); }
    std::string_view view() const { return {text, size}; }
    const char* c_str() {
        text[size] = '\0';
        return text;
    }
};

// Reads the files below `root`, which is empty except in tests. Not synchronised. Its 60 KiB are
// for a static object: the caller may have a small stack.
class cgroup_reader {
  public:
    // `root` must live as long as the reader.
    constexpr explicit cgroup_reader(std::string_view root = {}) : root_(root) {}

    // Reads below `root` from this call on.
    void look_below(std::string_view root);

    // The tightest quota at this moment of the groups that this process is in. Files that are
    // missing or cannot be parsed limit nothing.
    [[nodiscard]] cpu_quota quota();

    // False: there is nothing to read.
    [[nodiscard]] bool throttling(cpu_throttling& out);

  private:
    // A tree of groups, of version 1 or 2, that may govern processors.
    struct tree {
        path_text group;     // the process's group, as /proc/self/cgroup names it
        path_text mount;     // where the tree is mounted
        path_text top;       // the group at the top of the mount
        bool known = false;  // the process is in such a tree
        bool seen = false;   // its group is below `top`
    };

    static constexpr std::size_t line_max = 2 * path_text::capacity;

    template <class F>
    bool for_each_line(path_text& path, F f);
    void begin_path(std::string_view below_root);
    bool begin_group(const tree& t);
    bool read_value(std::string_view name);
    void find();
    void find_mounts();
    void consider_mount(std::string_view line);
    cpu_quota quota_here(bool is_v1);
    cpu_quota tightest(const tree& t, bool is_v1);

    std::string_view root_;
    tree v1_;
    tree v2_;
    tree found_[2];  // of versions 1 and 2: only group and known
    path_text at_;   // the file or directory being read
    path_text value_;
    char line_[line_max] = {};
};

}  // namespace rota::rt
