// Histories, views and the clocks of plain memory.
#include "memory.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "heap.hpp"

namespace model {

namespace {

constexpr unsigned unused_byte = 0xcd;  // what allocated memory holds before it is written

std::uint64_t read_memory(const void* at, unsigned size) {
    std::uint64_t v = 0;
    std::memcpy(&v, at, size);
    return v;
}

bool is_unused(const void* at, unsigned size) {
    const auto* const bytes = static_cast<const unsigned char*>(at);
    return size >= 4 &&
           std::all_of(bytes, bytes + size, [](unsigned char b) { return b == unused_byte; });
}

std::size_t hash(const void* at) {
    return (reinterpret_cast<std::uintptr_t>(at) * 0x9e3779b97f4a7c15u) >> 40;
}

// Views are handled in steps that a vector register likes.
unsigned rounded(unsigned locations) { return (locations + 15) & ~15u; }

}  // namespace

bool is_acquire(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

bool is_release(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

void view::clear(unsigned locations) {
    std::memset(clock, 0, sizeof clock);
    std::memset(seen, 0, rounded(locations) * sizeof *seen);
}

void view::join_seen(const view& other, unsigned locations) {
    const unsigned n = rounded(locations);
    for (unsigned i = 0; i < n; ++i) seen[i] = std::max(seen[i], other.seen[i]);
}

void view::join(const view& other, unsigned locations) {
    for (unsigned i = 0; i < thread_max; ++i) clock[i] = std::max(clock[i], other.clock[i]);
    join_seen(other, locations);
}

void view::copy(const view& other, unsigned locations) {
    std::memcpy(clock, other.clock, sizeof clock);
    std::memcpy(seen, other.seen, rounded(locations) * sizeof *seen);
}

memory::memory()
    : locations_(location_max),
      messages_(std::make_unique<message[]>(message_max)),
      slots_(std::make_unique<slot[]>(slot_count)),
      shadows_(std::make_unique<shadow[]>(shadow_count)) {
    for (location& l : locations_) l.history.reserve(64);
    for (state& s : now_) {
        s.own.clear(location_max);
        s.released.clear(location_max);
        s.pending.clear(location_max);
    }
    sequential_.clear(location_max);
}

void memory::reset() {
    for (state& s : now_) {
        s.own.clear(count_);
        s.has_released = s.has_pending = false;
    }
    sequential_.clear(count_);
    count_ = 0;
    message_count_ = 0;
    ++epoch_;
    now_[0].own.clock[0] = 1;
}

void memory::start_thread(unsigned parent, unsigned child) {
    state& s = now_[child];
    s.own.copy(now_[parent].own, count_);
    s.own.clock[child] = 1;
    s.has_released = s.has_pending = false;
    ++now_[parent].own.clock[parent];
}

void memory::join_thread(unsigned joiner, unsigned ended) {
    now_[joiner].own.join(now_[ended].own, count_);
}

memory::slot& memory::slot_of(const void* at) {
    std::size_t i = hash(at) % slot_count;
    while (slots_[i].epoch == epoch_ && slots_[i].address != at) i = (i + 1) % slot_count;
    slot& s = slots_[i];
    if (s.epoch != epoch_) s = {at, epoch_, -1, life::unknown};
    return s;
}

void memory::created(const void* at) {
    slot& s = slot_of(at);
    s.location = -1;
    s.stage = life::begun;
}

void memory::destroyed(const void* at) { slot_of(at).stage = life::over; }

location* memory::locate(const void* at, unsigned size, complaint& wrong) {
    slot& s = slot_of(at);
    if (s.stage == life::over) {
        wrong = "an access to an atomic whose life is over";
        return nullptr;
    }
    if (s.location >= 0) return &locations_[static_cast<unsigned>(s.location)];
    if (s.stage == life::unknown && is_unused(at, size)) {
        wrong = "an access to memory that nobody has initialised";
        return nullptr;
    }
    if (count_ == location_max) {
        wrong = "too many locations for the explorer: raise location_max";
        return nullptr;
    }
    s.location = static_cast<std::int32_t>(count_);
    location& l = locations_[count_++];
    l.address = at;
    l.size = size;
    l.readers = l.writers = 0;
    l.history.clear();
    add_message(l, read_memory(at, size), 0).carries = false;
    return &l;
}

message& memory::add_message(location& l, std::uint64_t v, unsigned thread) {
    ROTA_CHECK(message_count_ < message_max);
    if (l.history.size() == l.history.capacity()) {
        const heap::outside ours;
        l.history.reserve(2 * l.history.capacity());
    }
    l.history.push_back(message_count_);
    message& m = messages_[message_count_++];
    m.value = v;
    m.thread = static_cast<std::uint8_t>(thread);
    return m;
}

unsigned memory::oldest(unsigned thread, const location& l, std::memory_order order) const {
    const unsigned i = index_of(l);
    const unsigned own = now_[thread].own.seen[i];
    return order == std::memory_order_seq_cst ? std::max<unsigned>(own, sequential_.seen[i]) : own;
}

void memory::read(unsigned thread, location& l, unsigned index, std::memory_order order) {
    state& s = now_[thread];
    const unsigned i = index_of(l);
    const auto seen = static_cast<std::uint16_t>(index);
    s.own.seen[i] = std::max(s.own.seen[i], seen);
    if (order == std::memory_order_seq_cst)
        sequential_.seen[i] = std::max(sequential_.seen[i], seen);
    const message& m = messages_[l.history[index]];
    if (!m.carries) return;
    if (is_acquire(order)) {
        s.own.join(m.carried, count_);
        return;
    }
    if (!s.has_pending) s.pending.clear(location_max);
    s.has_pending = true;
    s.pending.join(m.carried, count_);
}

void memory::write(unsigned thread, location& l, std::uint64_t v, std::memory_order order,
                   bool modifies) {
    state& s = now_[thread];
    const unsigned i = index_of(l);
    const unsigned before = l.history.back();
    const auto index = static_cast<std::uint16_t>(l.history.size());
    message& m = add_message(l, v, thread);
    s.own.seen[i] = index;
    if (order == std::memory_order_seq_cst) sequential_.seen[i] = index;
    m.carries = true;
    // Copied whole: locations may be added before it is read, and views are zero beyond count_.
    if (is_release(order)) m.carried = s.own;
    else if (s.has_released) m.carried = s.released;
    else m.carries = false;
    if (modifies && messages_[before].carries) {
        if (m.carries) m.carried.join(messages_[before].carried, location_max);
        else m.carried = messages_[before].carried;
        m.carries = true;
    }
    if (m.carries) m.carried.seen[i] = index;
    ++s.own.clock[thread];
}

void memory::write_late(unsigned thread, location& l, std::uint64_t v, const view& then) {
    const unsigned i = index_of(l);
    const auto index = static_cast<std::uint16_t>(l.history.size());
    message& m = add_message(l, v, thread);
    m.carries = true;
    m.carried = then;
    m.carried.seen[i] = index;
    now_[thread].own.seen[i] = index;
    ++now_[thread].own.clock[thread];
}

void memory::fence(unsigned thread, std::memory_order order) {
    state& s = now_[thread];
    if (is_acquire(order) && s.has_pending) {
        s.own.join(s.pending, count_);
        s.has_pending = false;
    }
    if (order == std::memory_order_seq_cst) {
        s.own.join_seen(sequential_, count_);
        sequential_.join_seen(s.own, count_);
    }
    if (is_release(order)) {
        s.released = s.own;
        s.has_released = true;
        ++s.own.clock[thread];
    }
}

void memory::barrier(unsigned threads) {
    for (unsigned t = 0; t < threads; ++t) fence(t, std::memory_order_seq_cst);
    for (unsigned t = 0; t < threads; ++t) fence(t, std::memory_order_seq_cst);
}

memory::shadow& memory::shadow_of(const void* at) {
    std::size_t i = hash(at) % shadow_count;
    for (unsigned tries = 0; shadows_[i].epoch == epoch_ && shadows_[i].address != at; ++tries) {
        ROTA_CHECK(tries < shadow_count);
        i = (i + 1) % shadow_count;
    }
    shadow& s = shadows_[i];
    if (s.epoch != epoch_) {
        s = {};
        s.address = at;
        s.epoch = epoch_;
    }
    return s;
}

complaint memory::plain_read(unsigned thread, const void* at) {
    shadow& s = shadow_of(at);
    if (!is_ordered(thread, s.writer, s.write_clock))
        return "a data race: a read beside the write of another thread";
    s.read_clock[thread] = now_[thread].own.clock[thread];
    return nullptr;
}

complaint memory::plain_write(unsigned thread, const void* at) {
    shadow& s = shadow_of(at);
    if (!is_ordered(thread, s.writer, s.write_clock))
        return "a data race: a write beside the write of another thread";
    for (unsigned t = 0; t < thread_max; ++t) {
        if (!is_ordered(thread, t, s.read_clock[t]))
            return "a data race: a write beside the read of another thread";
    }
    s.writer = static_cast<std::uint8_t>(thread);
    s.write_clock = now_[thread].own.clock[thread];
    return nullptr;
}

}  // namespace model
