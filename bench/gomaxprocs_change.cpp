// gomaxprocs_change: a change of GOMAXPROCS, between 1 and 2, while no other goroutine runs: first
// in an empty program, then beside 10,000 parked goroutines.
//
// Models a program that follows the quota of its container. One op stops the world, removes or adds
// a processor, and starts the world. Good: below 5 µs, and the same beside the parked goroutines,
// which the change does not concern. Go takes 16 to 24 µs, most of it to wake threads without work.
#include <atomic>
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {

namespace {

void change(const char* name) {
    peers::bench(name, 2, [](long n) {
        for (long i = 0; i < n / 2; i++) {
            rota::runtime::gomaxprocs(1);
            rota::runtime::gomaxprocs(2);
        }
    });
}

}  // namespace

void gomaxprocs_change() {
    change("gomaxprocs_change.0");
    constexpr long parked = 10'000;
    auto park = rota::make_chan<rota::unit>();
    std::atomic<long> up{0};
    rota::wait_group wg;
    wg.add(static_cast<int>(parked));
    for (long i = 0; i < parked; i++) {
        rota::go([&] {
            up.fetch_add(1);
            park.recv();
            wg.done();
        });
    }
    while (up.load() < parked) rota::runtime::gosched();
    change("gomaxprocs_change.10k");
    park.close();
    wg.wait();
}

}  // namespace rota_bench
