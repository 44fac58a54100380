// Tells where in the frames of HTTP/2 the bytes of a client end, whatever nghttp2 makes of them.
//
// nghttp2 calls nobody for what it drops: a head that it refuses is over for its callbacks at the
// first fault, while the client may still owe the rest. So the limits of time count from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rota::http::detail {

class frame_tracker {
  public:
    // More of what the client has sent, from the preface on.
    void take(std::string_view bytes);

    // Bytes are missing: of a frame, or a head's last frame.
    bool is_within() const { return left_ > 0 || begun_ > 0 || in_head_; }
    // The same, but for the payload of a DATA frame, in which a client may take its time.
    bool is_within_head() const { return is_within() && (left_ == 0 || !is_data_); }
    // A number for what the client is within: a head with all its frames, or another frame.
    std::uint64_t serial() const { return serial_; }
    // How many bytes have come.
    std::uint64_t bytes() const { return bytes_; }
    // How many heads and trailers have come to their end, faulty or not.
    std::uint64_t heads() const { return heads_; }
    // The most CONTINUATION frames that a head, or trailers, have had.
    std::uint64_t continuations_most() const { return continuations_most_; }

  private:
    static constexpr std::size_t preface_size = 24, header_size = 9;
    void begin_frame();
    void end_frame();

    unsigned char header_[header_size] = {};  // of the frame that has begun
    std::size_t begun_ = 0;                   // bytes of header_ that there are
    std::size_t left_ = preface_size;         // bytes of the frame's payload that are missing
    bool is_data_ = false;                    // the frame is one of DATA
    bool ends_head_ = false;                  // the frame is the last one of a head
    bool in_head_ = false;                    // a head has begun, and its last frame has not ended
    std::uint64_t serial_ = 0, heads_ = 0, bytes_ = 0;
    std::uint64_t continuations_ = 0, continuations_most_ = 0;
};

}  // namespace rota::http::detail
