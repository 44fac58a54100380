// Answers with a file: checks the conditions, then sends the whole file or ranges of it. The head
// gives the body's length before any of the file is sent; a shorter file ends the connection.
#include "http/handlers/content.hpp"

#include <algorithm>

#include <sys/random.h>
#include <sys/stat.h>

#include "fd/fd.hpp"
#include "http/handlers/error_pages.hpp"
#include "http/message/conditions.hpp"
#include "http/message/media_type.hpp"
#include "http/message/ranges.hpp"

namespace rota::http {

namespace {

using detail::exchange;

std::string date_text(std::int64_t unix_seconds) {
    char text[date_size];
    format_date(unix_seconds, text);
    return {text, date_size};
}

// Go: writeNotModified.
void answer_not_modified(exchange& x) {
    header_map& h = x.sender.fields;
    for (const char* const each : {"Content-Type", "Content-Length", "Content-Encoding"})
        h.del(each);
    if (h.contains("ETag")) h.del("Last-Modified");
    x.sender.write_header(304);
}

// The value of Content-Type; "" if the file cannot be read. Sniffs if the name tells nothing.
std::string type_of(exchange& x, const served_file& f, std::error_code& error) {
    if (x.sender.fields.contains("Content-Type"))
        return std::string(x.sender.fields.get("Content-Type"));
    const std::string_view known = media_type_of_name(f.name);
    if (!known.empty()) return std::string(known);
    char begin[sniffed_max];
    const std::size_t n = f.file.pread(std::as_writable_bytes(std::span(begin)), 0, error);
    return error ? std::string() : std::string(media_type_of_content({begin, n}));
}

// "bytes 0-9/100".
std::string place_of(const byte_range& r, std::uint64_t size) {
    return "bytes " + std::to_string(r.begin) + "-" + std::to_string(r.begin + r.size - 1) + "/" +
           std::to_string(size);
}

range_set wanted_ranges(const exchange& x, const validators& v, std::uint64_t size) {
    // Only a single field counts: two of them contradict each other.
    const bool is_one =
        std::count_if(x.reader.fields.begin(), x.reader.fields.end(), [](const auto& field) {
            return equal_without_case(field.first, "Range");
        }) == 1;
    if (!is_one || x.reader.head.method != "GET" || !range_counts(x.reader.fields, v)) return {};
    return parse_ranges(x.reader.fields.get("Range"), size);
}

// Random, so that no author of the file can have put it there.
std::string random_boundary() {
    static constexpr char digits[] = "0123456789abcdef";
    unsigned char bits[16] = {};
    (void)::getrandom(bits, sizeof bits, 0);  // the kernel always gives so few bytes at once
    std::string text;
    for (const unsigned char each : bits) {
        text += digits[each >> 4];
        text += digits[each & 15];
    }
    return text;
}

// True: the whole range has been sent.
bool send_range(exchange& x, const served_file& f, const byte_range& r) {
    std::error_code error;  // ends the connection, since the length is not met
    const std::uint64_t n = x.sender.write_file(*f.file.descriptor(), r.begin, r.size, error);
    return !error && n == r.size;
}

void answer_with(exchange& x, const served_file& f, int status, const byte_range& r) {
    x.sender.fields.set("Content-Length", std::to_string(r.size));
    x.sender.write_header(status);
    (void)send_range(x, f, r);
}

void answer_in_parts(exchange& x, const served_file& f, const std::string& type,
                     const std::vector<byte_range>& ranges, std::uint64_t size) {
    const std::string boundary = random_boundary(), end = "\r\n--" + boundary + "--\r\n";
    std::vector<std::string> heads;
    std::uint64_t length = end.size();
    for (const byte_range& r : ranges) {
        heads.push_back((heads.empty() ? "--" : "\r\n--") + boundary + "\r\nContent-Range: " +
                        place_of(r, size) + "\r\nContent-Type: " + type + "\r\n\r\n");
        length += heads.back().size() + r.size;
    }
    x.sender.fields.set("Content-Type", "multipart/byteranges; boundary=" + boundary);
    x.sender.fields.set("Content-Length", std::to_string(length));
    x.sender.write_header(206);
    std::error_code error;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        x.sender.write(heads[i], error);
        if (error || !send_range(x, f, ranges[i])) return;
    }
    x.sender.write(end, error);
}

void answer_unsatisfiable(exchange& x, range_set::outcome what, std::uint64_t size) {
    header_map& h = x.sender.fields;
    for (const char* const each : {"Cache-Control", "Content-Encoding", "ETag", "Last-Modified"})
        h.del(each);
    h.set("Content-Range", "bytes */" + std::to_string(size));
    answer_text(x.outgoing, 416,
                what == range_set::outcome::malformed ? "invalid range\n"
                                                      : "invalid range: failed to overlap\n");
}

}  // namespace

bool has_been_modified(exchange& x, const struct ::stat& status) {
    validators v = validators_of(status);
    v.tag.clear();  // a list of files is made for each request
    if (v.has_date) x.sender.fields.set("Last-Modified", date_text(v.modified));
    if (check_conditions(x.reader.fields, x.reader.head.method, v) != verdict::not_modified)
        return true;
    answer_not_modified(x);
    return false;
}

void serve_content(exchange& x, const served_file& f) {
    header_map& h = x.sender.fields;
    validators v = validators_of(f.status);
    if (h.contains("ETag")) v.tag = h.get("ETag");
    else h.set("ETag", v.tag);
    if (v.has_date) h.set("Last-Modified", date_text(v.modified));
    switch (check_conditions(x.reader.fields, x.reader.head.method, v)) {
        case verdict::failed: return x.sender.write_header(412);
        case verdict::not_modified: return answer_not_modified(x);
        case verdict::go_on: break;
    }
    std::error_code error;
    const std::string type = type_of(x, f, error);
    if (error) return answer_text(x.outgoing, 500, "500 Internal Server Error\n");
    h.set("Content-Type", type);
    h.set("Accept-Ranges", "bytes");
    const auto size = static_cast<std::uint64_t>(f.status.st_size);
    const range_set wanted = wanted_ranges(x, v, size);
    switch (wanted.what) {
        case range_set::outcome::whole: return answer_with(x, f, 200, {0, size});
        case range_set::outcome::some: break;
        default: return answer_unsatisfiable(x, wanted.what, size);
    }
    if (wanted.ranges.size() > 1) return answer_in_parts(x, f, type, wanted.ranges, size);
    h.set("Content-Range", place_of(wanted.ranges.front(), size));
    answer_with(x, f, 206, wanted.ranges.front());
}

}  // namespace rota::http
