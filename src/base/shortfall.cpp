// Counts each kind of shortfall, and writes its line at the first.
#include "base/shortfall.hpp"

#include "base/atomic.hpp"
#include "base/fatal.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t kinds = static_cast<std::size_t>(shortfall::count);

struct shortfall_line {
    const char* what;  // the refused object
    const char* then;  // the consequence
    const char* cure;
};
constexpr shortfall_line lines[kinds] = {
    {"the system call membarrier",
     "goroutines that compute are preempted by signals alone, and fences cost more",
     "allow it in the seccomp filter; GODEBUG=asymmetric=0 asks for this and is silent"},
    {"a thread without which no goroutine can be preempted",
     "who computes keeps its processor, and the kernel is asked again each second",
     "raise ulimit -u, kernel.threads-max or the cgroup's pids.max"},
    {"a thread for goroutines",
     "processors of goroutines that block or compute wait for one, and the kernel is asked again",
     "raise ulimit -u, kernel.threads-max or the cgroup's pids.max"},
    {"io_uring", "descriptors are watched by epoll",
     "it needs Linux 6.1, kernel.io_uring_disabled=0 and a seccomp filter that allows it; "
     "GODEBUG=netpoll=epoll is silent"},
    {"an alternate signal stack", "a stack overflow on that thread ends the process without report",
     "raise ulimit -v or vm.max_map_count"},
    {"the system call clone for a child", "os::command starts no program",
     "allow it with CLONE_VM and CLONE_VFORK in the seccomp filter"},
};

constinit atomic<std::uint64_t> counts[kinds]{};  // relaxed: the counters are independent

}  // namespace

void note_shortfall(shortfall what, int error) {
    const auto i = static_cast<std::size_t>(what);
    if (counts[i].fetch_add(1, memory_order_relaxed) != 0) return;  // relaxed: see there
    const shortfall_line& line = lines[i];
    print_error("rota: %s is refused (errno=%d): %s; %s\n", line.what, error, line.then, line.cure);
}

std::uint64_t shortfall_count(shortfall what) {
    return counts[static_cast<std::size_t>(what)].load(memory_order_relaxed);  // relaxed: see there
}

}  // namespace rota::rt
