// The untyped select under rota::select and rota::select_set.
//
// A case is a channel, a direction and the place of the value's bytes. The caller provides the
// memory for waiting, in its own frame or once for many waits, so that the engine allocates
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/detail/chan_engine.hpp>

namespace rota::detail {

struct select_case {
    hchan* chan;  // null, the nil channel: never ready
    void* elem;   // receive: destination of the value; send: its source
    bool is_send;
    alignas(void*) std::byte place[7 * sizeof(void*)];  // the engine's, while the select waits

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

// n cases and the order in which the select locks their channels.
struct select_frame {
    select_case* cases;
    hchan** order;  // room for n
    std::uint32_t n;
};

// Runs one case, chosen uniformly among the ready cases; waits until a case is ready. Parks.
select_result select_wait(const select_frame& f);
// As select_wait, but returns select_none if no case is ready at one moment.
select_result select_try(const select_frame& f);
// Returns a case that seems to be ready, without running it: for a caller that prepares the value
// of a case first.
std::uint32_t select_guess(const select_frame& f);
// As select_guess, but returns select_none only if no case was ready at one moment.
std::uint32_t select_look(const select_frame& f);

[[noreturn]] void select_for_ever();

// --- any number of cases, made at run time ------------------------------------------------------

// The part of a select_set's case besides its channel. Made by the typed half.
struct set_entry {
    void (*ran)(set_entry* self, bool ok);  // the case has run; may throw
    void (*destroy)(set_entry* self) noexcept;
};

// The cases of a select_set, in order of addition, with the memory for waiting. One user at a time.
class select_list {
  public:
    select_list() = default;
    select_list(select_list&& other) noexcept;
    select_list& operator=(select_list&& other) noexcept;
    ~select_list();

    // Takes ownership of e, also when it throws std::bad_alloc. The channel outlives e.
    std::size_t add(set_entry* e, hchan* c, void* elem, bool is_send);
    // Throws panic_error if there is a default case already.
    std::size_t add_default();
    std::size_t wait();
    void clear() noexcept;

  private:
    void grow();

    // The g that waits in wait(), or null. Written by that g.
    const void* waiter_ = nullptr;
    select_case* cases_ = nullptr;
    hchan** order_ = nullptr;
    set_entry** entries_ = nullptr;  // a null entry stands for otherwise()
    std::uint32_t count_ = 0;
    std::uint32_t capacity_ = 0;
    std::uint32_t default_ = select_none;
};

}  // namespace rota::detail
