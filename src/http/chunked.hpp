// A body in chunks, taken apart: RFC 9112, 7.1, without its indulgences.
//
// A size is one to sixteen hexadecimal digits, followed by CRLF or an extension; lines end in CRLF;
// trailers are checked, and kept as they are for who asks. Whoever in front of us reads a message
// in another way than we do could be made to see another end of it, so whatever is unusual is
// malformed. It is our own and not llhttp's, which takes up some of these liberties and ties the
// body to what it has made of `Upgrade` and CONNECT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rota::http {

class chunk_decoder {
  public:
    enum class outcome : std::uint8_t { more, done, malformed };
    struct step {
        std::size_t consumed;  // of the input
        std::size_t produced;  // bytes of the body
        outcome what;
    };

    // Ready for a body whose trailers may have so many bytes, each counted with 32 bytes more than
    // it has. Their lines are appended to `trailers`, if there is one.
    void reset(std::size_t trailer_max, std::string* trailers = nullptr);

    // Takes from `from` until it is used up, `to` is full, or the body ends; behind the end nothing
    // is taken. Throws std::bad_alloc, for trailers that are kept.
    step decode(const char* from, std::size_t size, char* to, std::size_t room);

  private:
    enum class state : std::uint8_t {
        first_digit,
        digits,
        extension,
        size_lf,
        data,
        data_cr,
        data_lf,
        line_begin,  // of a trailer, or of the empty line
        name,
        value,
        line_lf,
        last_lf,
        done,
        malformed,
    };
    state on_framing(char c);
    state on_size(char c);
    state end_size();
    std::uint64_t allowed_overhead() const;
    state on_trailer(char c);

    state state_ = state::first_digit;
    std::uint8_t digits_ = 0;
    std::uint64_t left_ = 0;      // of the chunk
    std::uint64_t overhead_ = 0;  // what sizes and extensions have beyond what is usual
    std::size_t trailer_left_ = 0;
    std::string* trailers_ = nullptr;
};

}  // namespace rota::http
