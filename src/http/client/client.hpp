// Declares client_state, which keeps a client's connections and takes a request to its answer.
//
//     client.cpp      the call: a request, and a request for each redirect
//     redirect.cpp    the next request
//     hop.cpp         its head
//     round_trip.cpp  a request: an attempt, perhaps a second attempt
//     connect.cpp     a fresh connection: dial, tunnel, TLS
//     call.cpp        an attempt: request_writer.cpp sends, response_reader.cpp reads
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <rota/context.hpp>
#include <rota/http.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/tls.hpp>

#include "http/client/call.hpp"
#include "http/client/client_request.hpp"
#include "http/client/hop.hpp"
#include "http/client/idle_pool.hpp"
#include "http/client/proxy.hpp"
#include "http/message/url.hpp"

namespace rota::http::detail {

// Finds the next request that an answer asks for. True: `at` is that request.
bool follow(hop& at, const call& answer, bool& has_left_host, std::error_code& error);

// The key of a kept connection: scheme, host, port and proxy.
std::string destination_of(const url& to, const url* proxy);

// The limits that end a call early.
struct call_limits {
    const context& ctx;
    std::int64_t until;  // ns of the clock; 0: none
};

// An answer whose head has been read, and the URL that it comes from.
struct open_response {
    std::unique_ptr<call> by;
    std::string url;
};

class client_state {
  public:
    client_state(client_options o, proxy_choice p);

    // On an error `by` is null.
    open_response open(const context& ctx, const client_request& r, std::error_code& error);
    response perform(const context& ctx, const client_request& r, std::error_code& error);
    void close_idle() noexcept { idle_->close_all(); }

  private:
    std::unique_ptr<call> send(const hop& h, const call_limits& limits, std::error_code& error);
    std::unique_ptr<client_connection> connect(const url& to, const url* proxy,
                                               const call_limits& limits, std::error_code& error);
    net::conn dial(const std::string& address, const call_limits& limits, std::int64_t until,
                   std::error_code& error);
    void make_secure(client_connection& c, const url& to, const url* proxy, std::error_code& error);
    void make_tunnel(client_connection& c, const url& to, const url& proxy, std::error_code& error);
    tls::config tls_config(std::error_code& error);

    // --- fixed -----------------------------------------------------------------------
    const client_options options_;
    const proxy_choice proxies_;
    const std::shared_ptr<idle_pool> idle_;

    // --- guarded by tls_mu_ ------------------------------------------------------------
    mutex tls_mu_;
    std::optional<tls::config> tls_;  // made when a call first needs it
};

}  // namespace rota::http::detail
