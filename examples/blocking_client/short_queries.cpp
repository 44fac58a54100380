// Measures short queries in threads, in goroutines, and in goroutines with the hook: a row for
// each.
//
// A query lasts some tens of microseconds. The runtime needs longer than that to notice that a
// goroutine blocks inside libpq. So the rows show the cost of such calls for the tickers, and the
// cost of the same work in threads. With librota_hook.so in the process a query parks its
// goroutine.
#include "short_queries.hpp"

#include <rota/go.hpp>
#include <rota/hook.hpp>
#include <rota/sync.hpp>
#include <rota/time.hpp>

#include <libpq-fe.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr long workers = 200, tickers = 100;
constexpr auto lasts = std::chrono::seconds(2);

struct finish {
    void operator()(PGconn* c) const { ::PQfinish(c); }
};
using connection = std::unique_ptr<PGconn, finish>;

connection connect() {
    connection c(::PQconnectdb(""));
    if (::PQstatus(c.get()) != CONNECTION_OK) throw std::runtime_error(::PQerrorMessage(c.get()));
    return c;
}

void ask(const connection& c, const std::string& number) {
    const std::unique_ptr<PGresult, decltype(&::PQclear)> result(
        ::PQexec(c.get(), ("select " + number).c_str()), ::PQclear);
    if (::PQresultStatus(result.get()) != PGRES_TUPLES_OK)
        throw std::runtime_error(::PQerrorMessage(c.get()));
    if (::PQgetvalue(result.get(), 0, 0) != number)
        throw std::runtime_error("the answer to another query than " + number);
}

double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::ptrdiff_t thread_count() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// Calls of the C library for which goroutines have parked.
std::uint64_t parked_calls() {
    std::uint64_t all = 0;
    for (const rota::hook::call_stats& s : rota::hook::stats()) all += s.parked;
    return all;
}

// The state that the workers and tickers of a row share.
struct load {
    std::vector<connection> connections;
    std::atomic<bool> over{false};
    std::atomic<long> queries{0};
    // threads of the process, at the end; written by in_threads and in_goroutines
    std::ptrdiff_t threads = 0;
    rota::mutex mu;            // guards the fields below; held for a moment, across no query
    std::vector<double> late;  // ms
    std::string error;

    // Worker `index`: queries numbers that no other worker queries.
    void work(long index) {
        try {
            for (long n = index; !over; n += workers) {
                ask(connections[static_cast<std::size_t>(index)], std::to_string(n));
                ++queries;
            }
        } catch (const std::exception& e) {
            const std::lock_guard guard(mu);
            error = e.what();
        }
    }

    void tick(const std::function<void(steady_clock::time_point)>& sleep_until) {
        std::vector<double> mine;
        while (!over) {
            const auto due = steady_clock::now() + milliseconds(1);
            sleep_until(due);
            mine.push_back(duration<double, std::milli>(steady_clock::now() - due).count());
        }
        const std::lock_guard guard(mu);
        late.insert(late.end(), mine.begin(), mine.end());
    }
};

void in_threads(load& l) {
    std::vector<std::jthread> all;
    for (int i = 0; i < tickers; ++i)
        all.emplace_back([&l] { l.tick([](auto due) { std::this_thread::sleep_until(due); }); });
    for (long i = 0; i < workers; ++i) all.emplace_back([&l, i] { l.work(i); });
    rota::sleep_for(lasts);
    l.threads = thread_count();
    l.over = true;
    rota::blocking([&all] { all.clear(); });
}

void in_goroutines(load& l) {
    rota::wait_group all;
    for (int i = 0; i < tickers; ++i)
        all.go([&l] { l.tick([](auto due) { rota::sleep_for(due - steady_clock::now()); }); });
    for (long i = 0; i < workers; ++i) all.go([&l, i] { l.work(i); });
    rota::sleep_for(lasts);
    l.threads = thread_count();
    l.over = true;
    all.wait();
}

void show(const char* way, const std::function<void(load&)>& run) {
    load l;
    for (long i = 0; i < workers; ++i) l.connections.push_back(connect());
    const double before = cpu_seconds();
    run(l);
    const double used = cpu_seconds() - before;
    if (!l.error.empty()) throw std::runtime_error(l.error);
    std::sort(l.late.begin(), l.late.end());
    const auto at = [&](double part) {
        return l.late[static_cast<std::size_t>(part * static_cast<double>(l.late.size() - 1))];
    };
    std::printf("%-28s %9.0f queries per CPU second, %4td threads; tickers late by %.2f ms "
                "(median), %.2f ms (99 of 100), %.2f ms (worst)\n",
                way, static_cast<double>(l.queries) / used, l.threads, at(0.5), at(0.99), at(1));
}

}  // namespace

void show_short_queries() {
    if (rota::hook::is_attached()) {
        const std::uint64_t before = parked_calls();
        show("  goroutines, with the hook", in_goroutines);
        if (parked_calls() == before) throw std::runtime_error("no query has parked");
        return;
    }
    std::printf("%ld workers with short queries, %ld tickers of 1 ms beside them:\n", workers,
                tickers);
    show("  threads", in_threads);
    show("  goroutines", in_goroutines);
}
