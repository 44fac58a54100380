// Tells AddressSanitizer and valgrind of the switches between stacks.
//
// AddressSanitizer keeps frames of a stack elsewhere, in a "fake stack". The switch saves its
// handle in the frame of context_switch_told, on the stack that waits, so that a g needs no room
// for it.
#include "sched/base/switch_told.hpp"

#include "arch/context.hpp"
#include "arch/told_stacks.hpp"
#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "sys/call/valgrind.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

[[maybe_unused]] std::size_t size_of(const stack_slot& slot) {
    return static_cast<std::size_t>(slot.hi - slot.usable_lo());
}

void leave([[maybe_unused]] m& self, [[maybe_unused]] const g& to, [[maybe_unused]] void** save) {
#if !ROTA_TSAN && !ROTA_ASAN
    if (to.is_thread) __sanitizer_start_switch_fiber(save, self.told_bottom, self.told_size);
    else __sanitizer_start_switch_fiber(save, to.stack.usable_lo(), size_of(to.stack));
#endif
}

void arrive([[maybe_unused]] void* saved) {
#if !ROTA_TSAN && !ROTA_ASAN
    __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
#endif
}

}  // namespace

void context_switch_told(m& self, g& from, g& to, bool forever) {
    void* saved = nullptr;
    leave(self, to, forever ? nullptr : &saved);
    context_switch(from.sched, to.sched);
    arrive(saved);
}

void goroutine_begins_told(m&) { arrive(nullptr); }

void stack_begins_told(g& gp) {
    if (is_on_valgrind) tell_valgrind_of_beginning(gp.stack.usable_lo(), &gp);
#if !ROTA_TSAN && !ROTA_ASAN
    if (is_asan_to_be_told())
        __asan_unpoison_memory_region(gp.stack.usable_lo(), size_of(gp.stack));
#endif
}

void look_for_tools() {
    look_for_valgrind();
    are_stacks_told = is_on_valgrind || is_asan_to_be_told();
    if (is_tsan_untold() && !is_asan_to_be_told())
        print_error(
            "rota: the program has ThreadSanitizer, and this build of rota has not: races that it "
            "reports between goroutines may be none. Configure rota with "
            "-DROTA_SANITIZE=thread.\n");
}

void thread_begins_told(m& self) {
    if (!is_asan_to_be_told()) return;
    const thread_stack own = current_thread_stack();
    self.told_bottom = own.bottom;
    self.told_size = own.size;
    self.is_told = true;
}

}  // namespace rota::rt
