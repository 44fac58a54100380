// Repeats a call with naps between where the kernel does not report when it can succeed: on a Unix
// socket while the peer's queue is full.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <rota/time.hpp>

namespace rota::net {

// Repeats `call` until its result is not -EAGAIN, and returns that. `call` checks deadlines itself.
template <class Call>
auto retried(Call call) {
    using std::chrono::milliseconds;
    constexpr milliseconds longest{10};
    milliseconds nap{1};
    for (;;) {
        const auto result = call();
        if (result != -EAGAIN) return result;
        sleep_for(nap);
        nap = std::min(nap * 2, longest);
    }
}

}  // namespace rota::net
