// Builds answers: the head, the collected part of the body, and the framing of the body.
//
// The writes of a handler are collected. If the handler returns while the body is still small, its
// length is known, and one call sends head and body. Otherwise the head goes first. The body
// follows in chunks, or as it is if its length was declared; for HTTP/1.0 it lasts until the
// connection ends.
#include <algorithm>
#include <ctime>
#include <stdexcept>

#include <rota/panic.hpp>

#include "fd/fd.hpp"
#include "http/connection/server_state.hpp"
#include "http/exchange/exchange.hpp"
#include "http/message/trailers.hpp"

namespace rota::http {
namespace detail {

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

void exchange::begin_answer() {
    answer_fields.clear();
    answer_trailers.clear();
    sent_fields.clear();
    collected.clear();
    status = 0;
    written = declared = 0;
    has_declared = has_date = has_connection = head_sent = in_chunks = announces_trailers = false;
    close_after = !head.keep_alive;
}

// --- the head ------------------------------------------------------------------------------------

bool exchange::allows_body() const { return status >= 200 && status != 204 && status != 304; }

void exchange::note_field(std::string_view name, std::string_view value) {
    const auto is = [name](std::string_view wanted) { return equal_without_case(name, wanted); };
    switch (name.size()) {
        case 4: has_date = has_date || is("Date"); break;
        case 7: announces_trailers = announces_trailers || is("Trailer"); break;
        case 10:
            if (!is("Connection")) break;
            if (has_element(value, "close")) {
                close_after = true;
                return;
            }
            if (equal_without_case(value, "keep-alive")) return;
            has_connection = true;
            break;
        case 14:
            if (!is("Content-Length")) break;
            if (const auto n = decimal(value); n && allows_body()) {
                has_declared = true;
                declared = *n;
            }
            return;
        case 17:
            if (is("Transfer-Encoding")) return;  // the server decides how the body is framed
            break;
        default: break;
    }
    append_field(sent_fields, name, value);
}

// Makes the head final, with the fields as they are at this moment.
void exchange::end_head(int code) {
    status = code;
    for (const auto& [name, value] : answer_fields) note_field(name, value);
}

void exchange::write_header(int code) {
    if (code < 100 || code > 999) panic("invalid WriteHeader code " + std::to_string(code));
    if (c->hijacked || status != 0) return;
    if (code == 101 && over != nullptr) {  // RFC 9113, 8.6
        broken = true;
        throw std::system_error(http_errc::cannot_hijack, "rota::http: write_header(101)");
    }
    if (code >= 200 || code == 101) return end_head(code);
    if (!head.http_1_1) return;
    const auto turn = lock_head();
    if (code == 100) continue_due = false;
    if (over != nullptr) return send_early_head(code);
    put_status_line(code);
    if (code != 100) append_early_fields(out.text());
    out.text() += "\r\n";
    std::error_code error;
    send(error);
    if (error) throw std::system_error(error, "rota::http: write_header");
}

// Fields about the body and the connection belong to the final head: RFC 9110, 8.6.
void exchange::append_early_fields(std::string& to) const {
    for (const auto& [name, value] : answer_fields) {
        const bool is_final = equal_without_case(name, "Content-Length") ||
                              equal_without_case(name, "Transfer-Encoding") ||
                              equal_without_case(name, "Connection");
        if (!is_final) append_field(to, name, value);
    }
}

void exchange::send_early_head(int code) {
    std::string lines;
    if (code != 100) append_early_fields(lines);
    std::error_code error;
    over->send_head(code, lines, false, error);
    if (error) throw std::system_error(error, "rota::http: write_header");
}

void exchange::put_status_line(int code) {
    head_text line;
    if (head.http_1_1) line.add("HTTP/1.1 ");
    else line.add("HTTP/1.0 ");
    std::string& to = out.text();
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

void exchange::put_date(head_text& to) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != date_second) {
        date_second = now.tv_sec;
        format_date(date_second, date);
    }
    to.add("Date: ");
    to.add_bytes<date_size>(date);
    to.add("\r\n");
}

// `is_complete`: the handler has written the whole body.
void exchange::put_framing(head_text& to, bool is_complete) {
    if (!allows_body()) return;
    if (has_declared || (is_complete && (!is_head_method() || written > 0))) {
        to.add("Content-Length: ");
        to.add_number(has_declared ? declared : written);
        to.add("\r\n");
    } else if (is_head_method()) {
        return;
    } else if (head.http_1_1) {
        in_chunks = true;
        to.add("Transfer-Encoding: chunked\r\n");
        if (!announces_trailers) append_announcement(sent_fields, answer_trailers);
    } else {
        close_after = true;
    }
}

// Trailers need chunks, even if the length is known.
bool exchange::wants_trailers() const {
    return head.http_1_1 && (announces_trailers || has_trailers(answer_trailers));
}

void exchange::put_head(bool is_complete) {
    head_sent = true;
    if (continue_due || body_failed || c->server.is_closing()) close_after = true;
    put_status_line(status);
    head_text own;
    if (!has_date) put_date(own);
    put_framing(own, is_complete && !wants_trailers());
    if (status == 101) close_after = true;  // a handler that means 101 hijacks the connection
    if (close_after && head.http_1_1 && !has_connection) own.add("Connection: close\r\n");
    if (!close_after && !head.http_1_1) own.add("Connection: keep-alive\r\n");
    own.add("\r\n");
    out.text().append(sent_fields).append(own);
}

// --- the body ------------------------------------------------------------------------------------

void exchange::send(std::error_code& error) {
    error.clear();
    if (out.is_empty()) return;
    c->note_answer();
    out.send(c->stream, error);
    if (error) broken = close_after = true;
}

// Sends the head in `out`, then the collected bytes and `more`.
void exchange::send_body(std::string_view more, std::error_code& error) {
    const std::size_t size = collected.size() + more.size();
    if (over != nullptr) return send_stream_body(more, false, error);
    if (size == 0) return send(error);
    if (in_chunks) put_chunk_size(out.text(), size);
    c->note_answer();
    out.send_with(c->stream, collected, more, in_chunks ? "\r\n" : "", error);
    collected.clear();
    if (error) broken = close_after = true;
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

void exchange::write(std::string_view data, std::error_code& error) {
    error.clear();
    if (c->hijacked) {
        error = http_errc::hijacked;
        return;
    }
    if (status == 0) end_head(200);
    if (data.empty()) return;
    if (!allows_body()) {
        error = http_errc::body_not_allowed;
        return;
    }
    if (has_declared && data.size() > declared - written) {
        error = http_errc::content_length;
        return;
    }
    written += data.size();
    if (is_head_method()) return;
    if (collected.size() + data.size() <= collected_max) {
        collected += data;
        return;
    }
    const write_in_progress counted(c->server, data.size());
    if (!send_head_first(error)) return;
    send_body(data, error);
}

// Writes the head of an answer whose body follows.
bool exchange::send_head_first(std::error_code& error) {
    if (head_sent) return true;
    const auto turn = lock_head();
    if (over != nullptr) send_stream_head(false, false, error);
    else put_head(false);
    return !error;
}

void exchange::flush(std::error_code& error) {
    error.clear();
    if (c->hijacked) {
        error = http_errc::hijacked;
        return;
    }
    if (status == 0) end_head(200);
    if (send_head_first(error)) send_body({}, error);
}

// For HTTP/1.1: leaves the rest of the answer in `out`.
void exchange::finish_answer() {
    if (over != nullptr) return finish_stream();
    if (status == 0) end_head(200);
    if (!head_sent) {
        if (!drain_body()) {
            if (body_error == http_errc::malformed_body) return answer_error(400);
            if (body_error == http_errc::body_too_large) return answer_error(413);
            close_after = true;
        }
        put_head(true);
        put_rest();
    } else {
        put_rest();
        if (!drain_body()) close_after = true;
    }
    if (has_declared && written < declared && !is_head_method()) close_after = true;
}

// Appends the collected bytes, and the end of the chunks.
void exchange::put_rest() {
    std::string& to = out.text();
    const bool is_chunk = in_chunks && !collected.empty();
    if (is_chunk) put_chunk_size(to, collected.size());
    to += collected;
    if (is_chunk) to += "\r\n";
    collected.clear();
    if (!in_chunks) return;
    to += "0\r\n";
    append_trailers(to, answer_trailers);
    to += "\r\n";
}

void exchange::answer_error(int code) {
    if (head_sent) {
        close_after = true;
        return;
    }
    begin_answer();
    close_after = true;
    status = code;
    sent_fields = "Content-Type: text/plain; charset=utf-8\r\n";
    collected = std::to_string(code);
    collected.append(" ").append(status_text(code));
    written = collected.size();
    if (over != nullptr) return finish_stream();
    put_head(true);
    if (!is_head_method()) out.text() += collected;
    collected.clear();
}

net::conn exchange::hijack() {
    if (c->hijacked) throw std::system_error(http_errc::hijacked, "rota::http: hijack");
    if (c->stream.has_layer() || over != nullptr)
        throw std::system_error(http_errc::cannot_hijack, "rota::http: hijack");
    end_watch();
    std::error_code error;
    if (head_sent || status != 0) flush(error);
    else send(error);
    const std::string_view rest = in.unread();
    if (!rest.empty()) (void)c->stream.socket().descriptor()->unread(rest.data(), rest.size());
    in.consume(rest.size());
    c->limit_reads(0);
    c->limit_writes(0);
    c->stream.socket().descriptor()->set_write_stall(0);
    c->hijacked = true;
    c->server.remove(*c);
    c->server.leave();
    return c->stream.socket();
}

}  // namespace detail

// --- the handler's view --------------------------------------------------------------------------

header_map& response_writer::header() noexcept { return x_.answer_fields; }
header_map& response_writer::trailer() noexcept { return x_.answer_trailers; }
void response_writer::write_header(int status) { x_.write_header(status); }
void response_writer::write(std::string_view data, std::error_code& error) {
    x_.write(data, error);
}
void response_writer::write(std::string_view data) {
    std::error_code error;
    x_.write(data, error);
    if (error) throw std::system_error(error, "rota::http: write");
}
void response_writer::flush(std::error_code& error) { x_.flush(error); }
void response_writer::flush() {
    std::error_code error;
    x_.flush(error);
    if (error) throw std::system_error(error, "rota::http: flush");
}
void response_writer::enable_full_duplex() {
    std::error_code error;
    x_.enable_duplex(error);
    if (error) throw std::system_error(error, "rota::http: enable_full_duplex");
}
net::conn response_writer::hijack() { return x_.hijack(); }

}  // namespace rota::http
