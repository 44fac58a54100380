// Waits in a word of an object, and opens the word for its waiters.
#include "sync/wait/waiters.hpp"

#include "core/getg.hpp"
#include "sched/base/park.hpp"

namespace rota::rt {

namespace {

bool is_open(std::uintptr_t v) { return (v & 1) != 0; }

sudog* as_list(std::uintptr_t v) { return reinterpret_cast<sudog*>(v); }

std::uintptr_t opened_for(std::uintptr_t count) { return count == 0 ? 0 : 2 * count + 1; }

// A waiter that is counted in an opened word passes, and is subtracted.
std::uintptr_t one_less(std::uintptr_t v) {
    return v == open_for_all ? v : opened_for((v - 1) / 2 - 1);
}

// Runs when the waiter is off its stack. False: it need not sleep.
bool arrive(g&, void* arg) {
    auto& a = *static_cast<word_sleep*>(arg);
    std::uintptr_t seen = a.word->load(memory_order_acquire);  // pairs(waiters.open)
    for (;;) {
        if (is_open(seen)) {
            if (seen == open_for_all ||
                a.word->compare_exchange(seen, one_less(seen),
                                         memory_order_acquire,     // pairs(waiters.open)
                                         memory_order_acquire)) {  // pairs(waiters.open)
                return false;
            }
            continue;
        }
        a.me.next = as_list(seen);
        if (a.word->compare_exchange(seen, reinterpret_cast<std::uintptr_t>(&a.me),
                                     memory_order_acq_rel,     // pairs(waiters.arrive)
                                     memory_order_acquire)) {  // pairs(waiters.open)
            return true;
        }
    }
}

// In order of arrival. A waiter's sudog may be gone once it is readied.
void ready_all(sudog* last) {
    sudog* first = nullptr;
    while (last != nullptr) {
        sudog* const before = last->next;
        last->next = first;
        first = last;
        last = before;
    }
    while (first != nullptr) {
        sudog* const next = first->next;
        goready(*first->gp);
        first = next;
    }
}

std::uint32_t length(const sudog* s) {
    std::uint32_t n = 0;
    for (; s != nullptr; s = s->next) ++n;
    return n;
}

}  // namespace

void wait_for_opening(waiters_word& word, wait_reason why, bool outside) {
    word_sleep a;
    a.word = &word;
    a.me.gp = getm().curg;
    if (ROTA_UNLIKELY(outside)) a.me.gp->waits_outside = true;
    gopark(arrive, &a, why);
}

void open_for(waiters_word& word, std::uint32_t count) {
    std::uintptr_t seen = word.load(memory_order_acquire);  // pairs(waiters.arrive)
    for (;;) {
        // The waiters cannot go before they are readied here: their number does not change while
        // the word does not.
        const std::uint32_t here = is_open(seen) ? 0 : length(as_list(seen));
        const std::uintptr_t late = is_open(seen) ? (seen - 1) / 2 : 0;
        if (word.compare_exchange(seen, opened_for(late + count - here),
                                  memory_order_acq_rel,     // pairs(waiters.open, waiters.arrive)
                                  memory_order_acquire)) {  // pairs(waiters.arrive)
            if (!is_open(seen)) ready_all(as_list(seen));
            return;
        }
    }
}

void visit_word(const waiters_word& word, void (*visit)(void* arg, const g& gp), void* arg) {
    const std::uintptr_t seen = word.load(memory_order_relaxed);  // relaxed: nobody runs
    if (is_open(seen)) return;
    for (const sudog* s = as_list(seen); s != nullptr; s = s->next) visit(arg, *s->gp);
}

const g* find_waiter(const waiters_word& word) {
    const std::uintptr_t seen = word.load(memory_order_acquire);  // pairs(waiters.arrive)
    return is_open(seen) || seen == 0 ? nullptr : as_list(seen)->gp;
}

void open_for_good(waiters_word& word) {
    const std::uintptr_t seen =
        word.exchange(open_for_all,
                      memory_order_seq_cst);  // pairs(waiters.open, waiters.arrive, future.limited)
    if (!is_open(seen)) ready_all(as_list(seen));
}

}  // namespace rota::rt
