// Converts results of fd/ to error codes, and error codes to exceptions: shared by the two forms of
// each call of the libraries.
#pragma once

#include <cstdint>
#include <string_view>
#include <system_error>

#include <rota/detail/io_error.hpp>

namespace rota::rt {

// The error of a result below 0.
std::error_code error_of(std::int64_t result) noexcept;

// Sets the error, and returns the count; 0 at an error.
inline std::size_t checked(std::int64_t result, std::error_code& error) noexcept {
    if (result < 0) {
        error = error_of(result);
        return 0;
    }
    error.clear();
    return static_cast<std::size_t>(result);
}

// Throws std::system_error: "rota::<room>: <what> <more> <still more>: <the error>".
[[noreturn]] void throw_error(const std::error_code& error, std::string_view room,
                              std::string_view what, std::string_view more = {},
                              std::string_view still_more = {});

// The throwing form of a call that takes an error to set. `more`, up to two words, names the object
// of the call.
template <class Call, class... More>
auto throwing(const char* room, const char* what, Call call, const More&... more) {
    std::error_code error;
    if constexpr (std::is_void_v<decltype(call(error))>) {
        call(error);
        if (error) throw_error(error, room, what, more...);
    } else {
        auto result = call(error);
        if (error) throw_error(error, room, what, more...);
        return result;
    }
}

}  // namespace rota::rt
