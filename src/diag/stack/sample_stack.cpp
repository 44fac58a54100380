// Walks interrupted stacks by frame pointers and by unwind tables.
#include "diag/stack/sample_stack.hpp"

#include <algorithm>
#include <iterator>

#include <unistd.h>

#include "base/atomic.hpp"
#include "mem/stack.hpp"
#include "sys/call/call.hpp"
#include "sys/call/number.hpp"
#include "sys/signal/fault_escape.hpp"
#include "sys/signal/profile_timer.hpp"
#include "sys/signal/signal.hpp"
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

// Reads /proc/self/maps line by line: "range access offset device inode path".
class code_search {
  public:
    // Whether any code has come without a file.
    bool look(const char* text, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) take(text[i]);
        return is_found_;
    }

  private:
    static constexpr int access = 1, path = 5;

    void take(char c) {
        if (c == '\n') {
            is_found_ = is_found_ || (is_code_ && field_ < path);
            field_ = 0;
            is_code_ = false;
        } else if (c == ' ') {
            is_between_ = true;
            return;
        } else {
            field_ += is_between_ ? 1 : 0;
            is_code_ = is_code_ || (field_ == access && c == 'x');
        }
        is_between_ = false;
    }

    int field_ = 0;
    bool is_between_ = false, is_code_ = false, is_found_ = false;
};

// True also if the file cannot be read.
bool has_foreign_code() {
    const int fd = open_to_read("/proc/self/maps");
    if (fd < 0) return true;
    code_search search;
    char text[4096];
    ssize_t n = 0;
    bool is_found = false;
    while (!is_found && (n = plain_read(fd, text, sizeof text)) > 0)
        is_found = search.look(text, static_cast<std::size_t>(n));
    plain_close(fd);
    return is_found || n < 0;
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
    if (frame >= top || top - frame < sizeof out) return false;  // any word may stand there
    const auto* const at = reinterpret_cast<const frame_record*>(frame);
    out = *at;
    return true;
}

// Our own stack in the handler, from the interrupted frame on.
struct table_walk {
    static constexpr std::size_t handlers_max = 16;  // frames
    explicit table_walk(std::uintptr_t pc) : interrupted(pc) {}
    const std::uintptr_t interrupted;  // as a return address
    std::size_t count = 0;
    std::uintptr_t pcs[handlers_max + interrupted_pcs_max];

    // Below the handler's own frames, of which the kernel's is the last; none if it is not there.
    std::size_t first() const {
        std::size_t i = 0;
        while (i < count && pcs[i] != interrupted) ++i;
        return i;
    }
};

// How many there are now: as many as before, if the tables know fewer.
std::size_t walk_by_tables(std::uintptr_t* pcs, std::size_t known, std::size_t max) {
    table_walk w(pcs[0]);
    const bool came_back = try_call(
        [](void* arg) {
            auto& mine = *static_cast<table_walk*>(arg);
            mine.count = own_stack(mine.pcs, std::size(mine.pcs));
        },
        &w);
    if (!came_back) return known;
    const std::size_t first = w.first();
    const std::size_t count = std::min(w.count - first, max);
    if (count < known) return known;
    std::copy_n(w.pcs + first, count, pcs);
    return count;
}

}  // namespace

void look_at_tables() {
    // The unwinder's first call prepares something, and is not to be interrupted by the second.
    std::uintptr_t pc = 0;
    (void)own_stack(&pc, 1);
    const bool may = tables_are_found_without_lock && faults_are_ours() && !has_foreign_code();
    uses_tables.store(may, memory_order_relaxed);  // relaxed: a setting; late is as good
}

bool are_tables_safe() { return uses_tables.load(memory_order_relaxed); }  // relaxed: as above

std::size_t walk_frames(const gobuf& at, std::uintptr_t* pcs, std::size_t max) {
    if (max == 0) return 0;
    std::size_t count = 0;
    pcs[count++] = reinterpret_cast<std::uintptr_t>(at.pc) + 1;
    const stack_slot slot = stack_find(at.sp);
    const std::uintptr_t top = slot ? reinterpret_cast<std::uintptr_t>(slot.hi) : 0;
    auto sp = reinterpret_cast<std::uintptr_t>(at.sp);
    auto frame = reinterpret_cast<std::uintptr_t>(at.bp);
    frame_record r;
    while (count < max && read_record(frame, sp, top, r) && r.pc > 1) {
        pcs[count++] = r.pc;
        sp = frame + 1;  // callers lie above
        frame = r.caller;
    }
    return count;
}

std::size_t walk_interrupted(const gobuf& at, std::uintptr_t* pcs, std::size_t max) {
    max = std::min(max, interrupted_pcs_max);
    const std::size_t count = walk_frames(at, pcs, max);
    return are_tables_safe() && max > 0 ? walk_by_tables(pcs, count, max) : count;
}

}  // namespace rota::rt
