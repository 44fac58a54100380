// Lends an exchange to a connection or to a stream of HTTP/2, for as long as it answers requests.
#pragma once

#include <memory>

namespace rota::http::detail {

struct connection;
struct exchange;

// Takes a spare exchange of the server, or makes a new exchange. The destructor gives it back.
class loan {
  public:
    explicit loan(connection& to);  // throws std::bad_alloc
    ~loan();
    loan(const loan&) = delete;
    loan& operator=(const loan&) = delete;

    exchange& operator*() const { return *x_; }
    exchange* operator->() const { return x_.get(); }

  private:
    connection& c_;
    std::unique_ptr<exchange> x_;
};

}  // namespace rota::http::detail
