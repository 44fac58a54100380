// Finds cycles of lock waits by the two passes of the header's proof, and prints them for sysmon.
#include "diag/leak/lock_cycles.hpp"

#include <algorithm>

#include "diag/stack/traceback.hpp"
#include "diag/text/report.hpp"
#include "mem/mapped.hpp"
#include "sync/lock_owners.hpp"
#include "sync/wait/sema.hpp"

namespace rota::rt {

// gp is held, or stands in the locked table: its fields are the fields with which it parked.
ROTA_READS_RACING void lock_cycles::add(const sudog& s) {
    const g& gp = *s.gp;
    if (!gp.is_thread && !scan_.holds(gp)) return;
    const mutex* const wanted = lock_view::wanted(s.wait_on, gp.why);
    if (wanted == nullptr) return;
    if (gp.is_thread && !lock_view::is_watched_and_locked(*wanted)) return;
    if (size_++ >= capacity_) return;
    lock_wait& w = room_[used_++];
    w = {};
    w.gp = &gp;
    w.wanted = wanted;
    w.goid = owner_number(gp);
    w.next = lock_wait::none;
    if (!gp.is_thread) return;
    w.thread = gp.mp->tid.load(memory_order_relaxed);  // relaxed: it does not change while it waits
    w.wait = gp.mp->sema_waits;
    ++thread_count_;
}

// The second walk of the table, for threads only. Caller: holds the lock of the table.
ROTA_READS_RACING void lock_cycles::see_again(const sudog& s) {
    const g& gp = *s.gp;
    if (!gp.is_thread) return;
    lock_wait* const w = find_wait(&gp);
    if (w != nullptr && w->wait == gp.mp->sema_waits &&
        w->wanted == lock_view::wanted(s.wait_on, gp.why) &&
        lock_view::is_watched_and_locked(*w->wanted))
        w->stands = true;
}

// The waits are sorted by g; a waiting goroutine has a single wait.
lock_wait* lock_cycles::find_wait(const g* gp) const {
    lock_wait* const end = room_ + used_;
    lock_wait* const w =
        std::lower_bound(room_, end, gp, [](const lock_wait& a, const g* b) { return a.gp < b; });
    return w != end && w->gp == gp ? w : nullptr;
}

void lock_cycles::find_owners() {
    lock_wait* const end = room_ + used_;
    std::sort(room_, end, [](const lock_wait& a, const lock_wait& b) { return a.gp < b.gp; });
    for (lock_wait* w = room_; w != end; ++w) {
        // A held goroutine waits and does not run before the scan ends, so the mutex exists.
        if (w->thread == 0 && !lock_view::is_watched_and_locked(*w->wanted)) continue;
        const lock_owner who = find_lock_owner(*w->wanted);
        w->owner = who.gp;
        w->owner_goid = who.goid;
        if (who.gp == nullptr) continue;
        const lock_wait* const of = find_wait(who.gp);
        if (of != nullptr && of->goid == who.goid) w->next = static_cast<std::uint32_t>(of - room_);
    }
}

// The second pass: whether each wait of the cycle, and each owner, is still the same.
bool lock_cycles::stands_still(std::uint32_t first) const {
    std::uint32_t at = first;
    do {
        const lock_wait& w = room_[at];
        if (w.thread != 0) {
            if (!w.stands) return false;
        } else {
            if (readgstatus(*w.gp) != g_status::waiting) return false;
            if (!lock_view::is_watched_and_locked(*w.wanted)) return false;
        }
        const lock_owner who = find_lock_owner(*w.wanted);
        if (who.gp != w.owner || who.goid != w.owner_goid) return false;
        at = w.next;
    } while (at != first);
    return true;
}

// Each goroutine waits for a single mutex, which has a single owner: each wait has one successor.
void lock_cycles::find_cycles() {
    for (std::uint32_t i = 0; i < used_; ++i) {
        const std::uint32_t visit = i + 1;
        std::uint32_t at = i;
        while (at != lock_wait::none && room_[at].visit == 0) {
            room_[at].visit = visit;
            at = room_[at].next;
        }
        if (at == lock_wait::none || room_[at].visit != visit || !stands_still(at)) continue;
        ++cycle_count_;
        do {
            room_[at].cycle = cycle_count_;
            at = room_[at].next;
        } while (room_[at].cycle == 0);
    }
}

std::uint32_t lock_cycles::find(lock_wait* room, std::size_t capacity) {
    room_ = room;
    capacity_ = capacity;
    size_ = used_ = 0;
    thread_count_ = 0;
    cycle_count_ = 0;
    if (!are_locks_watched()) return 0;
    scan_.begin();
    sem_for_each_waiter([](void* self, const sudog& s) { static_cast<lock_cycles*>(self)->add(s); },
                        this);
    find_owners();
    full_fence();  // the passes do not overlap
    if (thread_count_ != 0)
        sem_for_each_waiter(
            [](void* self, const sudog& s) { static_cast<lock_cycles*>(self)->see_again(s); },
            this);
    find_cycles();
    scan_.end();
    return cycle_count_;
}

std::uint32_t lock_cycles::first_of(std::uint32_t cycle) const {
    std::uint32_t at = 0;
    while (room_[at].cycle != cycle) ++at;
    return at;
}

namespace {

// A cycle that sysmon has seen, by the smallest goroutine number in it. Numbers are used once, and
// a goroutine waits for one lock, so the number identifies the cycle.
struct cycle_seen {
    std::uint64_t goid = 0;  // the smallest number; 0: the entry is free
    int looks = 0;           // count; searches that have found it
    bool is_there = false;   // found by the present search
};

struct sysmon_search {
    static constexpr std::size_t room_size = 1 << 16, cycles_max = 256;
    lock_cycles search;
    cycle_seen seen[cycles_max];
    report out;
    tracer trace;
    lock_wait* room = static_cast<lock_wait*>(mapped_alloc(room_size * sizeof(lock_wait)));

