// ping_pong: a value goes back and forth between two goroutines over two unbuffered channels.
//
// Models request and reply, the latency of every blocking hand-over: two parks, two wake-ups and
// four channel operations are one op. Good: below 65 ns with 1 proc and below 120 with 2. With 2
// the figure tells whether the pair stays on one proc (a hand-over through runnext) or wakes a
// thread each way.
#include <rota/chan.hpp>
#include <rota/go.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

void ping_pong() {
    peers::bench("ping_pong", 1, [](long n) {
        auto a = rota::make_chan<long>(), b = rota::make_chan<long>();
        // By value: the echo may still be inside its last send after this function has returned.
        rota::go([a, b, n] {
            for (long i = 0; i < n; i++) b.send(a.recv().value());
        });
        for (long i = 0; i < n; i++) {
            a.send(i);
            b.recv();
        }
    });
}

}  // namespace rota_bench
