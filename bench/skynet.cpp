// skynet: a tree of goroutines, ten children each, with a million leaves; every inner node sums
// what its children send it over an unbuffered channel. The figure is milliseconds for the whole
// tree.
//
// Models a large recursive fan-out: 1.1 million goroutines, 111 thousand channels, and, if
// children wait in first-in-first-out queues, hundreds of thousands of live stacks. Good: below 85
// ms with 1 proc and below 50 with 2; much more means that stacks are touched cold instead of
// being reused.
#include <cstdint>
#include <rota/chan.hpp>
#include <rota/go.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {
namespace {

void node(rota::chan<std::int64_t> c, std::int64_t num, std::int64_t size) {
    if (size == 1) {
        c.send(num);
        return;
    }
    auto rc = rota::make_chan<std::int64_t>();
    const std::int64_t sub = size / 10;
    for (int i = 0; i < 10; i++) rota::go(&node, rc, num + i * sub, sub);
    std::int64_t sum = 0;
    for (int i = 0; i < 10; i++) sum += rc.recv().value();
    c.send(sum);
}

}  // namespace

void skynet() {
    peers::bench_ms("skynet", [] {
        auto c = rota::make_chan<std::int64_t>();
        rota::go(&node, c, 0, 1000000);
        if (c.recv() != 499999500000) rota::panic("skynet sum");
    });
}

}  // namespace rota_bench
