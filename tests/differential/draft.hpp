// A request in parts, so that a mutation can change one part and leave the rest as it was.
//
// `draft::text` writes the parts one behind the other and checks nothing: the bytes that a mutation
// has put into a part reach the servers unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rota_differential {

// A generator of numbers (splitmix64): the same seed gives the same numbers on every machine.
class dice {
  public:
    explicit dice(std::uint64_t seed) noexcept : state_(seed) {}
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) noexcept { return static_cast<std::size_t>(next() % n); }
    bool one_in(std::size_t n) noexcept { return below(n) == 0; }
    template <std::size_t N>
    std::string_view pick(const std::string_view (&from)[N]) noexcept {
        return from[below(N)];
    }

  private:
    std::uint64_t state_;
};

struct field {
    std::string name, value;
    std::string separator = ": ", end = "\r\n";
    std::string text() const { return name + separator + value + end; }
};

struct chunk {
    std::string size, extension, data;
    std::string size_end = "\r\n", data_end = "\r\n";
};

// How the body of a request is framed.
enum class framing : std::uint8_t { none, length, chunks };

// A change of one byte of the text, at a random place.
struct noise {
    enum class what : std::uint8_t { insert, replace, remove, repeat } how;
    char byte;
    std::uint64_t place;  // modulo the length of the text
};

struct draft {
    framing framed = framing::none;
    std::string before;  // in front of the request line
    std::string method, target, version = "HTTP/1.1";
    std::string space_1 = " ", space_2 = " ", line_end = "\r\n";
    std::vector<field> fields;
    std::string head_end = "\r\n";
    std::string body;           // of framing::length
    std::vector<chunk> chunks;  // of framing::chunks; the last chunk has the size 0 and no data
    std::vector<field> trailers;
    std::string body_end = "\r\n";
    std::vector<noise> noises;
    // modulo the length: the number of bytes that are sent; 0: the whole text
    std::uint64_t cut_at = 0;

    // The first field of that name; null if there is none.
    field* find(std::string_view name);
    std::string text() const;
};

// A correct request that is framed in this way.
draft make_draft(framing framed, dice& d);

}  // namespace rota_differential
