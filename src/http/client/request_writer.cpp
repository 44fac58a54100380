// Sends the requests of a client: the head, and the body behind it.
#include "http/client/request_writer.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <tuple>
#include <utility>

#include <rota/go.hpp>
#include <rota/tls.hpp>

#include "http/message/short_text.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

namespace {

// A larger body might have to wait for a server that waits for us. Go writes them all beside.
constexpr std::size_t written_first_max = 16 * 1024;
constexpr std::size_t piece_max = 32 * 1024;

using chunk_line = short_text<32>;

void put_size(chunk_line& to, std::uint64_t size) {
    to.add_number(size, 16);
    to.add("\r\n");
}

}  // namespace

bool is_broken(const std::error_code& error) {
    return error == http_errc::server_closed || error == std::errc::connection_reset ||
           error == std::errc::broken_pipe || error == tls::tls_errc::unexpected_end;
}

request_writer::request_writer(client_stream& wire, std::shared_ptr<outgoing_body> body,
                               framing how)
    : wire_(wire), body_(std::move(body)), how_(how) {}

request_writer::~request_writer() { stop(); }

void request_writer::stop() noexcept {
    if (is_running_) {
        tell(false);
        wire_.abort();
    }
    cancel_();  // also of one that has ended: its context has a timer, perhaps
    if (is_running_) (void)ended_.recv();
    is_running_ = false;
}

void request_writer::begin(std::string_view head, const context& ctx, std::int64_t until,
                           clock::duration patience) {
    const bool is_streamed = body_ != nullptr && body_->is_streamed();
    const bool waits = how_ != framing::none && patience.count() > 0;
    const std::size_t size = how_ == framing::none || is_streamed ? 0 : body_->text.size();
    if (how_ == framing::none || (!is_streamed && !waits && size <= written_first_max))
        return send_text(head);
    if (is_streamed) {
        std::tie(ctx_, cancel_) =
            until != 0 ? with_deadline(ctx, clock::time_point(clock::duration(until)))
                       : with_cancel(ctx);
    }
    if (waits) {
        patience_ = patience;
        told_ = make_chan<bool>(1);
    }
    if (waits || is_streamed) {
        write(head, {}, {});
        head = {};
        if (error_) return;
    }
    ended_ = make_chan<unit>(1);
    try {
        go([this, head] { run(head); });
        is_running_ = true;
    } catch (const std::system_error& e) {  // no room for a goroutine
        error_ = e.code();
    }
}

void request_writer::tell(bool goes_on) {
    if (is_running_ && told_) (void)told_.try_send(goes_on);
}

bool request_writer::has_ended() {
    using namespace std::chrono_literals;
    constexpr auto moment = 50ms;
    unit nothing;
    if (is_running_ && ended_.recv_for(nothing, moment) == chan_status::ok) is_running_ = false;
    return !is_running_ && !error_;
}

std::error_code request_writer::final_error() {
    tell(false);
    if (is_running_) cancel_();
    if (std::exchange(is_running_, false)) (void)ended_.recv();
    return error_;
}

void request_writer::rethrow() {
    if (!is_running_ && thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

// --- the goroutine -------------------------------------------------------------------------------

// The program's function may end it by goexit too: then nothing of the body is taken for whole.
void request_writer::run(std::string_view head) {
    struct end {
        request_writer& of;
        const chan<unit> ended;
        bool is_orderly = false;
        ~end() {
            if (!is_orderly) of.fail(std::make_error_code(std::errc::operation_canceled));
            ended.send({});
        }
    } at_end{*this, ended_};
    try {
        send_beside(head);
    } catch (const std::bad_alloc&) {
        fail(std::make_error_code(std::errc::not_enough_memory));
    }
    at_end.is_orderly = true;
}

void request_writer::send_beside(std::string_view head) {
    if (!is_asked_for()) return;
    if (body_->is_streamed()) send_pieces();
    else send_text(head);
}

bool request_writer::is_asked_for() {
    if (!told_) return true;
    bool goes_on = true;  // a server that is silent may not know expectations
    (void)told_.recv_for(goes_on, patience_);
    was_skipped_ = !goes_on;
    return goes_on;
}

void request_writer::send_text(std::string_view head) {
    const std::string_view text = how_ == framing::none ? std::string_view() : body_->text;
    if (how_ != framing::in_chunks) return write(head, text, {});
    std::string begin(head), end;
    if (!text.empty()) {
        chunk_line size;
        put_size(size, text.size());
        begin += size.view();
        end = "\r\n";
    }
    end += "0\r\n";
    append_trailers(end, body_->trailers);
    end += "\r\n";
    write(begin, text, end);
}

// What the program gives is sent as it comes.
void request_writer::send_pieces() {
    const std::unique_ptr<char[]> buffer(new char[piece_max]);
    body_reader anew;
    const bool is_bounded = body_->length >= 0;
    auto left = static_cast<std::uint64_t>(body_->length);
    while (left != 0) {
        const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(piece_max, left));
        const std::size_t n = next_piece(anew, std::span(buffer.get(), room));
        if (!error_ && n != 0) write_piece({buffer.get(), n});
        if (error_) return;
        if (n == 0) break;
        if (is_bounded) left -= n;
    }
    // A body that is given up because it is no longer wanted has not come to its end. The error is
    // set before anything can report it.
    if (const std::error_code why = ctx_.err()) return fail(why);
    if (is_bounded && left != 0) return fail(http_errc::body_length);
    if (how_ == framing::by_length) return;
    std::string end = "0\r\n";
    append_trailers(end, body_->trailers);
    write(end += "\r\n", {}, {});
}

// 0 at the end, and when it has failed.
std::size_t request_writer::next_piece(body_reader& anew, std::span<char> to) {
    try {
        if (!body_->anew) has_read_once_ = true;
        else if (!anew) anew = body_->anew();
        const body_reader& from = body_->anew ? anew : body_->once;
        const std::size_t n = from(std::as_writable_bytes(to), ctx_);
        if (n <= to.size()) return n;
        fail_source(std::make_error_code(std::errc::value_too_large));
    } catch (const std::system_error& e) {
        fail_source(e.code());
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        if (thrown == nullptr) throw;  // goexit, which goes on
        if (!ctx_.err()) thrown_ = thrown;
        fail_source(std::make_error_code(std::errc::operation_canceled));
    }
    return 0;
}

void request_writer::write_piece(std::string_view data) {
    if (how_ == framing::by_length) return write(data, {}, {});
    chunk_line size;
    put_size(size, data.size());
    write(size.view(), data, "\r\n");
}

// Nobody waits for an answer to half a request, unless the server has had enough of it: then it may
// have said why, and is to see that there comes no more.
void request_writer::write(std::string_view one, std::string_view two, std::string_view three) {
    wire_.write(one, two, three, error_);
    if (is_broken(error_)) wire_.end_writes();
    else if (error_) wire_.abort();
}

void request_writer::fail(std::error_code why) {
    error_ = why;
    wire_.abort();
}

void request_writer::fail_source(std::error_code why) {
    has_failed_source_ = true;
    fail(why);
}

}  // namespace rota::http::detail