    // Null: the table is full.
    cycle_seen* find_or_add(std::uint64_t goid) {
        cycle_seen* place = nullptr;
        for (cycle_seen& s : seen) {
            if (s.goid == goid) return &s;
            if (s.goid == 0 && place == nullptr) place = &s;
        }
        if (place != nullptr) place->goid = goid;
        return place;
    }

    // For a thread: the kernel's number, as in `info threads` of gdb.
    static unsigned long long shown_number(const lock_wait& w) {
        return w.thread != 0 ? static_cast<unsigned long long>(w.thread) : w.goid;
    }
    static const char* kind(const lock_wait& w) { return w.thread != 0 ? "thread" : "goroutine"; }

    void print(std::uint32_t cycle) {
        out.print("rota: deadlock: goroutines wait for each other's locks, in a circle\n");
        search.for_each(cycle, [&](const lock_wait& w) {
            const lock_wait& owner = search.owner_of(w);
            out.print("\t%s %llu waits for the mutex %p, which %s %llu has locked\n", kind(w),
                      shown_number(w), static_cast<const void*>(w.wanted), kind(owner),
                      shown_number(owner));
        });
        trace.to(out, {.mangled = true});
        search.for_each(cycle, [&](const lock_wait& w) {
            if (w.thread == 0) trace.print_one(*w.gp);
        });
        out.print("\n");
        out.flush();
    }
};

}  // namespace

void report_lock_cycles() {
    constexpr int looks_before_report = 2;
    static constinit sysmon_search* s = nullptr;  // sysmon only
    if (s == nullptr) s = &mapped_new<sysmon_search>();
    const std::uint32_t n = s->search.find(s->room, sysmon_search::room_size);
    for (std::uint32_t cycle = 1; cycle <= n; ++cycle) {
        std::uint64_t goid = ~std::uint64_t{0};
        s->search.for_each(cycle, [&](const lock_wait& w) { goid = std::min(goid, w.goid); });
        cycle_seen* const known = s->find_or_add(goid);
        if (known == nullptr) continue;
        known->is_there = true;
        if (++known->looks == looks_before_report) s->print(cycle);
    }
    for (cycle_seen& c : s->seen) {
        if (!c.is_there) c = {};
        c.is_there = false;
    }
}

}  // namespace rota::rt
