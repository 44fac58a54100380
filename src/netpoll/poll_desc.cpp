// Keeps the table of poll records: chunks that are made on demand and stay.
#include "netpoll/poll_desc.hpp"

#include "mem/mapped.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t chunk_size = 64;        // records
constexpr std::uint32_t chunks_max = 1u << 16;  // 4 million descriptors; 8 bytes each, untouched
constexpr std::uint32_t records_max = chunk_size * chunks_max;

constinit atomic<poll_desc*> chunks[chunks_max];

struct free_records {
    lock mu{lock_rank::netpoll};
    poll_desc* first ROTA_GUARDED_BY(mu) = nullptr;
    std::uint32_t made ROTA_GUARDED_BY(mu) = 0;
};
constinit free_records records;

// Makes the records of a further chunk, each free.
void grow() ROTA_REQUIRES(records.mu) {
    auto* const chunk = static_cast<poll_desc*>(mapped_alloc(sizeof(poll_desc) * chunk_size));
    for (std::uint32_t i = chunk_size; i-- > 0;) {
        auto* const d = new (chunk + i) poll_desc;
        d->index = records.made + i;
        d->next_free = records.first;
        records.first = d;
    }
    chunks[records.made / chunk_size].store(chunk, memory_order_release);  // pairs(poll.chunk)
    records.made += chunk_size;
}

// The record of that index, if it has been made.
poll_desc* record_of(std::uint64_t tag) {
    const auto index = static_cast<std::uint32_t>(tag >> 32);
    if (index >= records_max) return nullptr;
    poll_desc* const chunk =
        chunks[index / chunk_size].load(memory_order_acquire);  // pairs(poll.chunk)
    return chunk == nullptr ? nullptr : chunk + index % chunk_size;
}

}  // namespace

poll_desc* poll_desc_new() {
    poll_desc* d = nullptr;
    {
        const lock_guard guard(records.mu);
        if (records.first == nullptr) {
            if (records.made == records_max) return nullptr;
            grow();
        }
        d = records.first;
        records.first = d->next_free;
    }
    d->next_free = nullptr;
    d->prefetch_hint = nullptr;
    d->ended.store(false, memory_order_relaxed);  // relaxed: published by epoll_ctl, like the
                                                  // stores below
    for (poll_word& w : d->word) w.reset();
    const lock_guard guard(d->mu);
    d->evicted = false;
    return d;
}

void poll_desc_free(poll_desc& d) {
    d.generation.fetch_add(1, memory_order_release);  // pairs(poll.generation)
    const lock_guard guard(records.mu);
    d.next_free = records.first;
    records.first = &d;
}

void prefetch_poll_desc(std::uint64_t tag) {
    if (const poll_desc* const d = record_of(tag)) __builtin_prefetch(d, 1);
}

ROTA_READS_RACING const void* beside_poll_word(const void* word) {
    return poll_desc_around(word).prefetch_hint;
}

poll_desc* poll_desc_of(std::uint64_t tag) {
    poll_desc* const found = record_of(tag);
    if (found == nullptr) return nullptr;
    poll_desc& d = *found;
    const std::uint32_t now = d.generation.load(memory_order_acquire);  // pairs(poll.generation)
    return now == static_cast<std::uint32_t>(tag) ? &d : nullptr;
}

}  // namespace rota::rt
