// The states of chunk_decoder, which takes chunked bodies apart.
#include "http/message/chunked.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "http/message/grammar.hpp"

namespace rota::http {

namespace {

constexpr std::uint64_t overhead_max = 16 * 1024;

bool is_control(char c) {
    const auto u = static_cast<unsigned char>(c);
    return (u < 0x20 && c != '\t') || u == 0x7f;
}

}  // namespace

void chunk_decoder::reset(std::size_t trailer_max, std::string* trailers) {
    *this = chunk_decoder();
    trailer_left_ = trailer_max;
    trailers_ = trailers;
}

chunk_decoder::step chunk_decoder::decode(const char* from, std::size_t size, char* to,
                                          std::size_t room) {
    step s{0, 0, outcome::more};
    while (s.consumed < size && state_ != state::done && state_ != state::malformed) {
        if (state_ != state::data) {
            state_ = on_framing(from[s.consumed++]);
            continue;
        }
        const std::uint64_t there = std::min(size - s.consumed, room - s.produced);
        const auto n = static_cast<std::size_t>(std::min(there, left_));
        if (n == 0) break;
        std::memcpy(to + s.produced, from + s.consumed, n);
        s.consumed += n;
        s.produced += n;
        left_ -= n;
        if (left_ == 0) state_ = state::data_cr;
    }
    if (state_ == state::done) s.what = outcome::done;
    if (state_ == state::malformed) s.what = outcome::malformed;
    return s;
}

chunk_decoder::state chunk_decoder::on_framing(char c) {
    switch (state_) {
        case state::first_digit:
        case state::digits:
        case state::extension: return on_size(c);
        case state::size_lf: return c == '\n' ? end_size() : state::malformed;
        case state::data_cr: return c == '\r' ? state::data_lf : state::malformed;
        case state::data_lf: return c == '\n' ? state::first_digit : state::malformed;
        default: return on_trailer(c);
    }
}

chunk_decoder::state chunk_decoder::on_size(char c) {
    constexpr std::uint8_t digits_max = 16;
    ++overhead_;
    if (state_ == state::extension) {
        if (c == '\r') return state::size_lf;
        // an extension has no limit of its own
        if (overhead_ > overhead_max + allowed_overhead()) return state::malformed;
        return is_control(c) ? state::malformed : state::extension;
    }
    if (const int digit = hex_value(c); digit >= 0) {
        if (state_ == state::first_digit) left_ = digits_ = 0;
        if (++digits_ > digits_max) return state::malformed;
        left_ = left_ << 4 | static_cast<unsigned>(digit);
        return state::digits;
    }
    if (state_ == state::first_digit) return state::malformed;
    if (c == '\r') return state::size_lf;
    return c == ';' ? state::extension : state::malformed;
}

// The overhead that a chunk of this size may have.
std::uint64_t chunk_decoder::allowed_overhead() const {
    constexpr std::uint64_t usual = 16;
    return usual + std::min(left_, overhead_max) * 2;
}

// Tiny chunks with long extensions make the server work for nothing. Go: chunkedReader.excess.
chunk_decoder::state chunk_decoder::end_size() {
    if (left_ > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return state::malformed;
    const std::uint64_t allowed = allowed_overhead();
    overhead_ = overhead_ > allowed ? overhead_ - allowed : 0;
    if (overhead_ > overhead_max) return state::malformed;
    return left_ == 0 ? state::line_begin : state::data;
}

chunk_decoder::state chunk_decoder::on_trailer(char c) {
    constexpr std::size_t field_cost = 32;
    if (state_ == state::line_lf) {
        if (c != '\n') return state::malformed;
        if (trailers_ != nullptr) trailers_->append("\r\n");
        return state::line_begin;
    }
    if (state_ == state::last_lf) return c == '\n' ? state::done : state::malformed;
    if (state_ == state::line_begin && c == '\r') return state::last_lf;
    const std::size_t cost = state_ == state::line_begin ? 1 + field_cost : 1;
    if (trailer_left_ < cost) return state::malformed;
    trailer_left_ -= cost;
    if (trailers_ != nullptr && c != '\r') trailers_->push_back(c);
    if (state_ == state::value) {
        if (c == '\r') return state::line_lf;
        return is_control(c) ? state::malformed : state::value;
    }
    if (state_ == state::name && c == ':') return state::value;
    return is_token_char(c) ? state::name : state::malformed;
}

}  // namespace rota::http
