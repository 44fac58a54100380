// The category "net".
#include "net/errors.hpp"

namespace rota::net {

namespace {

class net_errors final : public std::error_category {
  public:
    constexpr net_errors() noexcept = default;
    const char* name() const noexcept override { return "net"; }
    std::string message(int code) const override {
        switch (static_cast<net_errc>(code)) {
            case net_errc::closed: return "use of closed network connection";
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

// Never destroyed: goroutines may look at an error while the process ends.
union errors_for_good {
    net_errors value{};
    constexpr errors_for_good() noexcept {}
    ~errors_for_good() {}
};
constinit errors_for_good errors;

}  // namespace

const std::error_category& net_category() noexcept { return errors.value; }

std::error_code error_of(std::int64_t result) noexcept {
    if (result == -rt::error_closed) return net_errc::closed;
    return {static_cast<int>(-result), std::system_category()};
}

void check(const std::error_code& error, const char* what, std::string_view network,
           std::string_view address) {
    if (!error) return;
    std::string text = std::string("rota::net: ") + what + " ";
    text.append(network).append(" ").append(address);
    throw std::system_error(error, text);
}

}  // namespace rota::net
