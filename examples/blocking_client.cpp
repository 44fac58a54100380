// A client library that knows nothing of goroutines; a thousand goroutines use it.
//
// libpq blocks its caller in poll() until the server answers, and does not announce that to the
// runtime. The runtime takes the processor from a goroutine in such a call within microseconds to
// milliseconds, so that other goroutines run. After the answer, the goroutine waits for a processor
// at its next call of the runtime. libpq is neither wrapped nor changed.
//
// Usage: blocking_client [CONNECTIONS [REQUESTS [SECONDS]]]       defaults: 50, 1000, 5
//        LD_PRELOAD=.../librota_hook.so blocking_client hook
//
// libpq finds the server by PGHOST, PGPORT, PGUSER and PGDATABASE; `./dev demo rude` starts a
// server. The program checks the first two parts: the exit status is 1 if it has not seen one of
// them. It also checks every answer of the third.
// 1. REQUESTS goroutines call pg_sleep(1) over CONNECTIONS connections; each connection is busy all
//    the time.
// 2. CONNECTIONS goroutines are inside libpq for SECONDS seconds, while a ticker of 1 ms keeps
//    time.
// 3. 200 threads, and then 200 goroutines, query numbers as fast as they can, beside tickers.
//
// With the argument `hook` the program does only the third part, in goroutines that librota_hook.so
// parks. It fails without that library (docs/hook.md).
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/hook.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include <libpq-fe.h>

#include "blocking_client/short_queries.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct plan {
    std::size_t connections = 50;
    std::size_t requests = 1000;
    long seconds = 5;
};

struct finish {
    void operator()(PGconn* c) const { ::PQfinish(c); }
};
using connection = std::unique_ptr<PGconn, finish>;

connection connect() {
    connection c(::PQconnectdb(""));
    if (::PQstatus(c.get()) != CONNECTION_OK)
        throw std::runtime_error(std::string("cannot reach PostgreSQL: ") +
                                 ::PQerrorMessage(c.get()));
    return c;
}

void sleep_in_server(const connection& c) {
    const std::unique_ptr<PGresult, decltype(&::PQclear)> result(
        ::PQexec(c.get(), "select pg_sleep(1)"), ::PQclear);
    if (::PQresultStatus(result.get()) != PGRES_TUPLES_OK)
        throw std::runtime_error(std::string("pg_sleep: ") + ::PQerrorMessage(c.get()));
}

// The pool is a channel: a goroutine that takes a connection out waits until the pool has one.
using pool = rota::chan<connection>;

pool connect_all(std::size_t count) {
    pool all = rota::make_chan<connection>(count);
    rota::error_group group;
    for (std::size_t i = 0; i < count; ++i) group.go([&all] { all.send(connect()); });
    group.wait();
    return all;
}

bool show_requests(const plan& wanted, const pool& all) {
    std::atomic<std::size_t> served = 0;
    const auto began = rota::clock::now();
    rota::wait_group left;
    for (std::size_t i = 0; i < wanted.requests; ++i) {
        left.go([&] {
            connection mine = *all.recv();
            sleep_in_server(mine);
            all.send(std::move(mine));
            ++served;
        });
    }
    left.wait();
    const double took = duration<double>(rota::clock::now() - began).count();
    const auto turns = (wanted.requests + wanted.connections - 1) / wanted.connections;
    std::printf("%zu requests of 1 s over %zu connections: %.2f s, %.0f s at best\n", served.load(),
                wanted.connections, took, static_cast<double>(turns));
    return took < static_cast<double>(turns) * 1.25 + 1;
}

bool show_ticker(const plan& wanted, const pool& all) {
    const auto until = rota::clock::now() + seconds(wanted.seconds);
    std::atomic<std::size_t> inside = 0;
    rota::wait_group left;
    for (std::size_t i = 0; i < wanted.connections; ++i) {
        left.go([&] {
            connection mine = *all.recv();
            ++inside;
            while (rota::clock::now() < until) sleep_in_server(mine);
            --inside;
            all.send(std::move(mine));
        });
    }
    std::vector<double> late;
    bool all_were = false;
    while (rota::clock::now() < until) {
        const auto due = rota::clock::now() + milliseconds(1);
        rota::sleep_until(due);
        late.push_back(duration<double, std::milli>(rota::clock::now() - due).count());
        if (inside == wanted.connections) all_were = true;
    }
    left.wait();
    std::sort(late.begin(), late.end());
    const auto at = [&](double part) {
        return late[static_cast<std::size_t>(part * static_cast<double>(late.size() - 1))];
    };
    std::printf("%zu goroutines inside libpq, a ticker of 1 ms beside them: %zu ticks, late by "
                "%.2f ms (median), %.2f ms (99 of 100), %.2f ms (worst)\n",
                wanted.connections, late.size(), at(0.5), at(0.99), late.back());
    return all_were && at(0.99) < 5;
}

int show(const plan& wanted) {
    try {
        const pool all = connect_all(wanted.connections);
        const bool requests = show_requests(wanted, all);
        const bool ticker = show_ticker(wanted, all);
        std::printf("%d processors, %ld times one was taken from a goroutine inside libpq\n",
                    rota::runtime::gomaxprocs(0),
                    static_cast<long>(rota::runtime::read_sched_stats().handoffs));
        show_short_queries();
        if (!requests) std::printf("NOT seen: all connections busy all the time\n");
        if (!ticker) std::printf("NOT seen: a ticker late by less than 5 ms, 99 times of 100\n");
        return requests && ticker ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "blocking_client: %s\n", e.what());
        return 1;
    }
}

int show_with_hook() {
    try {
        if (!rota::hook::is_attached())
            throw std::runtime_error("librota_hook.so is not in this process: set LD_PRELOAD");
        show_short_queries();
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "blocking_client: %s\n", e.what());
        return 1;
    }
}

// A whole number from 1 to 100000; any other text ends the program.
long number_of(const char* text) {
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end == '\0' && value >= 1 && value <= 100'000) return value;
    std::fprintf(stderr, "blocking_client: \"%s\" is no number from 1 to 100000\n", text);
    std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
    plan wanted;
    if (argc > 4) {
        std::fprintf(stderr, "usage: blocking_client [CONNECTIONS [REQUESTS [SECONDS]]]\n"
                             "       blocking_client hook\n");
        return 2;
    }
    if (argc == 2 && std::string_view(argv[1]) == "hook") return rota::run(show_with_hook);
    if (argc > 1) wanted.connections = static_cast<std::size_t>(number_of(argv[1]));
    if (argc > 2) wanted.requests = static_cast<std::size_t>(number_of(argv[2]));
    if (argc > 3) wanted.seconds = number_of(argv[3]);
    return rota::run([&] { return show(wanted); });
}
