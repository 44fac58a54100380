// Implements the callbacks that nghttp2 makes. C calls them: no exception may pass, so a callback
// that gets no memory ends the connection.
#include "http/h2/session_calls.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <nghttp2/nghttp2.h>
#include <rota/detail/time_engine.hpp>

#include "http/connection/server_state.hpp"
#include "http/h2/session.hpp"
#include "http/message/grammar.hpp"
#include "http/message/trailers.hpp"

namespace rota::http::detail {

struct session_calls {
    static session& of(void* user) { return *static_cast<session*>(user); }
    static request_stream* find(session& s, std::int32_t id) {
        const auto found = s.streams_.find(id);
        return found == s.streams_.end() ? nullptr : found->second.get();
    }
    static bool is_request(const nghttp2_frame* f) {
        return f->hd.type == NGHTTP2_HEADERS && f->headers.cat == NGHTTP2_HCAT_REQUEST;
    }

    template <class F>
    static int guarded(F f) noexcept {
        try {
            return f();
        } catch (const std::exception&) {
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        }
    }

    static int on_begin(nghttp2_session*, const nghttp2_frame* f, void* user) {
        if (!is_request(f)) return 0;
        return guarded([&] {
            session& s = of(user);
            const std::int32_t id = f->hd.stream_id;
            s.streams_.emplace(id, std::make_shared<request_stream>(s, id));
            s.c_.idle_since.store(0, rt::memory_order_relaxed);  // relaxed: a guess for evict_one
            return 0;
        });
    }

    // Joins the fields into which a client may split its cookies: RFC 9113, 8.2.3.
    static void add_field(request_stream& to, std::string_view name, std::string_view value) {
        const bool is_cookie = name == "cookie";
        if (is_cookie && to.cookie_at_ != request_stream::no_cookie) {
            to.fields_[to.cookie_at_].value.append("; ").append(value);
            return;
        }
        if (is_cookie) to.cookie_at_ = to.fields_.size();
        to.fields_.push_back({std::string(name), std::string(value)});
    }

    // nghttp2 resets the stream with INTERNAL_ERROR.
    static int refuse(session& s) {
        s.count_reset();
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }

    // Takes a field behind the body. Caller: holds the session's lock.
    static int on_trailer(session& s, request_stream& to, std::string_view name,
                          std::string_view value, std::size_t cost) {
        if (to.done_) return 0;
        to.trailer_size_ += cost;
        if (to.trailer_size_ > s.c_.server.options.max_header_bytes || !s.may_keep(to, cost))
            return refuse(s);
        if (!is_token(name) || !is_field_value(value) || !is_trailer_name(name)) return 0;
        return guarded([&] {
            to.trailers_.push_back({std::string(name), std::string(value)});
            return 0;
        });
    }

    // Takes a field of the head, or a trailer.
    static int on_field(nghttp2_session*, const nghttp2_frame* f, const std::uint8_t* name,
                        std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                        std::uint8_t, void* user) {
        constexpr std::size_t field_cost = 32, malicious = 16;
        constexpr std::size_t kept_cost = 128;  // bytes; about the cost of a field beside its text
        const std::size_t size = name_size + value_size + field_cost;
        session& s = of(user);
        request_stream* const to =
            f->hd.type == NGHTTP2_HEADERS ? find(s, f->hd.stream_id) : nullptr;
        if (to == nullptr) return 0;
        const std::string_view n(reinterpret_cast<const char*>(name), name_size),
            v(reinterpret_cast<const char*>(value), value_size);
        if (to->begun_) return on_trailer(s, *to, n, v, size);
        const std::size_t most = s.c_.server.options.max_header_bytes;
        to->head_size_ += size;
        if (to->head_size_ > malicious * most) return refuse(s);
        to->is_large_ = to->is_large_ || to->head_size_ > most;
        if (to->is_large_) return 0;
        if (!s.may_keep(*to, size - field_cost + kept_cost)) return refuse(s);
        return guarded([&] {
            if (n == ":method") to->method_ = v;
            else if (n == ":path") to->target_ = v;
            else if (n == ":authority") to->authority_ = v;
            else if (!n.starts_with(':')) add_field(*to, n, v);
            return 0;
        });
    }

