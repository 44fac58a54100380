// Builds responses: the head, the collected part of the body, and the framing of the body.
#include "http/exchange/response_sender.hpp"

#include <algorithm>
#include <ctime>

#include <rota/panic.hpp>

#include "http/connection/server_state.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

namespace {

constexpr std::size_t collected_max = 4096;

void append_field(std::string& to, std::string_view name, std::string_view value) {
    const std::size_t at = to.size();
    to.resize(at + name.size() + value.size() + 4);
    char* const line = std::copy(name.begin(), name.end(), to.data() + at);
    line[0] = ':';
    line[1] = ' ';
    char* const end = std::copy(value.begin(), value.end(), line + 2);
    end[0] = '\r';
    end[1] = '\n';
}

void put_chunk_size(std::string& to, std::size_t size) {
    short_text<24> line;
    line.add_number(size, 16);
    line.add("\r\n");
    to += line.view();
}

}  // namespace

void response_sender::begin(const request_head& to) {
    request_ = &to;
    continue_due_ = to.expects_continue;
    restart();
}

void response_sender::restart() {
    fields.clear();
    trailers.clear();
    lines_.clear();
    collected_.clear();
    declared_.reset();
    status_ = 0;
    written_ = 0;
    enter(response_phase::open);
    own_fields_ = 0;
    ends_connection_ = !request_->keep_alive;
}

void response_sender::reset() noexcept {
    for (header_map* const each : {&fields, &trailers}) {
        if (each->size() > kept_max / sizeof(header_map::value_type)) *each = header_map();
        else each->clear();  // which keeps the memory
    }
    for (std::string* const each : {&collected_, &lines_})
        if (each->capacity() > kept_max) std::string().swap(*each);
    out_.reset();
}

// --- the head ------------------------------------------------------------------------------------

void response_sender::note_field(std::string_view name, std::string_view value) {
    const auto is = [name](std::string_view wanted) { return equal_without_case(name, wanted); };
    const auto note = [this](own_field f) {
        own_fields_ = static_cast<std::uint8_t>(own_fields_ | f);
    };
    switch (name.size()) {
        case 4:
            if (is("Date")) note(own_date);
            break;
        case 7:
            if (is("Trailer")) note(own_trailer);
            break;
        case 10:
            if (!is("Connection")) break;
            if (has_element(value, "close")) {
                ends_connection_ = true;
                return;
            }
            if (equal_without_case(value, "keep-alive")) return;
            note(own_connection);
            break;
        case 14:
            if (!is("Content-Length")) break;
            if (const auto n = decimal(value); n && allows_body()) declared_ = *n;
            return;
        case 17:
            if (is("Transfer-Encoding")) return;  // the server decides how the body is framed
            break;
        default: break;
    }
    append_field(lines_, name, value);
}

// Makes the head final, with the fields as they are at this moment.
void response_sender::end_head(int code) {
    status_ = code;
    enter(response_phase::final_head);
    for (const auto& [name, value] : fields) note_field(name, value);
}

void response_sender::write_header(int code) {
    if (code < 100 || code > 999) panic("invalid WriteHeader code " + std::to_string(code));
    if (wire_.c->hijacked || phase() != response_phase::open) return;
    if (code == 101 && wire_.over != nullptr) {  // RFC 9113, 8.6
        wire_.broken = true;
        throw std::system_error(http_errc::cannot_hijack, "rota::http: write_header(101)");
    }
    if (code >= 200 || code == 101) return end_head(code);
    if (!request_->http_1_1) return;
    const auto turn = wire_.lock_head();
    if (code == 100) continue_due_ = false;
    if (wire_.over != nullptr) return send_early_head(code);
    put_status_line(code);
    if (code != 100) append_early_fields(out_.text());
    out_.text() += "\r\n";
    std::error_code error;
    send(error);
    if (error) throw std::system_error(error, "rota::http: write_header");
}

// Fields about the body and the connection belong to the final head: RFC 9110, 8.6.
void response_sender::append_early_fields(std::string& to) const {
    for (const auto& [name, value] : fields) {
        const bool is_final = equal_without_case(name, "Content-Length") ||
                              equal_without_case(name, "Transfer-Encoding") ||
                              equal_without_case(name, "Connection");
        if (!is_final) append_field(to, name, value);
    }
}

void response_sender::send_continue(std::error_code& error) {
    const auto turn = wire_.lock_head();
    if (!std::exchange(continue_due_, false) || has_sent_head()) return;
    if (wire_.over != nullptr) return wire_.over->send_head(100, {}, false, error);
    out_.text() += "HTTP/1.1 100 Continue\r\n\r\n";
    out_.send(wire_.c->stream, error);
    if (error) wire_.broken = true;  // no more than this flag: the writer may be at work
}

void response_sender::put_status_line(int code) {
    head_text line;
    if (request_->http_1_1) line.add("HTTP/1.1 ");
    else line.add("HTTP/1.0 ");
    std::string& to = out_.text();
    if (code == 200) {
        line.add("200 OK\r\n");
        to += line.view();
        return;
    }
    line.add_number(static_cast<std::uint64_t>(code));
    line.add(" ");
    to += line.view();
    to.append(status_text(code)).append("\r\n");
}

void response_sender::put_date(head_text& to) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != date_second_) {
        date_second_ = now.tv_sec;
        format_date(date_second_, date_);
    }
    to.add("Date: ");
    to.add_bytes<date_size>(date_);
    to.add("\r\n");
}

void response_sender::put_length(head_text& to) const {
    to.add("Content-Length: ");
    to.add_number(declared_.value_or(written_));
    to.add("\r\n");
}

