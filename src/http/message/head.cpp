// Parses the heads of requests and answers.
#include "http/message/head.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include <llhttp.h>

#include "http/message/grammar.hpp"

namespace rota::http {

head_scanner::outcome head_scanner::scan(std::string_view text) {
    for (;;) {
        const void* const found = scanned_ < text.size() ? std::memchr(text.data() + scanned_, '\n',
                                                                       text.size() - scanned_)
                                                         : nullptr;
        if (found == nullptr) {
            scanned_ = text.size();
            return outcome::more;
        }
        const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        if (at == line_ || text[at - 1] != '\r') return outcome::malformed;
        const bool is_empty = at == line_ + 1;
        if (!is_empty) {
            const char first = text[line_];
            if (first == ' ' || first == '\t') return outcome::malformed;
            ++lines_;
        }
        line_ = scanned_ = at + 1;
        if (is_empty && lines_ > 0) return outcome::whole;
        if (is_empty) begin_ = line_;
    }
}

namespace {

// --- the request line ----------------------------------------------------------------------------

constexpr int bad_request = 400, version_not_supported = 505;

// "METHOD target HTTP/1.1", with single spaces.
int parse_line(std::string_view line, request_head& head) {
    const std::size_t first = line.find(' ');
    const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
    if (second == line.npos) return bad_request;
    head.method = line.substr(0, first);
    head.target = line.substr(first + 1, second - first - 1);
    const std::string_view version = line.substr(second + 1);
    if (!is_token(head.method) || head.target.empty()) return bad_request;
    head.http_1_1 = version == "HTTP/1.1";
    if (head.http_1_1 || version == "HTTP/1.0") return 0;
    const bool has_form = version.size() == 8 && version.starts_with("HTTP/") &&
                          is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
    return has_form ? version_not_supported : bad_request;
}

}  // namespace

bool split_target(request_head& head) {
    std::string_view rest = head.target;
    if (rest.find('#') != rest.npos) return false;
    // The server answers OPTIONS * by itself. A 200 for CONNECT would begin a tunnel.
    if (rest == "*") return head.method == "OPTIONS";
    if (head.method == "CONNECT" && !rest.starts_with('/')) {
        head.host = rest;
        return is_host(rest);
    }
    if (!rest.starts_with('/')) {
        const std::size_t scheme = rest.find("://");
        if (scheme == rest.npos || !(equal_without_case(rest.substr(0, scheme), "http") ||
                                     equal_without_case(rest.substr(0, scheme), "https")))
            return false;
        rest.remove_prefix(scheme + 3);
        const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
        head.host = rest.substr(0, path);
        if (head.host.empty() || !is_host(head.host)) return false;
        rest.remove_prefix(path);
    }
    const std::size_t mark = rest.find('?');
    head.raw_path = rest.substr(0, mark);
    if (head.raw_path.empty()) head.raw_path = "/";
    if (mark != rest.npos) head.raw_query = rest.substr(mark + 1);
    return true;
}

namespace {

// --- the status line -----------------------------------------------------------------------------

// "HTTP/1.1 200 OK". Go and other servers omit the space if there is no reason; RFC 9112 requires
// it.
bool parse_line(std::string_view line, response_head& head) {
    constexpr std::size_t status_at = 9, status_end = 12;
    head.http_1_1 = line.starts_with("HTTP/1.1 ");
    if (!head.http_1_1 && !line.starts_with("HTTP/1.0 ")) return false;
    if (line.size() < status_end) return false;
    for (std::size_t i = status_at; i < status_end; ++i) {
        if (!is_digit(line[i])) return false;
        head.status = head.status * 10 + (line[i] - '0');
    }
    if (head.status < 100) return false;
    return line.size() == status_end ||
           (line[status_end] == ' ' && is_field_value(line.substr(status_end)));
}

// --- the fields ----------------------------------------------------------------------------------

// The properties of the message that its fields together decide.
struct findings {
    request_head* asked = nullptr;  // the properties of a request alone
    int hosts = 0, codings = 0;
    bool chunked = false, is_other_coding = false, closes = false, keeps = false;
    bool is_other_expectation = false;

    void note(std::string_view name, std::string_view value);
    int verdict(bool has_length);

