// Finds or adds a stack in the table of stacks.
#include "trace/stacks.hpp"

#include <cstring>

#include "mem/mapped.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

std::uint32_t trace_stack_table::find_or_add(const std::uintptr_t* pcs, std::uint32_t n,
                                             bool& refused) {
    std::uint64_t hash = n;
    for (std::uint32_t i = 0; i < n; ++i) hash = (hash ^ pcs[i]) * 0x9e37'79b9'7f4a'7c15u;
    const lock_guard guard(mu_);
    refused = true;
    if (buckets_ == nullptr)
        buckets_ = static_cast<std::uint32_t*>(
            mapped_pages_or_null(bucket_count * sizeof(std::uint32_t), mapped_for::traces));
    if (buckets_ == nullptr) return 0;
    if (entries_ == nullptr)
        entries_ = static_cast<entry*>(
            mapped_pages_or_null((id_max + 1) * sizeof(entry), mapped_for::traces));
    if (entries_ == nullptr) return 0;
    refused = false;
    std::uint32_t& bucket = buckets_[hash >> 32 & (bucket_count - 1)];
    for (std::uint32_t id = bucket; id != 0; id = entries_[id].next) {
        const entry& e = entries_[id];
        if (e.n == n && std::memcmp(e.pcs, pcs, n * sizeof *pcs) == 0) return id;
    }
    const bool is_named = !trace_beginning::name_in(pcs, n).empty();
    if (is_named && named_count_ == named_max) return 0;
    if (count_ == id_max) {
        ++lost_;
        return 0;
    }
    auto* const kept = static_cast<std::uintptr_t*>(mapped_alloc_or_null(n * sizeof *pcs));
    refused = kept == nullptr;
    if (refused) return 0;
    std::memcpy(kept, pcs, n * sizeof *pcs);
    const std::uint32_t id = ++count_;
    entry& e = entries_[id];
    e.pcs = kept;
    e.n = n;
    e.next = bucket;
    bucket = id;
    if (is_named) ++named_count_;
    published_.store(id, memory_order_release);  // pairs(stacks.published)
    return id;
}

std::uint32_t trace_stack_table::add(const std::uintptr_t* pcs, std::uint32_t n) {
    bool refused = false;
    const std::uint32_t id = find_or_add(pcs, n, refused);
    if (refused) trace_chunks.drop(true);
    return id;
}

std::uint32_t trace_stack_table::add(const trace_beginning& of) {
    bool refused = false;
    const std::uint32_t id = of.n > 1 ? find_or_add(of.words, of.n, refused) : 0;
    return id != 0 ? id : add(of.words, 1);
}

std::uint32_t trace_stack_table::try_add(const std::uintptr_t* pcs, std::uint32_t n) {
    bool refused = false;
    return find_or_add(pcs, n, refused);
}

std::uint32_t trace_stack_table::size() {
    const lock_guard guard(mu_);
    return count_;
}

std::uint64_t trace_stack_table::lost() {
    const lock_guard guard(mu_);
    return lost_;
}

}  // namespace rota::rt
