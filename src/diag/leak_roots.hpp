// Everything that a live part of the program could reach others by: all memory of the process,
// as long as its threads are held, but what is known to give nobody the means to wake a candidate.
//
// Left out:
//   * stacks of goroutines: those of candidates are looked into when they are marked, of the others
//     only what is in use is looked at: of a goroutine that runs, what lies above the stack pointer
//     of its thread, if that is on this stack, and else all that was ever used;
//   * the blocks of channels for which candidates wait, until they are marked;
//   * the table of semaphores, that of who has locked what, and the records of ms: they name
//   waiters
//     to who knows the object;
//   * the stacks of rota's own threads, below their first frame, and that of the main thread below
//     run(): no code of the program's runs there;
//   * the stacks that ms have for signals, but for registers of the program's own code;
//   * what this search keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "diag/marking.hpp"
#include "sys/hold_threads.hpp"
#include "sys/memory_map.hpp"

namespace rota::rt {

class leak_roots {
  public:
    // What the search, which runs on this thread, has on its stack: [lo, hi) is its own, and
    // everything above is looked at.
    struct own_frames {
        std::uintptr_t lo, hi;
    };

    // Before threads are held.
    [[nodiscard]] bool prepare(std::size_t ranges_max, std::size_t threads_max);

    // What else is not to be looked at.
    void leave_out(const void* lo, const void* hi);

    // Marks from all roots, to the end, or says why it could not. Caller: the world is stopped,
    // threads are held; `marks` are sorted. Brings `held` into another order.
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
    bool fail(const char* why);  // false; the first is kept
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
    // Of each held thread its stack pointer and the frame of its handler, by the former.
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
    bool sees_itself_ = false;  // in the list of mappings
    memory_range unused_;       // of the main thread's stack, below its frames
};

// Whether gp may be on its stack: it runs, or an m has just left it.
bool is_on_its_stack(const g& gp);

}  // namespace rota::rt
