// The head of a request or an answer: what llhttp makes of it, and what every parser leaves to its
// caller.
//
// The head is parsed when all of it has come. Until then only its lines are looked at, for the end
// and for what can never become right. llhttp checks the fields and the target; that there is one
// way to read the request line, the length of the body and the host is checked here (docs/http.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <rota/http.hpp>

namespace rota::http {

// Finds the end of a head that comes piece by piece. Lines end in CRLF, no line is a continuation
// of the one before; empty lines before the first one do not count.
class head_scanner {
  public:
    enum class outcome : std::uint8_t { more, whole, malformed };
    void reset() { *this = head_scanner(); }
    // `text` is what has come, from the same beginning as the last time.
    outcome scan(std::string_view text);

    std::size_t begin() const { return begin_; }  // of the request line
    std::size_t end() const { return line_; }     // if it is whole: behind it
    bool has_request_line() const { return lines_ > 0; }
    std::size_t lines() const { return lines_; }

  private:
    std::size_t begin_ = 0;
    std::size_t line_ = 0;     // where the line begins whose end has not been found
    std::size_t scanned_ = 0;  // no line ends before this
    std::size_t lines_ = 0;    // that are not empty
};

// What a head says. The views are of the text that was parsed.
struct request_head {
    std::string_view method, target, host;
    std::string_view raw_path;   // of the target, escapes and all; "" of "*" and for CONNECT
    std::string_view raw_query;  // without the question mark
    bool http_1_1 = true;
    bool keep_alive = true;
    bool chunked = false;
    bool expects_continue = false;
    std::uint64_t content_length = 0;
};

// Finds path and query of a target that has them; its host, if it names one. False: it is of no
// form that a request may have.
bool split_target(request_head& head);

// Parses a whole head, from the request line to the empty line. Calls `field` for each field, in
// order. Returns 0, or the status to reject it with. Throws what `field` throws.
using field_function = void (*)(void* to, std::string_view name, std::string_view value);
int parse_head(std::string_view text, request_head& head, field_function field, void* to);

// What the head of an answer says.
struct response_head {
    int status = 0;
    bool http_1_1 = true;
    bool keep_alive = true;
    bool chunked = false;
    bool has_length = false;
    std::uint64_t content_length = 0;
};

// The same for the head of an answer. False: it is malformed.
bool parse_head(std::string_view text, response_head& head, field_function field, void* to);

}  // namespace rota::http
