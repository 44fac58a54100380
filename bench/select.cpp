// select_2, select_default: waiting on two channels, and polling one.
//
// They model the loop of a server that listens to several sources. select_2: a select over two
// unbuffered channels, each with its own sender, receives an item; the final sum shows that each
// sender was served equally often. select_default: a poll of an empty channel, as in a loop that
// checks between two pieces of work whether to stop. Good: select_2 a third of Go's figure in the
// same run, select_default below Go's, which takes no lock either.
#include <cstdio>
#include <cstdlib>
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {
namespace {

[[noreturn]] void wrong(const char* what) {
    std::fprintf(stderr, "%s: a wrong value was received\n", what);
    std::exit(1);
}

}  // namespace

void select_2() {
    peers::bench("select_2", 2, [](long n) {
        auto a = rota::make_chan<long>();
        auto b = rota::make_chan<long>();
        for (const auto& c : {a, b}) {
            rota::go([c, n] {
                for (long i = 0; i < n / 2; i++) c.send(i);
            });
        }
        long sum = 0;
        for (long i = 0; i < n; i++) {
            rota::select(rota::on_recv(a, [&](std::optional<long> v) { sum += *v; }),
                         rota::on_recv(b, [&](std::optional<long> v) { sum -= *v; }));
        }
        if (sum != 0) wrong("select_2");
    });
}

void select_default() {
    auto c = rota::make_chan<long>();
    peers::bench("select_default", 1, [&](long n) {
        for (long i = 0; i < n; i++) {
            rota::select(rota::on_recv(c, [](std::optional<long>) { wrong("select_default"); }),
                         rota::on_default());
        }
    });
}

}  // namespace rota_bench
