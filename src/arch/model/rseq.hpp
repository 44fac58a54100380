// arch/rseq.hpp for the model preset: the schedule explorer plays the sequences, and lets other
// threads and their barriers come in between. Without an explorer no sequence succeeds, and the
// callers fall back to locked instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/rseq.h>
#include <rota/detail/explorer.hpp>

#include "base/annotations.hpp"

namespace rota::rt {

inline bool rseq_replace(std::ptrdiff_t, void* word, std::uint32_t from, std::uint32_t to) {
    return detail::explored != nullptr && detail::explored->restartable_replace(word, from, to);
}

inline bool rseq_exchange(std::ptrdiff_t, const void* gate, void* word, void* desired, void*& old) {
    if (detail::explored == nullptr) return false;
    std::uint64_t before = 0;
    if (!detail::explored->restartable_exchange(gate, word, detail::to_bits(desired), before))
        return false;
    old = detail::from_bits<void*>(before);
    return true;
}

template <unsigned Shift>
bool rseq_add_here(const void* gate, std::uint32_t from, void* words, std::uint32_t processors,
                   std::uint32_t delta) {
    if (detail::explored == nullptr) return false;
    const unsigned here = detail::explored->processor();
    return here < processors &&
           detail::explored->restartable_add(
               gate, from, static_cast<char*>(words) + (std::size_t{here} << Shift), delta);
}

}  // namespace rota::rt
