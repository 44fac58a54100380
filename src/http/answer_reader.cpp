// Reading answers.
#include "http/answer_reader.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "http/grammar.hpp"

namespace rota::http::detail {

namespace {

constexpr int switching_protocols = 101, ok = 200, no_content = 204, not_modified = 304;
// An answer may be announced, and announced again, but not for ever.
constexpr int interim_max = 16;
constexpr std::size_t field_cost = 32, trailer_max = 64 * 1024;

// Room behind `used` bytes of a body. What a server promises is no reason to reserve as much.
void make_room(std::string& body, std::size_t used, std::uint64_t promised) {
    constexpr std::size_t first = 1024, trusted = 64 * 1024;
    if (used < body.size()) return;
    const auto believed = static_cast<std::size_t>(std::min<std::uint64_t>(promised, trusted));
    body.resize(used + std::max(believed != 0 ? believed : first, used));
}

struct field_sink {
    header_map& fields;
    bool is_malformed = false;
};

// llhttp has judged them; what it lets pass and our own maps do not is malformed too.
void keep_field(void* to, std::string_view name, std::string_view value) {
    field_sink& sink = *static_cast<field_sink*>(to);
    if (is_token(name) && is_field_value(value)) sink.fields.add(name, value);
    else sink.is_malformed = true;
}

}  // namespace

void answer_reader::read(response& to, std::error_code& error) {
    to.body.clear();
    c_.in.settle();
    read_final_head(to.headers, error);
    if (error) return;
    to.status = head_.status;
    read_body(to.body, error);
}

bool answer_reader::has_body() const {
    return !to_head_ && head_.status >= ok && head_.status != no_content &&
           head_.status != not_modified;
}

bool answer_reader::keeps_connection() const {
    if (!head_.keep_alive || !c_.in.is_empty() || head_.status < ok) return false;
    if (has_body()) return head_.chunked || head_.has_length;
    // A body that must not be there may come all the same.
    return head_.status != no_content || (!head_.chunked && head_.content_length == 0);
}

// False at the end, and on errors. EINTR is not seen here.
bool answer_reader::fill(std::error_code& error) {
    const std::size_t n = c_.wire.read(c_.in.room(), error);
    c_.in.filled(n);
    has_begun_ = has_begun_ || n != 0;
    return n != 0;
}

// --- the head ------------------------------------------------------------------------------------

void answer_reader::read_final_head(header_map& fields, std::error_code& error) {
    for (int interim = 0; interim <= interim_max; ++interim) {
        fields = header_map();
        read_head(fields, error);
        if (error || head_.status >= ok || head_.status == switching_protocols) return;
    }
    error = http_errc::malformed_response;
}

void answer_reader::read_head(header_map& fields, std::error_code& error) {
    using outcome = head_scanner::outcome;
    input_buffer& in = c_.in;
    scanner_.reset();
    outcome seen = outcome::more;
    while ((seen = scanner_.scan(in.unread())) == outcome::more) {
        if (scanner_.begin() != 0) break;
        if (in.unread().size() >= head_left_) {
            error = http_errc::response_too_large;
            return;
        }
        if (fill(error)) continue;
        if (error) return;
        error = has_begun_ ? http_errc::incomplete_response : http_errc::server_closed;
        return;
    }
    if (seen != outcome::whole || scanner_.begin() != 0) {
        error = http_errc::malformed_response;
        return;
    }
    const std::size_t size = scanner_.end(), cost = size + field_cost * (scanner_.lines() - 1);
    if (cost > head_left_) {
        error = http_errc::response_too_large;
        return;
    }
    head_left_ -= cost;
    field_sink sink{fields};
    if (!parse_head(in.unread().substr(0, size), head_, keep_field, &sink) || sink.is_malformed)
        error = http_errc::malformed_response;
    in.consume(size);
    in.settle();
}

// --- the body ------------------------------------------------------------------------------------

void answer_reader::read_body(std::string& body, std::error_code& error) {
    if (!has_body()) return;
    if (head_.chunked) return read_chunks(body, error);
    if (head_.has_length) return read_length(body, error);
    read_to_end(body, error);
}

// From what has come already, else right from the connection. 0 at the end, and on errors.
std::size_t answer_reader::take(char* to, std::size_t room, std::error_code& error) {
    const std::string_view there = c_.in.unread();
    if (there.empty()) return c_.wire.read(std::as_writable_bytes(std::span(to, room)), error);
    const std::size_t n = std::min(room, there.size());
    std::memcpy(to, there.data(), n);
    c_.in.consume(n);
    return n;
}

void answer_reader::read_length(std::string& body, std::error_code& error) {
    const std::uint64_t length = head_.content_length;
    if (body_max_ != 0 && length > body_max_) {
        error = http_errc::response_too_large;
        return;
    }
    std::size_t size = 0;
    while (size < length) {
        make_room(body, size, length - size);
        const auto room =
            static_cast<std::size_t>(std::min<std::uint64_t>(body.size() - size, length - size));
        const std::size_t n = take(body.data() + size, room, error);
        if (n == 0) break;
        size += n;
    }
    body.resize(size);
    if (!error && size < length) error = http_errc::incomplete_response;
}

void answer_reader::read_chunks(std::string& body, std::error_code& error) {
    using outcome = chunk_decoder::outcome;
    chunks_.reset(trailer_max);
    std::size_t size = 0;
    for (;;) {
        make_room(body, size, 0);
        const std::string_view there = c_.in.unread();
        const chunk_decoder::step s =
            chunks_.decode(there.data(), there.size(), body.data() + size, body.size() - size);
        c_.in.consume(s.consumed);
        size += s.produced;
        if (s.what == outcome::malformed) error = http_errc::malformed_response;
        else if (body_max_ != 0 && size > body_max_) error = http_errc::response_too_large;
        if (error || s.what == outcome::done) break;
        if (!c_.in.is_empty()) continue;  // there was no room
        c_.in.rewind_to(0);
        if (fill(error)) continue;
        if (!error) error = http_errc::incomplete_response;
        break;
    }
    body.resize(size);
}

void answer_reader::read_to_end(std::string& body, std::error_code& error) {
    std::size_t size = 0;
    for (;;) {
        make_room(body, size, 0);
        const std::size_t n = take(body.data() + size, body.size() - size, error);
        if (n == 0) break;
        size += n;
        if (body_max_ == 0 || size <= body_max_) continue;
        error = http_errc::response_too_large;
        break;
    }
    body.resize(size);
}

}  // namespace rota::http::detail
