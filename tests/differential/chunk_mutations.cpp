// Changes of chunks and trailers.
#include "mutations.hpp"

#include <cstdio>

namespace rota_differential {

namespace {

using namespace std::string_view_literals;
using text = std::string_view;

// One with data.
chunk& any_chunk(draft& r, dice& d) { return r.chunks[d.below(r.chunks.size() - 1)]; }

void set_size(draft& r, dice& d, text t) {
    chunk& c = any_chunk(r, d);
    c.size = filled_in(t, c.size);
}

void decimal_size(draft& r, dice& d, text) {
    chunk& c = any_chunk(r, d);
    c.size = std::to_string(c.data.size());
}

// The size and 2^64: a sum of 64 bits has the size alone.
void overflowing_size(draft& r, dice& d, text t) {
    chunk& c = any_chunk(r, d);
    const std::size_t zeros = 16 - c.size.size();
    c.size = std::string(t) + std::string(zeros, '0') + c.size;
}

void other_size(draft& r, dice& d, text t) {
    chunk& c = any_chunk(r, d);
    char hex[32];
    const std::size_t n = t == "less" ? c.data.size() - 1 : c.data.size() + 1 + d.below(9);
    std::snprintf(hex, sizeof hex, "%zx", n);
    c.size = hex;
}

void set_extension(draft& r, dice& d, text t) { any_chunk(r, d).extension = t; }
void long_extension(draft& r, dice& d, text) {
    any_chunk(r, d).extension = ";a=" + std::string(300, 'b');
}
void set_size_end(draft& r, dice& d, text t) { any_chunk(r, d).size_end = t; }
void set_data_end(draft& r, dice& d, text t) { any_chunk(r, d).data_end = t; }
void set_last(draft& r, dice&, text t) { r.chunks.back().size = t; }
void set_last_extension(draft& r, dice&, text t) { r.chunks.back().extension = t; }
void set_last_end(draft& r, dice&, text t) { r.chunks.back().size_end = t; }
void set_body_end(draft& r, dice&, text t) { r.body_end = t; }

// An early end, with what was to come behind it.
void early_end(draft& r, dice& d, text t) {
    const auto at = static_cast<std::ptrdiff_t>(d.below(r.chunks.size()));
    r.chunks.insert(r.chunks.begin() + at, {std::string(t), "", "", "\r\n", "\r\n"});
}

void drop_last(draft& r, dice&, text) {
    r.chunks.back() = {};
    r.chunks.back().size_end.clear();
}

void add_trailer(draft& r, dice&, text t) {
    r.trailers.push_back({std::string(t), "", "", "\r\n"});
}
void add_ended_trailer(draft& r, dice&, text t) {
    r.trailers.push_back({std::string(t), "", "", ""});
}

constexpr mutation of_chunks[] = {
    {"size_zeros", set_size, "00%"},
    {"size_sixteen_digits", overflowing_size, ""},
    {"size_many_zeros", set_size, "00000000000000000000%"},
    {"size_overflow", overflowing_size, "1"},
    {"size_overflow_more", overflowing_size, "ffff"},
    {"size_2_63", overflowing_size, "8"},
    {"size_0x", set_size, "0x%"},
    {"size_0X", set_size, "0X%"},
    {"size_plus", set_size, "+%"},
    {"size_minus", set_size, "-%"},
    {"size_space_before", set_size, " %"},
    {"size_tab_before", set_size, "\t%"},
    {"size_space_behind", set_size, "% "},
    {"size_spaces_behind", set_size, "%    "},
    {"size_tab_behind", set_size, "%\t"},
    {"size_vt_behind", set_size, "%\v"},
    {"size_nul_behind", set_size, "%\0"sv},
    {"size_empty", set_size, ""},
    {"size_junk", set_size, "%g"},
    {"size_h", set_size, "%h"},
    {"size_comma", set_size, "%,"},
    {"size_quoted", set_size, "\"%\""},
    {"size_point", set_size, "%.0"},
    {"size_underscore", set_size, "0_%"},
    {"size_high", set_size, "%\xa0"},
    {"size_two_words", set_size, "% %"},
    {"size_empty_line_before", set_size, "\r\n%"},
    {"size_lf_before", set_size, "\n%"},
    {"size_decimal", decimal_size, ""},
    {"size_less", other_size, "less"},
    {"size_more", other_size, "more"},
    {"extension_name", set_extension, ";a"},
    {"extension_value", set_extension, ";a=b"},
    {"extension_quoted", set_extension, ";a=\"b;c\""},
    {"extension_quote_open", set_extension, ";a=\"b"},
    {"extension_quoted_line", set_extension, ";a=\"\r\nb\""},
    {"extension_quoted_escape", set_extension, ";a=\"\\\"\""},
    {"extension_empty", set_extension, ";"},
    {"extension_empty_value", set_extension, ";a="},
    {"extension_two", set_extension, ";a=b;c=d"},
    {"extension_space_before", set_extension, " ;a=b"},
    {"extension_space_behind", set_extension, "; a = b"},
    {"extension_tab", set_extension, ";\ta"},
    {"extension_no_semicolon", set_extension, " a=b"},
    {"extension_lf", set_extension, ";a\nb"},
    {"extension_lf_chunk", set_extension, ";\n0\r\n\r\n"},
    {"extension_cr", set_extension, ";a\rb"},
    {"extension_cr_end", set_extension, ";a\r"},
    {"extension_nul", set_extension, ";a\0b"sv},
    {"extension_control", set_extension, ";a\x01"},
    {"extension_high", set_extension, ";\xc3\xa4"},
    {"extension_bad_name", set_extension, ";(a)=b"},
    {"extension_comma", set_extension, ";a,b"},
    {"extension_long", long_extension, ""},
    {"size_lf", set_size_end, "\n"},
    {"size_cr", set_size_end, "\r"},
    {"size_cr_cr_lf", set_size_end, "\r\r\n"},
    {"size_cr_other", set_size_end, "\rx"},
    {"size_lf_cr", set_size_end, "\n\r"},
    {"size_crlf_crlf", set_size_end, "\r\n\r\n"},
    {"data_end_missing", set_data_end, ""},
    {"data_end_lf", set_data_end, "\n"},
    {"data_end_cr", set_data_end, "\r"},
    {"data_end_other", set_data_end, "xy"},
    {"data_end_cr_other", set_data_end, "\rx"},
    {"data_end_twice", set_data_end, "\r\n\r\n"},
    {"data_end_space", set_data_end, " \r\n"},
    {"data_end_cr_cr_lf", set_data_end, "\r\r\n"},
    {"data_longer", set_data_end, "z\r\n"},
    {"last_zeros", set_last, "000"},
    {"last_many_zeros", set_last, "0000000000000000000000000"},
    {"last_0x0", set_last, "0x0"},
    {"last_minus", set_last, "-0"},
    {"last_empty", set_last, ""},
    {"last_space", set_last, "0 "},
    {"last_extension", set_last_extension, ";a=b"},
    {"last_extension_lf", set_last_extension, ";a\n"},
    {"last_lf", set_last_end, "\n"},
    {"last_cr", set_last_end, "\r"},
    {"last_missing", drop_last, ""},
    {"last_early", early_end, "0"},
    {"last_early_zeros", early_end, "00"},
    {"end_missing", set_body_end, ""},
    {"end_lf", set_body_end, "\n"},
    {"end_cr", set_body_end, "\r"},
    {"end_cr_cr_lf", set_body_end, "\r\r\n"},
    {"end_other", set_body_end, "xy"},
    {"end_space", set_body_end, " \r\n"},
    {"trailer", add_trailer, "X-Z: a"},
    {"trailer_two", add_trailer, "X-Z: a\r\nX-Y: b"},
    {"trailer_empty_value", add_trailer, "X-Z:"},
    {"trailer_length", add_trailer, "Content-Length: 5"},
    {"trailer_coding", add_trailer, "Transfer-Encoding: chunked"},
    {"trailer_host", add_trailer, "Host: other"},
    {"trailer_fold", add_trailer, "X-Z: a\r\n b"},
    {"trailer_fold_first", add_trailer, " X-Z: a"},
    {"trailer_no_colon", add_trailer, "X-Z"},
    {"trailer_name_empty", add_trailer, ": a"},
    {"trailer_name_space", add_trailer, "X-Z : a"},
    {"trailer_name_bad", add_trailer, "X(Z): a"},
    {"trailer_nul", add_trailer, "X-Z: a\0b"sv},
    {"trailer_control", add_trailer, "X-Z: a\x01"},
    {"trailer_bare_cr", add_trailer, "X-Z: a\rb"},
    {"trailer_high", add_trailer, "X-Z: \xff"},
    {"trailer_lf", add_ended_trailer, "X-Z: a\n"},
    {"trailer_request", add_trailer, "GET /smuggled HTTP/1.1"},
};

}  // namespace

std::span<const mutation> chunk_mutations() { return of_chunks; }

}  // namespace rota_differential
