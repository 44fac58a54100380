// Lists all goroutines, each as it was at some moment, for profiles, leak checks and debug pages.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/g.hpp"
#include "diag/stack/reading_stacks.hpp"

namespace rota::rt {

// The facts of one goroutine at some moment. No byte is padding: the bytes between two fields would
// keep words of the writer's stack, and a search for unreachable goroutines would take a copy of
// them in malloc's memory for a reference.
struct goroutine_facts {
    std::uint64_t goid = 0;
    std::uint64_t parent_goid = 0;
    g_status status = g_status::idle;
    wait_reason why = wait_reason::none;
    bool is_main = false;
    bool is_locked = false;
    bool is_caller = false;
    bool has_stack = false;  // else it could not be had from its thread: pcs is its entry alone
    std::uint16_t unused = 0;
    std::int64_t waited_s = 0;  // give or take a second; 0 also if it does not wait
    std::int64_t m_id = -1;     // it runs there
    const void* created_at = nullptr;
    const void* entry = nullptr;
    concealed<const g> address;
    const label_set* labels = nullptr;  // valid while a label_reader lives
    const void* in_bubble = nullptr;    // as an address; null: in none
};
static_assert(std::has_unique_object_representations_v<goroutine_facts>);

struct goroutine_state : goroutine_facts {
    std::string name;
    std::vector<std::uintptr_t> pcs;  // as return addresses, the innermost first
};

// Lists each goroutine that lives from the beginning to the end, once. Goroutines that do not run
// are held, a few dozen at a time; running goroutines are asked for their stacks
// (diag/stack/running_stack). With `pcs_max` 0 no stack is read. Otherwise a search for unreachable
// goroutines ends first, and the call parks meanwhile. Caller: in user code, with a label_reader.
// Throws std::bad_alloc.
std::vector<goroutine_state> list_goroutines(std::size_t pcs_max = 64);

// The text that a dump shows in brackets.
const char* state_text(const goroutine_state& g);

}  // namespace rota::rt
