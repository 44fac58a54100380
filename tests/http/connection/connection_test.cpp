// Checks which connections may execute a request while a shutdown looks at them.
#include "http/connection/connection.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <rota/context.hpp>
#include <rota/http.hpp>

#include "http/server/server.hpp"

namespace rota::http::detail {
namespace {

TEST(kb61_http_phase, closed_connection_never_becomes_active) {
    // A request that begins after its connection was shut down would be executed, and its answer
    // lost.
    server_state server([](response_writer&, request&) {}, {});
    const net::conn none;
    const net::endpoint nobody;
    connection c(server, none, nobody);
    EXPECT_TRUE(c.become_active());
    EXPECT_TRUE(c.become_active());  // again, while active
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

TEST(http_arrival, is_waited_for_until_it_is_closed_and_its_goroutine_has_given_back_what_it_had) {
    // A shutdown that returned earlier would leave a descriptor, a goroutine and memory to a caller
    // that does not expect them.
    const auto server =
        std::make_shared<server_state>([](response_writer&, request&) {}, server_options{});
    const auto [ctx, cancel] = with_cancel(background());
    cancel();
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    const net::conn client = net::dial("tcp", l.addr().to_string());
    const net::conn early = l.accept();
    const net::endpoint nobody;
    ASSERT_TRUE(server->take_place());
    {
        arrival first(server, early);
        {
            const arrival second(std::move(first));
            connection c(*server, second.socket(), nobody);
            EXPECT_TRUE(server->add(c));
            server->end(false);
            EXPECT_EQ(server->wait(ctx), context_errc::canceled);
            server->remove(c);
            EXPECT_EQ(server->wait(ctx), context_errc::canceled);  // its goroutine goes on
            EXPECT_NE(early.fd(), -1);
        }
        EXPECT_EQ(early.fd(), -1);
        EXPECT_EQ(server->wait(ctx), std::error_code());
    }
    const auto other =
        std::make_shared<server_state>([](response_writer&, request&) {}, server_options{});
    ASSERT_TRUE(other->take_place());
    {
        const arrival refused(other, client);
        other->end(false);
        connection late(*other, refused.socket(), nobody);
        EXPECT_FALSE(other->add(late));
        EXPECT_EQ(other->wait(ctx), context_errc::canceled);
        EXPECT_NE(client.fd(), -1);
    }
    EXPECT_EQ(client.fd(), -1);
    EXPECT_EQ(other->wait(ctx), std::error_code());
}

TEST(http_arrival, is_not_waited_for_once_it_is_another_s) {
    // A handler that has hijacked a connection may keep it for any time.
    const auto server =
        std::make_shared<server_state>([](response_writer&, request&) {}, server_options{});
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    const net::conn client = net::dial("tcp", l.addr().to_string());
    ASSERT_TRUE(server->take_place());
    server->end(false);
    EXPECT_FALSE(server->take_place());
    {
        arrival theirs(server, client);
        server->leave();
        EXPECT_EQ(server->wait(background()), std::error_code());
        theirs.let_go();
    }
    EXPECT_NE(client.fd(), -1);
}

}  // namespace
}  // namespace rota::http::detail
