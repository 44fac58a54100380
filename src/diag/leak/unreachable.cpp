// Collects the waiting goroutines, checks that they still wait, and keeps the unmarked ones.
#include "diag/leak/unreachable.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/leak/leak_roots.hpp"
#include "diag/leak/marking.hpp"
#include "diag/profile/cpu.hpp"
#include "diag/stack/reading_stacks.hpp"
#include "netpoll/uring.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/deadlock.hpp"
#include "sched/world/stw.hpp"
#include "sync/lock_owners.hpp"
#include "sync/wait/awaited.hpp"
#include "sync/wait/sema.hpp"
#include "sys/call/clock.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t threads_max = 32 * 1024;
constexpr std::int64_t patience_ns = 200'000'000;

// ns; the longest time that the program may stand still while its memory is read.
constexpr std::int64_t hold_max_ns = 2'000'000'000;

const char* why_not(hold_result result) {
    switch (result) {
        case hold_result::held: return nullptr;
        case hold_result::deaf: return "a thread could not be held: it blocks the signal for that";
        case hold_result::late:
            return "a thread could not be held: it has no processor, or a debugger has it";
        case hold_result::impossible: break;
    }
    return "threads cannot be held: GODEBUG=asyncpreemptoff=1, or no /proc/self/task";
}

// relaxed, by the compiler's own atomics: for reports
constinit std::size_t last_found = 0;
constinit const char* last_unproven = nullptr;

// gp waits for a mutex that `owner` has locked.
struct noted_owner {
    const g* gp;
    const g* owner;
    std::uint64_t goid;
};

struct search {
    bool for_cycles = false;
    marking marks;
    wait_graph graph;
    mapped_room<noted_owner> owners;  // by gp
    leak_roots roots;
    mapped_room<held_thread> threads;
    bool is_full = false;
    const char* unproven = nullptr;
    bool may_do_better = false;  // if the search runs again
    bool has_asked = false;      // threads to stop
    std::int64_t held_ns = 0;
};

// --- collecting the waiters ----------------------------------------------------------------------

bool add_channels(search& s, candidate& c, const awaited_channels& w) {
    for (std::uint32_t i = 0; i < w.count; ++i) {
        awaited_block b{{}, &w[i], false};
        if (!find_block(w[i], b.at)) return false;  // part of something else: not to be judged
        s.is_full |= !s.marks.blocks.push(b);
    }
    c.what = candidate::kind::channels;
    c.places = w.places;
    return true;
}

// False: gp is not to be judged.
bool judge(search& s, candidate& c) {
    const g& gp = *c.gp;
    if (const awaited_channels w = channels_awaited_by(gp); w.is_known) {
        if (w.count != 0) return add_channels(s, c, w);
        c.what = candidate::kind::for_ever;
        return true;
    }
    c.places = 1;
    if (waits_in_sema_table(gp)) {
        c.what = candidate::kind::semaphore;
    } else if (const void* const list = list_awaited_by(gp)) {
        c.what = candidate::kind::list;
        c.object = list;
        c.seen = 1;
    } else if (const waiters_word* const word = word_awaited_by(gp)) {
        c.what = candidate::kind::word;
        c.object = word;
    } else {
        return false;
    }
    return true;
}

// Unless threads are held, a thread of the program's may be making a goroutine in a new stack. It
// writes the status without order over an empty one, and never writes `waiting`.
ROTA_READS_RACING bool is_waiting(const g& gp) {
#if ROTA_TSAN
    g_status status;
    __builtin_memcpy(&status, &gp.status, sizeof status);
    return status == g_status::waiting;
#else
    return readgstatus(gp) == g_status::waiting;
#endif
}

bool is_judged(const g& gp) { return is_waiting(gp) && gp.main_of == nullptr && gp.in == nullptr; }

void note_candidate(const stack_slot& slot, void* arg) {
    search& s = *static_cast<search*>(arg);
    const g& gp = *header_of(slot);
    if (!is_judged(gp) || is_on_its_stack(gp)) return;
    candidate c{};
    c.gp = &gp;
    c.lo = reinterpret_cast<std::uintptr_t>(saved_stack(gp).words);
    c.top = reinterpret_cast<std::uintptr_t>(&gp);
    c.waits_here = c.waits_beside = c.waits_for = nobody;
    if (judge(s, c)) s.is_full |= !s.marks.candidates.push(c);
}