    static int on_frame(nghttp2_session*, const nghttp2_frame* f, void* user) {
        session& s = of(user);
        if (f->hd.type == NGHTTP2_RST_STREAM) s.count_reset();
        const bool is_head = f->hd.type == NGHTTP2_HEADERS;
        if (!is_head && f->hd.type != NGHTTP2_DATA) return 0;
        const auto found = s.streams_.find(f->hd.stream_id);
        if (found == s.streams_.end()) return 0;
        request_stream& to = *found->second;
        if ((f->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            to.in_ended_ = to.in_whole_ = true;
            to.changed_.notify_all();
        }
        if (!is_request(f)) return 0;
        to.begun_ = true;
        return guarded([&] {
            s.take_request(found->second);
            return 0;
        });
    }

    static int on_data(nghttp2_session* ng, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                       std::size_t size, void* user) {
        request_stream* const to = find(of(user), id);
        if (to == nullptr || to->done_) return nghttp2_session_consume(ng, id, size);
        return guarded([&] {
            to->in_.append(reinterpret_cast<const char*>(data), size);
            to->changed_.notify_all();
            return 0;
        });
    }

    static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t error, void* user) {
        session& s = of(user);
        const auto found = s.streams_.find(id);
        if (found == s.streams_.end()) return 0;
        const auto held = found->second;
        s.streams_.erase(found);
        s.note_idle();
        return guarded([&] {
            s.close(*held, error != NGHTTP2_NO_ERROR || !held->out_ended_);
            return 0;
        });
    }

    // True: nghttp2 has sent this reset for a fault of the client (CVE-2025-8671). The server's own
    // resets have other codes, except REFUSED_STREAM when there is no room for a goroutine: see
    // session::reset.
    static bool is_for_a_fault(std::uint32_t code) {
        return code != NGHTTP2_NO_ERROR && code != NGHTTP2_CANCEL && code != NGHTTP2_INTERNAL_ERROR;
    }

    // A client with the whole answer need not send the rest of the request: RFC 9113, 8.1.
    static int on_sent(nghttp2_session* ng, const nghttp2_frame* f, void* user) {
        if (f->hd.type == NGHTTP2_RST_STREAM && is_for_a_fault(f->rst_stream.error_code))
            of(user).count_reset();
        const bool may_end = f->hd.type == NGHTTP2_HEADERS || f->hd.type == NGHTTP2_DATA;
        if (!may_end || (f->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
        const request_stream* const to = find(of(user), f->hd.stream_id);
        if (to == nullptr || to->in_ended_) return 0;
        return nghttp2_submit_rst_stream(ng, NGHTTP2_FLAG_NONE, f->hd.stream_id, NGHTTP2_NO_ERROR);
    }
};

nghttp2_session* make_session(session& of) noexcept {
    nghttp2_session_callbacks* calls = nullptr;
    nghttp2_option* option = nullptr;
    nghttp2_session* made = nullptr;
    if (nghttp2_session_callbacks_new(&calls) == 0 && nghttp2_option_new(&option) == 0) {
        using c = session_calls;
        nghttp2_session_callbacks_set_on_begin_headers_callback(calls, c::on_begin);
        nghttp2_session_callbacks_set_on_header_callback(calls, c::on_field);
        nghttp2_session_callbacks_set_on_frame_recv_callback(calls, c::on_frame);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, c::on_data);
        nghttp2_session_callbacks_set_on_stream_close_callback(calls, c::on_close);
        nghttp2_session_callbacks_set_on_frame_send_callback(calls, c::on_sent);
        nghttp2_option_set_no_auto_window_update(option, 1);
        nghttp2_option_set_no_closed_streams(option, 1);
        if (nghttp2_session_server_new2(&made, calls, &of, option) != 0) made = nullptr;
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(calls);
    return made;
}

}  // namespace rota::http::detail
