// Tracks frames of HTTP/2 by their headers alone: RFC 9113, 4.1.
#include "http/h2/frame_tracker.hpp"

#include <algorithm>

namespace rota::http::detail {

void frame_tracker::begin_frame() {
    constexpr unsigned data = 0, headers = 1, continuation = 9, end_headers = 4;
    const unsigned type = header_[3], flags = header_[4];
    left_ = std::size_t{header_[0]} << 16 | std::size_t{header_[1]} << 8 | header_[2];
    is_data_ = type == data;
    in_head_ = in_head_ || type == headers;
    continuations_ = type == continuation ? continuations_ + 1 : 0;
    continuations_most_ = std::max(continuations_most_, continuations_);
    ends_head_ =
        in_head_ && (type == headers || type == continuation) && (flags & end_headers) != 0;
    begun_ = 0;
}

void frame_tracker::end_frame() {
    if (!ends_head_) return;
    ends_head_ = in_head_ = false;
    ++heads_;
}

void frame_tracker::take(std::string_view bytes) {
    bytes_ += bytes.size();
    while (!bytes.empty()) {
        if (left_ > 0) {
            const std::size_t n = std::min(left_, bytes.size());
            bytes.remove_prefix(n);
            left_ -= n;
            if (left_ == 0) end_frame();
            continue;
        }
        if (begun_ == 0 && !in_head_) ++serial_;
        header_[begun_++] = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        if (begun_ < header_size) continue;
        begin_frame();
        if (left_ == 0) end_frame();
    }
}

}  // namespace rota::http::detail
