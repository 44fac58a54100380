// Sets the options that each TCP connection begins with. Go: SetNoDelay, defaultTCPKeepAlive.
#pragma once

namespace rota::net {

// Small writes are sent at once, and a peer that vanishes is detected after about 150 s. An option
// that the kernel does not have is left out.
void set_tcp_options(int number);

}  // namespace rota::net
