// Who may execute a request while a shutdown looks at the connection.
#include "http/connection.hpp"

#include <gtest/gtest.h>
#include <rota/http.hpp>

#include "http/server.hpp"

namespace rota::http::detail {
namespace {

TEST(kb61_http_phase, closed_connection_never_becomes_active) {
    // A request that is begun after its connection was shut down is executed, and its answer lost.
    server_state server([](response_writer&, request&) {}, {});
    const net::conn none;
    const net::endpoint nobody;
    connection c(server, none, nobody);
    EXPECT_TRUE(c.become_active());
    EXPECT_TRUE(c.become_active());  // still
    EXPECT_TRUE(c.become_idle());
    server.end(false);
    EXPECT_FALSE(c.become_idle());
    auto idle = connection::phase::idle;
    EXPECT_TRUE(c.now.compare_exchange(idle, connection::phase::closed, rt::memory_order_seq_cst,
                                       rt::memory_order_relaxed));
    EXPECT_FALSE(c.become_active());
    EXPECT_FALSE(c.become_idle());
    EXPECT_FALSE(c.become_active());
    EXPECT_FALSE(server.add(c));
}

TEST(http_moments, are_added_and_compared_with_none_among_them) {
    using namespace std::chrono_literals;
    EXPECT_EQ(later(5, 10ns), 15);
    EXPECT_EQ(later(5, 0ns), 0);
    EXPECT_EQ(later(5, -1ns), 0);
    EXPECT_GT(later(5, clock::duration::max()), 0);
    EXPECT_EQ(earlier(0, 7), 7);
    EXPECT_EQ(earlier(7, 0), 7);
    EXPECT_EQ(earlier(7, 8), 7);
    EXPECT_EQ(earlier(0, 0), 0);
}

}  // namespace
}  // namespace rota::http::detail
