// Regular expressions for tests that read reports. <regex> costs seconds wherever it is included,
// so pattern.cpp alone does that.
#pragma once

#include <string>
#include <vector>

namespace rota_test {

// Whether the pattern matches somewhere in the text; ^ and $ stand for its two ends.
bool matches(const std::string& text, const std::string& pattern);

// What the pattern's first group holds, match by match.
std::vector<std::string> first_groups(const std::string& text, const std::string& pattern);

// The same of the first match; empty if there is none.
std::string first_group(const std::string& text, const std::string& pattern);

}  // namespace rota_test
