// What a connection has read and not used: how much of it is moved, and how large it gets.
#include "http/message/buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include <gtest/gtest.h>

namespace rota::http {
namespace {

TEST(http_buffer, a_pipeline_is_moved_once_and_takes_no_more_memory) {
    // What lies behind a request could be moved for each request before it, which is quadratic, or
    // the memory could double with each full read.
    constexpr std::size_t request_size = 30, body_room = 1024, total = 1 << 20;
    input_buffer in;
    std::size_t read = 0, used = 0, moved = 0, largest = 0;
    const auto count_move = [&](const char* before) {
        if (!in.is_empty() && in.unread().data() != before) moved += in.unread().size();
    };
    while (used < total) {
        const char* at = in.unread().data();
        in.settle();
        count_move(at);
        while (in.unread().size() < request_size) {
            at = in.unread().data();
            const std::span<std::byte> room = in.room();
            count_move(at);
            largest = std::max(largest, room.size());
            in.filled(room.size());  // a client that always has more to say
            read += room.size();
        }
        at = in.unread().data();
        in.reach(request_size, body_room);
        count_move(at);
        in.consume(request_size);
        used += request_size;
    }
    EXPECT_LE(moved, 2 * used);
    EXPECT_LE(largest, input_buffer::first_size);
    EXPECT_LE(read, used + input_buffer::first_size);
}

TEST(http_buffer, there_is_room_for_a_body_behind_a_head_of_any_length) {
    // The head's views must stay where they are while the body is read behind it.
    constexpr std::size_t body_room = 1024;
    for (const std::size_t head : {1UL, 3000UL, 4000UL, 4096UL, 5000UL, 60'000UL}) {
        input_buffer in;
        std::size_t left = head;
        while (left > 0) {
            const std::size_t n = std::min(left, in.room().size());
            in.filled(n);
            left -= n;
        }
        in.reach(head, body_room);
        const char* const begin = in.unread().data();
        in.consume(head);
        in.rewind_to(in.position());
        EXPECT_GE(in.room().size(), body_room);
        EXPECT_EQ(in.unread().data(), begin + head);
    }
}

}  // namespace
}  // namespace rota::http