  private:
    void note_host(std::string_view value);
    void note_expectation(std::string_view value);
};

// The target's authority wins: RFC 9112, 3.2.2.
void findings::note_host(std::string_view value) {
    if (++hosts == 1 && asked->host.empty()) asked->host = value;
    if (!is_host(value)) hosts = 2;
}

void findings::note_expectation(std::string_view value) {
    if (equal_without_case(value, "100-continue")) asked->expects_continue = true;
    else is_other_expectation = true;
}

void findings::note(std::string_view name, std::string_view value) {
    const auto is = [name](std::string_view wanted) { return equal_without_case(name, wanted); };
    switch (name.size()) {
        case 4:
            if (asked != nullptr && is("Host")) note_host(value);
            return;
        case 6:
            if (asked != nullptr && is("Expect")) note_expectation(value);
            return;
        case 10:
            if (!is("Connection")) return;
            closes = closes || has_element(value, "close");
            keeps = keeps || has_element(value, "keep-alive");
            return;
        case 17:
            if (!is("Transfer-Encoding")) return;
            ++codings;
            chunked = equal_without_case(value, "chunked");
            is_other_coding = is_other_coding || !chunked;
            return;
        default: return;
    }
}

// For a request: 0, or the status to reject it with.
int findings::verdict(bool has_length) {
    constexpr int expectation_failed = 417, not_implemented = 501;
    request_head& head = *asked;
    if (hosts > 1 || (hosts == 0 && head.http_1_1)) return bad_request;
    if (codings > 0 && (!head.http_1_1 || has_length)) return bad_request;
    if (is_other_coding) return not_implemented;
    if (codings > 1) return bad_request;
    head.chunked = chunked;
    head.keep_alive = !closes && (head.http_1_1 || keeps);
    // HTTP/1.0 knows no expectations.
    if (!head.http_1_1) head.expects_continue = false;
    else if (is_other_expectation) return expectation_failed;
    if (!head.chunked && head.content_length == 0) head.expects_continue = false;
    return 0;
}

// --- llhttp --------------------------------------------------------------------------------------

// Receives the fields from llhttp. The callbacks are C's: no exception may pass through.
struct collector {
    findings& found;
    field_function field;
    void* to;
    std::string_view name, value;
    std::exception_ptr thrown;
};

constexpr int go_on = 0, give_up = -1;

// A text may come in pieces, which lie one behind the other.
int extend(std::string_view& text, const char* at, std::size_t size) {
    if (text.empty()) text = {at, size};
    else if (text.data() + text.size() == at) text = {text.data(), text.size() + size};
    else return give_up;
    return go_on;
}

int on_name(llhttp_t* parser, const char* at, std::size_t size) {
    return extend(static_cast<collector*>(parser->data)->name, at, size);
}
int on_value(llhttp_t* parser, const char* at, std::size_t size) {
    return extend(static_cast<collector*>(parser->data)->value, at, size);
}

int on_field(llhttp_t* parser) {
    collector& c = *static_cast<collector*>(parser->data);
    if (c.name.empty()) return give_up;
    const std::string_view name = c.name, value = trimmed(c.value);
    c.name = c.value = {};
    c.found.note(name, value);
    try {
        c.field(c.to, name, value);
    } catch (...) {
        c.thrown = std::current_exception();
        return give_up;
    }
    return go_on;
}

// llhttp does not parse the body.
int on_end(llhttp_t*) { return HPE_PAUSED; }

const llhttp_settings_t& settings() {
    static const llhttp_settings_t s = [] {
        llhttp_settings_t made;
        llhttp_settings_init(&made);
        made.on_header_field = on_name;
        made.on_header_value = on_value;
        made.on_header_value_complete = on_field;
        made.on_headers_complete = on_end;
        return made;
    }();
    return s;
}

struct length_found {
    bool is_there = false;
    std::uint64_t value = 0;
};

// Parses the fields, which stand behind `first_line` or its substitute. False: malformed.
bool parse_fields(llhttp_type_t type, std::string_view first_line, std::string_view text,
                  collector& c, length_found& length) {
    llhttp_t parser;
    llhttp_init(&parser, type, &settings());
    parser.data = &c;
    llhttp_execute(&parser, first_line.data(), first_line.size());
    const llhttp_errno_t error = llhttp_execute(&parser, text.data(), text.size());
    if (c.thrown) std::rethrow_exception(c.thrown);
    if (error != HPE_PAUSED || llhttp_get_error_pos(&parser) != text.data() + text.size())
        return false;
    length.is_there = (parser.flags & F_CONTENT_LENGTH) != 0;
    length.value = parser.content_length;
    return length.value <= (std::uint64_t{1} << 63) - 1;
}

// Substitute request lines: llhttp has a list of methods, while any token may be a method here.
// CONNECT has its own form of target.
constexpr std::string_view any_method = "GET ", connect_method = "CONNECT ";

}  // namespace

int parse_head(std::string_view text, request_head& head, field_function field, void* to) {
    head = {};
    const std::string_view line = text.substr(0, text.find('\r'));
    if (const int status = parse_line(line, head)) return status;
    if (!split_target(head)) return bad_request;
    findings found;
    found.asked = &head;
    collector c{found, field, to, {}, {}, {}};
    const bool has_authority = head.method == "CONNECT" && !head.target.starts_with('/');
    const std::string_view stand_in = has_authority ? connect_method : any_method;
    text.remove_prefix(head.method.size() + 1);
    length_found length;
    if (!parse_fields(HTTP_REQUEST, stand_in, text, c, length)) return bad_request;
    head.content_length = length.value;
    return found.verdict(length.is_there);
}

// If there is no body, llhttp is told a status that has a body: its judgement of the fields does
// not depend on the status.
bool parse_head(std::string_view text, response_head& head, field_function field, void* to) {
    head = {};
    const std::size_t line_end = text.find('\r');
    if (!parse_line(text.substr(0, line_end), head)) return false;
    findings found;
    collector c{found, field, to, {}, {}, {}};
    length_found length;
    if (!parse_fields(HTTP_RESPONSE, "HTTP/1.1 200 OK\r\n", text.substr(line_end + 2), c, length))
        return false;
    if (found.codings > 1 || found.is_other_coding) return false;
    if (found.codings > 0 && (!head.http_1_1 || length.is_there)) return false;
    head.chunked = found.chunked;
    head.has_length = length.is_there;
    head.content_length = length.value;
    head.keep_alive = !found.closes && (head.http_1_1 || found.keeps);
    return true;
}

}  // namespace rota::http
