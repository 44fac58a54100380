// One request and its answer: an attempt on a connection, and perhaps a second one.
//
// A request is written before its answer is read; one with a body that may not fit into the
// socket's buffers is written by a goroutine of its own meanwhile, as a server may answer before it
// has read all of it, or while it reads. Whoever leaves an attempt waits for that goroutine, and
// closes the connection first if it has not come to its end by itself.
#include <chrono>
#include <string>
#include <utility>

#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/tls.hpp>

#include "http/answer_reader.hpp"
#include "http/client.hpp"
#include "http/closing_when_done.hpp"
#include "http/grammar.hpp"

namespace rota::http::detail {

namespace {

// The server has closed the connection, in one way or another.
bool is_broken(const std::error_code& error) {
    return error == http_errc::server_closed || error == std::errc::connection_reset ||
           error == std::errc::broken_pipe || error == tls::tls_errc::unexpected_end;
}

// --- writing -------------------------------------------------------------------------------------

// A larger body might have to wait for a server that waits for us. Go writes them all beside.
constexpr std::size_t written_first_max = 16 * 1024;

class writer {
  public:
    explicit writer(client_stream& wire) : wire_(wire) {}
    ~writer() {
        if (!is_running_) return;
        wire_.close();
        (void)ended_.recv();
    }
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

    // Both texts live as long as this.
    void write(std::string_view head, std::string_view body) {
        if (body.size() <= written_first_max) {
            write_all(head, body);
            return;
        }
        ended_ = make_chan<unit>(1);
        try {
            go([this, head, body, ended = ended_] {
                write_beside(head, body);
                ended.send({});
            });
            is_running_ = true;
        } catch (const std::system_error& e) {  // no room for a goroutine
            error_ = e.code();
        }
    }
    // Whether all has been sent. What the server has answered to is on its way to its end, or never
    // comes there.
    bool has_ended() {
        using namespace std::chrono_literals;
        constexpr auto moment = 50ms;
        unit nothing;
        if (is_running_ && ended_.recv_for(nothing, moment) == chan_status::ok) is_running_ = false;
        return !is_running_ && !error_;
    }
    // What has gone wrong so far.
    std::error_code error() const { return is_running_ ? std::error_code() : error_; }
    // The same when the connection is closed: a write ends then.
    std::error_code final_error() {
        if (std::exchange(is_running_, false)) (void)ended_.recv();
        return error_;
    }

  private:
    void write_beside(std::string_view head, std::string_view body) noexcept {
        try {
            write_all(head, body);
        } catch (const std::bad_alloc&) {
            error_ = std::make_error_code(std::errc::not_enough_memory);
            wire_.close();
        }
    }
    // Nobody waits for an answer to half a request, unless the server has had enough of it: then it
    // may have said why, and is to see that there comes no more.
    void write_all(std::string_view head, std::string_view body) {
        wire_.write(head, body, error_);
        if (is_broken(error_)) wire_.end_writes();
        else if (error_) wire_.close();
    }

    client_stream& wire_;
    std::error_code error_;  // the goroutine's, until it has said that it ended
    chan<unit> ended_;
    bool is_running_ = false;
};

// --- an attempt ----------------------------------------------------------------------------------

enum class attempt_end : std::uint8_t { keep, close, retry };

// `retry`: it failed as a connection fails that its server has closed, before the first byte.
attempt_end attempt(client_connection& c, const client_options& o, const hop& h,
                    const std::string& head, const call_limits& limits, response& to,
                    std::error_code& error) {
    c.wire.limit(limits.until);
    closing_when_done watched(limits.ctx, c.wire);
    writer request(c.wire);
    request.write(head, h.body);
    answer_reader answer(c, o, h.method == "HEAD");
    // A server may have answered what it did not want to read to its end.
    const std::error_code unsent = request.error();
    if (!unsent || is_broken(unsent)) answer.read(to, error);
    if (unsent && (error || !answer.has_begun())) error = unsent;
    if (error) {
        if (error == net::net_errc::closed && request.final_error()) error = request.error();
        if (limits.ctx.err()) error = limits.ctx.err();
        return is_broken(error) && !answer.has_begun() ? attempt_end::retry : attempt_end::close;
    }
    const bool is_over = request.has_ended() && answer.keeps_connection() && !h.asks_to_close();
    return watched.end() && is_over ? attempt_end::keep : attempt_end::close;
}

}  // namespace

bool hop::is_idempotent() const {
    for (const std::string_view name : {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
        if (method == name) return true;
    return fields.contains("Idempotency-Key") || fields.contains("X-Idempotency-Key");
}

bool hop::asks_to_close() const {
    for (const auto& [name, value] : fields)
        if (equal_without_case(name, "Connection") && has_element(value, "close")) return true;
    return false;
}

// What says how long the body is, is ours.
std::string hop::head(const url* proxy, bool keep_alive) const {
    std::string text = method + " ";
    if (proxy != nullptr && !to.is_secure) text += "http://" + to.authority;
    text += to.target + " HTTP/1.1\r\n";
    const auto put = [&](std::string_view name, std::string_view value) {
        text.append(name).append(": ").append(value).append("\r\n");
    };
    const std::string_view host = fields.get("Host");
    put("Host", host.empty() ? std::string_view(to.authority) : host);
    if (!fields.contains("User-Agent")) put("User-Agent", "rota-http/1");
    for (const auto& [name, value] : fields) {
        const auto is = [n = name](std::string_view other) { return equal_without_case(n, other); };
        if (is("Host") || is("Content-Length") || is("Transfer-Encoding")) continue;
        if (is("User-Agent") && value.empty()) continue;
        put(name, value);
    }
    if (to.has_user_info && !fields.contains("Authorization"))
        put("Authorization", basic_credentials(to.user_info));
    if (proxy != nullptr && !to.is_secure && proxy->has_user_info &&
        !fields.contains("Proxy-Authorization"))
        put("Proxy-Authorization", basic_credentials(proxy->user_info));
    if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH")
        put("Content-Length", std::to_string(body.size()));
    if (!keep_alive && !asks_to_close()) put("Connection", "close");
    return text += "\r\n";
}

void client_state::send(const hop& h, const call_limits& limits, response& to,
                        std::error_code& error) {
    const url* const proxy = proxies_.find(h.to, error);
    if (error) return;
    const std::string destination = destination_of(h.to, proxy);
    const std::string head = h.head(proxy, options_.keep_alive);
    for (bool is_second = false;; is_second = true) {
        error.clear();
        std::unique_ptr<client_connection> c;
        if (!is_second) c = idle_->take(destination);
        const bool is_used = c != nullptr;
        if (!is_used) c = connect(h.to, proxy, limits, error);
        if (error) return;
        const attempt_end end = attempt(*c, options_, h, head, limits, to, error);
        if (end == attempt_end::keep) idle_->give_back(std::move(c));
        if (end != attempt_end::retry || !is_used || !h.is_idempotent()) return;
    }
}

}  // namespace rota::http::detail
