// Finds the process's control groups in /proc and reads their limits on processor time.
#include "sys/proc/cgroup.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>

#include <unistd.h>

#include "sys/call/call.hpp"
#include "sys/call/number.hpp"

namespace rota::rt {

namespace {

class file {
  public:
    explicit file(path_text& path) {
        if (path.overflown) return;
        do fd_ = open_to_read(path.c_str());
        while (fd_ < 0 && errno == EINTR);
    }
    ~file() {
        if (fd_ >= 0) plain_close(fd_);
    }
    file(const file&) = delete;
    file& operator=(const file&) = delete;

    bool is_open() const { return fd_ >= 0; }

    // 0 at the end, and on errors.
    std::size_t read(char* to, std::size_t size) const {
        ssize_t n = 0;
        do n = plain_read(fd_, to, size);
        while (n == -EINTR);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }

  private:
    int fd_ = -1;
};

// Takes the part before the next `separator` off the front of `rest`, and returns it.
std::string_view next_field(std::string_view& rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view field = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
    return field;
}

bool has_word(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        if (next_field(list, ',') == word) return true;
    }
    return false;
}

// mountinfo writes blank, tab, newline and backslash as \ and three octal digits.
void append_unescaped(path_text& to, std::string_view field) {
    const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] == '\\' && i + 3 < field.size() && is_octal(field[i + 1]) &&
            is_octal(field[i + 2]) && is_octal(field[i + 3])) {
            to.append(static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 +
                                        (field[i + 3] - '0')));
            i += 3;
        } else {
            to.append(field[i]);
        }
    }
}

