// A server in this process, and a bare client of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace rota_hostile {

// Serves while it lives: `/` answers `hello`, `/length` how long the body is, `/look` `hello` after
// looking for what is not there, `/files/f` a file of ten bytes. A head may have 16 MiB.
class site {
  public:
    site();
    ~site();
    site(const site&) = delete;
    site& operator=(const site&) = delete;

  private:
    struct parts;
    std::unique_ptr<parts> all_;
};

// Of the site that lives. Written by its constructor, before any client asks.
inline std::string site_address;

// Sends the bytes to the site, in pieces of `piece` bytes, and ends; returns all that comes back.
std::string answer_to(std::string_view bytes, std::size_t piece);

}  // namespace rota_hostile
