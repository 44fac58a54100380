// Writes the head of a client's request.
#include "http/client/hop.hpp"

#include "http/message/grammar.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

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

bool hop::expects_continue() const {
    return equal_without_case(fields.get("Expect"), "100-continue");
}

framing hop::body_framing() const {
    if (body == nullptr) return framing::none;
    const std::int64_t size = body->size();
    if (has_trailers(body->trailers) || size < 0) return framing::in_chunks;
    if (size == 0) return framing::none;
    return fields.contains("Trailer") ? framing::in_chunks : framing::by_length;
}

namespace {

// What says how long the body is, is ours.
void append_framing(std::string& to, const hop& h, framing how) {
    if (how == framing::in_chunks) {
        to += "Transfer-Encoding: chunked\r\n";
        if (!h.fields.contains("Trailer")) append_announcement(to, h.body->trailers);
        return;
    }
    const bool has_one = how != framing::none || (h.body != nullptr && h.body->is_streamed()) ||
                         h.method == "POST" || h.method == "PUT" || h.method == "PATCH";
    if (!has_one) return;
    const std::int64_t size = how == framing::none ? 0 : h.body->size();
    to.append("Content-Length: ").append(std::to_string(size)).append("\r\n");
}

}  // namespace

std::string hop::head(framing how, const url* proxy, bool keep_alive) const {
    const bool is_for_proxy = proxy != nullptr && !to.is_secure;  // which reads the head itself
    std::string text = method + " ";
    if (is_for_proxy) text += "http://" + to.authority;
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
        // For a proxy alone. A program that has none may send it to the URL that it has named.
        if (is("Proxy-Authorization") && !is_for_proxy && (proxy != nullptr || is_redirected))
            continue;
        put(name, value);
    }
    if (to.has_user_info && !fields.contains("Authorization"))
        put("Authorization", basic_credentials(to.user_info));
    if (is_for_proxy && proxy->has_user_info && !fields.contains("Proxy-Authorization"))
        put("Proxy-Authorization", basic_credentials(proxy->user_info));
    append_framing(text, *this, how);
    if (!keep_alive && !asks_to_close()) put("Connection", "close");
    return text += "\r\n";
}

}  // namespace rota::http::detail
