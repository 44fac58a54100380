// URLs, as far as a client needs them: RFC 3986, without its indulgences.
//
// http and https alone, with a host that is a name of letters, digits, dots and hyphens, or an
// address. What has a space or a control character is no URL. What else a target may not have is
// escaped; an escape that is none is an error in a path, and stays as it is in a query.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace rota::http {

struct url {
    bool is_secure = false;  // https
    std::string host;        // in lower case, without brackets; perhaps with a zone
    std::string port;        // never empty
    std::string authority;   // as it stands in the field Host
    std::string user_info;   // "name:password", its escapes undone
    bool has_user_info = false;
    std::string target;  // path and query, beginning with a slash

    // "http://host/path?query", without name and password.
    std::string text() const;
    // For dial, with brackets where they are due.
    std::string address() const;
    std::string_view raw_path() const;
    std::string_view raw_query() const;  // without the question mark
};

// Throws std::bad_alloc.
std::error_code parse_url(std::string_view text, url& to);

// What a reference means that was found at `base`. `names_host`: it has a host of its own. RFC
// 3986, 5.2.
std::error_code resolve_url(const url& base, std::string_view reference, url& to, bool& names_host);

// "Basic " and so on, of "name:password".
std::string basic_credentials(std::string_view user_info);

}  // namespace rota::http
