// Serves the connections of TLS listeners. A program that does not is linked without this file, and
// without OpenSSL.
#include <cerrno>
#include <new>

#include <rota/detail/time_engine.hpp>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/tls.hpp>

#include "http/connection/connection.hpp"
#include "http/h2/multiplex.hpp"
#include "http/message/deadline.hpp"
#include "http/server/serve_connection.hpp"
#include "http/server/server.hpp"
#include "mem/stack.hpp"
#include "tls/settings.hpp"
#include "tls/stream.hpp"

namespace rota::http {
namespace detail {

namespace {

std::int64_t result_of(std::size_t n, const std::error_code& error) {
    if (!error) return static_cast<std::int64_t>(n);
    if (error == std::errc::resource_unavailable_try_again) return -EAGAIN;
    return error == std::errc::timed_out ? -ETIMEDOUT : -EIO;
}

class tls_layer final : public layer {
  public:
    explicit tls_layer(tls::detail::stream& of) : of_(of) {}

    std::size_t read(std::span<std::byte> to, std::error_code& error) override {
        return of_.read(to, error);
    }
    void write(pieces from, std::error_code& error) override { of_.write(from, error); }
    std::int64_t try_read(std::span<std::byte> to) override {
        std::error_code error;
        const std::size_t n = of_.try_read(to, error);
        return result_of(n, error);
    }
    std::int64_t peek() override {
        std::error_code error;
        const std::size_t n = of_.peek(error);
        return result_of(n, error);
    }
    void end_writing() override {
        std::error_code none;
        of_.close_write(none);
    }
    void set_deadline(bool of_reads, bool of_writes, std::int64_t when) override {
        std::error_code none;
        of_.set_deadline(of_reads, of_writes, when, none);
    }

  private:
    tls::detail::stream& of_;
};

// The handshake must not take longer than anything else that a client does before its request.
void serve_tls_connection(connection& c, void* arg) {
    const tls::conn& t = *static_cast<const tls::conn*>(arg);
    struct closing {
        const tls::conn& t;
        ~closing() { t.close(); }
    } const at_end{t};
    const server_options& o = c.server.options;
    const std::int64_t now = rota::detail::clock_now();
    const std::int64_t head = later(now, o.read_header_timeout), all = later(now, o.read_timeout),
                       answer = later(now, o.write_timeout),
                       stall = later(now, o.read_stall_timeout);
    const std::int64_t limit = earlier(earlier(head, all), earlier(answer, stall));
    c.head_since = now;
    c.limit_reads(limit);
    c.limit_writes(limit);
    std::error_code error;
    t.handshake(error);
    if (error) return;  // the client has been told why
    c.limit_writes(0);
    rt::stack_trim();  // it has gone deeper than anything that comes
    if (t.alpn() != "h2") return serve_connection(c);
    if (c.become_active()) serve_multiplexed(c, {});
}

// None, if there is no memory for it.
tls::conn over_tls(const net::conn& c, const tls::config& with) {
    std::error_code error;
    try {
        return tls::conn::server(c, with, error);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

void start_tls(arrival came, const net::endpoint& peer, const void* with) {
    const std::size_t stack_size = came.server().options.stack_size;
    go({.stack_size = stack_size},
       [came = std::move(came), peer, with = *static_cast<const tls::config*>(with)]() mutable {
           tls::conn t = over_tls(came.socket(), with);
           if (t.get() == nullptr) return;
           tls_layer over(*t.get());
           connection served(came.server(), came.socket(), peer, &over);
           run_connection(came, served, serve_tls_connection, &t);
       });
}

tls::config config_of(const server_options& o, const std::string& certificate_file,
                      const std::string& key_file, std::error_code& error) {
    std::vector<std::string> protocols{"h2", "http/1.1"};
    if (!o.http2) protocols.erase(protocols.begin());
    return tls::config(
        {.certificate_file = certificate_file, .key_file = key_file, .alpn = protocols}, error);
}

}  // namespace

}  // namespace detail

void server::serve_tls(net::listener from, const tls::config& c, std::error_code& error) const {
    const std::shared_ptr<detail::server_state> s = s_;
    if (c.get() == nullptr || !c.get()->has_certificate()) {
        from.close(error);
        error = tls::tls_errc::no_certificate;
        return;
    }
    error = detail::serve_listener(s, from, {detail::start_tls, &c});
}
void server::serve_tls(net::listener from, const tls::config& c) const {
    std::error_code error;
    serve_tls(std::move(from), c, error);
    if (error) detail::fail("serve_tls", {}, error);
}

void server::listen_and_serve_tls(std::string_view address, const tls::config& c,
                                  std::error_code& error) const {
    error.clear();
    if (s_->is_closing()) return;
    const net::listener l = net::listen("tcp", address.empty() ? ":443" : address, error);
    if (!error) serve_tls(l, c, error);
}
void server::listen_and_serve_tls(std::string_view address, const tls::config& c) const {
    std::error_code error;
    listen_and_serve_tls(address, c, error);
    if (error) detail::fail("listen_and_serve_tls", address, error);
}

void server::listen_and_serve_tls(std::string_view address, const std::string& certificate_file,
                                  const std::string& key_file, std::error_code& error) const {
    const tls::config c = detail::config_of(s_->options, certificate_file, key_file, error);
    if (!error) listen_and_serve_tls(address, c, error);
}
void server::listen_and_serve_tls(std::string_view address, const std::string& certificate_file,
                                  const std::string& key_file) const {
    std::error_code error;
    listen_and_serve_tls(address, certificate_file, key_file, error);
    if (error) detail::fail("listen_and_serve_tls", address, error);
}

void listen_and_serve_tls(std::string_view address, const std::string& certificate_file,
                          const std::string& key_file, handler h) {
    server(std::move(h)).listen_and_serve_tls(address, certificate_file, key_file);
}

}  // namespace rota::http
