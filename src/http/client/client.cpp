// Performs the calls of a client, redirect by redirect, and implements its public handle.
#include "http/client/client.hpp"

#include <cstdlib>
#include <utility>

#include <rota/detail/time_engine.hpp>
#include <rota/panic.hpp>

#include "http/message/deadline.hpp"
#include "http/message/grammar.hpp"

namespace rota::http {
namespace detail {

client_state::client_state(client_options o, proxy_choice p)
    : options_(std::move(o)),
      proxies_(std::move(p)),
      idle_(std::make_shared<idle_pool>(options_)) {}

open_response client_state::open(const context& ctx, const client_request& r,
                                 std::error_code& error) {
    error = ctx.err();
    if (error) return {};
    const call_limits limits{ctx, later(rota::detail::clock_now(), options_.timeout)};
    hop at{r.method, r.to, r.fields, r.body, r.fields.contains("Referer")};
    bool has_left_host = false;
    for (std::size_t redirects = 0;; ++redirects) {
        std::unique_ptr<call> answer = send(at, limits, error);
        if (error) return {};
        std::string url = at.to.text();
        if (options_.max_redirects == 0 || !follow(at, *answer, has_left_host, error)) {
            if (error) return {};
            return {std::move(answer), std::move(url)};
        }
        answer->discard();
        if (redirects < options_.max_redirects) continue;
        error = http_errc::too_many_redirects;
        return {};
    }
}

response client_state::perform(const context& ctx, const client_request& r,
                               std::error_code& error) {
    open_response from = open(ctx, r, error);
    if (error) return {};
    response answer;
    from.by->read_all(answer.body, error);
    if (error) return {};
    answer.status = from.by->status();
    answer.headers = std::move(from.by->fields);
    answer.trailers = std::move(from.by->trailers);
    answer.url = std::move(from.url);
    return answer;
}

namespace {

[[noreturn]] void fail_request(std::string_view method, const std::string& at,
                               const std::error_code& error) {
    throw std::system_error(error, "rota::http: " + std::string(method) + " " + at);
}

proxy_choice choose_proxies(const client_options& o) {
    std::error_code error;
    if (o.proxy.empty())
        return o.proxy_from_environment
                   ? proxy_choice([](const char* name) -> const char* { return std::getenv(name); })
                   : proxy_choice();
    proxy_choice all = proxy_choice::always(o.proxy, error);
    if (error) throw std::system_error(error, "rota::http: client_options::proxy");
    return all;
}

std::error_code make_request(std::string_view method, std::string_view url, client_request& to) {
    if (!is_token(method) || method == "CONNECT") return http_errc::malformed_method;
    if (const std::error_code error = parse_url(url, to.to)) return error;
    to.method = method;
    to.path = unescaped(to.to.raw_path());
    return {};
}

}  // namespace
}  // namespace detail

// --- a request -----------------------------------------------------------------------------------

// The error does not name the URL: it may contain a password.
request::request(std::string_view method, std::string_view url, std::string_view body)
    : own_(std::make_unique<detail::client_request>()) {
    if (const std::error_code error = detail::make_request(method, url, *own_))
        throw std::system_error(error, "rota::http: request");
    own_->body->text = body;
}

// --- the handle ----------------------------------------------------------------------------------

client::client(client_options options) {
    detail::proxy_choice proxies = detail::choose_proxies(options);
    s_ = std::make_shared<detail::client_state>(std::move(options), std::move(proxies));
}

response client::perform(context ctx, const request& r, std::error_code& error) const {
    if (r.own_ == nullptr) throw panic_error("http: request of a server");
    const std::shared_ptr<detail::client_state> s = s_;  // the handle may be destroyed meanwhile
    return s->perform(ctx, *r.own_, error);
}
response client::perform(context ctx, const request& r) const {
    std::error_code error;
    response answer = perform(std::move(ctx), r, error);
    if (error) detail::fail_request(r.method(), r.own_->to.text(), error);
    return answer;
}
response_stream client::open(context ctx, const request& r, std::error_code& error) const {
    if (r.own_ == nullptr) throw panic_error("http: request of a server");
    const std::shared_ptr<detail::client_state> s = s_;  // the handle may be destroyed meanwhile
    detail::open_response from = s->open(ctx, *r.own_, error);
    if (error) return {};
    return response_stream(std::make_unique<detail::open_response>(std::move(from)));
}
response_stream client::open(context ctx, const request& r) const {
    std::error_code error;
    response_stream answer = open(std::move(ctx), r, error);
    if (error) detail::fail_request(r.method(), r.own_->to.text(), error);
    return answer;
}
response_stream client::open(const request& r, std::error_code& error) const {
    return open(background(), r, error);
}
response_stream client::open(const request& r) const { return open(background(), r); }

response client::perform(const request& r, std::error_code& error) const {
    return perform(background(), r, error);
}
response client::perform(const request& r) const { return perform(background(), r); }

namespace {

// Performs a request; a malformed URL is an error, not an exception.
response perform_simple(const client& c, std::string_view method, std::string_view url,
                        std::string_view type, std::string_view body, std::error_code& error) {
    detail::client_request judged;
    error = detail::make_request(method, url, judged);
    if (error) return {};
    request r(method, url, body);
    if (!type.empty()) r.headers().set("Content-Type", type);
    return c.perform(r, error);
}

}  // namespace

response client::get(std::string_view url, std::error_code& error) const {
    return perform_simple(*this, "GET", url, {}, {}, error);
}
response client::get(std::string_view url) const { return perform(request("GET", url)); }

response client::head(std::string_view url, std::error_code& error) const {
    return perform_simple(*this, "HEAD", url, {}, {}, error);
}
response client::head(std::string_view url) const { return perform(request("HEAD", url)); }

response client::post(std::string_view url, std::string_view type, std::string_view body,
                      std::error_code& error) const {
    return perform_simple(*this, "POST", url, type, body, error);
}
response client::post(std::string_view url, std::string_view type, std::string_view body) const {
    request r("POST", url, body);
    if (!type.empty()) r.headers().set("Content-Type", type);
    return perform(r);
}

void client::close_idle() const { s_->close_idle(); }

}  // namespace rota::http
