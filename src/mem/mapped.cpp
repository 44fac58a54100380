// Maps pages for the runtime's tables, and carves fixed objects from them.
#include "mem/mapped.hpp"

#include "arch/told_stacks.hpp"
#include "base/annotations.hpp"
#include "base/fatal.hpp"
#include "sys/call/mmap.hpp"
#include "sys/thread/lock.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t chunk_bytes = 1 << 20;

struct fixed_pool {
    lock mu{lock_rank::mapped};
    std::byte* at ROTA_GUARDED_BY(mu) = nullptr;
    std::size_t left ROTA_GUARDED_BY(mu) = 0;
};
constinit fixed_pool pool;

// For reports. Not an atomic of ours: each mapping would be a choice for the explorer of schedules,
// and memory that one schedule has mapped stays for the next.
constinit std::size_t in_use[static_cast<std::size_t>(mapped_for::count)] = {};

std::size_t* in_use_for(mapped_for what) { return &in_use[static_cast<std::size_t>(what)]; }

}  // namespace

std::size_t mapped_bytes(mapped_for what) {
    return __atomic_load_n(in_use_for(what), __ATOMIC_RELAXED);
}

std::size_t mapped_bytes() {
    return mapped_bytes(mapped_for::tables) + mapped_bytes(mapped_for::traces);
}

void* mapped_pages_or_null(std::size_t bytes, mapped_for what) {
    void* const start = mmap_reserve(bytes);
    if (start == nullptr) return nullptr;
    __atomic_fetch_add(in_use_for(what), bytes, __ATOMIC_RELAXED);
    if (what == mapped_for::tables) tell_leak_checker(start, bytes);
    return start;
}

namespace {

[[noreturn]] void out_of_memory(std::size_t bytes) {
    fatal("runtime: out of memory", trace_scope::none,
          "runtime: cannot map %zu bytes for the scheduler's tables (limits: ulimit -v, "
          "vm.max_map_count)",
          bytes);
}

}  // namespace

void* mapped_pages(std::size_t bytes, mapped_for what) {
    void* const start = mapped_pages_or_null(bytes, what);
    if (start == nullptr) out_of_memory(bytes);
    return start;
}

void mapped_free(void* start, std::size_t bytes, mapped_for what) {
    __atomic_fetch_sub(in_use_for(what), bytes, __ATOMIC_RELAXED);
    if (what == mapped_for::tables) untell_leak_checker(start, bytes);
    mmap_free(start, bytes);
}

void* mapped_alloc_or_null(std::size_t bytes) {
    bytes = (bytes + cache_line - 1) / cache_line * cache_line;
    if (bytes > chunk_bytes) return mapped_pages_or_null(bytes);
    const lock_guard guard(pool.mu);
    if (pool.left < bytes) {
        void* const fresh = mapped_pages_or_null(chunk_bytes);
        if (fresh == nullptr) return nullptr;
        pool.at = static_cast<std::byte*>(fresh);
        pool.left = chunk_bytes;
    }
    std::byte* const start = pool.at;
    pool.at += bytes;
    pool.left -= bytes;
    return start;
}

void* mapped_alloc(std::size_t bytes) {
    void* const start = mapped_alloc_or_null(bytes);
    if (start == nullptr) out_of_memory(bytes);
    return start;
}

}  // namespace rota::rt
