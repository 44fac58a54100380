// Which way a request goes: straight, or by a proxy. Go: httpproxy.Config.
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "http/message/url.hpp"

namespace rota::http::detail {

class proxy_choice {
  public:
    // The value of a variable of the environment; null: it is not set.
    using variables = const char* (*)(const char* name);

    // No proxy for any request.
    proxy_choice() = default;
    // As the environment says. A malformed value is an error when it is needed.
    explicit proxy_choice(variables get);
    // This proxy for each request.
    static proxy_choice always(std::string_view proxy, std::error_code& error);

    // The proxy for that destination; null: none.
    const url* find(const url& to, std::error_code& error) const;

  private:
    struct exception {     // of NO_PROXY
        std::string name;  // beginning with a dot; or an address
        std::string port;  // "": any
        int bits = -1;     // of an address: how many count
        bool is_name_itself = false;
    };
    struct proxy {
        url at;
        std::error_code error;
        bool is_set = false;
    };

    void set(proxy& p, const char* upper, const char* lower_case, variables get);
    void add_exceptions(std::string_view list);
    void add_exception(std::string_view text);
    bool is_exempt(const url& to) const;

    proxy plain_, secure_;
    std::vector<exception> exceptions_;
    bool goes_always_ = false, goes_never_ = false;
};

}  // namespace rota::http::detail
