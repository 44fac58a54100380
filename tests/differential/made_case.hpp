// Cases: one to four requests, sent on one connection, with up to three mutations.
//
// A case follows from its seed alone. Each mutation draws its own random numbers, so a case without
// one of its mutations is otherwise the same. That is how the driver reduces a difference to its
// cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mutations.hpp"

namespace rota_differential {

struct change {
    const mutation* what;
    std::size_t request;  // the index of the request that is changed
    std::uint64_t seed;
};

struct made_case {
    std::vector<std::pair<framing, std::uint64_t>> requests;  // with the seed of each
    std::vector<change> changes;

    std::string text() const;
    // The names of the mutations, sorted, with '+' in between; "plain" without any.
    std::string names() const;
};

made_case make_case(std::uint64_t seed);

}  // namespace rota_differential
