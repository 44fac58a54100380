// Implements the loan of an exchange.
#include "http/exchange/loan.hpp"

#include "http/connection/server_state.hpp"
#include "http/exchange/exchange.hpp"

namespace rota::http::detail {

namespace {

std::unique_ptr<exchange> borrow(server_state& from) {
    if (rota::detail::pool_box* const b = from.spare_exchanges().take())
        return std::unique_ptr<exchange>(static_cast<exchange*>(b));
    return std::make_unique<exchange>();
}

}  // namespace

loan::loan(connection& to) : c_(to), x_(borrow(to.server)) { x_->attach(to); }

loan::~loan() {
    if (const std::int64_t told = x_->reader.forget_held()) c_.server.note_held(-told);
    x_->reset();
    c_.server.spare_exchanges().put(x_.release());
}

}  // namespace rota::http::detail
