// Changes of Content-Length, and of both framings at once.
#include "mutations.hpp"

#include <cstdio>

namespace rota_differential {

namespace {

using namespace std::string_view_literals;
using text = std::string_view;

constexpr text length = "Content-Length", coding = "Transfer-Encoding";

std::string size_of(const draft& r) { return std::to_string(r.body.size()); }

void set_length(draft& r, dice&, text t) {
    if (field* const f = r.find(length)) f->value = filled_in(t, size_of(r));
}

// The whole line.
void length_line(draft& r, dice&, text t) {
    if (field* const f = r.find(length)) *f = {filled_in(t, size_of(r)), "", "", "\r\n"};
}

// A second line, in front of the first or behind it.
void second_length(draft& r, dice& d, text t) {
    const field more{std::string(length), filled_in(t, size_of(r))};
    if (d.one_in(2)) r.fields.insert(r.fields.begin(), more);
    else r.fields.push_back(more);
}

void hex_length(draft& r, dice& d, text t) {
    char hex[32];
    std::snprintf(hex, sizeof hex, "%zx", r.body.size());
    set_length(r, d, filled_in(t, hex));
}

// 2^64 and the length: a sum of 64 bits has the length alone.
void overflowing_length(draft& r, dice&, text) {
    if (field* const f = r.find(length))
        f->value = "1844674407370" + std::to_string(9551616 + r.body.size());
}

void other_length(draft& r, dice& d, text t) {
    if (field* const f = r.find(length))
        f->value =
            std::to_string(t == "less" ? d.below(r.body.size()) : r.body.size() + 1 + d.below(30));
}

// The body has a length; the coding says that it is in chunks. In half of the cases it is.
void both(draft& r, dice& d, text t) {
    if (d.one_in(2)) {
        r.body = "5\r\nhello\r\n0\r\n\r\n" + std::string(d.one_in(2) ? "" : r.body);
        if (field* const f = r.find(length)) f->value = size_of(r);
    }
    const field more{std::string(t), "", "", "\r\n"};
    if (d.one_in(2)) r.fields.insert(r.fields.begin(), more);
    else r.fields.push_back(more);
}

constexpr mutation of_length[] = {
    {"length_plus", set_length, "+%"},
    {"length_minus", set_length, "-%"},
    {"length_two_words", set_length, "% %"},
    {"length_space_within", set_length, "1 %"},
    {"length_empty", set_length, ""},
    {"length_zeros", set_length, "00%"},
    {"length_many_zeros", set_length, "000000000000000000000000%"},
    {"length_junk", set_length, "%a"},
    {"length_junk_before", set_length, "a%"},
    {"length_semicolon", set_length, "%;a"},
    {"length_point", set_length, "%.0"},
    {"length_exponent", set_length, "%e0"},
    {"length_quoted", set_length, "\"%\""},
    {"length_underscore_within", set_length, "0_%"},
    {"length_list_equal", set_length, "%, %"},
    {"length_list_equal_tight", set_length, "%,%"},
    {"length_list_different", set_length, "%, 1"},
    {"length_list_empty", set_length, "%,"},
    {"length_list_empty_before", set_length, ",%"},
    {"length_hex", hex_length, "0x%"},
    {"length_overflow", overflowing_length, ""},
    {"length_2_63", set_length, "9223372036854775808"},
    {"length_huge", set_length, "99999999999999999999999999"},
    {"length_vt_before", set_length, "\v%"},
    {"length_vt_behind", set_length, "%\v"},
    {"length_nbsp", set_length, "\xa0%"},
    {"length_nul", set_length, "%\0"sv},
    {"length_cr_within", set_length, "%\r"},
    {"length_tabs", set_length, "\t%\t"},
    {"length_less", other_length, "less"},
    {"length_more", other_length, "more"},
    {"length_twice_equal", second_length, "%"},
    {"length_twice_zeros", second_length, "0%"},
    {"length_twice_different", second_length, "1"},
    {"length_twice_empty", second_length, ""},
    {"length_name_case", length_line, "cONTENT-lENGTH: %"},
    {"length_name_underscore", length_line, "Content_Length: %"},
    {"length_name_space", length_line, "Content-Length : %"},
    {"length_name_tab", length_line, "Content-Length\t: %"},
    {"length_name_space_before", length_line, " Content-Length: %"},
    {"length_name_control", length_line,
     "\x01"
     "Content-Length: %"},
    {"length_name_nul", length_line, "Content-Length\0: %"sv},
    {"length_name_two_colons", length_line, "Content-Length:: %"},
    {"length_folded", length_line, "Content-Length:\r\n %"},
    {"length_folded_digits", length_line, "Content-Length: 1\r\n %"},
    {"length_lf", length_line, "Content-Length: %\nX-Z: a"},
    {"both", both, "Transfer-Encoding: chunked"},
    {"both_identity", both, "Transfer-Encoding: identity"},
    {"both_empty", both, "Transfer-Encoding:"},
    {"both_xchunked", both, "Transfer-Encoding: xchunked"},
    {"both_upper", both, "TRANSFER-ENCODING: CHUNKED"},
    {"both_space_before_colon", both, "Transfer-Encoding : chunked"},
    {"both_tab", both, "Transfer-Encoding:\tchunked"},
    {"both_vt", both, "Transfer-Encoding:\vchunked"},
    {"both_folded", both, "Transfer-Encoding:\r\n chunked"},
    {"both_after_lf", both, "X-Z: a\nTransfer-Encoding: chunked"},
    {"both_after_cr", both, "X-Z: a\rTransfer-Encoding: chunked"},
    {"both_underscore", both, "Transfer_Encoding: chunked"},
    {"both_name_nul", both, "Transfer-Encoding\0: chunked"sv},
    {"both_quoted", both, "Transfer-Encoding: \"chunked\""},
    {"both_nbsp", both,
     "Transfer-Encoding: \xa0"
     "chunked"},
    {"both_te", both, "TE: chunked"},
    {"both_lower_space_end", both, "transfer-encoding: chunked \t"},
};

// --- the coding ----------------------------------------------------------------------------------

void set_coding(draft& r, dice&, text t) {
    if (field* const f = r.find(coding)) f->value = t;
}

void coding_line(draft& r, dice&, text t) {
    if (field* const f = r.find(coding)) *f = {std::string(t), "", "", "\r\n"};
}

void second_coding(draft& r, dice& d, text t) {
    const field more{std::string(coding), std::string(t)};
    if (d.one_in(2)) r.fields.insert(r.fields.begin(), more);
    else r.fields.push_back(more);
}

// A length beside the chunks: that of all of them, or another one.
void with_length(draft& r, dice& d, text t) {
    std::size_t all = r.body_end.size();
    for (const chunk& c : r.chunks)
        all += c.size.size() + c.size_end.size() + (c.data.empty() ? 0 : c.data.size() + 2);
    const field more{std::string(length), t == "all" ? std::to_string(all) : std::string(t)};
    if (d.one_in(2)) r.fields.insert(r.fields.begin(), more);
    else r.fields.push_back(more);
}

void in_http_1_0(draft& r, dice& d, text) {
    r.version = "HTTP/1.0";
    if (d.one_in(2)) r.fields.push_back({"Connection", "keep-alive"});
}

constexpr mutation of_coding[] = {
    {"coding_upper", set_coding, "CHUNKED"},
    {"coding_identity", set_coding, "identity"},
    {"coding_identity_behind", set_coding, "chunked, identity"},
    {"coding_identity_before", set_coding, "identity, chunked"},
    {"coding_gzip", set_coding, "gzip, chunked"},
    {"coding_gzip_behind", set_coding, "chunked, gzip"},
    {"coding_twice_in_list", set_coding, "chunked, chunked"},
    {"coding_unknown", set_coding, "xchunked"},
    {"coding_longer", set_coding, "chunkedx"},
    {"coding_cut", set_coding, "chunke"},
    {"coding_empty", set_coding, ""},
    {"coding_quoted", set_coding, "\"chunked\""},
    {"coding_parameter", set_coding, "chunked;q=1"},
    {"coding_comma", set_coding, "chunked,"},
    {"coding_comma_before", set_coding, ",chunked"},
    {"coding_commas", set_coding, ", , chunked, ,"},
    {"coding_tab", set_coding, "\tchunked\t"},
    {"coding_vt_before", set_coding, "\vchunked"},
    {"coding_vt_behind", set_coding, "chunked\v"},
    {"coding_ff", set_coding, "\fchunked"},
    {"coding_nbsp", set_coding,
     "\xa0"
     "chunked"},
    {"coding_nul", set_coding, "chunked\0"sv},
    {"coding_cr", set_coding, "chunked\r"},
    {"coding_space_within", set_coding, "chun ked"},
    {"coding_two_words", set_coding, "x chunked"},
    {"coding_twice", second_coding, "chunked"},
    {"coding_twice_gzip", second_coding, "gzip"},
    {"coding_twice_identity", second_coding, "identity"},
    {"coding_twice_empty", second_coding, ""},
    {"coding_name_case", coding_line, "tRANSFER-eNCODING: chunked"},
    {"coding_name_space", coding_line, "Transfer-Encoding : chunked"},
    {"coding_name_tab", coding_line, "Transfer-Encoding\t: chunked"},
    {"coding_name_space_before", coding_line, " Transfer-Encoding: chunked"},
    {"coding_name_underscore", coding_line, "Transfer_Encoding: chunked"},
    {"coding_name_control", coding_line, "Transfer-Encoding\x01: chunked"},
    {"coding_name_nul", coding_line, "Transfer-Encoding\0: chunked"sv},
    {"coding_name_two_colons", coding_line, "Transfer-Encoding:: chunked"},
    {"coding_folded", coding_line, "Transfer-Encoding:\r\n chunked"},
    {"coding_folded_tab", coding_line, "Transfer-Encoding:\r\n\tchunked"},
    {"coding_folded_list", coding_line, "Transfer-Encoding: chunked\r\n , identity"},
    {"coding_after_lf", coding_line, "X-Z: a\nTransfer-Encoding: chunked"},
    {"coding_after_cr", coding_line, "X-Z: a\rTransfer-Encoding: chunked"},
    {"coding_with_length_all", with_length, "all"},
    {"coding_with_length_0", with_length, "0"},
    {"coding_with_length_5", with_length, "5"},
    {"coding_with_length_bad", with_length, "x"},
    {"coding_in_1_0", in_http_1_0, ""},
};

}  // namespace

std::span<const mutation> length_mutations() { return of_length; }
std::span<const mutation> coding_mutations() { return of_coding; }

}  // namespace rota_differential
