// A server that has no memory, and one that is to need little.
#include "child.hpp"

using namespace rota_test;

TEST(kb36_http_memory, each_allocation_that_fails_ends_its_connection_at_most) {
    // An exception that nobody expects leaves a goroutine, and the process ends; or a connection
    // stays, with nobody behind it.
    for (const char* what : {"fails", "tls"}) {
        const outcome o = run_program("http_memory", {what}, {});
        EXPECT_EQ(o.status, 0) << o;
        std::printf("%s: %s", what, o.out.c_str());
    }
}

TEST(http_memory, of_an_idle_connection_is_a_small_part_of_a_busy_one_s) {
    // A connection that waits could keep the buffers that it has answered with.
    const outcome o = run_program("http_memory", {"idle"}, {});
    EXPECT_TRUE(went_well(o));
    std::printf("%s", o.out.c_str());
}

TEST(http2_memory, of_one_connection_is_bounded_whatever_its_client_sends) {
    // Room for what has been read, or for answers that nobody takes, could stay with each stream;
    // or a body could grow as long as some of it is left.
    for (const char* what : {"unread", "read", "leaving", "untaken", "redirects", "requests"}) {
        const outcome o = run_program("http2_memory", {what}, {});
        EXPECT_TRUE(went_well(o));
        std::printf("%s: %s", what, o.out.c_str());
    }
}

TEST(kb36_http_client_memory, each_allocation_that_fails_is_told_and_leaves_nothing) {
    // A connection, a goroutine or an answer in halves could be left of a call without memory.
    const outcome o = run_program("http_client_memory", {}, {});
    EXPECT_TRUE(went_well(o));
    std::printf("%s", o.out.c_str());
}
