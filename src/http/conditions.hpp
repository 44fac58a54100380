// Validators, and the conditions that a request makes of them. RFC 9110 section 13.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rota/http.hpp>

struct stat;

namespace rota::http {

// What tells two versions of a file apart.
struct validators {
    std::string tag;            // with its quotes, and W/ before them if it is weak; "": none
    std::int64_t modified = 0;  // in seconds since 1970
    bool has_date = false;
    bool is_date_strong = false;  // no second version has the same date
};

// Of a file, at this moment. The tag is made of its number, length and time of change in
// nanoseconds. The kernel's clock of files stands still for some milliseconds, so a file that has
// been changed within the last second may change once more without another time: its tag is weak
// then, and another one than it will have later.
validators validators_of(const struct ::stat& status);

enum class verdict : std::uint8_t { go_on, not_modified, failed };

// Whether the request is to be done, by If-Match, If-Unmodified-Since, If-None-Match and
// If-Modified-Since, with the precedence of RFC 9110, 13.2.2. Go: checkPreconditions.
verdict check_conditions(const header_map& fields, std::string_view method, const validators& v);

// Whether the field Range counts: there is no If-Range, or it is true. Go: checkIfRange.
bool range_counts(const header_map& fields, const validators& v);

}  // namespace rota::http
