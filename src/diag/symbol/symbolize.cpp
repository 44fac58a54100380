// Keeps the table of modules whose files have been read, and looks addresses up in them.
#include "diag/symbol/symbolize.hpp"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "sys/thread/thread.hpp"

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
    inlined_calls calls;
};
constinit module modules[modules_max];

// Caches results for good: traces ask for the same few places again and again.
template <class T>
class known_table {
  public:
    const T* recall(std::uintptr_t pc) const {
        if (pc <= 1) return nullptr;  // 0 and 1 have other meanings in a slot
        for (std::size_t i = 0; i < probes; ++i) {
            const slot& k = slots_[index(pc, i)];
            if (k.pc.load(memory_order_acquire) == pc) return &k.what;  // pairs(place.known)
        }
        return nullptr;
    }

    // fill(T&) returns false if there is nothing to remember. Not called without a place for it.
    template <class F>
    void remember(std::uintptr_t pc, F fill) {
        for (std::size_t i = 0; i < probes; ++i) {
            slot& k = slots_[index(pc, i)];
            if (k.pc.load(memory_order_relaxed) != 0) continue;   // relaxed: the exchange decides
            if (!k.pc.cas(0, 1, memory_order_relaxed)) continue;  // relaxed: nothing is read
            if (fill(k.what)) k.pc.store(pc, memory_order_release);  // pairs(place.known)
            else k.pc.store(0, memory_order_relaxed);                // relaxed: as before
            return;
        }
    }

  private:
    static constexpr std::size_t size = 4096, probes = 8;
    static std::size_t index(std::uintptr_t pc, std::size_t probe) {
        return (((pc * 0x9e3779b97f4a7c15) >> 32) + probe) % size;
    }

    struct slot {
        atomic<std::uintptr_t> pc{0};  // 0: empty; 1: being written
        T what;                        // fixed once the pc stands above it
    };
    slot slots_[size];
};

// The additions of frames_of to place_of; the inlined frames lie elsewhere, packed.
struct kept_frames {
    source_line source;
    unsigned start_line = 0;
    unsigned count = 0;
    const code_frame* inlined = nullptr;
};

constinit known_table<code_place> known_places;
constinit known_table<kept_frames> known_frames;

// Room for inlined frames. Untouched pages cost nothing.
class frame_room {
  public:
    // Null: there is no more.
    code_frame* take(std::size_t n) {
        // relaxed: only its writer reads a page, or a reader behind pairs(place.known)
        code_frame* begin = begin_.load(memory_order_relaxed);
        if (begin == nullptr) {
            void* const space =
                ::mmap(nullptr, frames_max * sizeof(code_frame), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (space == MAP_FAILED) return nullptr;
            // relaxed: as above. The second thread takes the first thread's mapping.
            if (begin_.cas(nullptr, static_cast<code_frame*>(space), memory_order_relaxed)) {
                begin = static_cast<code_frame*>(space);
            } else {
                ::munmap(space, frames_max * sizeof(code_frame));
                begin = begin_.load(memory_order_relaxed);  // relaxed: as above
            }
        }
        const std::size_t at = taken_.fetch_add(n, memory_order_relaxed);  // relaxed: a counter
        return at + n <= frames_max ? begin + at : nullptr;
    }

  private:
    static constexpr std::size_t frames_max = std::size_t{1} << 16;
    atomic<code_frame*> begin_{nullptr};
    atomic<std::size_t> taken_{0};
};
constinit frame_room room_for_frames;

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
    // The vDSO's name is no path, and a file of that name in the working directory is not it.
    m.readable = std::strchr(from, '/') != nullptr && m.image.open(from);
    if (!m.readable) return;
    m.lines.open(m.image);
    m.calls.open(dwarf_sections_of(m.image));
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

// The module of an address that has been read; null if it cannot be.
const module* readable_module_of(const void* pc, std::uint64_t& address) {
    const link_map* const map = map_of(pc);
    const module* const m = map != nullptr ? module_of(map) : nullptr;
    if (m == nullptr || !m->readable) return nullptr;
    address = reinterpret_cast<std::uintptr_t>(pc) - map->l_addr;
    return m;
}

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

// A lambda whose name the compiler has not kept.
bool is_lambda(const inlined_calls::call& c) {
    return c.function == nullptr || (!c.is_mangled && std::strcmp(c.function, "operator()") == 0);
}

// `is_late`: another thread has been reading for too long; a later call may find more.
code_frames find_out_frames(const void* pc, bool& is_late) {
    code_frames f;
    f.place = place_of(pc);
    std::uint64_t address = 0, program = no_offset;
    const module* const m = f.place.function != nullptr ? readable_module_of(pc, address) : nullptr;
    if (m == nullptr) return f;
    source_line at = m->lines.exact(address, program);
    if (program == no_offset) return f;
    inlined_calls::found found;
    m->calls.find(address, program, found);
    is_late = found.is_late;
    if (!found.is_known) return f;
    f.start_line = found.start_line;
    if (at.file == nullptr) at = f.place.source;
    bool in_lambda = false;
    for (std::size_t i = found.count; i-- > 0;) {
        const inlined_calls::call& c = found.calls[i];
        in_lambda = is_lambda(c) || (in_lambda && !c.is_mangled &&
                                     !is_programs_own(m->lines.file(program, c.start_file)));
        if (in_lambda) continue;
        f.inlined[f.count++] = {c.function, c.is_mangled, c.start_line, at};
        at = m->lines.file(program, c.file);
        at.line = c.line;
    }
    f.place.source = at;
    return f;
}

void remember(std::uintptr_t pc, const code_frames& f) {
    known_frames.remember(pc, [&](kept_frames& k) {
        k = {f.place.source, f.start_line, static_cast<unsigned>(f.count), nullptr};
        if (f.count == 0) return true;
        code_frame* const room = room_for_frames.take(f.count);
        if (room == nullptr) return false;
        std::copy_n(f.inlined, f.count, room);
        k.inlined = room;
        return true;
    });
}

}  // namespace

code_place place_of(const void* pc) {
    const auto key = reinterpret_cast<std::uintptr_t>(pc);
    if (const code_place* const found = known_places.recall(key)) return *found;
    const code_place p = find_out(pc);
    if (key > 1 && p.module[0] != '?')
        known_places.remember(key, [&](code_place& k) {
            k = p;
            return true;
        });
    return p;
}

variable_place variable_at(const void* address) {
    std::uint64_t linked = 0;
    const module* const m = readable_module_of(address, linked);
    if (m == nullptr) return {};
    const elf_image::symbol s = m->image.object_at(linked);
    return {s.name, s.name != nullptr ? static_cast<std::uintptr_t>(linked - s.start) : 0};
}

code_frames frames_of(const void* pc) {
    const auto key = reinterpret_cast<std::uintptr_t>(pc);
    if (const kept_frames* const k = known_frames.recall(key)) {
        code_frames f;
        f.place = place_of(pc);
        f.place.source = k->source;
        f.start_line = k->start_line;
        f.count = k->count;
        std::copy_n(k->inlined, k->count, f.inlined);
        return f;
    }
    bool is_late = false;
    const code_frames f = find_out_frames(pc, is_late);
    if (key > 1 && !is_late && f.place.module[0] != '?') remember(key, f);
    return f;
}

bool has_inlined_calls(const void* pc) {
    std::uint64_t address = 0;
    const module* const m = readable_module_of(pc, address);
    return m != nullptr && !m->calls.is_empty();
}

}  // namespace rota::rt
