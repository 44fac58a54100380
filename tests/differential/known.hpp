// The list of differences that have a reason: known_differences.txt.
//
// A line that begins in the first column is part of a reason. An indented line is a difference to
// which the reason above it applies: the name of a mutation, a space, and the text from
// `difference`. "noise" stands for the mutations that leave the meaning of a request to random text
// (known.cpp); only there go=* and node=* stand for anything. An empty line ends the reach of a
// reason. '#' begins a comment.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "made_case.hpp"

namespace rota_differential {

class known_differences {
  public:
    // Throws std::runtime_error for a line that names no mutation, has no reason or stands twice.
    explicit known_differences(std::string_view text);

    // The known class, "MUTATION DIFFERENCE", of a case with that difference: one of its mutations
    // has it alone, or its mutations have it together. "" if there is none.
    std::string find(const made_case& made, std::string_view difference) const;

    std::size_t size() const noexcept { return classes_.size(); }
    const std::set<std::string>& classes() const noexcept { return classes_; }

  private:
    std::set<std::string> classes_;
};

}  // namespace rota_differential
