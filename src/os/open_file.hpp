// A file of a descriptor that is open already.
#pragma once

#include <string_view>
#include <system_error>

#include <rota/os/file.hpp>

namespace rota::os {

// Takes the number over, unless there is an error. `is_our_own`: nobody else has this open file, so
// it may be made one that does not block.
file adopted_file(int number, bool is_our_own, std::string_view name, std::error_code& error);

}  // namespace rota::os
