// The list of a directory's files, as a page. Go: dirList.
#pragma once

#include <string>
#include <string_view>

#include <rota/os/file.hpp>

namespace rota::http {

// Lists the names in order, each as a link; names that begin with a dot only if asked for. Blocks,
// handed off. Throws std::bad_alloc. Returns 0, or an errno value with its sign turned.
int list_directory(const os::file& directory, bool with_dot_files, std::string& page);

// The name as one segment of a path.
std::string escaped(std::string_view name);

// The name as one segment of a path in a link, so that nothing in it reads as a scheme.
std::string escaped_segment(std::string_view name);

}  // namespace rota::http
