// Implements http::response_writer: the response as a handler writes it.
#include <system_error>

#include <rota/http.hpp>

#include "http/exchange/exchange.hpp"

namespace rota::http {

header_map& response_writer::header() noexcept { return x_.sender.fields; }
header_map& response_writer::trailer() noexcept { return x_.sender.trailers; }
void response_writer::write_header(int status) { x_.sender.write_header(status); }
void response_writer::write(std::string_view data, std::error_code& error) {
    x_.sender.write(data, error);
}
void response_writer::write(std::string_view data) {
    std::error_code error;
    x_.sender.write(data, error);
    if (error) throw std::system_error(error, "rota::http: write");
}
void response_writer::flush(std::error_code& error) { x_.sender.flush(error); }
void response_writer::flush() {
    std::error_code error;
    x_.sender.flush(error);
    if (error) throw std::system_error(error, "rota::http: flush");
}
void response_writer::enable_full_duplex() {
    std::error_code error;
    x_.enable_duplex(error);
    if (error) throw std::system_error(error, "rota::http: enable_full_duplex");
}
net::conn response_writer::hijack() { return x_.hijack(); }

}  // namespace rota::http
