// Runs a thread that decides when to search for cycles of waiting goroutines, and prints them.
#include "diag/leak/cycle_watch.hpp"

#include <algorithm>
#include <exception>

#include "core/sched.hpp"
#include "diag/leak/unreachable.hpp"
#include "diag/stack/reading_stacks.hpp"
#include "diag/stack/traceback.hpp"
#include "diag/text/report.hpp"
#include "mem/mapped.hpp"
#include "sched/m/m_thread.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/thread/foreign_threads.hpp"
#include "sys/call/clock.hpp"
#include "sys/signal/stop_signal.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t cycle_look_ns = 500'000'000;
constexpr std::int64_t rest_per_search = 100;  // after a search it sleeps this many times as long

struct long_waits {
    std::uint32_t now_s;
    std::uint32_t for_channels = 0, for_locks = 0;

    // Reads the wait reasons and times of goroutines that may run meanwhile. A wrong value causes a
    // needless search, or a search half a second late.
    ROTA_READS_RACING void look_at(const g& gp) {
        if (readgstatus(gp) != g_status::waiting || gp.main_of != nullptr) return;
        if (gp.wait_since == 0 || now_s <= gp.wait_since + 1) return;
        const wait_reason why = gp.why;
        if (why == wait_reason::chan_receive || why == wait_reason::chan_send ||
            why == wait_reason::select)
            ++for_channels;
        if (why == wait_reason::mutex_lock) ++for_locks;
    }
    bool can_be_a_cycle() const { return for_channels >= 1 && for_channels + for_locks >= 2; }
};

bool is_worth_a_search() {
    long_waits w{static_cast<std::uint32_t>(whole_seconds(nanotime()))};
    stack_for_each([](const stack_slot& slot,
                      void* arg) { static_cast<long_waits*>(arg)->look_at(*header_of(slot)); },
                   &w);
    return w.can_be_a_cycle();
}

ROTA_READS_RACING const g* find_goroutine(std::uint64_t goid) {
    struct {
        std::uint64_t goid;
        const g* found;
    } wanted{goid, nullptr};
    stack_for_each(
        [](const stack_slot& slot, void* arg) {
            auto& w = *static_cast<decltype(wanted)*>(arg);
            const g& gp = *header_of(slot);
            if (gp.goid == w.goid && readgstatus(gp) == g_status::waiting) w.found = &gp;
        },
        &wanted);
    return wanted.found;
}

// A cycle, identified by its smallest goroutine number, as in diag/leak/lock_cycles.
struct known_cycle {
    std::uint64_t goid = 0;  // 0: the entry is free
    int sightings = 0;       // count; consecutive searches that have found it
    bool is_there = false;   // found by the present search
};

struct cycle_watch {
    static constexpr std::size_t cycles_max = 256;
    known_cycle known[cycles_max];
    report out;
    tracer trace;

    // Returns the sightings, this search included; 0: the table is full.
    int note(std::uint64_t goid) {
        known_cycle* place = nullptr;
        for (known_cycle& k : known) {
            if (k.goid == goid || (k.goid == 0 && place == nullptr)) place = &k;
            if (k.goid == goid) break;
        }
        if (place == nullptr) return 0;
        place->goid = goid;
        place->is_there = true;
        return ++place->sightings;
    }

    void forget_who_is_gone() {
        for (known_cycle& k : known) {
            if (!k.is_there) k = {};
            k.is_there = false;
        }
    }

    void print(const wait_cycle& cycle) {
        out.print("rota: deadlock: goroutines wait for each other, in a circle\n");
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const cycle_member& w = cycle[i];
            const auto next = static_cast<unsigned long long>(cycle[(i + 1) % cycle.size()].goid);
            const auto goid = static_cast<unsigned long long>(w.goid);
            if (w.is_channel)
                out.print("\tgoroutine %llu waits for the channel %p, which goroutine %llu has\n",
                          goid, w.object, next);
            else
                out.print("\tgoroutine %llu waits for the mutex %p, which goroutine %llu has "
                          "locked\n",
                          goid, w.object, next);
        }
        trace.to(out, {.mangled = true});
        for (const cycle_member& w : cycle) {
            if (const g* const gp = find_goroutine(w.goid)) trace.print_one(*gp);
        }
        out.print("\n");
        out.flush();
    }

    // A cycle with a lock may still end: rota allows a goroutine outside to unlock. So two
    // searches must find it. A cycle without a channel belongs to lock_cycles.
    void take(const wait_cycle& cycle) {
        std::uint64_t goid = ~std::uint64_t{0};
        std::size_t channels = 0;
        for (const cycle_member& w : cycle) {
            goid = std::min(goid, w.goid);
            channels += w.is_channel;
        }
        const int enough = channels == cycle.size() ? 1 : 2;
        if (channels != 0 && note(goid) == enough) print(cycle);
    }

    void search() {
        bystander_begins();
        clear_dead_frames();
        try {
            const bool is_proven =
                visit_wait_cycles([](const wait_cycle& cycle,
                                     void* self) { static_cast<cycle_watch*>(self)->take(cycle); },
                                  this, false);
            if (is_proven) forget_who_is_gone();
        } catch (const std::bad_alloc&) {
            // The next search may find memory.
        }
        bystander_rests();
    }
};

void* watch_cycles(void*) {
    thread_set_name("rota-circles");
    thread_block_signals();
    bystander_tid.store(current_thread_id(), memory_order_relaxed);  // relaxed: see there
    cycle_watch& watch = mapped_new<cycle_watch>();
    std::int64_t pause = cycle_look_ns;
    bool is_attached = false;
    for (;;) {
        thread_sleep_ns(pause);
        pause = cycle_look_ns;
        if (sched.exiting.load(memory_order_relaxed)) return nullptr;  // relaxed: the search asks
        const std::int64_t since = nanotime();
        if (is_worth_a_search()) {
            if (!is_attached) attach_bystander();
            is_attached = true;
            watch.search();
        }
        pause = std::max(cycle_look_ns, rest_per_search * (nanotime() - since));
    }
}

}  // namespace

void start_cycle_watch() {
    if (stop_signal() == 0) return;  // no thread can be held, so nothing can be proven
    constexpr std::size_t stack_size = 256 * 1024;
    start_thread(watch_cycles, nullptr, stack_size);
}

}  // namespace rota::rt
