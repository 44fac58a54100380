// The changes that make a request wrong or unusual. A mutation changes one part of a draft; its
// name identifies a difference between the servers (known_differences.txt).
#pragma once

#include <span>
#include <string_view>

#include "draft.hpp"

namespace rota_differential {

struct mutation {
    std::string_view name;
    // The meaning of `text` depends on the function. A '%' in it stands for the length of the body
    // or the size of the chunk, where the mutation changes one of these.
    void (*apply)(draft& r, dice& d, std::string_view text);
    std::string_view text;
};

// The mutations by the framing that they need: none, a body with a length, or a body in chunks.
std::span<const mutation> mutations_of(framing needed);

// The parts of that list: head_mutations.cpp, length_mutations.cpp, chunk_mutations.cpp.
std::span<const mutation> line_mutations();
std::span<const mutation> field_mutations();
std::span<const mutation> text_mutations();
std::span<const mutation> length_mutations();
std::span<const mutation> chunk_mutations();
std::span<const mutation> coding_mutations();

// `text` with each '%' replaced by `by`.
std::string filled_in(std::string_view text, std::string_view by);

}  // namespace rota_differential
