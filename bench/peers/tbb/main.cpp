// oneTBB measured on the fork-join workloads: tasks do not block, so the channel and parking
// workloads have no equivalent here. skynet and fib are task_groups without channels.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>

#include "../common/bench.hpp"

using namespace peers;

static long fib(int n) {
    if (n < 2) return n;
    long l = 0;
    tbb::task_group g;
    g.run([&l, n] { l = fib(n - 1); });
    long r = fib(n - 2);
    g.wait();
    return l + r;
}

static long skynet(long num, long size) {
    if (size == 1) return num;
    long v[10], sub = size / 10, sum = 0;
    tbb::task_group g;
    for (int i = 0; i < 10; i++) g.run([&v, num, i, sub] { v[i] = skynet(num + i * sub, sub); });
    g.wait();
    for (long x : v) sum += x;
    return sum;
}

int main(int argc, char** argv) {
    Table t;
    t["spawn"] = [] {
        bench("spawn", 1000, [](long n) {
            for (long b = 0; b < n; b += 1000) {
                tbb::task_group g;
                for (int i = 0; i < 1000; i++) g.run([] {});
                g.wait();
            }
        });
    };
    t["spawn_wake"] = [] {
        bench("spawn_wake", 1, [](long n) {
            for (long i = 0; i < n; i++) {
                tbb::task_group g;
                g.run([] {});
                g.wait();
            }
        });
    };
    t["waitgroup_fanout"] = [] {
        bench("waitgroup_fanout", 1, [](long n) {
            for (long i = 0; i < n; i++) {
                tbb::task_group g;
                for (int k = 0; k < 100; k++) g.run([] {});
                g.wait();
            }
        });
    };
    t["skynet"] = [] {
        bench_ms("skynet", [] {
            if (skynet(0, 1000000) != 499999500000) abort();
        });
    };
    t["fib_forkjoin"] = [] {
        bench_ms("fib_forkjoin", [] {
            if (fib(27) != 196418) abort();
        });
    };
    t["parallel_sum"] = [] {
        bench_ms("parallel_sum", [] {
            std::atomic<uint64_t> total{0};
            tbb::task_group g;
            for (int i = 0; i < kSumTasks; i++)
                g.run([&, i] { total += burn((uint64_t)i, sum_cost(i)); });
            g.wait();
        });
    };
    auto f = pick(t, parse(argc, argv));
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, (size_t)procs);
    tbb::task_arena arena(procs);
    arena.execute(f);
}
