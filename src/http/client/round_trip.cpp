// One request of a client and its answer: an attempt (http/client/call.hpp), and perhaps a second
// attempt.
#include <string>
#include <utility>

#include "http/client/client.hpp"
#include "http/message/grammar.hpp"

namespace rota::http::detail {

std::unique_ptr<call> client_state::send(const hop& h, const call_limits& limits,
                                         std::error_code& error) {
    if (!is_host(h.fields.get("Host"))) error = http_errc::malformed_host;
    if (error) return nullptr;
    const url* const proxy = proxies_.find(h.to, error);
    if (error) return nullptr;
    const std::string destination = destination_of(h.to, proxy);
    const framing how = h.body_framing();
    const std::string head = h.head(how, proxy, options_.keep_alive);
    const clock::duration patience =
        h.expects_continue() ? options_.expect_continue_timeout : clock::duration(0);
    for (bool is_second = false;; is_second = true) {
        error.clear();
        std::unique_ptr<client_connection> c;
        if (!is_second) c = idle_->take(destination);
        const bool is_used = c != nullptr;
        if (!is_used) c = connect(h.to, proxy, limits, error);
        if (error) return nullptr;
        auto made =
            std::make_unique<call>(idle_, std::move(c), options_, h, how, limits.ctx, limits.until);
        made->begin(head, patience, error);
        if (!error) return made;
        if (!made->may_be_repeated() || !is_used || !h.is_idempotent()) return nullptr;
    }
}

}  // namespace rota::http::detail
