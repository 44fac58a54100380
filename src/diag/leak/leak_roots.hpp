// Marks from all memory of the process by which the live part of the program could reach a
// candidate. Left out is memory that is known to give no thread the means to wake a candidate.
// Caller: the threads of the process are held.
//
// Left out:
//   * stacks of goroutines. A candidate's stack is followed when it is marked; of other stacks only
//     the used part is read. For a running goroutine that is the part above its thread's stack
//     pointer, if that points into this stack, else the part that was ever used;
//   * the blocks of channels for which candidates wait, until they are marked;
//   * the semaphore table, the table of lock owners, and the records of ms: they name waiters only
//     to a thread that knows the object;
//   * the stacks of rota's own threads below their first frame, and the main thread's stack below
//     run(): no code of the program's runs there;
//   * the signal stacks of ms, except saved registers of the program's own code;
//   * the memory of this search.
#pragma once

#include <cstddef>
#include <cstdint>

#include "diag/leak/marking.hpp"
#include "sys/proc/memory_map.hpp"
#include "sys/signal/hold_threads.hpp"

namespace rota::rt {

class leak_roots {
  public:
    // The search's own frames on this thread's stack: [lo, hi) is left out, the part above is read.
    struct own_frames {
        std::uintptr_t lo, hi;
    };

    // Caller: before threads are held.
    [[nodiscard]] bool prepare(std::size_t ranges_max, std::size_t threads_max);

    // Leaves out another range.
    void leave_out(const void* lo, const void* hi);

    // Marks from all roots, to the end, or returns the reason why it could not. Caller: the world
    // is stopped, threads are held; `marks` are sorted. Reorders `held`.
    [[nodiscard]] const char* mark(marking& marks, const held_threads& held, own_frames own,
                                   std::int64_t until_ns);

    memory_map memory;
    std::size_t bytes_read = 0;

  private:
    bool note(std::uintptr_t lo, std::uintptr_t hi);
    const held_thread* held_between(std::uintptr_t lo, std::uintptr_t hi) const;
    bool note_signal_stack(const m& mp, own_frames own);
    bool note_left_out(marking& marks, own_frames own);
    void mark_goroutines(marking& marks, own_frames own);
    bool mark_mapping(const memory_mapping& mapping);
    bool mark_shared(const memory_mapping& mapping);
    bool mark_elsewhere(const memory_mapping& mapping, std::uintptr_t lo, std::uintptr_t hi);
    bool mark_pages(std::uintptr_t lo, std::uintptr_t hi, bool leaves_out = true);
    bool mark_run(std::uintptr_t lo, std::uintptr_t hi, bool leaves_out, bool is_shared = false);
    bool fail(const char* why);  // false; keeps the first reason
    template <class F>
    bool for_each_run(std::uintptr_t lo, std::uintptr_t hi, F each);
    void blank_left_out(std::byte* copy, std::uintptr_t lo, std::uintptr_t hi);
    std::uintptr_t lowest_in_use(const memory_mapping& stack) const;
    std::uintptr_t lowest_of(const g& gp, std::uintptr_t lo);

    static constexpr std::size_t copied_at_once = 64 * 1024;
    static constexpr std::size_t pages_at_once = 64 * 1024;

    mapped_room<memory_range> left_out_;  // by address, apart from each other
    mapped_room<std::byte> text_, copy_;
    mapped_room<std::uint64_t> there_;
    // For each held thread its stack pointer and its handler's frame, sorted by the stack pointer.
    struct stack_pointer {
        std::uintptr_t sp, frame;
    };
    mapped_room<stack_pointer> pointers_;
    marking* marking_ = nullptr;
    const held_threads* held_ = nullptr;
    std::size_t pages_asked_ = 0;
    std::size_t bytes_elsewhere_ = 0;
    std::int64_t until_ns_ = 0;
    const char* failure_ = nullptr;
    bool sees_itself_ = false;  // the list of mappings has the search's own memory
    memory_range unused_;       // of the main thread's stack, below its frames
};

// Whether gp may be on its stack: it runs, or an m has just left it.
bool is_on_its_stack(const g& gp);

}  // namespace rota::rt
