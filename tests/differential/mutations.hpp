// What can be made wrong, or unusual, in a request. Each has a name, by which a difference between
// the servers is told (known_differences.txt), and changes one part of a draft.
#pragma once

#include <span>
#include <string_view>

#include "draft.hpp"

namespace rota_differential {

struct mutation {
    std::string_view name;
    // What `text` is, depends on the function. A '%' in it stands for the length of the body or the
    // size of the chunk, where one of them is changed.
    void (*apply)(draft& r, dice& d, std::string_view text);
    std::string_view text;
};

// By what has to be there for them to be applied: nothing, a body with a length, one in chunks.
std::span<const mutation> mutations_of(framing needed);

// The parts of that list: head_mutations.cpp, length_mutations.cpp, chunk_mutations.cpp.
std::span<const mutation> line_mutations();
std::span<const mutation> field_mutations();
std::span<const mutation> text_mutations();
std::span<const mutation> length_mutations();
std::span<const mutation> chunk_mutations();
std::span<const mutation> coding_mutations();

// `text` with each '%' replaced.
std::string filled_in(std::string_view text, std::string_view by);

}  // namespace rota_differential
