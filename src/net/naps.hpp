// Trying again where the kernel does not tell when: a Unix socket whose peer's queue is full.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <rota/time.hpp>

namespace rota::net {

// The result of `call` once it is something else than -EAGAIN. `call` looks at deadlines itself.
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
