// Sends a connection's output, at once or by a timer.
#include "http/exchange/output.hpp"

#include <array>
#include <span>
#include <utility>

namespace rota::http {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t held_max = 16 * 1024, kept_max = 16 * 1024;
constexpr auto patience = 1ms;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

void output::send(const transport& to, std::error_code& error) { send_with(to, {}, {}, {}, error); }

void output::send_with(const transport& to, std::string_view more, std::string_view still_more,
                       std::string_view end, std::error_code& error) {
    (void)text();
    error = std::exchange(late_error_, {});
    const std::size_t size = more.size() + still_more.size() + end.size();
    if (!error && size != 0) {
        const std::array<std::span<const std::byte>, 4> pieces{bytes(text_), bytes(more),
                                                               bytes(still_more), bytes(end)};
        to.write(pieces, error);
    } else if (!error && !text_.empty()) {
        to.write(std::string_view(text_), error);
    }
    text_.clear();
}

void output::hold(const transport& to, std::error_code& error) {
    if (text().empty() && !late_error_) return;
    if (late_error_ || text_.size() >= held_max) return send(to, error);
    late_to_ = &to;
    // The timer may fire before this call goes on: what its goroutine needs is there by then.
    if (!sent_) sent_ = make_chan<unit>(1);
    if (has_timer_) {
        late_.reset(patience);
    } else {
        late_ = after_func(patience, [this] { send_late(); });
        has_timer_ = true;
    }
    held_ = true;
}

// The timer's goroutine.
void output::send_late() noexcept {
    const chan<unit> sent = sent_;  // the receiver may destroy this object at once
    late_to_->write(std::string_view(text_), late_error_);
    text_.clear();
    sent.send({});
}

void output::take_back() {
    if (!late_.stop()) (void)sent_.recv();
    held_ = false;
}

void output::reset() noexcept {
    (void)text();
    text_.clear();
    late_error_.clear();
    if (text_.capacity() > kept_max) std::string().swap(text_);
}

}  // namespace rota::http
