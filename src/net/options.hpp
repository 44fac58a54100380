// What every TCP connection begins with. Go: SetNoDelay, defaultTCPKeepAlive.
#pragma once

namespace rota::net {

// Small pieces go at once; a peer that has gone without a word is found out after some two and a
// half minutes. A kernel without one of these does without.
void set_tcp_options(int number);

}  // namespace rota::net
