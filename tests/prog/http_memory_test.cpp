// Tests a server without memory, and a server that should need little.
#include "child.hpp"

using namespace rota_test;

TEST(kb36_http_memory, each_allocation_that_fails_ends_its_connection_at_most) {
    // Fails if an unexpected exception leaves a goroutine, so that the process ends, or if a
    // connection remains without a goroutine behind it.
    for (const char* what : {"fails", "tls"}) {
        const outcome o = run_program("http_memory", {what}, {});
        EXPECT_EQ(o.status, 0) << o;
        std::printf("%s: %s", what, o.out.c_str());
    }
}

TEST(http_memory, of_an_idle_connection_is_a_small_part_of_a_busy_one_s) {
    // Fails if a waiting connection keeps the buffers of its last answer.
    const outcome o = run_program("http_memory", {"idle"}, {});
    EXPECT_TRUE(went_well(o));
    std::printf("%s", o.out.c_str());
}

TEST(http2_memory, of_one_connection_is_bounded_whatever_its_client_sends) {
    // Fails if each stream keeps memory for data that was read, or for answers that no client
    // takes. Fails if a body grows as long as a part of it is left.
    for (const char* what : {"unread", "read", "leaving", "untaken", "redirects", "requests"}) {
        const outcome o = run_program("http2_memory", {what}, {});
        EXPECT_TRUE(went_well(o));
        std::printf("%s: %s", what, o.out.c_str());
    }
}

TEST(kb36_http_client_memory, each_allocation_that_fails_is_told_and_leaves_nothing) {
    // Fails if a call without memory leaves a connection, a goroutine or half an answer behind.
    const outcome o = run_program("http_client_memory", {}, {});
    EXPECT_TRUE(went_well(o));
    std::printf("%s", o.out.c_str());
}
