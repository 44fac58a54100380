// One call of a client: sends a request, reads its answer, and gives the connection back or closes
// it.
#include "http/client/call.hpp"

#include <utility>

#include "http/client/hop.hpp"

namespace rota::http::detail {

call::call(std::shared_ptr<idle_pool> idle, std::unique_ptr<client_connection> c,
           const client_options& o, const hop& h, framing how, context ctx, std::int64_t until)
    : idle_(std::move(idle)),
      ctx_(std::move(ctx)),
      until_(until),
      asks_to_close_(h.asks_to_close()),
      c_(std::move(c)),
      response_(*c_, o, h.method == "HEAD") {
    sending_.emplace(c_->wire, h.body, how);
}

void call::begin(std::string request_head, clock::duration continue_patience,
                 std::error_code& error) {
    head_ = std::move(request_head);
    c_->wire.limit(until_);
    watched_.emplace(ctx_, c_->wire);
    sending_->begin(head_, ctx_, until_, continue_patience);
    // A server that did not read the request to its end may have answered it all the same.
    const std::error_code unsent = sending_->error();
    if (!unsent || is_broken(unsent)) response_.read_head(fields, &*sending_, error);
    if (unsent && (error || !response_.has_begun())) error = unsent;
    if (error) return fail(error);
    if (response_.has_ended()) finish();
}

std::size_t call::read(std::span<char> to, std::error_code& error) {
    error = failed_;
    if (error || response_.has_ended()) return 0;
    const std::size_t n = response_.read(to, error);
    if (error) fail(error);
    else if (response_.has_ended()) finish();
    return error ? 0 : n;
}

void call::read_all(std::string& body, std::error_code& error) {
    error = failed_;
    if (error || response_.has_ended()) return;
    response_.read_all(body, error);
    if (error) fail(error);
    else finish();
}

// Drops errors: the next request reports them, such as the end of a context. Go: maxBodySlurpSize.
void call::discard() {
    constexpr std::int64_t most = 2 * 1024;
    char part[1024];
    std::error_code none;
    std::int64_t read_so_far = 0;
    std::size_t n = 0;
    if (length() <= most)
        while (read_so_far <= most && (n = read(part, none)) != 0)
            read_so_far += static_cast<std::int64_t>(n);
    close();
    sending_->rethrow();
}

void call::close() noexcept {
    if (c_ == nullptr) return;
    failed_ = net::net_errc::closed;
    sending_->stop();
    watched_.reset();
    c_.reset();
}

// Ends the connection. The cause comes from the party that ended it: the upload, or the context.
void call::fail(std::error_code& error) {
    if (error == net::net_errc::closed && sending_->final_error()) error = sending_->final_error();
    const bool is_repeatable = is_broken(error) && !response_.has_begun();
    sending_->stop();
    const bool is_cancelled = static_cast<bool>(ctx_.err());
    if (is_cancelled) error = ctx_.err();
    failed_ = error;
    may_be_repeated_ = is_repeatable && !is_cancelled && sending_->is_replayable() &&
                       !sending_->has_failed_source();
    watched_.reset();
    c_.reset();
    sending_->rethrow();
}

// Called when the body has been read to its end.
void call::finish() {
    response_.take_trailers(trailers);
    const bool is_over = sending_->has_ended() && !sending_->was_skipped() &&
                         response_.keeps_connection() && !asks_to_close_;
    const bool is_ours = watched_->end();
    sending_->stop();
    if (is_over && is_ours) idle_->give_back(std::move(c_));
    c_.reset();
    sending_->rethrow();
}

}  // namespace rota::http::detail
