// A client: its connections, and how one request becomes an answer.
//
//     client.cpp      the call: redirects, one request after the other
//     redirect.cpp    what the next request is
//     round_trip.cpp  one request: an attempt, perhaps a second one
//     connect.cpp     a fresh connection: dial, tunnel, TLS
//     call.cpp        one attempt: upload.cpp sends, answer_reader.cpp reads
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

#include "http/call.hpp"
#include "http/idle_pool.hpp"
#include "http/made_request.hpp"
#include "http/proxy.hpp"
#include "http/url.hpp"

namespace rota::http::detail {

// One request on its way: the program's, or what a redirect has made of it.
struct hop {
    std::string method;
    url to;
    header_map fields;
    std::shared_ptr<outgoing_body> body;  // the program's, or null
    bool has_own_referer = false;         // likewise, not ours
    bool is_redirected = false;           // not the program's own URL

    bool is_idempotent() const;
    bool asks_to_close() const;
    bool expects_continue() const;
    // To be asked once for all that is sent: the program may change trailers meanwhile, and a body
    // that is framed in another way than its head says would be taken for another request.
    framing body_framing() const;
    // The head, as it is sent; by a proxy if there is one.
    std::string head(framing how, const url* proxy, bool keep_alive) const;
};

// What an answer asks for next. True: `at` is the next request.
bool follow(hop& at, const call& answer, bool& has_left_host, std::error_code& error);

// What a kept connection is looked up by: scheme, host, port and proxy.
std::string destination_of(const url& to, const url* proxy);

// What ends a call early.
struct call_limits {
    const context& ctx;
    std::int64_t until;  // 0: nothing
};

// An answer whose head has been read, and where it comes from.
struct open_answer {
    std::unique_ptr<call> by;
    std::string url;
};

class client_state {
  public:
    client_state(client_options o, proxy_choice p);

    // Null in `by` where there is an error.
    open_answer open(const context& ctx, const made_request& r, std::error_code& error);
    response perform(const context& ctx, const made_request& r, std::error_code& error);
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
    std::optional<tls::config> tls_;  // made when it is needed for the first time
};

}  // namespace rota::http::detail
