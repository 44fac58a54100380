// Reads ahead for the waiters that a poll has brought, one after another.
#include "netpoll/read_ahead.hpp"

#include <sys/socket.h>

#include <algorithm>

#include "core/g.hpp"
#include "netpoll/poll_desc.hpp"
#include "netpoll/poller.hpp"
#include "sys/io/io_bytes.hpp"

namespace rota::rt {

namespace {

// Returns the number of bytes that have come.
std::int32_t do_order(poll_desc& d) {
    read_request& order = d.order;
    if (order.to == nullptr) return 0;
    d[poll_dir::read].unready();
    // MSG_DONTWAIT, because a process that shares the open file may have made it blocking.
    const std::int64_t got = io_receive(order.fd, order.to, order.size, MSG_DONTWAIT);
    order.got = static_cast<std::int32_t>(got);
    return std::max(order.got, 0);
}

}  // namespace

void read_ahead(const ready_list& ready) {
    const std::uint32_t n = std::min(ready.count, read_ahead_at_once);
    for (std::uint32_t i = 0; i < n; ++i) __builtin_prefetch(ready.all[i], 1);
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < n && sum < read_ahead_sum; ++i) {
        const void* const word = ready.all[i]->park_arg;
        poll_desc& d = poll_desc_around(word);
        if (word == &d[poll_dir::read]) sum += do_order(d);
    }
}

}  // namespace rota::rt
