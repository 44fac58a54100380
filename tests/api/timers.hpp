// What the tests of timers share.
#pragma once

#include <rota/chan.hpp>
#include <rota/time.hpp>

namespace rota_test {

// Whether no time waits in the channel of a timer.
inline bool is_empty(const rota::recv_chan<rota::clock::time_point>& c) {
    rota::clock::time_point at;
    return c.try_recv(at) == rota::chan_status::would_block;
}

}  // namespace rota_test
