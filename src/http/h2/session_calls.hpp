// What nghttp2 calls, and the session that it calls.
#pragma once

struct nghttp2_session;

namespace rota::http::detail {

class session;

// Null: no memory.
nghttp2_session* make_session(session& of) noexcept;

}  // namespace rota::http::detail
