// The untyped half of select_set: cases that are added at run time. Go: reflect.Select.
//
// Three arrays that grow together. While no goroutine waits, no pointer to a case in them is kept,
// so the arrays may move; the typed entries stay in place.
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include <rota/detail/select_engine.hpp>
#include <rota/panic.hpp>

#include "core/getg.hpp"
#include "sched/goroutine/destroyed.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

// Null in a thread that has not used rota yet.
const g* current_g() {
    const m* const self = getm_or_null();
    return self == nullptr ? nullptr : self->curg;
}

static_assert(std::is_trivially_copyable_v<select_case>);

template <class T>
void move_array(T*& array, std::uint32_t count, std::uint32_t capacity) {
    auto* const larger = static_cast<T*>(::operator new(capacity * sizeof(T)));
    if (count != 0) std::memcpy(static_cast<void*>(larger), array, count * sizeof(T));
    ::operator delete(std::exchange(array, larger));
}

}  // namespace

select_list::select_list(select_list&& other) noexcept
    : cases_(std::exchange(other.cases_, nullptr)),
      order_(std::exchange(other.order_, nullptr)),
      entries_(std::exchange(other.entries_, nullptr)),
      count_(std::exchange(other.count_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      default_(std::exchange(other.default_, select_none)) {}

select_list& select_list::operator=(select_list&& other) noexcept {
    select_list mine(std::move(other));
    std::swap(cases_, mine.cases_);
    std::swap(order_, mine.order_);
    std::swap(entries_, mine.entries_);
    std::swap(count_, mine.count_);
    std::swap(capacity_, mine.capacity_);
    std::swap(default_, mine.default_);
    return *this;
}

select_list::~select_list() {
    if (waiter_ != nullptr) {
        report_destroyed("select_set", static_cast<const g*>(waiter_));
        return;  // at the end of the process: the waiter's references stay valid
    }
    clear();
    ::operator delete(cases_);
    ::operator delete(order_);
    ::operator delete(entries_);
}

// If a later array cannot grow, an array that has grown stays larger than needed, which does no
// harm.
void select_list::grow() {
    if (capacity_ > select_none / 4) throw std::bad_alloc();
    const std::uint32_t wanted = capacity_ == 0 ? 8 : 2 * capacity_;
    move_array(cases_, count_, wanted);
    move_array(order_, 0, wanted);
    move_array(entries_, count_, wanted);
    capacity_ = wanted;
}

std::size_t select_list::add(set_entry* e, hchan* c, void* elem, bool is_send) {
    try {
        if (count_ == capacity_) grow();
    } catch (...) {
        if (e != nullptr) e->destroy(e);
        throw;
    }
    cases_[count_].set(c, elem, is_send);
    entries_[count_] = e;
    return count_++;
}

std::size_t select_list::add_default() {
    if (default_ != select_none)
        throw panic_error("rota: a select_set has one otherwise() at most");
    const std::size_t at = add(nullptr, nullptr, nullptr, false);
    default_ = static_cast<std::uint32_t>(at);
    return at;
}

std::size_t select_list::wait() {
    const select_frame f{cases_, order_, count_};
    if (default_ == select_none && count_ == 0) select_for_ever();
    waiter_ = current_g();
    const select_result r = default_ == select_none ? select_wait(f) : select_try(f);
    waiter_ = nullptr;
    if (r.index == select_none) return default_;
    // A send that has run is spent: to have no channel is never to be ready.
    if (cases_[r.index].is_send) {
        if (!r.ok) panic_send_on_closed();
        cases_[r.index].chan = nullptr;
    }
    set_entry* const e = entries_[r.index];
    e->ran(e, r.ok);
    return r.index;
}

void select_list::clear() noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) {
        if (entries_[i] != nullptr) entries_[i]->destroy(entries_[i]);
    }
    count_ = 0;
    default_ = select_none;
}

}  // namespace rota::detail
