// Declares what a server may ask of a connection of HTTP/2.
#pragma once

namespace rota::http::detail {

// The call by which the server asks a connection of HTTP/2 to end. Caller: holds the server's lock.
class multiplexed {
  public:
    virtual void go_away() noexcept = 0;

  protected:
    ~multiplexed() = default;
};

}  // namespace rota::http::detail
