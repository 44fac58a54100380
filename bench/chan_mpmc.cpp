// chan_spsc, chan_mpmc, chan_unbuffered_mpmc: items through a channel; an op is an item.
//
// They model pipelines: one producer and one consumer over a buffer of 128, four of each over the
// same buffer, and four of each without a buffer. chan_spsc shows the cost of a buffered operation,
// and how rarely the two sides must park. The two with four goroutines on each side show the
// channel's lock under contention, and the direct hand-over between parked goroutines. Good:
// chan_spsc below 13 ns with 1 proc and below 25 with 2, chan_unbuffered_mpmc below 70, chan_mpmc
// well under Go's figure in the same run.
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {
namespace {

// Moves n items from p producers to c consumers over a channel of the given capacity.
void pipe(long n, int p, int c, std::size_t capacity) {
    auto ch = rota::make_chan<long>(capacity);
    rota::wait_group prod, cons;
    prod.add(p);
    cons.add(c);
    for (int k = 0; k < p; k++) {
        rota::go([&, n, p] {
            for (long i = 0; i < n / p; i++) ch.send(i);
            prod.done();
        });
    }
    for (int k = 0; k < c; k++) {
        rota::go([&] {
            for ([[maybe_unused]] long v : ch) {
            }
            cons.done();
        });
    }
    prod.wait();
    ch.close();
    cons.wait();
}

}  // namespace

void chan_spsc() {
    peers::bench("chan_spsc", 1, [](long n) { pipe(n, 1, 1, 128); });
}

void chan_mpmc() {
    peers::bench("chan_mpmc", 4, [](long n) { pipe(n, 4, 4, 128); });
}

void chan_unbuffered_mpmc() {
    peers::bench("chan_unbuffered_mpmc", 4, [](long n) { pipe(n, 4, 4, 0); });
}

}  // namespace rota_bench
