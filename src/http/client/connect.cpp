// Makes fresh connections for clients: the dial, the tunnel through a proxy, and TLS.
//
// Together they have the time that client_options gives to a dial, or the rest of the call's time.
#include <mutex>
#include <string>
#include <utility>

#include <rota/detail/time_engine.hpp>

#include "http/client/client.hpp"
#include "http/client/close_on_cancel.hpp"
#include "http/client/response_reader.hpp"
#include "http/message/deadline.hpp"

namespace rota::http::detail {

std::string destination_of(const url& to, const url* proxy) {
    std::string name = (to.is_secure ? "https " : "http ") + to.address();
    if (proxy != nullptr)
        name.append(" by ").append(proxy->address()).append(" ").append(proxy->user_info);
    return name;
}

net::conn client_state::dial(const std::string& address, const call_limits& limits,
                             std::int64_t until, std::error_code& error) {
    if (until == 0) return net::dial(limits.ctx, "tcp", address, error);
    const auto [ctx, cancel] = with_deadline(limits.ctx, clock::time_point(clock::duration(until)));
    struct end {
        const cancel_func& of;
        ~end() { of(); }
    } const at_end{cancel};
    net::conn made = net::dial(ctx, "tcp", address, error);
    if (error && limits.ctx.err()) error = limits.ctx.err();
    if (error != context_errc::deadline_exceeded) return made;
    // The limit that passed is ours, or that of the caller's context, which may be about to report
    // it.
    const auto theirs = limits.ctx.deadline();
    if (!theirs || theirs->time_since_epoch().count() > until)
        error = std::make_error_code(std::errc::timed_out);
    return made;
}

std::unique_ptr<client_connection> client_state::connect(const url& to, const url* proxy,
                                                         const call_limits& limits,
                                                         std::error_code& error) {
    const std::string address = proxy != nullptr ? proxy->address() : to.address();
    const std::int64_t until =
        earlier(limits.until, later(rota::detail::clock_now(), options_.dial_timeout));
    net::conn made = dial(address, limits, until, error);
    if (error == std::errc::too_many_files_open ||
        error == std::errc::too_many_files_open_in_system) {
        idle_->close_all();  // perhaps the idle connections hold them
        made = dial(address, limits, until, error);
    }
    if (error) return nullptr;
    auto c = std::make_unique<client_connection>(std::move(made), destination_of(to, proxy));
    if (!to.is_secure) return c;
    c->wire.limit(until);
    close_on_cancel watched(limits.ctx, c->wire);
    make_secure(*c, to, proxy, error);
    if (!watched.end() || (error && limits.ctx.err())) error = limits.ctx.err();
    return error ? nullptr : std::move(c);
}

// --- TLS -----------------------------------------------------------------------------------------

// Reading the system's roots takes a while: the first call that needs them reads them, once.
tls::config client_state::tls_config(std::error_code& error) {
    const std::lock_guard guard(tls_mu_);
    if (!tls_) {
        tls::options o = options_.tls;
        o.alpn = {"http/1.1"};
        tls::config made(o, error);
        if (error) return made;
        tls_ = std::move(made);
    }
    return *tls_;
}

void client_state::make_secure(client_connection& c, const url& to, const url* proxy,
                               std::error_code& error) {
    if (proxy != nullptr) make_tunnel(c, to, *proxy, error);
    if (error) return;
    const tls::config config = tls_config(error);
    if (error) return;
    c.wire.secure(config, to.host.substr(0, to.host.find('%')), error);
}

// Bytes behind the proxy's answer are the server's, which has nothing to say yet: malformed.
void client_state::make_tunnel(client_connection& c, const url& to, const url& proxy,
                               std::error_code& error) {
    constexpr int ok = 200, multiple_choices = 300;
    std::string head = "CONNECT " + to.address() + " HTTP/1.1\r\nHost: " + to.address() + "\r\n";
    head += "User-Agent: rota-http/1\r\n";
    if (proxy.has_user_info)
        head += "Proxy-Authorization: " + basic_credentials(proxy.user_info) + "\r\n";
    c.wire.write(head += "\r\n", {}, {}, error);
    if (error) return;
    response_reader answer(c, options_, true);
    header_map fields;
    answer.read_head(fields, nullptr, error);
    if (error) return;
    if (answer.status() < ok || answer.status() >= multiple_choices)
        error = http_errc::proxy_refused;
    else if (!c.in.is_empty()) error = http_errc::malformed_response;
}

}  // namespace rota::http::detail
