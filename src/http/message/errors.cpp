// The error category of HTTP, with its messages.
#include <rota/http.hpp>

namespace rota::http {

namespace {

class http_errors final : public std::error_category {
  public:
    constexpr http_errors() noexcept = default;
    const char* name() const noexcept override { return "http"; }
    std::string message(int value) const override {
        switch (static_cast<http_errc>(value)) {
            case http_errc::malformed_body: return "malformed request body";
            case http_errc::body_too_large: return "request body too large";
            case http_errc::unexpected_end: return "unexpected end of request";
            case http_errc::body_not_allowed: return "response status code does not allow body";
            case http_errc::content_length: return "wrote more than the declared Content-Length";
            case http_errc::hijacked: return "connection has been hijacked";
            case http_errc::cannot_hijack: return "connection cannot be hijacked";
            case http_errc::malformed_url: return "malformed URL";
            case http_errc::unsupported_scheme: return "unsupported protocol scheme";
            case http_errc::malformed_method: return "malformed method";
            case http_errc::malformed_response: return "malformed response";
            case http_errc::response_too_large: return "response too large";
            case http_errc::incomplete_response: return "unexpected end of response";
            case http_errc::server_closed: return "server closed the connection without an answer";
            case http_errc::malformed_location: return "redirect to a malformed URL";
            case http_errc::too_many_redirects: return "too many redirects";
            case http_errc::proxy_refused: return "proxy refused to connect";
            case http_errc::malformed_host: return "malformed Host field";
            case http_errc::body_length: return "request body is shorter than declared";
        }
        return "unknown error " + std::to_string(value);
    }
};

// Never destroyed: goroutines may read an error while the process ends.
union errors_for_good {
    http_errors value{};
    constexpr errors_for_good() noexcept {}
    ~errors_for_good() {}
};
constinit errors_for_good errors;

}  // namespace

const std::error_category& http_category() noexcept { return errors.value; }

}  // namespace rota::http