// Threads may come and go meanwhile; a goroutine that waits for nothing stays.
void note_for_ever(const stack_slot& slot, void* arg) {
    search& s = *static_cast<search*>(arg);
    const g& gp = *header_of(slot);
    if (!is_judged(gp)) return;
    const awaited_channels w = channels_awaited_by(gp);
    if (!w.is_known || w.count != 0) return;
    candidate c{};
    c.gp = &gp;
    c.what = candidate::kind::for_ever;
    s.is_full |= !s.marks.candidates.push(c);
}

// --- whether they still wait ---------------------------------------------------------------------

// A waker may have taken a goroutine out of a queue and be about to ready it. So a goroutine that
// is not found in the queue where it waits can run again.
void count_seen(void* marks, const g& gp) {
    if (candidate* const c = static_cast<marking*>(marks)->find_goroutine(gp)) ++c->seen;
}

void note_semaphore(void* marks, const g& gp, const void* address) {
    candidate* const c = static_cast<marking*>(marks)->find_goroutine(gp);
    if (c == nullptr || c->what != candidate::kind::semaphore) return;
    c->object = address;
    ++c->seen;
}

void find_all_in_queues(marking& marks) {
    for (const awaited_block& b : marks.blocks) visit_waiters(*b.chan, count_seen, &marks);
    visit_semaphores(note_semaphore, &marks);
    for (const candidate& c : marks.candidates) {
        // The first candidate of a word finds the further candidates of that word.
        if (c.what == candidate::kind::word && c.seen == 0 &&
            stack_find(c.object).lo != nullptr)  // else it is reachable anyway, and may be anything
            visit_word(*static_cast<const waiters_word*>(c.object), count_seen, &marks);
    }
}

// For objects without a queue in a block: their address decides. False: they can be reached.
bool link_to_owner(marking& marks, candidate& c) {
    const auto at = reinterpret_cast<std::uintptr_t>(c.object);
    candidate* const owner = marks.find_stack(at);
    if (owner == nullptr || at >= owner->top) return false;
    marks.link(c, *owner);
    return true;
}

// For locks, when cycles are searched. False: the lock's owner is unknown, or can run.
bool link_to_locker(search& s, candidate& c) {
    if (c.what != candidate::kind::semaphore) return false;
    const noted_owner* const end = s.owners.end();
    const noted_owner* const o =
        std::lower_bound(static_cast<const noted_owner*>(s.owners.begin()), end, c.gp,
                         [](const noted_owner& a, const g* b) { return a.gp < b; });
    if (o == end || o->gp != c.gp) return false;
    candidate* const owner = s.marks.find_goroutine(*o->owner);
    if (owner == nullptr || owner->gp->goid != o->goid) return false;
    s.marks.link(c, *owner);
    return true;
}

void mark_who_can_run(search& s) {
    for (candidate& c : s.marks.candidates) {
        if (c.what == candidate::kind::for_ever) continue;
        const bool in_queues = c.seen == c.places;
        const bool has_object = c.what != candidate::kind::channels;
        if (!in_queues || (has_object && !link_to_locker(s, c) && !link_to_owner(s.marks, c)))
            s.marks.mark(c);
    }
}

// Before threads are held, because the table has locks. Goroutines do not run meanwhile, so a mutex
// that a goroutine has locked stays its own until it runs.
void note_owners(search& s) {
    if (!s.for_cycles || !are_locks_watched()) return;
    sem_for_each_waiter(
        [](void* arg, const sudog& waiter) {
            search& s = *static_cast<search*>(arg);
            const g& gp = *waiter.gp;
            if (gp.is_thread) return;
            const mutex* const wanted = lock_view::wanted(waiter.wait_on, gp.why);
            if (wanted == nullptr || !lock_view::is_watched_and_locked(*wanted)) return;
            const lock_owner owner = find_lock_owner(*wanted);
            if (owner.gp != nullptr) (void)s.owners.push({&gp, owner.gp, owner.goid});
        },
        &s);
    std::sort(s.owners.begin(), s.owners.end(),
              [](const noted_owner& a, const noted_owner& b) { return a.gp < b.gp; });
}

