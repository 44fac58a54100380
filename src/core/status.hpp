// States of goroutines and processors, with Go's numbers, and why a goroutine waits.
//
//                    newproc                 execute
//        dead ─────────────────► runnable ◄──────────► running ──entersyscall──► syscall
//          ▲                      ▲    gosched, preempt  │  ▲                       │
//          │                      │                      │  └────exitsyscall────────┤
//          │        goready       │      gopark          │                          │
//          │             waiting ─┘ ◄────────────────────┤     (slow exit: runnable)◄┘
//          └─────────────────────────── goexit ──────────┘
//
// A goroutine that loses its p without having asked for it (sched/preempt/retake,
// sched/preempt/suspend):
//
//     running ──retake_p──► syscall ──it enters the runtime──► running, or runnable
//                            │ ▲
//        its thread is stopped │ it goes on without a p
//                            ▼ │
//                         preempted ──its m is given a p──► running
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

enum class g_status : std::uint8_t {
    idle = 0,       // its memory has never been used
    runnable = 1,   // on a run queue, or held by a thread that is about to queue or run it
    running = 2,    // executes user code; it has an m with a p, and is on no queue
    syscall = 3,    // inside blocking(), or its p was taken; it has an m, perhaps no p
    waiting = 4,    // parked: only the thread that takes it out of a wait list may ready it
    dead = 6,       // ended, its stack free for reuse
    preempted = 9,  // its thread is stopped where it was, and waits in line for a p
};

enum class p_status : std::uint32_t {
    idle = 0,     // on the idle list
    running = 1,  // held by an m
    syscall = 2,  // its m is in blocking(); exit and retake race for it by compare-and-swap
    gcstop = 3,   // held by the thread that stopped the world
    dead = 4,     // beyond GOMAXPROCS
};

enum class wait_reason : std::uint8_t {
    none,
    chan_receive,
    chan_send,
    chan_receive_nil,
    chan_send_nil,
    select,
    select_no_cases,
    sleep,
    semacquire,
    mutex_lock,
    wait_group_wait,
    cond_wait,
    rwmutex_rlock,
    rwmutex_lock,
    future_get,
    runtime_run,
    synctest_run,
    synctest_wait,
    io_wait,  // park_arg: a poll_word, or a lock of the table of semaphores (sched/queue/run_queue)
    count,
};

// Go's words, as they stand in a dump.
constexpr const char* wait_reason_text(wait_reason why) {
    constexpr const char* text[] = {"",
                                    "chan receive",
                                    "chan send",
                                    "chan receive (nil chan)",
                                    "chan send (nil chan)",
                                    "select",
                                    "select (no cases)",
                                    "sleep",
                                    "semacquire",
                                    "sync.Mutex.Lock",
                                    "sync.WaitGroup.Wait",
                                    "sync.Cond.Wait",
                                    "sync.RWMutex.RLock",
                                    "sync.RWMutex.Lock",
                                    "future get",
                                    "rota.run",
                                    "synctest.Run",
                                    "synctest.Wait",
                                    "IO wait"};
    static_assert(sizeof text / sizeof *text == static_cast<std::size_t>(wait_reason::count));
    return text[static_cast<std::uint8_t>(why)];
}

constexpr const char* g_status_text(g_status s) {
    switch (s) {
        case g_status::idle: return "idle";
        case g_status::runnable: return "runnable";
        case g_status::running: return "running";
        case g_status::syscall: return "syscall";
        case g_status::waiting: return "waiting";
        case g_status::dead: return "dead";
        case g_status::preempted: return "preempted";
    }
    return "???";
}

}  // namespace rota::rt
