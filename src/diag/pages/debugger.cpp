// The script itself, for gdb, and the table. Its words have the order in which the script reads
// them; a change of meaning is a new version.
#include "diag/pages/debugger.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "arch/context.hpp"
#include "chan/hchan.hpp"
#include "context/cancel_node.hpp"
#include "core/sched.hpp"
#include "mem/stack.hpp"
#include "sync/lock_owners.hpp"

namespace rota::rt {

namespace {

struct reason_texts {
    const char* text[static_cast<std::size_t>(wait_reason::count)] = {};
    constexpr reason_texts() {
        for (std::size_t i = 0; i < std::size(text); ++i)
            text[i] = wait_reason_text(static_cast<wait_reason>(i));
    }
};
constinit const reason_texts reasons;

}  // namespace

using detail::hchan;

// g, m and nodes have bases or members of their own, so that offsetof is the compiler's word and
// not the standard's; both compilers keep it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

struct debugger_layout {
    std::uint64_t version = 3;
    std::uint64_t words = sizeof(debugger_layout) / sizeof(std::uint64_t);
    const void* all_ms = &sched.allm;
    const void* about_now = &sched.about_now;
    const stack_layout* stacks = &stacks_for_debuggers;
    const char* const* reason_text = reasons.text;
    std::uint64_t reason_count = std::size(reasons.text);
    void (*begin)() = rota_gostart;
    // header_of(slot): hi - g_room - index % colours * stride
    std::uint64_t g_room = (sizeof(g) + cache_line - 1) / cache_line * cache_line;
    std::uint64_t g_colours = header_colours;
    std::uint64_t g_stride = header_stride;
    std::uint64_t stack_min = stack_size_min;  // doubled for each class
    std::uint64_t stack_page = page_size;      // an arena says how many are below each stack
    std::uint64_t g_sp = offsetof(g, sched) + offsetof(gobuf, sp);
    std::uint64_t g_pc = offsetof(g, sched) + offsetof(gobuf, pc);
    std::uint64_t g_bp = offsetof(g, sched) + offsetof(gobuf, bp);
    std::uint64_t g_mp = offsetof(g, mp);
    std::uint64_t g_why = offsetof(g, why);
    std::uint64_t g_status = offsetof(g, status);
    std::uint64_t g_wait_since = offsetof(g, wait_since);
    std::uint64_t g_entry = offsetof(g, entry);
    std::uint64_t g_goid = offsetof(g, goid);
    std::uint64_t g_parent = offsetof(g, parent_goid);
    std::uint64_t g_created_at = offsetof(g, created_at);
    std::uint64_t g_name_size = offsetof(g, name_size);
    std::uint64_t g_locked_m = offsetof(g, locked_m);
    std::uint64_t g_main_of = offsetof(g, main_of);
    std::uint64_t m_link = offsetof(m, all_link);
    std::uint64_t m_curg = offsetof(m, curg);
    std::uint64_t m_after = offsetof(m, after);
    std::uint64_t m_prev = offsetof(m, prev);
    std::uint64_t m_tid = offsetof(m, tid);
    std::uint64_t m_id = offsetof(m, id);
    // What version 1 began without: a script knows by `words` whether it is there.
    std::uint64_t chan_buf = offsetof(hchan, buf);
    std::uint64_t chan_elem_size = offsetof(hchan, elem_size);
    std::uint64_t chan_capacity = offsetof(hchan, capacity);
    std::uint64_t chan_closed = offsetof(hchan, closed);
    std::uint64_t chan_count = offsetof(hchan, count);
    std::uint64_t chan_recv_at = offsetof(hchan, recv_at);
    std::uint64_t chan_receivers = offsetof(hchan, recvq) + waitq::first_offset();
    std::uint64_t chan_senders = offsetof(hchan, sendq) + waitq::first_offset();
    std::uint64_t waiter_g = offsetof(chan_sudog, gp);
    std::uint64_t waiter_next = offsetof(chan_sudog, next);
    std::uint64_t context_canceler = offsetof(context_node, canceler);
    std::uint64_t context_deadline = offsetof(context_node, deadline);
    std::uint64_t context_bounded = offsetof(context_node, bounded);
    std::uint64_t canceler_state = offsetof(cancel_node, state);
    std::uint64_t canceler_closed_bit = cancel_node::closed_bit;
    std::uint64_t mutex_state = lock_view::state_offset();
    std::uint64_t mutex_locked = lock_view::locked_bit();
    std::uint64_t mutex_starving = lock_view::starving_bit();
    std::uint64_t mutex_waiter = lock_view::waiter_unit();
};

#pragma GCC diagnostic pop

}  // namespace rota::rt

// Named without a namespace, so that whoever has no types can ask for it.
extern "C" {
[[gnu::visibility("default")]] extern const rota::rt::debugger_layout rota_debugger_layout;
[[gnu::used]] constinit const rota::rt::debugger_layout rota_debugger_layout{};
}

// gdb runs what stands here when it meets the program, if it may (`auto-load safe-path`). 4:
// Python, as text. Not loaded with the program; `strip --strip-debug` takes it away.
#if defined(ROTA_GDB_SCRIPT)
asm(".pushsection .debug_gdb_scripts, \"MS\", %progbits, 1\n"
    ".byte 4\n"
    ".ascii \"rota-gdb.py\\n\"\n"
    ".incbin \"" ROTA_GDB_SCRIPT "\"\n"
    ".byte 0\n"
    ".popsection\n");
#endif

namespace rota::rt {

void describe_to_debuggers() { asm volatile("" : : "r"(&rota_debugger_layout)); }

}  // namespace rota::rt