// --- the proof -----------------------------------------------------------------------------------

// True for threads of rota's own that run no code of the program's, and for threads that the
// runtime has stopped already. The latter are in their handlers, where they are held before they go
// on (sysmon may let them go). They read the round after they clear `suspended`; the search writes
// the round before it reads `suspended`.
bool is_harmless(int tid) {
    // relaxed: written before the thread could do anything, or with the world running
    if (tid == sched.sysmon_tid.load(memory_order_relaxed) ||
        tid == sched.template_thread_tid.load(memory_order_relaxed) || is_sampling_thread(tid) ||
        tid == bystander_tid.load(memory_order_relaxed) ||  // relaxed: likewise
        uring_backend::is_watcher(tid))
        return true;
    const m* mp = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (; mp != nullptr; mp = mp->all_link) {
        if (mp->tid.load(memory_order_relaxed) == tid)
            return mp->suspended.load(memory_order_seq_cst);  // pairs(hold.round)
    }
    return is_worker_of_ring(tid);
}

// The world is stopped, and threads are held.
const char* mark_all(search& s, const held_threads& held, leak_roots::own_frames own,
                     std::int64_t until_ns) {
    stack_for_each(note_candidate, &s);
    if (s.is_full) return "there are too many goroutines";
    s.marks.sort();
    find_all_in_queues(s.marks);
    mark_who_can_run(s);
    if (const char* const failure = s.roots.mark(s.marks, held, own, until_ns)) return failure;
    if (s.for_cycles) s.graph.note(s.marks, until_ns);
    return nullptr;
}

// Without a proof only the goroutines remain that wait for nothing.
void keep_for_ever(search& s) {
    s.marks.candidates.cut(0);
    s.marks.blocks.cut(0);
    s.is_full = false;
    stack_for_each(note_for_ever, &s);
}

// Null, or why nothing can be proven.
const char* prove(search& s, std::uintptr_t frame) {
    constexpr std::uintptr_t callees = 8192;  // bytes; frames of the functions called from here
    if (s.unproven != nullptr) return s.unproven;
    if (ROTA_ASAN || ROTA_TSAN) return "sanitizers keep frames elsewhere";
    if (seeded.on) return "under GODEBUG=schedseed threads are not held";
    note_owners(s);
    held_threads held{s.threads.begin(), s.threads.capacity()};
    s.has_asked = true;
    const hold_result result = hold_other_threads(held, is_harmless, patience_ns);
    // A thread may have had no processor, or be in a handler that blocks all signals, or in a
    // system call that no signal interrupts.
    s.may_do_better = result == hold_result::late || result == hold_result::deaf;
    if (result != hold_result::held) return why_not(result);
    const std::int64_t since = nanotime();
    s.roots.leave_out(&s, &s + 1);
    const char* const failure = mark_all(s, held, {frame - callees, frame}, since + hold_max_ns);
    let_other_threads_go();
    s.held_ns = nanotime() - since;
    return failure;
}

