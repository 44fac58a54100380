// Implements http::request: the request that a handler reads, or that a program makes for a client.
#include <algorithm>

#include <rota/http.hpp>
#include <rota/panic.hpp>

#include "http/client/client_request.hpp"
#include "http/exchange/exchange.hpp"

namespace rota::http {

detail::exchange& detail::exchange::of(request& r) {
    if (r.x_ == nullptr) throw panic_error("http: request of no server");
    return *r.x_;
}

request::request(detail::exchange& x) noexcept : x_(&x) {}
request::request(request&& other) noexcept = default;
request& request::operator=(request&& other) noexcept = default;
request::~request() = default;

void request::set_body(body_reader from, std::int64_t length) {
    if (x_ != nullptr) throw panic_error("http: request of a server");
    // A call may still send the old body.
    auto fresh = std::make_shared<detail::outgoing_body>();
    fresh->trailers = own_->body->trailers;
    fresh->once = std::move(from);
    fresh->length = length;
    own_->body = std::move(fresh);
}
void request::set_repeatable_body(body_maker make, std::int64_t length) {
    set_body(nullptr, length);
    own_->body->anew = std::move(make);
}

std::string_view request::method() const noexcept {
    return x_ != nullptr ? x_->reader.head.method : own_->method;
}
std::string_view request::target() const noexcept {
    return x_ != nullptr ? x_->reader.head.target : own_->to.target;
}
std::string_view request::path() const noexcept {
    if (x_ == nullptr) return own_->path;
    return x_->reader.path_has_escapes ? std::string_view(x_->reader.path)
                                       : x_->reader.head.raw_path;
}
std::string_view request::host() const noexcept {
    if (x_ != nullptr) return x_->reader.head.host;
    const std::string_view other = own_->fields.get("Host");
    return other.empty() ? std::string_view(own_->to.authority) : other;
}
std::string_view request::header(std::string_view name) const noexcept {
    // If the target and the field name different hosts, the target's host counts.
    return equal_without_case(name, "Host") ? host() : headers().get(name);
}
const header_map& request::headers() const noexcept {
    return x_ != nullptr ? x_->reader.fields : own_->fields;
}
header_map& request::headers() noexcept { return x_ != nullptr ? x_->reader.fields : own_->fields; }
const header_map& request::trailers() const noexcept {
    return x_ != nullptr ? x_->reader.trailers : own_->body->trailers;
}
header_map& request::trailers() noexcept {
    return x_ != nullptr ? x_->reader.trailers : own_->body->trailers;
}
bool request::is_http_1_1() const noexcept { return x_ == nullptr || x_->reader.head.http_1_1; }
std::int64_t request::content_length() const noexcept {
    if (x_ == nullptr) return own_->body->size();
    return x_->reader.head.chunked ? -1 : static_cast<std::int64_t>(x_->reader.head.content_length);
}
net::endpoint request::remote_addr() const noexcept {
    return x_ != nullptr ? x_->wire.c->peer : net::endpoint();
}

net::endpoint request::local_addr() const {
    std::error_code none;
    return x_ != nullptr ? x_->wire.c->stream.socket().local_addr(none) : net::endpoint();
}

// Ignores pairs with a semicolon or a malformed escape. Go: parseQuery.
std::string request::query(std::string_view name) const {
    std::string key, value;
    std::string_view rest = x_ != nullptr ? x_->reader.head.raw_query : own_->to.raw_query();
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty() || pair.find(';') != pair.npos) continue;
        const std::size_t sign = pair.find('=');
        key.clear();
        value.clear();
        if (!append_unescaped(key, pair.substr(0, sign), true) || key != name) continue;
        if (sign != pair.npos && !append_unescaped(value, pair.substr(sign + 1), true)) continue;
        return value;
    }
    return {};
}

std::string request::path_value(std::string_view name) const {
    if (x_ == nullptr) return {};
    for (const auto& [of, value] : x_->reader.path_values)
        if (of == name) return value;
    return {};
}

// --- the body and the context --------------------------------------------------------------------

std::size_t request::read(std::span<std::byte> to, std::error_code& error) {
    if (x_ != nullptr) return x_->reader.read_body(to, error);
    error.clear();
    return own_->read(to);
}
std::size_t request::read(const context& ctx, std::span<std::byte> to, std::error_code& error) {
    if (x_ != nullptr) return x_->reader.read_body(ctx, to, error);
    error = ctx.err();
    return error ? 0 : own_->read(to);
}
std::size_t request::read(const context& ctx, std::span<std::byte> to) {
    std::error_code error;
    const std::size_t n = read(ctx, to, error);
    if (error) throw std::system_error(error, "rota::http: read");
    return n;
}
std::size_t request::read(std::span<std::byte> to) {
    std::error_code error;
    const std::size_t n = read(to, error);
    if (error) throw std::system_error(error, "rota::http: read");
    return n;
}

// A length that a client promises is trusted up to 64 KiB: it is no reason to reserve more.
std::string request::body() {
    if (x_ == nullptr) return own_->rest();
    constexpr std::size_t first = 512, trusted = 64 * 1024;
    std::string all;
    for (std::size_t size = 0;;) {
        if (size == all.size()) {
            const auto promised = static_cast<std::size_t>(std::min<std::uint64_t>(
                x_->reader.head.chunked ? 0 : x_->reader.body_left(), trusted));
            all.resize(size + std::max({first, promised, size}));
            x_->reader.note_held(all.capacity());
        }
        const std::size_t n = read(std::as_writable_bytes(std::span(all).subspan(size)));
        size += n;
        if (n == 0 || x_->reader.has_ended()) {
            all.resize(size);
            return all;
        }
    }
}

context request::ctx() const { return x_ != nullptr ? x_->request_context() : background(); }

}  // namespace rota::http
