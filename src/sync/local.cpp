// Keeps the values of rota::local, a set for each goroutine.
//
// A key is an index and a generation. A goroutine has a table of values by index. A value in the
// table whose key differs belongs to a local that is gone. The new local takes its place in the
// table, and the old value lives until the goroutine's end. The values of a goroutine form a chain,
// newest first, which its end destroys (core/g.hpp names the callers).
#include <cstdlib>
#include <new>

#include <rota/detail/local_slots.hpp>

#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "mem/mapped.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/thread/lock.hpp"

namespace rota::detail {

using namespace rota::rt;

namespace {

struct local_table : goroutine_locals {
    local_value* newest = nullptr;
    local_value** slots = nullptr;
    std::uint32_t size = 0;
};

struct key_registry {
    lock mu{lock_rank::locals};
    mapped_array<std::uint32_t> free ROTA_GUARDED_BY(mu);         // indices
    mapped_array<std::uint32_t> generations ROTA_GUARDED_BY(mu);  // by index
};
constinit key_registry keys;

constexpr std::uint32_t index_of(local_key key) { return static_cast<std::uint32_t>(key >> 32); }

// The value in the table under the key's index, perhaps that of an older key; null: there is none.
local_value* at_index(const g& gp, local_key key) {
    const auto* const table = static_cast<const local_table*>(gp.locals);
    if (table == nullptr || index_of(key) >= table->size) return nullptr;
    return table->slots[index_of(key)];
}

// Destroys every value of gp, including values that the destructors make.
void end_locals(g& gp) {
    auto* const table = static_cast<local_table*>(gp.locals);
    constexpr int rounds_max = 100'000;
    int rounds = 0;
    while (local_value* const v = table->newest) {
        table->newest = v->older;
        if (table->slots[index_of(v->key)] == v) table->slots[index_of(v->key)] = nullptr;
        v->destroy(v);
        if (++rounds == rounds_max) fatal("destructors of local values make new ones without end");
    }
    gp.locals = nullptr;
    std::free(table->slots);
    delete table;
}

local_table& table_of(g& gp) {
    if (gp.locals == nullptr) {
        auto* const table = new local_table;
        table->end = end_locals;
        gp.locals = table;
    }
    return *static_cast<local_table*>(gp.locals);
}

void make_room(local_table& table, std::uint32_t index) {
    if (index < table.size) return;
    std::uint32_t size = table.size == 0 ? 8 : table.size;
    while (size <= index) size *= 2;
    auto* const slots =
        static_cast<local_value**>(std::realloc(table.slots, size * sizeof(local_value*)));
    if (slots == nullptr) throw std::bad_alloc();
    for (std::uint32_t i = table.size; i < size; ++i) slots[i] = nullptr;
    table.slots = slots;
    table.size = size;
}

}  // namespace

local_key local_key_get() {
    const runtime_entry_if_attached inside;
    const lock_guard guard(keys.mu);
    std::uint32_t index = 0;
    if (keys.free.empty()) {
        index = static_cast<std::uint32_t>(keys.generations.size());
        keys.generations.push_back(1);
    } else {
        index = keys.free[keys.free.size() - 1];
        keys.free.pop_back();
    }
    return std::uint64_t{index} << 32 | keys.generations[index];
}

void local_key_put(local_key key) noexcept {
    const runtime_entry_if_attached inside;
    const lock_guard guard(keys.mu);
    std::uint32_t& generation = keys.generations[index_of(key)];
    if (++generation == 0) generation = 1;
    keys.free.push_back(index_of(key));
}

void end_own_locals() {
    g& gp = *getm().curg;
    if (gp.locals != nullptr) gp.locals->end(gp);
}

local_value* local_find(local_key key) noexcept {
    const m* const mp = getm_or_null();
    if (mp == nullptr) return nullptr;
    local_value* const v = at_index(*mp->curg, key);
    return v != nullptr && v->key == key ? v : nullptr;
}

void local_keep(local_value* v) {
    {
        const runtime_entry attached;
    }
    g& gp = *getm().curg;
    local_table& table = table_of(gp);
    make_room(table, index_of(v->key));
    v->older = table.newest;
    table.newest = v;
    table.slots[index_of(v->key)] = v;
}

}  // namespace rota::detail
