// Prints the report about an object that is destroyed while goroutines wait in it.
#include "sched/goroutine/destroyed.hpp"

#include <cstdio>

#include "base/fatal.hpp"
#include "core/m.hpp"
#include "core/sched.hpp"
#include "core/status.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"

namespace rota::rt {

namespace {

const char* hint(held_by how) {
    if (how == held_by::value) return "runtime: captured by reference? capture it by value";
    return "runtime: captured by reference? it must outlive all who use it: wait for them, or "
           "capture a std::shared_ptr to it by value";
}

bool never_runs_again(const g& gp) {
    const runtime_entry inside;
    return is_abandoned(gp);
}

}  // namespace

bool is_nobody_going_on() {
    // relaxed, both: set by the exit of this process, and in the only thread of a fork's child
    return sched.exiting.load(memory_order_relaxed) || sched.forked.load(memory_order_relaxed);
}

void report_destroyed(const char* what, const g* gp, held_by how) {
    if (is_nobody_going_on()) return;
    char text[160];
    if (gp == nullptr) {
        (void)std::snprintf(text, sizeof text,
                            "%s destroyed while a goroutine begins to wait in it", what);
    } else if (never_runs_again(*gp)) {
        return;
    } else if (gp->is_thread) {
        (void)std::snprintf(text, sizeof text, "%s destroyed while thread %d waits in it [%s]",
                            what,
                            gp->mp->tid.load(memory_order_relaxed),  // relaxed: it waits
                            wait_reason_text(gp->why));
    } else {
        (void)std::snprintf(text, sizeof text, "%s destroyed while goroutine %llu waits in it [%s]",
                            what, static_cast<unsigned long long>(gp->goid),
                            wait_reason_text(gp->why));
    }
    fatal(text, trace_scope::all, hint(how));
}

}  // namespace rota::rt
