// Parses the head of a request or an answer: with llhttp, and with the checks that every parser
// leaves to its caller.
//
// A head is parsed when it has arrived whole. Until then only its lines are scanned, for the end
// and for faults that no later byte can mend. llhttp checks the fields and the target. The checks
// here ensure that there is one way to read the request line, the length of the body and the host
// (docs/http.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <rota/http.hpp>

namespace rota::http {

// Finds the end of a head that arrives piece by piece. Lines end in CRLF, and no line continues the
// line before it. Empty lines before the first do not count.
class head_scanner {
  public:
    enum class outcome : std::uint8_t { more, whole, malformed };
    void reset() { *this = head_scanner(); }
    // `text`: the bytes that have arrived, with the same beginning as in the last call.
    outcome scan(std::string_view text);

    std::size_t begin() const { return begin_; }  // of the request line
    std::size_t end() const { return line_; }     // behind the head, if it is whole
    bool has_request_line() const { return lines_ > 0; }
    std::size_t lines() const { return lines_; }

  private:
    std::size_t begin_ = 0;
    std::size_t line_ = 0;     // offset; begin of the line whose end has not been found
    std::size_t scanned_ = 0;  // offset; no line ends before it
    std::size_t lines_ = 0;    // lines that are not empty
};

// The properties of a request's head. The views are of the text that was parsed.
struct request_head {
    std::string_view method, target, host;
    std::string_view raw_path;   // of the target, with its escapes; "" of "*" and for CONNECT
    std::string_view raw_query;  // without the question mark
    bool http_1_1 = true;
    bool keep_alive = true;
    bool chunked = false;
    bool expects_continue = false;
    std::uint64_t content_length = 0;
};

// Finds the path and query of a target that has them, and its host if it names one. False: no
// request may have a target of this form.
bool split_target(request_head& head);

// Parses a whole head, from the request line to the empty line. Calls `field` for each field, in
// order. Returns 0, or the status to reject it with. Throws what `field` throws.
using field_function = void (*)(void* to, std::string_view name, std::string_view value);
int parse_head(std::string_view text, request_head& head, field_function field, void* to);

// The properties of an answer's head.
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
