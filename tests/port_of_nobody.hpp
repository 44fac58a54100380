// Finds a port at which no server listens.
#pragma once

#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rota_test {

// A TCP port of this machine where connections are refused: taken, so that no other test listens
// there meanwhile, another process of this run included.
class port_of_nobody {
  public:
    port_of_nobody() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        auto* const any = reinterpret_cast<sockaddr*>(&at);
        if (::bind(fd_, any, size) == 0 && ::getsockname(fd_, any, &size) == 0)
            address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    }
    ~port_of_nobody() { ::close(fd_); }
    port_of_nobody(const port_of_nobody&) = delete;
    port_of_nobody& operator=(const port_of_nobody&) = delete;

    const std::string& address() const { return address_; }

  private:
    int fd_;
    std::string address_;
};

}  // namespace rota_test
