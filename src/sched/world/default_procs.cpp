// Reads the affinity mask and the quota, and follows their changes.
#include "sched/world/default_procs.hpp"

#include "core/getg.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/base/wakeup.hpp"
#include "sched/goroutine/newproc.hpp"
#include "sched/queue/timers.hpp"
#include "sched/world/procresize.hpp"
#include "sched/world/stw.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t period = 500'000'000;  // ns between two looks

struct limits_t {
    bool rounds_up = false;  // fixed at boot
    // tid of sysmon; relaxed: 0 stands for the caller's own thread
    atomic<std::int32_t> watcher{0};
    // Written under the world's lock; relaxed: a thread that acts on it reads it again there.
    atomic<bool> followed{false};
    // ns, time of the last look. A second look does no harm; sysmon's look publishes `owed`.
    atomic<std::int64_t> looked_at{0};
    // sysmon is looking, or has seen a number that is not yet set. relaxed: see looked_at
    atomic<bool> owed{false};
    atomic<std::int32_t> wanted{0};  // as last seen; relaxed: an older number does no harm
    atomic<bool> reading{false};     // a thread has its turn with `groups`
    timer errand;                    // set at boot, then of its heap
};
constinit limits_t limits;
constinit cgroup_reader groups;

bool begin_reading() {
    return !limits.reading.exchange(true, memory_order_acquire);  // pairs(limits.reading)
}
void end_reading() { limits.reading.store(false, memory_order_release); }  // pairs(limits.reading)

// Caller: its turn to read.
std::int32_t read_limits() {
    // Threads may be tied to processors of their own; sysmon's is not.
    int n = allowed_processors(limits.watcher.load(memory_order_relaxed));
    const cpu_quota quota = groups.quota();
    if (quota.is_limit()) {
        const int paid = limits.rounds_up ? quota.rounded_up() : quota.rounded_down();
        if (paid < n) n = paid;
    }
    return n < procs_max ? n : procs_max;
}

// The program may have fixed a number meanwhile.
void follow_to(std::int32_t n) {
    world_lock();
    if (limits.followed.load(memory_order_relaxed)) (void)change_proc_count(n);
    world_unlock();
}

// The goroutine that sets the number for sysmon.
void follow(void*) {
    const runtime_entry inside;
    follow_to(limits.wanted.load(memory_order_relaxed));
    limits.owed.store(false, memory_order_relaxed);
}

void start_follower(void*) {
    if (is_too_late()) return;
    spawn_from_scheduler(follow, nullptr, __builtin_return_address(0));
}

// Leaves the change to a goroutine. Caller: cannot stop the world itself.
void leave_to_follower(std::int32_t n, std::int64_t now) {
    limits.wanted.store(n, memory_order_relaxed);
    if (sched.allp[0]->timers.reset(limits.errand, now).earlier) wake_poller(now);
}

// relaxed: see limits_t
bool is_look_due(std::int64_t now) {
    return limits.followed.load(memory_order_relaxed) &&
           now - limits.looked_at.load(memory_order_acquire) >= period;  // pairs(limits.looked)
}

// Whether the number may be outdated although a thread has just looked. relaxed: see limits_t
bool is_change_owed() {
    return limits.owed.load(memory_order_relaxed) && limits.followed.load(memory_order_relaxed);
}

}  // namespace

void limits_init(bool round_up, bool follow) {
    limits.rounds_up = round_up;
    limits.errand.run = start_follower;
    limits.errand.arg = &limits;
    limits.looked_at.store(nanotime(), memory_order_relaxed);
    limits.followed.store(follow, memory_order_relaxed);
}

std::int32_t default_procs() {
    while (!begin_reading()) thread_yield();
    const std::int32_t n = read_limits();
    end_reading();
    return n;
}

std::int32_t fix_proc_count(std::int32_t n) {
    world_lock();
    limits.followed.store(false, memory_order_relaxed);
    const std::int32_t before = change_proc_count(n);
    world_unlock();
    return before;
}

void set_default_proc_count(std::int32_t from_environment) {
    world_lock();
    const bool follows = from_environment == 0 && !seeded.on;
    limits.looked_at.store(nanotime(), memory_order_relaxed);
    limits.followed.store(follows, memory_order_relaxed);
    (void)change_proc_count(from_environment > 0 ? from_environment : default_procs());
    world_unlock();
}

std::int32_t current_proc_count() {
    const std::int64_t now = nanotime();
    if (ROTA_LIKELY(!is_look_due(now) && !is_change_owed())) return proc_count();
    limits.looked_at.store(now, memory_order_relaxed);
    if (current_goroutine() != nullptr) {
        const runtime_entry inside;
        const std::int32_t n = default_procs();
        if (n != proc_count()) follow_to(n);
    } else if (const std::int32_t n = default_procs(); n != proc_count()) {
        leave_to_follower(n, now);
    }
    return proc_count();
}

void look_at_limits(std::int64_t now) {
    if (!is_look_due(now) || !begin_reading()) return;
    limits.watcher.store(current_thread_id(), memory_order_relaxed);
    limits.owed.store(true, memory_order_relaxed);
    limits.looked_at.store(now, memory_order_release);  // pairs(limits.looked)
    const std::int32_t n = read_limits();
    end_reading();
    if (n != proc_count()) leave_to_follower(n, now);
    else limits.owed.store(false, memory_order_relaxed);
}

bool read_throttling(cpu_throttling& out) {
    if (!begin_reading()) return false;
    const bool found = groups.throttling(out);
    end_reading();
    return found;
}

void read_limits_below(std::string_view root) {
    const runtime_entry inside;
    while (!begin_reading()) thread_yield();
    groups.look_below(root);
    end_reading();
}

}  // namespace rota::rt
