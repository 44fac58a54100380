// The accesses of a schedule: implements each operation of rota::atomic while an engine runs.
#include <bit>
#include <cstring>

#include "base/check.hpp"
#include "engine.hpp"

namespace model {

namespace {

std::uint64_t cut(std::uint64_t v, unsigned size) {
    return size >= 8 ? v : v & ((std::uint64_t{1} << size * 8) - 1);
}

std::size_t shared_hash(const void* at) {
    return (reinterpret_cast<std::uintptr_t>(at) * 0x9e3779b97f4a7c15u) >> 44;
}

void* writable(const void* at) { return const_cast<void*>(at); }

}  // namespace

// --- which locations are shared ------------------------------------------------------------------

bool engine::is_shared(const void* at) const {
    for (std::size_t i = shared_hash(at) % shared_max; shared_[i] != nullptr;
         i = (i + 1) % shared_max) {
        if (shared_[i] == at) return true;
    }
    return false;
}

// Records that this thread touches l, which may make l a shared location.
void engine::learn(location& l, bool writes) {
    if (is_alone() || !offers_) return;
    std::uint16_t& mask = writes ? l.writers : l.readers;
    mask = static_cast<std::uint16_t>(mask | 1u << current_);
    if (l.writers == 0 || std::popcount(static_cast<unsigned>(l.readers | l.writers)) < 2) return;
    if (is_shared(l.address)) return;
    if (shared_count_ > shared_max / 2) {
        limits_.all_points = true;  // too many to tell the locations apart
        return;
    }
    std::size_t i = shared_hash(l.address) % shared_max;
    while (shared_[i] != nullptr) i = (i + 1) % shared_max;
    shared_[i] = l.address;
    ++shared_count_;
    how_->points_changed();
}

// Every access begins here: the strategy may let another thread go first.
location& engine::access(const void* at, unsigned size, bool writes) {
    ++steps_;
    ++in_a_row_;
    if (steps_ > limits_.steps) fail("a livelock: the schedule has no end");
    if (!is_alone() && (limits_.all_points || is_shared(at))) choose_thread(true);
    complaint wrong = nullptr;
    location* const l = memory_.locate(at, size, wrong);
    if (l == nullptr) fail(wrong);
    learn(*l, writes);
    return *l;
}

// --- the accesses --------------------------------------------------------------------------------

// The thread's buffered stores become visible first.
void engine::created(const void* at) {
    drain(threads_[current_]);
    memory_.created(at);
}

void engine::destroyed(const void* at) {
    drain(threads_[current_]);
    memory_.destroyed(at);
}

// Chooses how many values a load stays behind the newest. With `unless`, an old value must differ
// from it.
unsigned engine::choose_lag(const location& l, std::memory_order order,
                            const std::uint64_t* unless) {
    const unsigned newest = memory_.newest(l);
    const unsigned oldest = memory_.oldest(current_, l, order);
    if (newest == oldest || is_alone() || limits_.sequential) return 0;
    options_at at(choice::value, steps_);
    at.add(0, 0);
    for (unsigned lag = 1; newest - lag + 1 > oldest; ++lag) {
        if (unless == nullptr || memory_.value(l, newest - lag) != *unless) at.add(lag, 1);
    }
    return at.count == 1 ? 0 : at.list[pick(at)].id;
}

std::uint64_t engine::load(const void* address, unsigned size, std::memory_order order) {
    location& l = access(address, size, false);
    const thread& t = threads_[current_];
    for (std::size_t i = t.late.size(); i-- > 0;) {
        if (t.late[i].at == &l) return t.late[i].value;
    }
    const unsigned lag = choose_lag(l, order, nullptr);
    const unsigned index = memory_.newest(l) - lag;
    const std::uint64_t v = memory_.value(l, index);
    memory_.read(current_, l, index, order);
    record(event::kind::load, &l, v, order, 0, lag);
    return v;
}

void engine::put(location& l, std::uint64_t v, std::memory_order order, bool modifies) {
    memory_.write(current_, l, v, order, modifies);
    std::memcpy(writable(l.address), &v, l.size);
}

void engine::put_late(location& l, std::uint64_t v) {
    threads_[current_].late.emplace_back();
    buffered& b = threads_[current_].late.back();
    b.at = &l;
    b.value = v;
    b.then.clear(location_max);
    memory_.copy_view(b.then, current_);
    record(event::kind::late_store, &l, v, std::memory_order_release);
}

// Makes the thread's late stores visible, in their order.
void engine::drain(thread& t) {
    if (t.late.empty()) return;
    const auto id = static_cast<unsigned>(&t - threads_);
    for (std::size_t i = 0; i < t.late.size(); ++i) {
        const buffered& b = t.late[i];
        complaint wrong = nullptr;
        if (memory_.locate(b.at->address, b.at->size, wrong) == nullptr) fail(wrong);
        memory_.write_late(id, *b.at, b.value, b.then);
        // A thread that sees a later store of the buffer has also seen this store.
        const unsigned at = memory_.index_of(*b.at);
        for (std::size_t later = i + 1; later < t.late.size(); ++later)
            t.late[later].then.seen[at] = static_cast<std::uint16_t>(memory_.newest(*b.at));
        std::memcpy(writable(b.at->address), &b.value, b.at->size);
        record(event::kind::commit, b.at, b.value, std::memory_order_release);
        events_[(event_count_ - 1) % event_max].thread = static_cast<std::uint8_t>(id);
    }
    t.late.clear();
}

void engine::store(void* address, unsigned size, std::uint64_t v, std::memory_order order) {
    location& l = access(address, size, true);
    thread& t = threads_[current_];
    if (!t.late.empty() && order != std::memory_order_seq_cst) return put_late(l, v);
    drain(t);
    put(l, v, order, false);
    record(event::kind::store, &l, v, order);
}

std::uint64_t engine::modify(void* address, unsigned size, change what, std::uint64_t by,
                             std::memory_order order) {
    location& l = access(address, size, true);
    drain(threads_[current_]);
    const unsigned newest = memory_.newest(l);
    const std::uint64_t before = memory_.value(l, newest);
    std::uint64_t after = by;
    switch (what) {
        case change::exchange: break;
        case change::add: after = before + by; break;
        case change::sub: after = before - by; break;
        case change::bit_or: after = before | by; break;
        case change::bit_and: after = before & by; break;
    }
    after = cut(after, size);
    memory_.read(current_, l, newest, order);
    put(l, after, order, true);
    record(event::kind::modify, &l, after, order, before);
    return before;
}

bool engine::compare_exchange(void* address, unsigned size, std::uint64_t& expected,
                              std::uint64_t desired, std::memory_order success,
                              std::memory_order failure) {
    location& l = access(address, size, true);
    drain(threads_[current_]);
    const unsigned lag = choose_lag(l, failure, &expected);
    const unsigned index = memory_.newest(l) - lag;
    const std::uint64_t before = memory_.value(l, index);
    if (lag == 0 && before == expected) {
        memory_.read(current_, l, index, success);
        put(l, desired, success, true);
        record(event::kind::exchange_done, &l, desired, success, before);
        return true;
    }
    memory_.read(current_, l, index, failure);
    record(event::kind::exchange_failed, &l, before, failure, expected, lag);
    expected = before;
    return false;
}

void engine::fence(std::memory_order order) {
    ++steps_;
    ++in_a_row_;
    if (!is_alone()) choose_thread(true);
    drain(threads_[current_]);
    memory_.fence(current_, order);
    record(event::kind::fence, nullptr, 0, order);
}

// --- restartable sequences -----------------------------------------------------------------------

// A plain load on a processor that keeps loads in order, of a word that other threads change only
// by locked instructions. It returns the newest value, or the value in this thread's store buffer.
std::uint64_t engine::load_newest(const void* address, unsigned size) {
    location& l = access(address, size, false);
    const thread& t = threads_[current_];
    for (std::size_t i = t.late.size(); i-- > 0;) {
        if (t.late[i].at == &l) return t.late[i].value;
    }
    const unsigned newest = memory_.newest(l);
    memory_.read(current_, l, newest, std::memory_order_acquire);
    record(event::kind::load, &l, memory_.value(l, newest), std::memory_order_acquire);
    return memory_.value(l, newest);
}

// The last instruction of a sequence. False: the sequence was started over.
bool engine::finish_sequence(void* address, unsigned size, std::uint64_t v) {
    location& l = access(address, size, true);
    thread& t = threads_[current_];
    t.in_sequence = false;
    if (t.restarted) {
        record(event::kind::restart, &l, 0, std::memory_order_relaxed);
        return false;
    }
    if (!t.late.empty()) {
        put_late(l, v);
        return true;
    }
    if (limits_.late_stores && !limits_.sequential && !is_alone()) {
        options_at at(choice::late, steps_);
        at.add(0, 0);
        at.add(1, 1);
        if (at.list[pick(at)].id == 1) {
            put_late(l, v);
            return true;
        }
    }
    put(l, v, std::memory_order_release, false);
    record(event::kind::store, &l, v, std::memory_order_release);
    return true;
}

bool engine::restartable_replace(void* at, std::uint32_t from, std::uint32_t to) {
    thread& t = threads_[current_];
    t.restarted = false;
    t.in_sequence = true;
    if (load_newest(at, sizeof from) != from) {
        t.in_sequence = false;
        return false;
    }
    return finish_sequence(at, sizeof to, to);
}

bool engine::restartable_exchange(const void* gate, void* at, std::uint64_t desired,
                                  std::uint64_t& old) {
    thread& t = threads_[current_];
    t.restarted = false;
    t.in_sequence = true;
    if (load_newest(gate, sizeof(std::uint32_t)) != 0) {
        t.in_sequence = false;
        return false;
    }
    old = load_newest(at, sizeof old);
    return finish_sequence(at, sizeof desired, desired);
}

bool engine::restartable_add(const void* gate, std::uint32_t from, void* at, std::uint32_t delta) {
    thread& t = threads_[current_];
    t.restarted = false;
    t.in_sequence = true;
    if (load_newest(gate, sizeof from) != from) {
        t.in_sequence = false;
        return false;
    }
    const auto old = static_cast<std::uint32_t>(load_newest(at, sizeof delta));
    return finish_sequence(at, sizeof delta, old + delta);
}

// --- plain memory --------------------------------------------------------------------------------

void engine::plain(const void* at, bool writes) {
    const complaint wrong =
        writes ? memory_.plain_write(current_, at) : memory_.plain_read(current_, at);
    if (wrong == nullptr) return;
    record(event::kind::note, nullptr, 0, std::memory_order_relaxed,
           reinterpret_cast<std::uintptr_t>(at), 0, writes ? "writes" : "reads");
    fail(wrong);
}

void engine::record(event::kind what, const location* l, std::uint64_t value,
                    std::memory_order order, std::uint64_t before, unsigned lag, const char* text) {
    event& e = events_[event_count_++ % event_max];
    e.what = what;
    e.thread = static_cast<std::uint8_t>(current_);
    e.order = static_cast<std::uint8_t>(order);
    e.lag = static_cast<std::uint8_t>(lag);
    e.location = l == nullptr ? std::uint16_t{location_max}
                              : static_cast<std::uint16_t>(memory_.index_of(*l));
    e.step = steps_;
    e.value = value;
    e.before = before;
    e.text = text;
}

}  // namespace model
