// parked_100k and parked_1m: that many goroutines blocked on one channel, which is then closed.
//
// They model a server full of idle connections, and the thundering herd. `.create` is until all
// are blocked, `.wake` from close until all have finished, per goroutine; `_cold` is the first
// round of the process, when every stack is new memory, and the plain figures are the later
// rounds, which reuse it. `.rss` and `.pte` are what the first round added to the resident memory
// and to the page tables of the process, per goroutine; page tables are not part of the resident
// size, so both belong to the price. Good for a million with 1 proc: below 120 ns to create and
// 150 to wake when warm, and below 4400 bytes resident: a page for the stack and little else. A Go
// stack starts at 2 KiB and can be less, because Go can move it.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>
#include <string>

#include "peers/common/bench.hpp"
#include "workloads.hpp"

namespace rota_bench {
namespace {

// The bytes that this process has in page tables (VmPTE).
double page_tables() {
    std::FILE* f = std::fopen("/proc/self/status", "r");
    if (f == nullptr) rota::panic("parked: cannot open /proc/self/status");
    char line[256];
    unsigned long kib = 0;
    bool found = false;
    while (!found && std::fgets(line, sizeof line, f) != nullptr)
        found = std::sscanf(line, "VmPTE: %lu kB", &kib) == 1;
    std::fclose(f);
    if (!found) rota::panic("parked: /proc/self/status has no VmPTE line");
    return static_cast<double>(kib) * 1024;
}

void parked(const std::string& name, long n) {
    peers::Parked figures{name, static_cast<double>(n), 0, {}, {}};
    double pte = 0;
    for (int r = 0; r < peers::kReps + 1; r++) {
        const double before = peers::rss(), pte_before = page_tables();
        double after = before;
        auto c = rota::make_chan<rota::unit>();
        std::atomic<long> up{0};
        rota::wait_group wg;
        wg.add(static_cast<int>(n));
        auto t = peers::Clock::now();
        for (long i = 0; i < n; i++) {
            rota::go([&] {
                up.fetch_add(1);
                c.recv();
                wg.done();
            });
        }
        while (up.load() < n) rota::runtime::gosched();
        const double create = peers::ns_since(t);
        if (r == 0) {
            rota::sleep_for(std::chrono::milliseconds(50));
            after = peers::rss();
            pte = (page_tables() - pte_before) / static_cast<double>(n);
        }
        t = peers::Clock::now();
        c.close();
        wg.wait();
        figures.add(r == 0, create, peers::ns_since(t), before, after);
    }
    figures.finish();
    peers::emit(name + ".pte", pte, "B/goroutine");
}

}  // namespace

void parked_100k() { parked("parked_100k", 100000); }

void parked_1m() { parked("parked_1m", 1000000); }

}  // namespace rota_bench
