// By frame pointers and by tables.
#include "diag/sample_stack.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "base/atomic.hpp"
#include "mem/stack.hpp"
#include "sys/fault_escape.hpp"
#include "sys/profile_timer.hpp"
#include "sys/signal.hpp"
#include "trace/own_stack.hpp"

namespace rota::rt {

namespace {

// Before, the unwinder asked the dynamic linker, behind its lock.
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
constexpr bool tables_are_found_without_lock = true;
#else
constexpr bool tables_are_found_without_lock = false;
#endif

constinit atomic<bool> uses_tables{false};

// Whether any code has come without a file. If that cannot be read: yes.
bool has_foreign_code() {
    std::ifstream maps("/proc/self/maps");
    if (!maps) return true;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream parts(line);
        std::string range, access, offset, device, inode, path;
        parts >> range >> access >> offset >> device >> inode >> path;
        if (access.find('x') != access.npos && path.empty()) return true;
    }
    return false;
}

// Two words: the caller's frame, and where it goes on there. Both processors have them so.
struct frame_record {
    std::uintptr_t caller;
    std::uintptr_t pc;
};

// The record at `frame`, if it lies above `sp` on that stack.
#if defined(__clang__) || defined(__GNUC__)
__attribute__((no_sanitize("address", "thread")))
#endif
bool
read_record(std::uintptr_t frame, std::uintptr_t sp, std::uintptr_t top, frame_record& out) {
    if (frame < sp || frame % sizeof(std::uintptr_t) != 0) return false;
    if (top == 0) return try_read(reinterpret_cast<const void*>(frame), &out, sizeof out);
    if (frame + sizeof out > top) return false;
    const auto* const at = reinterpret_cast<const frame_record*>(frame);
    out = *at;
    return true;
}

void walk_frames(const gobuf& at, cpu_sample& s) {
    s.size = 0;
    s.pcs[s.size++] = reinterpret_cast<std::uintptr_t>(at.pc) + 1;
    const stack_slot slot = stack_find(at.sp);
    const std::uintptr_t top = slot ? reinterpret_cast<std::uintptr_t>(slot.hi) : 0;
    auto sp = reinterpret_cast<std::uintptr_t>(at.sp);
    auto frame = reinterpret_cast<std::uintptr_t>(at.bp);
    frame_record r;
    while (s.size < cpu_sample::pcs_max && read_record(frame, sp, top, r) && r.pc > 1) {
        s.pcs[s.size++] = r.pc;
        sp = frame + 1;  // callers lie above
        frame = r.caller;
    }
}

// Our own stack in the handler, from the interrupted frame on.
struct table_walk {
    static constexpr std::size_t handlers_max = 16;  // frames
    explicit table_walk(std::uintptr_t pc) : interrupted(pc) {}
    const std::uintptr_t interrupted;  // as a return address
    std::size_t count = 0;
    std::uintptr_t pcs[handlers_max + cpu_sample::pcs_max];

    // Below the handler's own frames, of which the kernel's is the last; none if it is not there.
    std::size_t first() const {
        std::size_t i = 0;
        while (i < count && pcs[i] != interrupted) ++i;
        return i;
    }
};

void walk_by_tables(cpu_sample& s) {
    table_walk w(s.pcs[0]);
    const bool came_back = try_call(
        [](void* arg) {
            auto& mine = *static_cast<table_walk*>(arg);
            mine.count = own_stack(mine.pcs, std::size(mine.pcs));
        },
        &w);
    if (!came_back) return;
    const std::size_t first = w.first();
    const std::size_t count = std::min(w.count - first, cpu_sample::pcs_max);
    if (count < s.size) return;
    std::copy_n(w.pcs + first, count, s.pcs);
    s.size = static_cast<std::uint32_t>(count);
}

}  // namespace

void look_at_tables() {
    // The unwinder's first call prepares something, and is not to be interrupted by the second.
    std::uintptr_t pc = 0;
    (void)own_stack(&pc, 1);
    const bool may = tables_are_found_without_lock && faults_are_ours() && !has_foreign_code();
    uses_tables.store(may, memory_order_relaxed);  // relaxed: a setting; late is as good
}

void walk_interrupted(const gobuf& at, cpu_sample& s) {
    walk_frames(at, s);
    if (uses_tables.load(memory_order_relaxed)) walk_by_tables(s);  // relaxed: as above
}

}  // namespace rota::rt
