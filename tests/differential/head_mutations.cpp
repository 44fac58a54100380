// Changes of the request line and of fields that do not frame the body.
#include "mutations.hpp"

namespace rota_differential {

namespace {

using namespace std::string_view_literals;
using text = std::string_view;

// --- the request line ----------------------------------------------------------------------------

void set_method(draft& r, dice&, text t) { r.method = t; }
void set_target(draft& r, dice&, text t) { r.target = t; }
void set_version(draft& r, dice&, text t) { r.version = t; }
void set_space_1(draft& r, dice&, text t) { r.space_1 = t; }
void set_space_2(draft& r, dice&, text t) { r.space_2 = t; }
void set_line_end(draft& r, dice&, text t) { r.line_end = t; }
void set_before(draft& r, dice&, text t) { r.before = t; }

void drop_version(draft& r, dice&, text) {
    r.space_2.clear();
    r.version.clear();
}

void connect(draft& r, dice&, text t) {
    r.method = "CONNECT";
    r.target = t;
}

void options(draft& r, dice&, text t) {
    r.method = "OPTIONS";
    r.target = t;
}

// As a client of HTTP/2 begins.
void preface(draft& r, dice&, text) {
    r.method = "PRI";
    r.target = "*";
    r.version = "HTTP/2.0";
    r.fields.clear();
    r.framed = framing::length;
    r.body = "SM\r\n\r\n";
}

constexpr mutation of_line[] = {
    {"method_lower", set_method, "get"},
    {"method_odd_token", set_method, "M!#$%&'*+-.^_`|~9"},
    {"method_unknown", set_method, "FROBNICATE"},
    {"method_webdav", set_method, "PROPFIND"},
    {"method_trace", set_method, "TRACE"},
    {"method_bad_character", set_method, "GE:T"},
    {"method_control", set_method, "G\x01T"},
    {"method_nul", set_method, "G\0T"sv},
    {"method_high", set_method, "G\xe9T"},
    {"method_empty", set_method, ""},
    {"method_head", set_method, "HEAD"},
    {"target_absolute", set_target, "http://other/a?b"},
    {"target_absolute_https", set_target, "https://other:443/a"},
    {"target_absolute_upper", set_target, "HTTP://OTHER/a"},
    {"target_absolute_no_path", set_target, "http://other"},
    {"target_absolute_query", set_target, "http://other?b"},
    {"target_absolute_user", set_target, "http://u:p@other/a"},
    {"target_absolute_no_host", set_target, "http:///a"},
    {"target_absolute_port", set_target, "http://other:x/a"},
    {"target_absolute_ipv6", set_target, "http://[::1]:80/a"},
    {"target_other_scheme", set_target, "ftp://other/a"},
    {"target_authority", set_target, "other:80"},
    {"target_asterisk", set_target, "*"},
    {"target_options_asterisk", options, "*"},
    {"target_connect", connect, "other:443"},
    {"target_connect_no_port", connect, "other"},
    {"target_connect_path", connect, "/a"},
    {"target_connect_absolute", connect, "http://other/a"},
    {"target_connect_asterisk", connect, "*"},
    {"target_empty", set_target, ""},
    {"target_relative", set_target, "a/b"},
    {"target_two_slashes", set_target, "//other/a"},
    {"target_dots", set_target, "/a/../../b/./c"},
    {"target_fragment", set_target, "/a#b"},
    {"target_space", set_target, "/a b"},
    {"target_tab", set_target, "/a\tb"},
    {"target_control", set_target, "/a\x01"},
    {"target_del", set_target, "/a\x7f"},
    {"target_nul", set_target, "/a\0b"sv},
    {"target_high", set_target, "/\xc3\xa4"},
    {"target_high_alone", set_target, "/\xff"},
    {"target_bad_escape", set_target, "/a%zz"},
    {"target_cut_escape", set_target, "/a%2"},
    {"target_bad_escape_query", set_target, "/a?b=%zz"},
    {"target_backslash", set_target, "\\a\\b"},
    {"target_backslash_within", set_target, "/a\\..\\b"},
    {"target_odd_characters", set_target, "/\"<>^`{|}"},
    {"target_bare_cr", set_target, "/a\rb"},
    {"target_question", set_target, "?a"},
    {"version_1_2", set_version, "HTTP/1.2"},
    {"version_2_0", set_version, "HTTP/2.0"},
    {"version_0_9", set_version, "HTTP/0.9"},
    {"version_1_10", set_version, "HTTP/1.10"},
    {"version_01_1", set_version, "HTTP/01.1"},
    {"version_lower", set_version, "http/1.1"},
    {"version_junk", set_version, "HTTP/1.1x"},
    {"version_comma", set_version, "HTTP/1,1"},
    {"version_no_minor", set_version, "HTTP/1"},
    {"version_other", set_version, "RTSP/1.0"},
    {"version_ice", set_version, "ICE/1.0"},
    {"version_1_0", set_version, "HTTP/1.0"},
    {"version_missing", drop_version, ""},
    {"preface_of_http2", preface, ""},
    {"spaces_1", set_space_1, "  "},
    {"spaces_2", set_space_2, "  "},
    {"tab_1", set_space_1, "\t"},
    {"tab_2", set_space_2, "\t"},
    {"form_feed_1", set_space_1, "\f"},
    {"line_space_end", set_line_end, " \r\n"},
    {"line_lf", set_line_end, "\n"},
    {"line_cr", set_line_end, "\r"},
    {"line_cr_cr_lf", set_line_end, "\r\r\n"},
    {"line_twice_end", set_line_end, "\r\n\r\n"},
    {"before_crlf", set_before, "\r\n"},
    {"before_crlf_four", set_before, "\r\n\r\n\r\n\r\n"},
    {"before_lf", set_before, "\n"},
    {"before_cr", set_before, "\r"},
    {"before_space", set_before, " "},
    {"before_nul", set_before, "\0"sv},
    {"before_bom", set_before, "\xef\xbb\xbf"},
};

// --- fields --------------------------------------------------------------------------------------

// A line of its own, as it is.
void add_line(draft& r, dice& d, text t) {
    const auto at = static_cast<std::ptrdiff_t>(d.below(r.fields.size() + 1));
    r.fields.insert(r.fields.begin() + at, {std::string(t), "", "", "\r\n"});
}

void add_first_line(draft& r, dice&, text t) {
    r.fields.insert(r.fields.begin(), {std::string(t), "", "", "\r\n"});
}

// With an end of its own.
void add_ended(draft& r, dice& d, text t) {
    add_line(r, d, t);
    for (field& f : r.fields)
        if (f.name == t) f.end.clear();
}

void set_host(draft& r, dice&, text t) {
    if (field* const f = r.find("Host")) f->value = t;
}

void drop_host(draft& r, dice&, text) {
    std::erase_if(r.fields, [](const field& f) { return f.name == "Host"; });
}

void second_host(draft& r, dice&, text t) {
    const field* const f = r.find("Host");
    const std::string value = t == "%" && f != nullptr ? f->value : std::string(t);
    r.fields.push_back({"Host", value});
}

void host_line(draft& r, dice&, text t) {
    if (field* const f = r.find("Host")) *f = {std::string(t), "", "", "\r\n"};
}

void add_body_expectation(draft& r, dice& d, text t) {
    add_line(r, d, t);
    if (r.framed != framing::none) return;
    r.framed = framing::length;
    r.body = "hello";
    r.fields.push_back({"Content-Length", "5"});
}

void set_head_end(draft& r, dice&, text t) { r.head_end = t; }

constexpr mutation of_fields[] = {
    {"host_missing", drop_host, ""},
    {"host_twice_equal", second_host, "%"},
    {"host_twice_different", second_host, "other"},
    {"host_empty", set_host, ""},
    {"host_space", set_host, "a b"},
    {"host_slash", set_host, "a/b"},
    {"host_user", set_host, "u@a"},
    {"host_comma", set_host, "a, b"},
    {"host_port_text", set_host, "a:x"},
    {"host_port_empty", set_host, "a:"},
    {"host_port_large", set_host, "a:99999"},
    {"host_two_ports", set_host, "a:80:80"},
    {"host_bracket_open", set_host, "[::1"},
    {"host_zone", set_host, "[fe80::1%25eth0]"},
    {"host_ipv6_bare", set_host, "::1"},
    {"host_high", set_host, "\xc3\xa4"},
    {"host_underscore", set_host, "a_b"},
    {"host_backslash", set_host, "a\\b"},
    {"host_escape", set_host, "a%62"},
    {"host_odd_characters", set_host, "a!$&'()*+;="},
    {"host_tab_separator", host_line, "Host\t: a"},
    {"host_space_separator", host_line, "Host : a"},
    {"value_bare_cr", add_line, "X-Z: a\rb"},
    {"value_cr_end", add_line, "X-Z: a\r"},
    {"value_nul", add_line, "X-Z: a\0b"sv},
    {"value_control", add_line, "X-Z: a\x01"},
    {"value_del", add_line, "X-Z: a\x7f"},
    {"value_vt", add_line, "X-Z: a\vb"},
    {"value_ff", add_line, "X-Z: \f"},
    {"value_high", add_line, "X-Z: \x80\xff"},
    {"value_long", add_line,
     "X-Z: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    {"value_cr_then_coding", add_line, "X-Z: a\rTransfer-Encoding: chunked"},
    {"value_lf_then_coding", add_line, "X-Z: a\nTransfer-Encoding: chunked"},
    {"value_lf_then_length", add_line, "X-Z: a\nContent-Length: 5"},
    {"fold_space", add_line, "X-Z: a\r\n b"},
    {"fold_tab", add_line, "X-Z: a\r\n\tb"},
    {"fold_empty", add_line, "X-Z:\r\n b"},
    {"fold_first", add_first_line, " X-Z: a"},
    {"fold_blank_line", add_line, "X-Z: a\r\n "},
    {"name_space_within", add_line, "X Z: a"},
    {"name_space_before_colon", add_line, "X-Z : a"},
    {"name_tab_before_colon", add_line, "X-Z\t: a"},
    {"name_empty", add_line, ": a"},
    {"name_no_colon", add_line, "X-Z"},
    {"name_odd_token", add_line, "X!#$%&'*+-.^_`|~9: a"},
    {"name_bad_character", add_line, "X(Z): a"},
    {"name_slash", add_line, "X/Z: a"},
    {"name_quote", add_line, "\"X\": a"},
    {"name_brace", add_line, "{X}: a"},
    {"name_at", add_line, "X@Z: a"},
    {"name_high", add_line, "X\xc3\xa4: a"},
    {"name_nul", add_line, "X\0: a"sv},
    {"name_control", add_line, "X\x01: a"},
    {"name_cr", add_line, "X\rY: a"},
    {"name_twice", add_line, "X-Z: a\r\nX-Z: b"},
    {"name_upper_lower", add_line, "x-z: a\r\nX-Z: b"},
    {"field_lf", add_ended, "X-Z: a\n"},
    {"field_cr", add_ended, "X-Z: a\r"},
    {"field_cr_cr_lf", add_ended, "X-Z: a\r\r\n"},
    {"field_lf_cr", add_ended, "X-Z: a\n\r"},
    {"head_end_lf", set_head_end, "\n"},
    {"head_end_cr", set_head_end, "\r"},
    {"head_end_cr_cr_lf", set_head_end, "\r\r\n"},
    {"head_end_missing", set_head_end, ""},
    {"connection_close", add_line, "Connection: close"},
    {"connection_close_in_list", add_line, "Connection: x, CLOSE"},
    {"connection_close_and_keep", add_line, "Connection: keep-alive, close"},
    {"connection_twice", add_line, "Connection: keep-alive\r\nConnection: close"},
    {"connection_names_length", add_line, "Connection: Content-Length"},
    {"connection_names_coding", add_line, "Connection: Transfer-Encoding"},
    {"connection_closed_word", add_line, "Connection: closed"},
    {"connection_empty", add_line, "Connection:"},
    {"connection_proxy", add_line, "Proxy-Connection: close"},
    {"upgrade_websocket", add_line, "Connection: Upgrade\r\nUpgrade: websocket"},
    {"upgrade_alone", add_line, "Upgrade: websocket"},
    {"upgrade_h2c", add_line,
     "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk"},
    {"expect_continue", add_body_expectation, "Expect: 100-continue"},
    {"expect_continue_upper", add_body_expectation, "Expect: 100-CONTINUE"},
    {"expect_continue_no_body", add_line, "Expect: 100-continue"},
    {"expect_unknown", add_body_expectation, "Expect: else"},
    {"expect_empty", add_body_expectation, "Expect:"},
    {"expect_twice", add_body_expectation, "Expect: 100-continue\r\nExpect: 100-continue"},
    {"expect_list", add_body_expectation, "Expect: 100-continue, else"},
};

// --- any byte ------------------------------------------------------------------------------------

void add_noise(draft& r, dice& d, text t) {
    const auto how = d.one_in(2) ? noise::what::insert : noise::what::replace;
    r.noises.push_back({how, t.front(), d.next()});
}
void remove_byte(draft& r, dice& d, text) {
    r.noises.push_back({noise::what::remove, 0, d.next()});
}
void repeat_byte(draft& r, dice& d, text) {
    r.noises.push_back({noise::what::repeat, 0, d.next()});
}
void cut(draft& r, dice& d, text) { r.cut_at = d.next() | 1; }

constexpr mutation of_text[] = {
    {"noise_nul", add_noise, "\0"sv},
    {"noise_lf", add_noise, "\n"},
    {"noise_cr", add_noise, "\r"},
    {"noise_space", add_noise, " "},
    {"noise_tab", add_noise, "\t"},
    {"noise_colon", add_noise, ":"},
    {"noise_comma", add_noise, ","},
    {"noise_digit", add_noise, "1"},
    {"noise_high", add_noise, "\xa0"},
    {"noise_control", add_noise, "\x0b"},
    {"noise_removed", remove_byte, ""},
    {"noise_repeated", repeat_byte, ""},
    {"cut", cut, ""},
};

}  // namespace

std::span<const mutation> line_mutations() { return of_line; }
std::span<const mutation> field_mutations() { return of_fields; }
std::span<const mutation> text_mutations() { return of_text; }

}  // namespace rota_differential
