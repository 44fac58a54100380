// Attaches the runtime to librota_hook.so, and reads the library's counts for the program.
#include "hook/attach.hpp"

#include <dlfcn.h>
#include <rota/detail/time_engine.hpp>
#include <rota/hook.hpp>

#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "hook/table.hpp"
#include "hook/wait.hpp"
#include "sched/base/park_check.hpp"
#include "sched/thread/syscall.hpp"

namespace rota::rt {

namespace {

// Written by boot, before any goroutine exists.
constinit atomic<const hook_library*> library{nullptr};

// A goroutine parks only if nothing but its own stack and its m stands between the call and the
// scheduler. So it does not park inside the runtime, in a blocking section, on the stack of a
// signal, or on a stack that the program has made. It does not park in a bubble, which has a clock
// of its own, nor while the process exits, because no thread would wake it.
ROTA_NOINLINE hook_caller caller() {
    const m* const mp = getm_or_null();
    if (mp == nullptr || mp->curg->is_thread) return hook_caller::other;
    const g& gp = *mp->curg;
    const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
    // relaxed, all: the thread's own words, and a hint that was set long before it matters
    if (mp->in_runtime.load(memory_order_relaxed) != 0 ||
        mp->entry.load(memory_order_relaxed) == entry_state::in_syscall || gp.is_in_bubble ||
        here < gp.stack.lo || here >= gp.stack.hi || sched.exiting.load(memory_order_relaxed))
        return hook_caller::other;
    return gp.is_locked ? hook_caller::blocks : hook_caller::parks;
}

std::uint64_t goid() {
    const g* const gp = current_goroutine();
    return gp == nullptr ? 0 : gp->goid;
}

std::int64_t now() { return nanotime(); }

void sleep_until(std::int64_t when) { rota::detail::sleep_until_ns(when); }

// Where only mutexes are noted, every call is the C library's.
hook_caller no_caller() { return hook_caller::other; }

constinit hook_runtime own{.version = hook_version,
                           .traces = false,
                           .takes_locks = false,
                           .notes_mutexes = false,
                           .caller = caller,
                           .goid = goid,
                           .now = now,
                           .wait = foreign_wait,
                           .pass_turn = foreign_pass_turn,
                           .sleep_until = sleep_until,
                           .enter_blocking = entersyscall,
                           .leave_blocking = exitsyscall,
                           .closing = foreign_closing,
                           .closed = foreign_closed,
                           .mutex_locked = note_mutex_locked,
                           .mutex_unlocked = note_mutex_unlocked};

void complain_of_absence(const hook_mode& mode) {
    const char* const setting = mode.notes_mutexes ? "parkcheck" : "hook";
    const char* const result = mode.notes_mutexes ? "; no mutex is seen" : "";
    print_error("rota: GODEBUG %s: librota_hook.so is not in this process: link rota::hook, or set "
                "LD_PRELOAD%s\n",
                setting, result);
}

}  // namespace

void hook_attach(hook_mode mode) {
    if (mode.off && !mode.notes_mutexes) return;
    // A program may define the symbol itself, in place of the library: the tests do that.
    auto* const attach =
        reinterpret_cast<hook_attach_function*>(::dlsym(RTLD_DEFAULT, hook_attach_name));
    if (attach == nullptr) {
        if (mode.traces || mode.takes_locks || mode.notes_mutexes) complain_of_absence(mode);
        return;
    }
    own.notes_mutexes = mode.notes_mutexes;
    if (mode.off) {
        own.caller = no_caller;
    } else {
        own.traces = mode.traces;
        own.takes_locks = mode.takes_locks;
    }
    begin_hook_table();
    const hook_library* const found = attach(&own);
    if (found == nullptr || found->version != hook_version) {
        print_error("rota: librota_hook.so is of another version than the rota of this program: "
                    "calls of the C library are not hooked\n");
        return;
    }
    if (!mode.off) library.store(found, memory_order_release);  // pairs(hook.library)
}

const hook_library* attached_hook() {
    return library.load(memory_order_acquire);  // pairs(hook.library)
}

}  // namespace rota::rt

namespace rota::hook {

bool is_attached() noexcept { return rt::attached_hook() != nullptr; }

rota::detail::vector<call_stats> stats() {
    rota::detail::vector<call_stats> all;
    const rt::hook_library* const from = rt::attached_hook();
    if (from == nullptr) return all;
    all.reserve(from->count);
    for (std::size_t i = 0; i < from->count; ++i) {
        const rt::hook_counts& c = from->counts[i];
        // relaxed, all: for reports
        all.push_back({c.name, __atomic_load_n(&c.calls, __ATOMIC_RELAXED),
                       __atomic_load_n(&c.parked, __ATOMIC_RELAXED),
                       __atomic_load_n(&c.blocked, __ATOMIC_RELAXED),
                       __atomic_load_n(&c.waits, __ATOMIC_RELAXED)});
    }
    return all;
}

}  // namespace rota::hook
