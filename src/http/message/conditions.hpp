// Validators of a file, and the conditions in a request that refer to them. RFC 9110 section 13.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rota/http.hpp>

struct stat;

namespace rota::http {

// The tag and the date, which tell two versions of a file apart.
struct validators {
    std::string tag;            // with its quotes, and W/ before them if it is weak; "": none
    std::int64_t modified = 0;  // in seconds since 1970
    bool has_date = false;
    bool is_date_strong = false;  // no second version has the same date
};

// The validators of a file at this moment. The tag is made of its length and its time of change in
// nanoseconds. The kernel's clock for files stands still for some milliseconds. So a file changed
// within the last second may change again and keep its time: its tag is weak then, and differs from
// its later tag.
validators validators_of(const struct ::stat& status);

enum class verdict : std::uint8_t { go_on, not_modified, failed };

// Whether the request is to be done, by If-Match, If-Unmodified-Since, If-None-Match and
// If-Modified-Since, with the precedence of RFC 9110, 13.2.2. Go: checkPreconditions.
verdict check_conditions(const header_map& fields, std::string_view method, const validators& v);

// Whether the field Range counts: If-Range is absent, or true. Go: checkIfRange.
bool range_counts(const header_map& fields, const validators& v);

}  // namespace rota::http
