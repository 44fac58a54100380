// The untyped select under rota::select and rota::select_set.
//
// A case is a channel, a direction and the place of the value's bytes. The caller provides the
// memory that waiting needs, in its own frame or once for many waits, so that the engine allocates
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/detail/chan_engine.hpp>

namespace rota::detail {

struct select_case {
    hchan* chan;  // null, the nil channel: never ready
    void* elem;   // received into, or sent from
    bool is_send;
    alignas(void*) std::byte place[7 * sizeof(void*)];  // the engine's, while it waits

    void set(hchan* c, void* e, bool send) {
        chan = c;
        elem = e;
        is_send = send;
    }
};

inline constexpr std::uint32_t select_none = ~std::uint32_t{0};

struct select_result {
    std::uint32_t index;  // of the case that ran, or select_none
    bool ok;              // false: its channel is closed
};

// n cases and the order in which their channels are locked.
struct select_frame {
    select_case* cases;
    hchan** order;  // room for n
    std::uint32_t n;
};

// Runs one case, chosen uniformly among those that are ready; waits until one is. Parks.
select_result select_wait(const select_frame& f);
// The same, but select_none if none is ready at one moment.
select_result select_try(const select_frame& f);
// A case that seems to be ready, without running it: for who has something to prepare first.
std::uint32_t select_guess(const select_frame& f);
// As select_guess, but select_none only if at one moment none was ready.
std::uint32_t select_look(const select_frame& f);

[[noreturn]] void select_for_ever();

// --- any number of cases, made at run time ------------------------------------------------------

// What a case of a select_set is besides its channel. Made by the typed half.
struct set_entry {
    void (*ran)(set_entry* self, bool ok);  // the case has run; may throw
    void (*destroy)(set_entry* self) noexcept;
};

// The cases of a select_set, in order of addition, with the memory that waiting needs. One user at
// a time.
class select_list {
  public:
    select_list() = default;
    select_list(select_list&& other) noexcept;
    select_list& operator=(select_list&& other) noexcept;
    ~select_list();

    // Takes e over, also when it throws std::bad_alloc. Its channel outlives it.
    std::size_t add(set_entry* e, hchan* c, void* elem, bool is_send);
    // Throws panic_error if there is one already.
    std::size_t add_default();
    std::size_t wait();
    void clear() noexcept;

  private:
    void grow();

    // Who waits in wait(), as a g of the runtime; null: nobody. Written by that.
    const void* waiter_ = nullptr;
    select_case* cases_ = nullptr;
    hchan** order_ = nullptr;
    set_entry** entries_ = nullptr;  // null: otherwise()
    std::uint32_t count_ = 0;
    std::uint32_t capacity_ = 0;
    std::uint32_t default_ = select_none;
};

}  // namespace rota::detail
