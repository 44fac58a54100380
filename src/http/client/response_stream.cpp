// Answers that are read piece by piece: the program's handle.
#include <algorithm>
#include <span>

#include "http/client/client.hpp"

namespace rota::http {

response_stream::response_stream() noexcept = default;
response_stream::response_stream(std::unique_ptr<detail::open_response> a) noexcept
    : a_(std::move(a)) {}
response_stream::response_stream(response_stream&& other) noexcept = default;
response_stream& response_stream::operator=(response_stream&& other) noexcept = default;
response_stream::~response_stream() = default;

namespace {
const header_map& no_fields() noexcept {
    static const header_map none;
    return none;
}
}  // namespace

int response_stream::status() const noexcept { return a_ != nullptr ? a_->by->status() : 0; }
const header_map& response_stream::headers() const noexcept {
    return a_ != nullptr ? a_->by->fields : no_fields();
}
const header_map& response_stream::trailers() const noexcept {
    return a_ != nullptr ? a_->by->trailers : no_fields();
}
std::string_view response_stream::url() const noexcept {
    return a_ != nullptr ? std::string_view(a_->url) : std::string_view();
}
std::int64_t response_stream::content_length() const noexcept {
    return a_ != nullptr ? a_->by->length() : 0;
}

std::size_t response_stream::read(std::span<std::byte> to, std::error_code& error) {
    error = net::net_errc::closed;
    if (a_ == nullptr) return 0;
    return a_->by->read(std::span(reinterpret_cast<char*>(to.data()), to.size()), error);
}
std::size_t response_stream::read(std::span<std::byte> to) {
    std::error_code error;
    const std::size_t n = read(to, error);
    if (error) throw std::system_error(error, "rota::http: read");
    return n;
}

std::string response_stream::body(std::error_code& error) {
    std::string all;
    error = net::net_errc::closed;
    if (a_ != nullptr) a_->by->read_all(all, error);
    return error ? std::string() : all;
}
std::string response_stream::body() {
    std::error_code error;
    std::string all = body(error);
    if (error) throw std::system_error(error, "rota::http: body");
    return all;
}

void response_stream::close() noexcept {
    if (a_ != nullptr) a_->by->close();
}

}  // namespace rota::http
