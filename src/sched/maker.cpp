// The maker and its list of orders.
#include "sched/maker.hpp"

#include "sched/m_lifecycle.hpp"
#include "sys/note.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

struct maker_t {
    m* orders ROTA_GUARDED_BY(sched.mu) = nullptr;  // linked by to_make_next
    bool is_asleep ROTA_GUARDED_BY(sched.mu) = false;
    note wake;                  // the maker sleeps here; rung by who finds is_asleep
    atomic<bool> begun{false};  // set by the one who makes the maker; relaxed: see start_maker
    atomic<bool> runs{false};   // set by the same once the maker exists, read by all
};
constinit maker_t maker;

m* next_order() {
    const lock_guard guard(sched.mu);
    m* const mp = maker.orders;
    if (mp != nullptr) {
        maker.orders = mp->to_make_next;
        mp->to_make_next = nullptr;
    } else {
        maker.wake.clear();
        maker.is_asleep = true;
    }
    return mp;
}

void* make(void*) {
    thread_set_name("rota-maker");
    thread_block_signals();
    for (;;) {
        if (m* const mp = next_order()) start_m_thread(*mp);
        else maker.wake.sleep();
    }
}

}  // namespace

void start_maker() {
    if (maker.runs.load(memory_order_acquire)) return;       // pairs(maker.runs)
    if (maker.begun.exchange(true, memory_order_relaxed)) {  // relaxed: only who is first
        while (!maker.runs.load(memory_order_acquire)) thread_yield();  // pairs(maker.runs)
        return;
    }
    constexpr std::size_t stack_size = 64 * 1024;
    start_thread(make, nullptr, stack_size);
    maker.runs.store(true, memory_order_release);  // pairs(maker.runs)
}

void make_thread_of(m& mp) {
    if (!maker.runs.load(memory_order_acquire)) return start_m_thread(mp);  // pairs(maker.runs)
    bool asleep = false;
    {
        const lock_guard guard(sched.mu);
        mp.to_make_next = maker.orders;
        maker.orders = &mp;
        asleep = maker.is_asleep;
        maker.is_asleep = false;
    }
    if (asleep) maker.wake.wakeup();
}

bool make_spare_m() {
    m* mp = nullptr;
    {
        const lock_guard guard(sched.mu);
        if (sched.m_count >= sched.m_max) return false;
        count_m();
        mp = &new_m_record();
    }
    make_thread_of(*mp);
    return true;
}

}  // namespace rota::rt
