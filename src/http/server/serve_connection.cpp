// The life of a server's connection: it waits for requests, and answers them.
#include "http/server/serve_connection.hpp"

#include <string>
#include <system_error>

#include "http/connection/connection.hpp"
#include "http/exchange/exchange.hpp"
#include "http/exchange/loan.hpp"
#include "http/h2/multiplex.hpp"

namespace rota::http::detail {

namespace {

// Out of line, so that a waiting connection has no more on its stack than it needs.
[[gnu::noinline]] next_step answer_what_has_come(connection& c, std::string& left) {
    const loan borrowed(c);
    // On every way out, complete answers are sent.
    struct sending {
        connection& c;
        exchange& x;
        ~sending() {
            std::error_code error;
            if (!c.hijacked) x.sender.send(error);
        }
    } const at_end{c, *borrowed};
    const next_step step = borrowed->serve();
    if (step == next_step::multiplex) left = borrowed->reader.input.unread();
    return step;
}

}  // namespace

void serve_connection(connection& c) {
    std::string left;
    next_step step = next_step::wait;
    while (step == next_step::wait && c.wait_for_request()) step = answer_what_has_come(c, left);
    if (step == next_step::multiplex) serve_multiplexed(c, left);
}

}  // namespace rota::http::detail
