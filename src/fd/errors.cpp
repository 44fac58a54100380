// The error category "net", and the conversion of results of fd/ to errors of it or of the system.
#include "fd/errors.hpp"

#include <string>

#include "fd/error_closed.hpp"

namespace rota::net {

namespace {

class net_errors final : public std::error_category {
  public:
    constexpr net_errors() noexcept = default;
    const char* name() const noexcept override { return "net"; }
    std::string message(int code) const override {
        switch (static_cast<net_errc>(code)) {
            case net_errc::closed: return "use of closed network connection or file";
            case net_errc::unknown_network: return "unknown network";
            case net_errc::bad_address:
                return "bad address: expected host:port, [address]:port or :port with a port from "
                       "0 to 65535 or a service's name, or a path of at most 107 bytes";
            case net_errc::no_such_host: return "no such host";
            case net_errc::lookup_failed: return "name lookup failed";
        }
        return "unknown network error " + std::to_string(code);
    }
};

// Never destroyed: goroutines may read an error while the process ends.
union errors_for_good {
    net_errors value{};
    constexpr errors_for_good() noexcept {}
    ~errors_for_good() {}
};
constinit errors_for_good errors;

}  // namespace

const std::error_category& net_category() noexcept { return errors.value; }

}  // namespace rota::net

namespace rota::rt {

std::error_code error_of(std::int64_t result) noexcept {
    if (result == -error_closed) return net::net_errc::closed;
    return {static_cast<int>(-result), std::system_category()};
}

void throw_error(const std::error_code& error, std::string_view room, std::string_view what,
                 std::string_view more, std::string_view still_more) {
    std::string text = "rota::";
    text.append(room).append(": ").append(what);
    for (const std::string_view word : {more, still_more}) {
        if (!word.empty()) text.append(" ").append(word);
    }
    throw std::system_error(error, text);
}

}  // namespace rota::rt
