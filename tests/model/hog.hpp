// A goroutine that computes and is stopped: what the tests of taking and of spares share.
#pragma once

#include "rig.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/preempt/suspend.hpp"

namespace model {

// The signal that sysmon sends.
inline void stop_signal() {
    rota::rt::getm().stop_sent.store(true, rota::rt::memory_order_relaxed);
    rota::rt::suspend_here({});
}

// It computes; the signal comes at some moment, before or after its p is taken, or never.
inline rota::rt::g& hog(machine& rig, unsigned& ended) {
    return rig.goroutine("hog", [&ended] {
        stop_signal();
        ++ended;
        const rota::rt::runtime_entry inside;
    });
}

}  // namespace model
