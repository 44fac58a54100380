// chunk_decoder takes a body in chunks apart: RFC 9112, 7.1, without its indulgences.
//
// A size is one to sixteen hexadecimal digits, followed by CRLF or an extension. Lines end in CRLF.
// Trailers are checked, and kept unchanged for a caller that asks. If a machine in front of this
// one reads a message differently, the two could be made to see different ends of it: so whatever
// is unusual is malformed. llhttp does not do this work: it accepts some of these liberties, and
// ties the body to its reading of `Upgrade` and CONNECT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rota::http {

class chunk_decoder {
  public:
    enum class outcome : std::uint8_t { more, done, malformed };
    struct step {
        std::size_t consumed;  // bytes of the input
        std::size_t produced;  // bytes of the body
        outcome what;
    };

    // Prepares for a body. `trailer_max`: bytes of trailers, each counted with 32 bytes more than
    // its text. The lines are appended to `trailers`, unless it is null.
    void reset(std::size_t trailer_max, std::string* trailers = nullptr);

    // Decodes until `from` is used up, `to` is full, or the body ends; takes nothing behind the
    // end. Throws std::bad_alloc, only for trailers that are kept.
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
    std::uint64_t left_ = 0;      // bytes of the chunk
    std::uint64_t overhead_ = 0;  // bytes of sizes and extensions beyond the usual
    std::size_t trailer_left_ = 0;
    std::string* trailers_ = nullptr;
};

}  // namespace rota::http
