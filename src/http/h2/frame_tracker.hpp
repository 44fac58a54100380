// Tells where in the frames of HTTP/2 a client's bytes end, independently of nghttp2.
//
// nghttp2 calls no callback for frames that it drops. At the first fault of a head, the head is
// over for its callbacks, while the client may still owe the rest. So the limits of time count from
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rota::http::detail {

class frame_tracker {
  public:
    // Takes more of the client's bytes, from the preface on.
    void take(std::string_view bytes);

    // True: bytes are missing, of a frame or of a head's last frame.
    bool is_within() const { return left_ > 0 || begun_ > 0 || in_head_; }
    // The same, except in the payload of a DATA frame, in which a client may take its time.
    bool is_within_head() const { return is_within() && (left_ == 0 || !is_data_); }
    // A number for the head with its frames, or the other frame, that the client is within.
    std::uint64_t serial() const { return serial_; }
    // Bytes that have arrived.
    std::uint64_t bytes() const { return bytes_; }
    // Heads and trailers that have arrived to their end, faulty or not.
    std::uint64_t heads() const { return heads_; }
    // The most CONTINUATION frames of any head or trailers.
    std::uint64_t continuations_most() const { return continuations_most_; }

  private:
    static constexpr std::size_t preface_size = 24, header_size = 9;
    void begin_frame();
    void end_frame();

    unsigned char header_[header_size] = {};  // bytes; the header of the current frame
    std::size_t begun_ = 0;                   // bytes; the part of header_ that has arrived
    std::size_t left_ = preface_size;         // bytes; missing of the frame's payload
    bool is_data_ = false;                    // the frame is a DATA frame
    bool ends_head_ = false;                  // the frame is the last of a head
    bool in_head_ = false;                    // a head has begun; its last frame has not ended
    std::uint64_t serial_ = 0, heads_ = 0, bytes_ = 0;
    std::uint64_t continuations_ = 0, continuations_most_ = 0;
};

}  // namespace rota::http::detail