// Whether `path` is `top` or below it.
bool is_below(std::string_view path, std::string_view top) {
    if (top == "/") return true;
    return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

template <class N>
bool parse_number(std::string_view text, N& out) {
    N n{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    out = n;
    return true;
}

int clamped(std::int64_t n, int least) {
    if (n < least) return least;
    return n < std::numeric_limits<int>::max() ? static_cast<int>(n)
                                               : std::numeric_limits<int>::max();
}

}  // namespace

bool cpu_quota::is_tighter_than(const cpu_quota& other) const {
    if (!is_limit() || !other.is_limit()) return is_limit();
    return static_cast<double>(quota) * static_cast<double>(other.period) <
           static_cast<double>(other.quota) * static_cast<double>(period);
}

int cpu_quota::rounded_down() const { return clamped(quota / period, 1); }

int cpu_quota::rounded_up() const {
    return clamped(quota / period + (quota % period != 0 ? 1 : 0), 2);
}

void path_text::append(std::string_view more) {
    if (more.empty()) return;
    if (capacity - size < more.size()) {
        overflown = true;
        return;
    }
    std::memcpy(text + size, more.data(), more.size());
    size += more.size();
}

// Calls f(line) for each line of the file. Of a line longer than the buffer f sees the beginning:
// such lines are those of overlays with many layers.
template <class F>
bool cgroup_reader::for_each_line(path_text& path, F f) {
    const file in(path);
    if (!in.is_open()) return false;
    std::size_t size = 0;
    bool skipping = false;  // the rest of a line whose beginning f has seen
    for (;;) {
        const std::size_t n = in.read(line_ + size, line_max - size);
        size += n;
        std::size_t begin = 0;
        while (const void* const end = std::memchr(line_ + begin, '\n', size - begin)) {
            const auto at = static_cast<std::size_t>(static_cast<const char*>(end) - line_);
            if (!skipping) f(std::string_view(line_ + begin, at - begin));
            skipping = false;
            begin = at + 1;
        }
        std::memmove(line_, line_ + begin, size - begin);
        size -= begin;
        const bool is_full = size == line_max;
        if ((is_full || n == 0) && size > 0) {
            if (!skipping) f(std::string_view(line_, size));
            skipping = is_full;
            size = 0;
        }
        if (n == 0) return true;
    }
}

void cgroup_reader::begin_path(std::string_view below_root) {
    at_.clear();
    at_.append(root_);
    at_.append(below_root);
}

// Finds out which groups this process is in. If they differ from the last time, finds out where
// they can be seen: a process is hardly ever moved, and mountinfo may be long. Lines read
// "4:cpu,cpuacct:/docker/1234" (version 1) and "0::/user.slice" (version 2).
void cgroup_reader::find() {
    for (tree& t : found_) t.group.clear(), t.known = false;
    begin_path("/proc/self/cgroup");
    (void)for_each_line(at_, [this](std::string_view rest) {
        const std::string_view number = next_field(rest, ':');
        const std::string_view controllers = next_field(rest, ':');
        const bool is_v2 = number == "0" && controllers.empty();
        if (!is_v2 && !has_word(controllers, "cpu")) return;
        tree& t = found_[is_v2 ? 1 : 0];
        t.group.clear();
        t.group.append(rest);
        t.known = !t.group.overflown;
    });
    bool same = true;
    for (const bool is_v2 : {false, true}) {
        const tree& now = found_[is_v2 ? 1 : 0];
        tree& before = is_v2 ? v2_ : v1_;
        if (now.known == before.known && now.group.view() == before.group.view()) continue;
        same = false;
        before.known = now.known;
        before.group = now.group;
    }
    if (!same) find_mounts();
}

void cgroup_reader::find_mounts() {
    v1_.seen = v2_.seen = false;
    begin_path("/proc/self/mountinfo");
    (void)for_each_line(at_, [this](std::string_view line) { consider_mount(line); });
}

// "33 31 0:30 /docker/1 /sys/fs/cgroup/cpu rw,relatime shared:7 - cgroup cgroup rw,cpu": number,
// parent, device, top, mount, options, any number of tags, a dash, type, source, more options.
void cgroup_reader::consider_mount(std::string_view line) {
    std::string_view rest = line;
    for (int i = 0; i < 3; ++i) (void)next_field(rest, ' ');
    const std::string_view top = next_field(rest, ' ');
    const std::string_view mount = next_field(rest, ' ');
    while (!rest.empty() && next_field(rest, ' ') != "-") {
    }
    const std::string_view type = next_field(rest, ' ');
    (void)next_field(rest, ' ');
    tree* t = nullptr;
    if (type == "cgroup2") t = &v2_;
    else if (type == "cgroup" && has_word(rest, "cpu")) t = &v1_;
    if (t == nullptr || !t->known) return;
    value_.clear();
    append_unescaped(value_, top);
    if (value_.overflown || !is_below(t->group.view(), value_.view())) return;
    // Of several mounts the reader takes the mount that shows most of the tree, and so most limits.
    if (t->seen && value_.size >= t->top.size) return;
    t->top = value_;
    t->mount.clear();
    append_unescaped(t->mount, mount);
    t->seen = !t->mount.overflown;
}

// Sets at_ to the directory of the process's own group.
bool cgroup_reader::begin_group(const tree& t) {
    if (!t.known || !t.seen) return false;
    std::string_view below = t.group.view();
    if (t.top.view() != "/") below.remove_prefix(t.top.size);
    while (below.ends_with('/')) below.remove_suffix(1);
    begin_path(t.mount.view());
    at_.append(below);
    return !at_.overflown;
}

// Reads the content of a small file in the directory at_.
bool cgroup_reader::read_value(std::string_view name) {
    const std::size_t length = at_.size;
    at_.append('/');
    at_.append(name);
    const file in(at_);
    at_.size = length;
    at_.overflown = false;
    value_.clear();
    if (!in.is_open()) return false;
    value_.size = in.read(value_.text, path_text::capacity);
    while (value_.size > 0 && value_.text[value_.size - 1] == '\n') --value_.size;
    return value_.size > 0;
}

cpu_quota cgroup_reader::quota_here(bool is_v1) {
    cpu_quota found;
    if (is_v1) {
        // -1: no limit. The kernel refuses 0, so 0 means no limit too.
        if (!read_value("cpu.cfs_quota_us") || !parse_number(value_.view(), found.quota) ||
            !read_value("cpu.cfs_period_us") || !parse_number(value_.view(), found.period))
            return {};
    } else {
        if (!read_value("cpu.max")) return {};
        std::string_view rest = value_.view();  // "max 100000" where there is no limit
        if (!parse_number(next_field(rest, ' '), found.quota) || !parse_number(rest, found.period))
            return {};
    }
    return found.quota > 0 && found.period > 0 ? found : cpu_quota{};
}

cpu_quota cgroup_reader::tightest(const tree& t, bool is_v1) {
    cpu_quota found;
    if (!begin_group(t)) return found;
    const std::size_t mount = root_.size() + t.mount.size;
    for (;;) {
        const cpu_quota here = quota_here(is_v1);
        if (here.is_tighter_than(found)) found = here;
        if (at_.size <= mount) return found;
        const std::size_t slash = at_.view().rfind('/');
        at_.size = slash > mount ? slash : mount;
    }
}

void cgroup_reader::look_below(std::string_view root) {
    root_ = root;
    v1_.known = v2_.known = false;  // makes find() search the mounts again
}

cpu_quota cgroup_reader::quota() {
    find();
    const cpu_quota v1 = tightest(v1_, true);
    const cpu_quota v2 = tightest(v2_, false);
    return v1.is_tighter_than(v2) ? v1 : v2;
}

bool cgroup_reader::throttling(cpu_throttling& out) {
    find();
    for (const bool is_v1 : {true, false}) {
        if (!begin_group(is_v1 ? v1_ : v2_)) continue;
        at_.append("/cpu.stat");
        cpu_throttling found;
        bool any = false;
        (void)for_each_line(at_, [&](std::string_view rest) {
            const std::string_view key = next_field(rest, ' ');
            std::uint64_t n = 0;
            if (!parse_number(rest, n)) return;
            if (key == "nr_periods") found.periods = n;
            else if (key == "nr_throttled") found.throttled = n, any = true;
            else if (key == "throttled_usec") found.throttled_us = n;
            else if (key == "throttled_time") found.throttled_us = n / 1000;  // version 1: ns
        });
        if (!any) continue;
        out = found;
        return true;
    }
    return false;
}

}  // namespace rota::rt
