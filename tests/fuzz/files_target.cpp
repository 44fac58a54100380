// What a request for a file may say.
#include <string>

#include "http/handlers/listing.hpp"
#include "http/message/conditions.hpp"
#include "http/message/date.hpp"
#include "http/message/grammar.hpp"
#include "http/message/media_type.hpp"
#include "http/message/ranges.hpp"
#include "targets.hpp"

namespace rota_fuzz {

namespace http = rota::http;

namespace {

void check_ranges(std::string_view field) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{1} << 40}) {
        const http::range_set set = http::parse_ranges(field, size);
        require((set.what == http::range_set::outcome::some) == !set.ranges.empty(),
                "there are ranges, or there are none");
        std::uint64_t sum = 0;
        for (const http::byte_range& r : set.ranges) {
            require(r.size > 0 && r.begin < size && r.size <= size - r.begin,
                    "a range lies in the file");
            sum += r.size;
        }
        require(sum <= size && set.ranges.size() <= 100, "ranges are bounded");
    }
}

void check_date(std::string_view text) {
    const auto date = http::parse_date(text);
    if (!date || *date < 0) return;
    char written[http::date_size];
    http::format_date(*date, written);
    require(http::parse_date({written, sizeof written}) == *date, "a date that is written is read");
}

}  // namespace

void files(std::string_view input) {
    check_ranges(input);
    check_date(input);
    const std::string_view type = http::media_type_of_content(input);
    require(
        !type.empty() && type == http::media_type_of_content(input.substr(0, http::sniffed_max)),
        "the first bytes tell the type");
    (void)http::media_type_of_name(input);
    require(http::unescaped(http::escaped_segment(input)).ends_with(input),
            "an escaped name stands for itself");
    const std::string_view name = take(input, '\n');
    http::header_map fields;
    for (const char* const each :
         {"If-Match", "If-None-Match", "If-Range", "If-Modified-Since", "If-Unmodified-Since"}) {
        const std::string_view line = take(input, '\n');
        if (!line.empty() && http::is_field_value(line)) fields.add(each, line);
    }
    const http::validators v{std::string("\"") + "tag" + "\"", 784111777, true, true};
    const auto verdict = http::check_conditions(fields, name.empty() ? "GET" : name, v);
    require(!fields.empty() || verdict == http::verdict::go_on, "who asks for nothing is served");
    (void)http::range_counts(fields, v);
}

}  // namespace rota_fuzz
