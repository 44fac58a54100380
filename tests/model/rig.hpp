// The pieces of a runtime that tests of this folder put together by hand.
//
// stranger    a thread of the schedule becomes a thread of the program's own: it has an m, no p,
// and
//             parks by sleeping. Channels, locks and the like are explored with these alone.
// machine     ps, ms and goroutines under the real scheduler. Everything lies in static memory that
//             is put back before each schedule, so a schedule that breaks off leaves nothing
//             behind.
#pragma once

#include <functional>

#include "core/sched.hpp"
#include "explore.hpp"
#include "sys/thread/asymmetric.hpp"

namespace model {

// The calling thread's m. Lives in the thread's frame.
class stranger {
  public:
    stranger();
    ~stranger();
    stranger(const stranger&) = delete;
    stranger& operator=(const stranger&) = delete;

  private:
    rota::rt::m me_;
};

// A thread of the schedule that is a stranger.
class stranger_thread : public thread {
  public:
    stranger_thread(const char* name, std::function<void()> f)
        : thread(name, [f = std::move(f)] {
              const stranger here;
              f();
          }) {}
};

// Light fences and restartable sequences, as on a kernel that has what they need; without it, full
// fences and locked instructions. For the tests of one scope.
class asymmetric_mode {
  public:
    explicit asymmetric_mode(bool on) { set(on); }
    ~asymmetric_mode() { set(false); }
    asymmetric_mode(const asymmetric_mode&) = delete;
    asymmetric_mode& operator=(const asymmetric_mode&) = delete;

  private:
    static void set(bool on);
};

// Runs the same test in both modes.
void expect_holds_in_both_modes(const options& how, const std::function<void()>& body);

// How the tests of a machine search: with few departures, since its schedules are long. The clock
// leaps, so that a thief does not think for long before it takes a runnext.
options small(unsigned departures = 1);

class machine {
  public:
    static constexpr int p_max = 3, m_max = 8, g_max = 4;

    // Outside schedules, once for a test: `procs` ps, all idle, and no m.
    explicit machine(int procs);
    ~machine();

    // --- in a schedule, before any thread is begun ------------------------------------
    // The calling thread is m 0, with this p or, below 0, a stranger's m without one.
    void begin(int own_p);
    // An m of its own thread: it sleeps on the idle list.
    void idle_m(const char* name);
    // As many more as a scheduler that is slow to put its own on the list may ask for.
    void spare_ms();
    // An m that holds a p and has just finished a goroutine; `spinning`: it is counted as such.
    void busy_m(const char* name, int its_p, bool spinning);
    // A goroutine, runnable and in no queue.
    rota::rt::g& goroutine(const char* name, std::function<void()> f);
    // A busy m that holds the first p and finds these in its queue; and spare ms.
    void worker(rota::rt::g& next, rota::rt::g* behind = nullptr);

    // Whatever the clock says, the time of one waiter in the first p's heap is up. Caller: holds
    // that p.
    void time_passes();

    rota::rt::p& proc(int i);
    rota::rt::m& thread_m(int i);
    // The idle lists agree with their counts, and no p that is idle has work.
    void check_idle_lists();

  private:
    int m_count_ = 0;
    int g_count_ = 0;
    unsigned idle_mask_ = 0;
};

// A machine of one p, with light fences; the body begins as a stranger's m.
result expect_holds_on_one_p(const options& how, const std::function<void(machine&)>& body);

// Goroutines and threads that wait for each other outside the runtime: the m stays with them.
void block_thread_until(rota::rt::atomic<std::uint32_t>& word, std::uint32_t value);
void set_and_unblock(rota::rt::atomic<std::uint32_t>& word, std::uint32_t value);

}  // namespace model
