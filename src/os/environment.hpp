// Handles environments and searches for programs, as lists of strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rota::os {

// Returns a copy of the process's environment.
std::vector<std::string> own_environment();

// Keeps the last of several entries for a name, in the order of the kept entries. An entry that is
// not NAME=value stays. Go: dedupEnv.
std::vector<std::string> without_duplicates(std::vector<std::string> all);

// Returns the array that the C library takes, with null at the end; valid as long as the strings.
std::vector<char*> pointers_to(const std::vector<std::string>& all);

bool has_nul(const std::vector<std::string>& all);

// Finds the program `name`; a name without a slash is searched for in PATH. 0, or an errno value:
// EACCES if a file is found that may not be executed.
int find_program(const std::string& name, std::string& path);

}  // namespace rota::os
