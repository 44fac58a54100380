// Environments and paths of programs, as lists of texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rota::os {

// A copy of the process's own.
std::vector<std::string> own_environment();

// Of several entries for one name the last; in the order of those. What is no NAME=value stays. Go:
// dedupEnv.
std::vector<std::string> without_duplicates(std::vector<std::string> all);

// As the C library wants it, null at the end; good for as long as the texts are.
std::vector<char*> pointers_to(const std::vector<std::string>& all);

bool has_nul(const std::vector<std::string>& all);

// A path without a slash is looked for in PATH. 0, or an errno value: EACCES if what is there may
// not be run.
int find_program(const std::string& name, std::string& path);

}  // namespace rota::os
