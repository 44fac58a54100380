// Results of fd/ as error codes, and error codes as exceptions.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>

#include <rota/net.hpp>

#include "fd/fd.hpp"

namespace rota::net {

// The error of a result below 0.
std::error_code error_of(std::int64_t result) noexcept;

// Sets the error, and returns what of the result remains.
inline std::size_t checked(std::int64_t result, std::error_code& error) noexcept {
    if (result < 0) {
        error = error_of(result);
        return 0;
    }
    error.clear();
    return static_cast<std::size_t>(result);
}

// Throws std::system_error if there is an error: "rota::net: <what>: <the error>".
inline void check(const std::error_code& error, const char* what) {
    if (error) throw std::system_error(error, std::string("rota::net: ") + what);
}
void check(const std::error_code& error, const char* what, std::string_view network,
           std::string_view address);

// The throwing form of a call.
template <class Call>
auto throwing(const char* what, Call call) {
    std::error_code error;
    if constexpr (std::is_void_v<decltype(call(error))>) {
        call(error);
        check(error, what);
    } else {
        auto result = call(error);
        check(error, what);
        return result;
    }
}

}  // namespace rota::net
