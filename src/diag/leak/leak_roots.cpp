// Implements leak_roots: reads the memory of the process piece by piece, and marks from it.
#include "diag/leak/leak_roots.hpp"

#include <algorithm>
#include <cstring>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sync/lock_owners.hpp"
#include "sync/wait/sema.hpp"
#include "sys/call/clock.hpp"
#include "sys/signal/signal.hpp"

namespace rota::rt {

namespace {

// pages; the most that a search asks the kernel about. The kernel takes 0.1 s for about 100 GiB.
constexpr std::size_t pages_max = std::size_t{1} << 28;

// bytes; the most that a search fetches from files or from swap.
constexpr std::size_t elsewhere_max = std::size_t{1} << 30;

std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

constexpr std::uintptr_t aligned_up(std::uintptr_t v) {
    return (v + sizeof(std::uintptr_t) - 1) / sizeof(std::uintptr_t) * sizeof(std::uintptr_t);
}

// Whether gp's closure is being made on gp's stack, before the goroutine exists. A timer's closure
// lies elsewhere.
bool is_being_made(const g& gp) {
    return readgstatus(gp) == g_status::dead && gp.closure >= gp.stack.lo &&
           gp.closure < static_cast<const void*>(&gp);
}

}  // namespace

bool is_on_its_stack(const g& gp) {
    const g_status status = readgstatus(gp);
    if (status != g_status::waiting && status != g_status::runnable) return true;
    // relaxed: no goroutine runs
    for (const m* mp = sched.allm.load(memory_order_acquire); mp != nullptr;  // pairs(m.list)
         mp = mp->all_link) {
        if (mp->curg == &gp || (mp->after != nullptr && mp->prev == &gp)) return true;
    }
    return false;
}

bool leak_roots::prepare(std::size_t ranges_max, std::size_t threads_max) {
    return memory.open() && left_out_.reserve(ranges_max) && pointers_.reserve(threads_max) &&
           text_.reserve(copied_at_once) && copy_.reserve(copied_at_once) &&
           there_.reserve(pages_at_once / 64);
}

void leak_roots::leave_out(const void* lo, const void* hi) {
    (void)note(address_of(lo), address_of(hi));  // mark() notices a range that does not fit
}

bool leak_roots::note(std::uintptr_t lo, std::uintptr_t hi) {
    return lo >= hi || left_out_.push({lo, hi});
}

// Returns the deepest handler frame in [lo, hi) that holds a thread, or null.
const held_thread* leak_roots::held_between(std::uintptr_t lo, std::uintptr_t hi) const {
    const held_thread *const all = held_->threads, *const end = all + held_->count;
    const held_thread* const h = std::lower_bound(
        all, end, lo, [](const held_thread& a, std::uintptr_t b) { return a.frame < b; });
    return h != end && h->frame < hi ? h : nullptr;
}

// Leaves out a part of mp's signal stack. Below the frame of the handler that holds the thread lie
// the remains of earlier handlers. If the handler has interrupted the scheduler, its saved
// registers hold nothing of the program's either. A register that no code needs keeps an old
// pointer as long as the thread sleeps.
bool leak_roots::note_signal_stack(const m& mp, own_frames own) {
    const std::uintptr_t lo = address_of(mp.signal_stack), hi = lo + signal_stack_size;
    if (lo == 0) return true;
    if (&mp == getm_or_null()) return (lo <= own.hi && own.hi < hi) || note(lo, hi);
    const held_thread* const h = held_between(lo, hi);
    if (h == nullptr) {  // sleeps in another handler, or on a signal stack of the program
        const bool is_still = mp.is_still.load(memory_order_acquire);  // pairs(scan.still)
        return !is_still || mp.still_frame <= lo || hi <= mp.still_frame ||
               note(lo, mp.still_frame);
    }
    const auto is_below = [&](std::uintptr_t top) { return top - h->sp - 1 < m::own_frames; };
    // relaxed, both: see there
    const bool is_scheduler =
        mp.curg == &mp.g0 && (is_below(mp.first_frame.load(memory_order_relaxed)) ||
                              is_below(mp.run_frame.load(memory_order_relaxed)));
    return note(lo, is_scheduler ? hi : h->frame);
}

bool leak_roots::note_left_out(marking& marks, own_frames own) {
    stack_arenas(
        [](const std::byte* lo, const std::byte* hi, void* self) {
            (void)static_cast<leak_roots*>(self)->note(address_of(lo), address_of(hi));
        },
        this);
    const auto add = [&](memory_range r) { return note(r.lo, r.hi); };
    bool fits = add(marks.candidates.extent()) && add(marks.blocks.extent()) &&
                add(marks.work_extent()) && add(left_out_.extent()) && add(text_.extent()) &&
                add(copy_.extent()) && add(there_.extent()) && add(pointers_.extent());
    for (const awaited_block& b : marks.blocks) fits = fits && add(b.at);
    const sema_table_extent table = sema_table();
    fits = fits && note(address_of(table.lo), address_of(table.hi));
    const lock_owner_memory owners = where_lock_owners_are();
    fits = fits && note(address_of(owners.lo), address_of(owners.hi));
    for (const m* mp = sched.allm.load(memory_order_acquire); mp != nullptr;  // pairs(m.list)
         mp = mp->all_link) {
        fits = fits && note(address_of(mp), address_of(mp + 1));
        const std::uintptr_t top =
            mp->first_frame.load(memory_order_relaxed);  // relaxed: see there
        if (top != 0) fits = fits && note(top - m::own_frames, top);
        fits = fits && note_signal_stack(*mp, own);
    }
    if (current_goroutine() == nullptr) fits = fits && note(own.lo, own.hi);
    std::sort(left_out_.begin(), left_out_.end(),
              [](const memory_range& a, const memory_range& b) { return a.lo < b.lo; });
    return fits && left_out_.size() < left_out_.capacity();
}

// Returns the lowest address that gp uses on its stack; 0: not known. gp is on that stack, whose
// lowest address is `lo`. The handler of a thread without an alternate stack saves the registers
// below the stack pointer.
std::uintptr_t leak_roots::lowest_of(const g& gp, std::uintptr_t lo) {
    constexpr std::uintptr_t below_sp = 128;
    const stack_pointer* const end = pointers_.end();
    const stack_pointer* const held =
        std::lower_bound(static_cast<const stack_pointer*>(pointers_.begin()), end, lo + below_sp,
                         [](const stack_pointer& a, std::uintptr_t b) { return a.sp < b; });
    const auto lowest = [lo](std::uintptr_t sp, std::uintptr_t handler) {
        return lo <= handler && handler < sp ? handler : sp - below_sp;
    };
    if (held != end && held->sp < address_of(&gp)) return lowest(held->sp, held->frame);
    // Its thread is stopped in the handler that stops it, and was not held again (is_harmless).
    const m* const mp = gp.mp;
    if (mp == nullptr || mp->curg != &gp ||
        !mp->is_still.load(memory_order_acquire))  // pairs(scan.still)
        return 0;
    const std::uintptr_t sp = address_of(mp->still_at.sp);
    return lo + below_sp <= sp && sp < address_of(&gp) ? lowest(sp, mp->still_frame) : 0;
}

void leak_roots::mark_goroutines(marking& marks, own_frames own) {
    struct walk {
        leak_roots* roots;
        marking* marks;
        own_frames own;
    } w{this, &marks, own};
    stack_for_each(
        [](const stack_slot& slot, void* arg) {
            const walk& in = *static_cast<const walk*>(arg);
            const g& gp = *header_of(slot);
            const g_status status = readgstatus(gp);
            const std::uintptr_t top = address_of(&gp);
            const auto words = [&](std::uintptr_t lo) {
                lo = aligned_up(lo);
                in.marks->mark_from(reinterpret_cast<const void*>(lo),
                                    (top - lo) / sizeof(std::uintptr_t));
            };
            if (is_being_made(gp)) return words(address_of(gp.closure));
            if (status == g_status::idle || status == g_status::dead) return;
            if (in.marks->find_goroutine(gp) != nullptr) return;
            if (&gp == current_goroutine()) return words(in.own.hi);
            if (is_on_its_stack(gp)) {
                const std::uintptr_t lowest = in.roots->lowest_of(gp, address_of(slot.usable_lo()));
                if (lowest != 0) return words(lowest);
                // Pages that were never touched stay untouched. mark_pages() records a failure.
                (void)in.roots->mark_pages(address_of(slot.usable_lo()), top, false);
                return;
            }
            const stack_words saved = saved_stack(gp);
            in.marks->mark_from(saved.words, saved.count);
        },
        &w);
}

bool leak_roots::fail(const char* why) {
    if (failure_ == nullptr) failure_ = why;
    return false;
}

const char* leak_roots::mark(marking& marks, const held_threads& held, own_frames own,
                             std::int64_t until_ns) {
    marking_ = &marks;
    held_ = &held;
    until_ns_ = until_ns;
    std::sort(held.threads, held.threads + held.count,
              [](const held_thread& a, const held_thread& b) { return a.frame < b.frame; });
    for (std::size_t i = 0; i < held.count; ++i)  // threads that do not fit stay unknown
        (void)pointers_.push({held.threads[i].sp, held.threads[i].frame});
    std::sort(pointers_.begin(), pointers_.end(),
              [](const stack_pointer& a, const stack_pointer& b) { return a.sp < b.sp; });
    if (!note_left_out(marks, own)) return "there are too many places to leave out";
    mark_goroutines(marks, own);
    marks.drain();
    const bool read = memory.for_each(
        reinterpret_cast<char*>(text_.begin()), text_.capacity(),
        [](void* self, const memory_mapping& mapping) {
            return static_cast<leak_roots*>(self)->mark_mapping(mapping);
        },
        this);
    marks.drain();
    if (!read || !sees_itself_) (void)fail("/proc/thread-self/maps could not be read");
    return failure_;
}

// Returns where reading of the main thread's stack begins: at its innermost frame, if it is known,
// and inside run() above the scheduler's frames. Gaps between frames keep dead values as long as
// the thread sleeps.
std::uintptr_t leak_roots::lowest_in_use(const memory_mapping& stack) const {
    constexpr std::uintptr_t below_sp = 128;
    std::uintptr_t lowest = stack.hi;
    const auto note_sp = [&](std::uintptr_t sp) {
        if (sp > stack.lo + below_sp && sp - below_sp < lowest) lowest = sp - below_sp;
    };
    for (std::size_t i = 0; i < held_->count; ++i) {
        note_sp(held_->threads[i].sp);
        // Without an alternate stack the handler saves the registers below the stack pointer.
        note_sp(held_->threads[i].frame);
    }
    for (const m* mp = sched.allm.load(memory_order_acquire); mp != nullptr;  // pairs(m.list)
         mp = mp->all_link) {
        // relaxed: see there
        const std::uintptr_t home = mp->run_frame.load(memory_order_relaxed);
        if (stack.lo < home && home < stack.hi) return home;
        if (mp->curg != &mp->g0) note_sp(address_of(mp->g0.sched.sp));
    }
    return lowest == stack.hi ? stack.lo : lowest;
}

bool leak_roots::mark_mapping(const memory_mapping& mapping) {
    const std::uintptr_t here = address_of(__builtin_frame_address(0));
    sees_itself_ = sees_itself_ || (mapping.lo <= here && here < mapping.hi);
    if (!mapping.readable || mapping.is_of_kernel) return true;
    if (mapping.is_of_file && !mapping.writable) return true;
    // A read of a device's memory may have an effect.
    if (mapping.is_device) return fail("a device's memory is mapped");
    if (mapping.is_shared) return mark_shared(mapping);
    std::uintptr_t lo = mapping.lo;
    if (mapping.is_main_stack) {
        unused_ = {mapping.lo, lowest_in_use(mapping)};
        lo = unused_.hi;
    }
    // Reads between the ranges that are left out; a range below 4 pages is blanked in the copy.
    const memory_range* out =
        std::upper_bound(left_out_.begin(), left_out_.end(), lo,
                         [](std::uintptr_t a, const memory_range& r) { return a < r.hi; });
    for (; out != left_out_.end() && out->lo < mapping.hi; ++out) {
        if (out->hi - out->lo < 4 * memory.page()) continue;
        const std::uintptr_t until = (out->lo + memory.page() - 1) / memory.page() * memory.page();
        if (until > lo && !mark_pages(lo, until < mapping.hi ? until : mapping.hi)) return false;
        lo = std::max(lo, out->hi / memory.page() * memory.page());
    }
    return lo >= mapping.hi || mark_pages(lo, mapping.hi);
}

// Calls each(lo, hi, is_there) for each run of pages in [lo, hi) with equal bits in `there_`.
// False: a call has returned false.
template <class F>
bool leak_roots::for_each_run(std::uintptr_t lo, std::uintptr_t hi, F each) {
    const std::size_t page = memory.page(), pages = (hi - lo + page - 1) / page;
    const auto is_there = [&](std::size_t k) {
        return (there_.begin()[k / 64] >> (k % 64) & 1) != 0;
    };
    for (std::size_t i = 0, n = 0; i < pages; i = n) {
        for (n = i + 1; n < pages && is_there(n) == is_there(i);) ++n;
        if (!each(lo + i * page, std::min(hi, lo + n * page), is_there(i))) return false;
    }
    return true;
}

// Reads also the part of the first page below `lo`.
bool leak_roots::mark_pages(std::uintptr_t lo, std::uintptr_t hi, bool leaves_out) {
    const std::size_t page = memory.page();
    for (lo = lo / page * page; lo < hi;) {
        const std::uintptr_t end = std::min(hi, lo + pages_at_once * page);
        const std::size_t pages = (end - lo + page - 1) / page;
        pages_asked_ += pages;
        if (pages_asked_ > pages_max) return fail("there is too much address space");
        if (!memory.find_pages(lo, lo + pages * page, there_.begin(), pages_at_once / 64))
            return fail("/proc/thread-self/pagemap could not be read");
        const bool read = for_each_run(lo, end, [&](auto from, auto until, bool is_there) {
            return !is_there || mark_run(from, until, leaves_out);
        });
        if (!read) return false;
        lo = end;
    }
    return true;
}

bool leak_roots::mark_shared(const memory_mapping& mapping) {
    for (std::uintptr_t lo = mapping.lo; lo < mapping.hi;) {
        const std::uintptr_t end = std::min(mapping.hi, lo + pages_at_once * memory.page());
        pages_asked_ += (end - lo) / memory.page();
        if (pages_asked_ > pages_max) return fail("there is too much address space");
        if (!memory.find_shared_pages(lo, end, there_.begin(), pages_at_once / 64))
            return fail("the kernel does not tell which pages of a shared memory are there");
        const bool read = for_each_run(lo, end, [&](auto from, auto until, bool is_there) {
            return is_there ? mark_run(from, until, true, true)
                            : mark_elsewhere(mapping, from, until);
        });
        if (!read) return false;
        lo = end;
    }
    return true;
}

// Handles absent pages of shared memory: a page that has never been written holds nothing.
bool leak_roots::mark_elsewhere(const memory_mapping& mapping, std::uintptr_t lo,
                                std::uintptr_t hi) {
    if (mapping.is_memory && !memory_map::swap_is_in_use()) return true;
    // The thread that serves such a file may be held.
    if (!mapping.is_memory && !mapping.is_on_disk)
        return fail("a mapped file is not in memory, nor on a disk of this machine");
    bytes_elsewhere_ += hi - lo;
    if (bytes_elsewhere_ > elsewhere_max) return fail("too much of mapped files is not in memory");
    return mark_run(lo, hi, true, true);
}

// Skips a page that holds nothing, such as a guard.
bool leak_roots::mark_run(std::uintptr_t lo, std::uintptr_t hi, bool leaves_out, bool is_shared) {
    while (lo < hi) {
        if (nanotime() > until_ns_) return fail("it would take too long: threads stand still");
        const std::size_t wanted = std::min<std::size_t>(hi - lo, copied_at_once);
        const std::size_t got = memory.copy(copy_.begin(), lo, wanted);
        // pagemap may not show where shared memory lies.
        if (got < wanted && (is_shared || !memory.is_empty(lo + got)))
            return fail("a page could not be read");
        if (got >= sizeof(std::uintptr_t)) {
            if (leaves_out) blank_left_out(copy_.begin(), lo, lo + got);
            marking_->mark_from(copy_.begin(), got / sizeof(std::uintptr_t));
            marking_->drain();
            bytes_read += got;
        }
        if (got == wanted) lo += got;
        else lo = (lo + got) / memory.page() * memory.page() + memory.page();
    }
    return true;
}

void leak_roots::blank_left_out(std::byte* copy, std::uintptr_t lo, std::uintptr_t hi) {
    const auto blank = [&](memory_range r) {
        const std::uintptr_t from = std::max(lo, r.lo), until = std::min(hi, r.hi);
        if (from < until) std::memset(copy + (from - lo), 0, until - from);
    };
    blank(unused_);
    const memory_range* out =
        std::upper_bound(left_out_.begin(), left_out_.end(), lo,
                         [](std::uintptr_t a, const memory_range& r) { return a < r.hi; });
    for (; out != left_out_.end() && out->lo < hi; ++out) {
        blank(*out);
    }
}

}  // namespace rota::rt
