// Decides how much address space an arena of stacks takes, and how large its guards are.
//
// Without a limit on the process's address space an arena is 1 GiB and its guards are 132 KiB. With
// a limit (RLIMIT_AS, RLIMIT_DATA) an arena takes an eighth of the remaining space, but at least 48
// MiB, or half of the remaining space if that is less: so the first arena holds a hundred stacks.
// Below a limit of 16 GiB guards are 68 KiB.
//
// Invariant: below 16 GiB, a larger limit has room for as many stacks, or more: every bound here
// grows with the limit.
//
// Rejected:
//   * to ask for 1 GiB and for less and less while the kernel refuses: the first size that fits may
//     leave nothing to the program's own threads and heap;
//   * an eighth of the remaining space in every case: before the second arena, the C library may
//   have
//     taken the rest, 64 MiB for each thread that allocates. A program that ran with 95 MB then
//     failed with 100, 105, 170 and 185 at GOMAXPROCS 4 and 16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sys/call/mmap.hpp"

namespace rota::rt {

struct arena_plan {
    std::uint32_t slots = 0;  // at least 1
    std::uint8_t guard_pages = 0;
};

arena_plan plan_arena(std::uint8_t cls, const address_space& space);

}  // namespace rota::rt