ROTA_NOINLINE void look_around(search& s) {
    s.unproven = prove(s, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
    if (s.unproven != nullptr) keep_for_ever(s);
}

// The registers that callers use are saved in this frame, above the frame of look_around().
ROTA_NOINLINE void look_in_stopped_world(search& s) {
    __builtin_unwind_init();
    const runtime_entry inside;
    if (seeded.on) return look_around(s);
    world_lock();
    // From here on the thread is the same. A search cancelled with all other threads held would
    // never release them.
    const uncancelled meanwhile;
    if (stop_the_world(stop_reason::leaks)) {
        look_around(s);
        start_the_world();
    } else {
        s.unproven = "the process exits";
    }
    if (s.has_asked) await_others_gone();  // with the world running: a thread may lack a processor
    world_unlock();
}

// For dumps. The goroutine never runs again, so nothing else writes the word. A concurrent reader
// may see the old value.
ROTA_READS_RACING void note_leaked(const g& gp) { const_cast<g&>(gp).is_leaked = true; }

unreachable_goroutines search_once(bool for_cycles, bool& may_do_better) {
    constexpr std::size_t reserve = 4096, edges_each = 16;
    std::size_t slots = 0;
    stack_for_each([](const stack_slot&, void* n) { ++*static_cast<std::size_t*>(n); }, &slots);
    const std::size_t most = slots + slots / 4 + reserve;
    // In pages of its own, because the object says where the first candidate lies.
    struct give_back {
        void operator()(search* s) const {
            s->~search();
            mmap_free(s, sizeof(search));
        }
    };
    void* const room = mmap_reserve(sizeof(search));
    if (room == nullptr) throw std::bad_alloc();
    const std::unique_ptr<search, give_back> s(new (room) search);
    s->for_cycles = for_cycles;
    if (for_cycles && (!s->graph.reserve(edges_each * most) || !s->owners.reserve(most)))
        throw std::bad_alloc();
    if (!s->marks.reserve(most, 2 * most + 16 * reserve) || !s->threads.reserve(threads_max))
        throw std::bad_alloc();
    // Room for arenas, for blocks, and for three ranges of each m.
    if (!s->roots.prepare(2 * most + 32 * reserve, threads_max))
        s->unproven = "/proc cannot be read";
    look_in_stopped_world(*s);
    unreachable_goroutines result;
    for (const candidate& c : s->marks.candidates) {
        if (c.marked && c.what != candidate::kind::for_ever) continue;
        result.goids.push_back(c.gp->goid);
        if (!for_cycles) note_leaked(*c.gp);
    }
    result.unproven = s->unproven;
    may_do_better = s->may_do_better;
    result.held_ns = s->held_ns;
    result.bytes_read = s->roots.bytes_read;
    if (for_cycles && s->unproven == nullptr) result.cycles = s->graph.cycles(s->marks);
    return result;
}

// The searching thread holds it until its notes are cleared: another search would take addresses in
// its rooms, or in its cycles, for pointers to the objects there.
constinit mutex one_search;

class search_turn {
  public:
    explicit search_turn(bool waits) {
        // relaxed: set by our own exit, or by an exit that stops us. The thread that searches then
        // may have been stopped for good.
        if (waits && !sched.exiting.load(memory_order_relaxed)) one_search.lock();
        else is_ours_ = one_search.try_lock();
    }
    ~search_turn() {
        if (is_ours_) one_search.unlock();
    }
    search_turn(const search_turn&) = delete;
    search_turn& operator=(const search_turn&) = delete;
    explicit operator bool() const { return is_ours_; }

  private:
    bool is_ours_ = true;
};

// Caller: holds one_search.
unreachable_goroutines search_well(bool for_cycles, bool waits) {
    constexpr int attempts_max = 3;
    // A goroutine may migrate to another thread; look_in_stopped_world covers that case.
    std::optional<uncancelled> meanwhile;
    if (current_goroutine() == nullptr) meanwhile.emplace();
    unreachable_goroutines result;
    const searching_stacks alone(waits);
    if (!alone) {
        result.unproven = "another goroutine or thread reads stacks";
        return result;
    }
    bool may_do_better = true;
    for (int i = 0; i < attempts_max && may_do_better; ++i)
        result = search_once(for_cycles, may_do_better);
    return result;
}

}  // namespace

bool visit_wait_cycles(void (*visit)(const wait_cycle&, void*), void* arg, bool waits) {
    boot_runtime();
    const search_turn turn(waits);
    if (!turn) return false;
    unreachable_goroutines result = search_well(true, waits);
    for (wait_cycle& cycle : result.cycles) {
        visit(cycle, arg);
        // Memory given back to malloc keeps its words, and half of a word next to a bool keeps its
        // old contents.
        ::explicit_bzero(cycle.data(), cycle.size() * sizeof cycle[0]);
    }
    return result.unproven == nullptr;
}

unreachable_goroutines find_unreachable_goroutines() {
    boot_runtime();
    unreachable_goroutines result;
    if (const search_turn turn(true); turn) result = search_well(false, true);
    else result.unproven = "the process exits";
    __atomic_store_n(&last_found, result.goids.size(), __ATOMIC_RELAXED);
    __atomic_store_n(&last_unproven, result.unproven, __ATOMIC_RELAXED);
    return result;
}

std::size_t unreachable_when_last_looked() {
    return __atomic_load_n(&last_found, __ATOMIC_RELAXED);
}

const char* why_last_unproven() { return __atomic_load_n(&last_unproven, __ATOMIC_RELAXED); }

}  // namespace rota::rt
