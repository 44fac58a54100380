// Keeps count of the goroutines of a bubble that can still act, and the table of its objects.
#include "sched/base/bubble.hpp"

#include <new>
#include <utility>

#include <rota/detail/bubble_gate.hpp>

#include "core/getg.hpp"
#include "sched/base/park.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

// One goroutine less can act. Returns the keeper if it was the last one and the keeper waits for
// that.
[[nodiscard]] g* one_less(bubble& b) ROTA_REQUIRES(b.mu) {
    ROTA_CHECK(b.active > 0);
    if (--b.active != 0) return nullptr;
    g* const keeper = b.keeper;
    b.keeper = nullptr;
    return keeper;
}

}  // namespace

void bubble_enter(bubble& b, g& gp) {
    set_bubble(gp, &b);
    const lock_guard guard(b.mu);
    ++b.total;
    ++b.active;
}

void bubble_leave(g& gp) {
    bubble& b = *gp.in;
    set_bubble(gp, nullptr);
    g* keeper = nullptr;
    {
        const lock_guard guard(b.mu);
        --b.total;
        keeper = one_less(b);
    }
    if (keeper != nullptr) goready(*keeper);  // from here on the bubble may be gone
}

void bubble_blocked(bubble& b) {
    g* keeper = nullptr;
    {
        const lock_guard guard(b.mu);
        keeper = one_less(b);
    }
    if (keeper != nullptr) goready(*keeper);
}

bool bubble_readied(bubble& b) {
    const lock_guard guard(b.mu);
    if (b.over) return false;
    ++b.active;
    return true;
}

bool is_abandoned(const g& gp) {
    if (gp.in == nullptr || gp.is_thread) return false;
    const lock_guard guard(gp.in->mu);
    return gp.in->over;
}

void bubble_await_quiet(bubble& b) ROTA_NO_TSA {  // the park releases the lock
    for (;;) {
        b.mu.acquire();
        if (b.active == 0) return;
        b.keeper = getm().curg;
        gopark(commit_unlock, &b.mu, wait_reason::synctest_run);
    }
}

outside_bubble::outside_bubble() : me_(nullptr), was_in_(nullptr) {
    const m* const self = getm_or_null();
    if (self == nullptr || self->curg->in == nullptr) return;
    me_ = self->curg;
    was_in_ = me_->in;
    set_bubble(*me_, nullptr);
}

outside_bubble::~outside_bubble() {
    if (me_ != nullptr) set_bubble(*me_, was_in_);
}

void bubble_waits_outside(bool on) {
    const m* const self = getm_or_null();
    if (self != nullptr && self->curg->in != nullptr) self->curg->waits_outside = on;
}

std::uint64_t current_bubble() {
    const m* const self = getm_or_null();
    if (self == nullptr || ROTA_LIKELY(self->curg->in == nullptr)) return 0;
    return self->curg->in->serial;
}

namespace {

// An object that was made in a bubble, or a group to which a goroutine of the bubble has added.
struct object_note {
    const void* object;
    std::uint64_t serial;
    object_note* next = nullptr;
};

// For every bubble. An entry ends with its bubble, or when another object is made at its address.
constexpr std::size_t note_buckets = 1024;
struct object_table {
    lock mu{lock_rank::bubble};
    object_note* bucket[note_buckets] ROTA_GUARDED_BY(mu) = {};
};
constinit object_table objects;

object_note** find_note(const void* object) ROTA_REQUIRES(objects.mu) {
    object_note** link =
        &objects.bucket[(reinterpret_cast<std::uintptr_t>(object) >> 3) % note_buckets];
    while (*link != nullptr && (*link)->object != object) link = &(*link)->next;
    return link;
}

}  // namespace

std::uint64_t bubble_of_object(const void* object) {
    const lock_guard guard(objects.mu);
    const object_note* const n = *find_note(object);
    return n == nullptr ? 0 : n->serial;
}

// Allocates and frees outside the lock. Without memory the object counts as made outside: then time
// stands still where it might leap, and never the reverse.
void set_bubble_of_object(const void* object, std::uint64_t serial) {
    object_note* spare = serial == 0 ? nullptr : new (std::nothrow) object_note{object, serial};
    {
        const runtime_entry_if_attached inside;
        const lock_guard guard(objects.mu);
        object_note** const link = find_note(object);
        object_note* const old = *link;
        if (old != nullptr && (serial == 0 || spare == nullptr)) {
            *link = old->next;
            spare = old;
        } else if (old != nullptr) {
            old->serial = serial;
        } else if (spare != nullptr) {
            *link = std::exchange(spare, nullptr);
        }
    }
    delete spare;
}

void forget_objects_of(std::uint64_t serial) {
    object_note* gone = nullptr;
    {
        const runtime_entry_if_attached inside;
        const lock_guard guard(objects.mu);
        for (object_note*& first : objects.bucket) {
            object_note** link = &first;
            while (object_note* const n = *link) {
                if (n->serial != serial) {
                    link = &n->next;
                    continue;
                }
                *link = n->next;
                n->next = gone;
                gone = n;
            }
        }
    }
    while (gone != nullptr) delete std::exchange(gone, gone->next);
}

bool waits_outside_in(const void* object) {
    const g& me = *getm().curg;
    return ROTA_UNLIKELY(me.is_in_bubble) && is_made_outside(me, bubble_of_object(object));
}

std::int64_t bubble_now(const g& gp) {
    return gp.in == nullptr ? nanotime()
                            : gp.in->now.load(memory_order_relaxed);  // relaxed: see bubble
}

std::int64_t current_now() {
    const m* const self = getm_or_null();
    return self == nullptr ? nanotime() : bubble_now(*self->curg);
}

}  // namespace rota::rt

namespace rota::detail {

constinit std::uint32_t live_bubbles = 0;

void note_construction(const void* object) noexcept {
    rt::set_bubble_of_object(object, rt::current_bubble());
}

}  // namespace rota::detail