// `is_complete`: the handler has written the whole body.
void response_sender::put_framing(head_text& to, bool is_complete) {
    if (!allows_body()) return;
    if (declared_ || (is_complete && (!is_to_head() || written_ > 0))) {
        put_length(to);
    } else if (is_to_head()) {
        return;
    } else if (request_->http_1_1) {
        enter(response_phase::body_in_chunks);
        to.add("Transfer-Encoding: chunked\r\n");
        if ((own_fields_ & own_trailer) == 0) append_announcement(lines_, trailers);
    } else {
        ends_connection_ = true;
    }
}

// Trailers need chunks, even if the length is known.
bool response_sender::wants_trailers() const {
    return request_->http_1_1 && ((own_fields_ & own_trailer) != 0 || has_trailers(trailers));
}

void response_sender::put_head(bool is_complete) {
    enter(response_phase::body_as_is);
    if (continue_due_ || wire_.body_failed || wire_.c->server.is_closing()) ends_connection_ = true;
    put_status_line(status_);
    head_text own;
    if ((own_fields_ & own_date) == 0) put_date(own);
    put_framing(own, is_complete && !wants_trailers());
    if (status_ == 101) ends_connection_ = true;  // a handler that means 101 hijacks the connection
    if (ends_connection_ && request_->http_1_1 && (own_fields_ & own_connection) == 0)
        own.add("Connection: close\r\n");
    if (!ends_connection_ && !request_->http_1_1) own.add("Connection: keep-alive\r\n");
    own.add("\r\n");
    out_.text().append(lines_).append(own);
}

// --- the body ------------------------------------------------------------------------------------

void response_sender::send(std::error_code& error) {
    error.clear();
    if (out_.is_empty()) return;
    wire_.c->note_response();
    out_.send(wire_.c->stream, error);
    if (error) fail();
}

// Sends the head in the output, then the collected bytes and `more`.
void response_sender::send_body(std::string_view more, std::error_code& error) {
    const std::size_t size = collected_.size() + more.size();
    if (wire_.over != nullptr) return send_stream_body(more, false, error);
    if (size == 0) return send(error);
    const bool is_chunk = phase() == response_phase::body_in_chunks;
    if (is_chunk) put_chunk_size(out_.text(), size);
    wire_.c->note_response();
    out_.send_with(wire_.c->stream, collected_, more, is_chunk ? "\r\n" : "", error);
    collected_.clear();
    if (error) fail();
}

namespace {

// Counts the text of a large write as held memory, for as long as the client has not taken it.
struct write_in_progress {
    server_state& s;
    std::int64_t size;
    write_in_progress(server_state& of, std::size_t bytes)
        : s(of), size(static_cast<std::int64_t>(bytes)) {
        if (size >= held_memory::step) s.note_held(size);
    }
    ~write_in_progress() {
        if (size >= held_memory::step) s.note_held(-size);
    }
    write_in_progress(const write_in_progress&) = delete;
    write_in_progress& operator=(const write_in_progress&) = delete;
};

}  // namespace

void response_sender::write(std::string_view data, std::error_code& error) {
    error.clear();
    if (wire_.c->hijacked) {
        error = http_errc::hijacked;
        return;
    }
    end_head();
    if (data.empty()) return;
    if (!allows_body()) {
        error = http_errc::body_not_allowed;
        return;
    }
    if (declared_ && data.size() > *declared_ - written_) {
        error = http_errc::content_length;
        return;
    }
    written_ += data.size();
    if (is_to_head()) return;
    if (collected_.size() + data.size() <= collected_max) {
        collected_ += data;
        return;
    }
    const write_in_progress counted(wire_.c->server, data.size());
    if (!send_head_first(error)) return;
    send_body(data, error);
}

// Writes the head of a response whose body follows.
bool response_sender::send_head_first(std::error_code& error) {
    if (has_sent_head()) return true;
    const auto turn = wire_.lock_head();
    if (wire_.over != nullptr) send_stream_head(false, false, error);
    else put_head(false);
    return !error;
}

void response_sender::flush(std::error_code& error) {
    error.clear();
    if (wire_.c->hijacked) {
        error = http_errc::hijacked;
        return;
    }
    end_head();
    if (send_head_first(error)) send_body({}, error);
}

void response_sender::finish() {
    if (!has_sent_head()) put_head(true);
    put_rest();
    if (is_short()) ends_connection_ = true;
}

// Appends the collected bytes, and the end of the chunks.
void response_sender::put_rest() {
    std::string& to = out_.text();
    const bool is_chunked = phase() == response_phase::body_in_chunks;
    const bool is_chunk = is_chunked && !collected_.empty();
    if (is_chunk) put_chunk_size(to, collected_.size());
    to += collected_;
    if (is_chunk) to += "\r\n";
    collected_.clear();
    if (!is_chunked) return;
    to += "0\r\n";
    append_trailers(to, trailers);
    to += "\r\n";
}

void response_sender::put_error(int code) {
    if (has_sent_head()) {
        ends_connection_ = true;
        return;
    }
    restart();
    ends_connection_ = true;
    status_ = code;
    enter(response_phase::final_head);
    lines_ = "Content-Type: text/plain; charset=utf-8\r\n";
    collected_ = std::to_string(code);
    collected_.append(" ").append(status_text(code));
    written_ = collected_.size();
    if (wire_.over != nullptr) return finish_stream();
    put_head(true);
    if (!is_to_head()) out_.text() += collected_;
    collected_.clear();
}

}  // namespace rota::http::detail
