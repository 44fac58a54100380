// The list of a directory's files, as a page. Go: dirList.
#pragma once

#include <string>
#include <string_view>

#include <rota/os/file.hpp>

namespace rota::http {

// Names in order, each a link; those that begin with a dot only if asked for. Blocks, handed off.
// Throws std::bad_alloc. 0, or an errno value with its sign turned.
int list_directory(const os::file& directory, bool with_dot_files, std::string& page);

// As one segment of a path.
std::string escaped(std::string_view name);

// So that it stands for itself in a link, as one segment of a path.
std::string escaped_segment(std::string_view name);

}  // namespace rota::http
