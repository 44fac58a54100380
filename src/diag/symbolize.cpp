// The table of modules whose files have been read.
#include "diag/symbolize.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "sys/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t modules_max = 128;

enum class module_state : std::uint32_t { empty, filling, ready };

struct module {
    atomic<module_state> state{module_state::empty};
    // --- fixed once ready ---------------------------------------------------------
    const link_map* map = nullptr;
    bool readable = false;
    char path[512] = {};
    elf_image image;
    line_table lines;
};
constinit module modules[modules_max];

// What has been found out, for good: traces ask for the same few places again and again.
struct known_place {
    atomic<std::uintptr_t> pc{0};  // 0: empty; 1: being written
    code_place place;              // fixed once the pc stands above it
};
constexpr std::size_t known_max = 4096, probes = 8;
constinit known_place known[known_max];

known_place& slot_of(std::uintptr_t pc, std::size_t probe) {
    return known[(((pc * 0x9e3779b97f4a7c15) >> 32) + probe) % known_max];
}

const code_place* recall(std::uintptr_t pc) {
    for (std::size_t i = 0; i < probes; ++i) {
        const known_place& k = slot_of(pc, i);
        if (k.pc.load(memory_order_acquire) == pc) return &k.place;  // pairs(place.known)
    }
    return nullptr;
}

void remember(std::uintptr_t pc, const code_place& place) {
    for (std::size_t i = 0; i < probes; ++i) {
        known_place& k = slot_of(pc, i);
        if (k.pc.load(memory_order_relaxed) != 0) continue;   // relaxed: the exchange decides
        if (!k.pc.cas(0, 1, memory_order_relaxed)) continue;  // relaxed: nothing is read
        k.place = place;
        k.pc.store(pc, memory_order_release);  // pairs(place.known)
        return;
    }
}

// The object that the address lies in: null for generated code.
const link_map* map_of(const void* pc) {
#if __GLIBC_PREREQ(2, 35)
    dl_find_object found{};
    if (::_dl_find_object(const_cast<void*>(pc), &found) != 0) return nullptr;
    return found.dlfo_link_map;
#else
    Dl_info info{};
    link_map* map = nullptr;
    return ::dladdr1(pc, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 ? map
                                                                                      : nullptr;
#endif
}

void fill(module& m, const link_map* map) {
    m.map = map;
    // The program itself has no name in the list.
    const char* from = map->l_name;
    ssize_t n = 0;
    if (from == nullptr || *from == '\0') {
        from = "/proc/self/exe";
        n = ::readlink(from, m.path, sizeof m.path - 1);
    } else {
        while (from[n] != '\0' && n < static_cast<ssize_t>(sizeof m.path) - 1) {
            m.path[n] = from[n];
            ++n;
        }
    }
    m.path[n > 0 ? n : 0] = '\0';
    m.readable = m.image.open(from);
    if (m.readable) m.lines.open(m.image);
}

// The module's entry; null if there is no more room, or another thread has been reading its file
// for too long.
const module* module_of(const link_map* map) {
    constexpr int patience = 100'000;
    for (module& m : modules) {
        module_state seen = m.state.load(memory_order_acquire);  // pairs(module.ready)
        // relaxed: an empty entry has nothing to read.
        if (seen == module_state::empty &&
            m.state.compare_exchange(seen, module_state::filling, memory_order_relaxed,
                                     memory_order_acquire)) {  // pairs(module.ready)
            fill(m, map);
            m.state.store(module_state::ready, memory_order_release);  // pairs(module.ready)
            return &m;
        }
        for (int i = 0; seen != module_state::ready && i < patience; ++i) {
            thread_yield();
            seen = m.state.load(memory_order_acquire);  // pairs(module.ready)
        }
        if (seen != module_state::ready) return nullptr;
        if (m.map == map) return &m;
    }
    return nullptr;
}

}  // namespace

namespace {

code_place find_out(const void* pc) {
    code_place p;
    p.offset = reinterpret_cast<std::uintptr_t>(pc);
    const link_map* const map = map_of(pc);
    if (map == nullptr) return p;
    p.offset -= map->l_addr;
    const module* const m = module_of(map);
    if (m == nullptr) return p;
    p.module = m->path;
    if (!m->readable) return p;
    const std::uint64_t address = p.offset;
    const elf_image::symbol s = m->image.function_at(address);
    p.function = s.name;
    if (s.name != nullptr) p.offset = address - s.start;
    const bool is_known = s.name != nullptr;
    p.source = m->lines.find(address, is_known ? s.start : address, is_known ? s.end : address);
    return p;
}

}  // namespace

code_place place_of(const void* pc) {
    const auto key = reinterpret_cast<std::uintptr_t>(pc);
    if (const code_place* const found = recall(key)) return *found;
    const code_place p = find_out(pc);
    if (key > 1 && p.module[0] != '?') remember(key, p);
    return p;
}

}  // namespace rota::rt
