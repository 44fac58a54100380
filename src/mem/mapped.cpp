// Pages and fixed objects.
#include "mem/mapped.hpp"

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "base/fatal.hpp"
#include "sys/lock.hpp"
#include "sys/mmap.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t chunk_bytes = 1 << 20;

struct fixed_pool {
    lock mu{lock_rank::mapped};
    std::byte* at ROTA_GUARDED_BY(mu) = nullptr;
    std::size_t left ROTA_GUARDED_BY(mu) = 0;
};
constinit fixed_pool pool;

constinit atomic<std::size_t> in_use{0};  // relaxed: for reports

}  // namespace

std::size_t mapped_bytes() { return in_use.load(memory_order_relaxed); }  // relaxed: see there

void* mapped_pages(std::size_t bytes) {
    void* start = mmap_reserve(bytes);
    if (start == nullptr) {
        fatal("runtime: out of memory", trace_scope::none,
              "runtime: cannot map %zu bytes for the scheduler's tables (limits: ulimit -v, "
              "vm.max_map_count)",
              bytes);
    }
    in_use.fetch_add(bytes, memory_order_relaxed);  // relaxed: see there
    return start;
}

void mapped_free(void* start, std::size_t bytes) {
    in_use.fetch_sub(bytes, memory_order_relaxed);  // relaxed: see there
    mmap_free(start, bytes);
}

void* mapped_alloc(std::size_t bytes) {
    bytes = (bytes + cache_line - 1) / cache_line * cache_line;
    if (bytes > chunk_bytes) return mapped_pages(bytes);
    const lock_guard guard(pool.mu);
    if (pool.left < bytes) {
        pool.at = static_cast<std::byte*>(mapped_pages(chunk_bytes));
        pool.left = chunk_bytes;
    }
    std::byte* const start = pool.at;
    pool.at += bytes;
    pool.left -= bytes;
    return start;
}

}  // namespace rota::rt
