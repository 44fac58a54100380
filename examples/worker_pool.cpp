// Worker pool: a fixed number of goroutines share a channel of jobs.
//
// Go: `for job := range jobs { results <- work(job) }` in each of N goroutines. A sync.WaitGroup
// tells when the last worker has ended, and a goroutine then closes the results. A goroutine is so
// cheap that a goroutine for each job is often simpler. A pool is for work that must be bounded,
// because each worker holds a resource: a connection, a buffer, a licence.
//
// The sender into a channel closes it: the goroutine that sends the jobs closes `jobs`, and
// `results` is closed only after the last worker has ended.
//
// What to see: the distribution of the jobs, which differs each time, and a sum that does not.
// Last line: 1000 jobs, sum of the results 332833500
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include <array>
#include <cstdio>

namespace {

struct result {
    int worker;
    long square;
};

void work(int me, rota::recv_chan<long> jobs, rota::send_chan<result> results) {
    for (long n : jobs) results.send({me, n * n});
}

void run_pool() {
    constexpr int workers = 4;
    auto jobs = rota::make_chan<long>(16);
    auto results = rota::make_chan<result>(16);

    rota::wait_group working;
    for (int i = 0; i < workers; ++i) working.go([=] { work(i, jobs, results); });
    rota::wait_group closing;
    closing.go([&] {
        working.wait();
        results.close();
    });
    rota::go([jobs] {
        for (long n = 0; n < 1000; ++n) jobs.send(n);
        jobs.close();
    });

    std::array<int, workers> done_by{};
    long sum = 0;
    int count = 0;
    for (const result& r : results) {
        ++done_by[static_cast<std::size_t>(r.worker)];
        sum += r.square;
        ++count;
    }
    closing.wait();
    for (int i = 0; i < workers; ++i)
        std::printf("worker %d: %d jobs\n", i, done_by[static_cast<std::size_t>(i)]);
    std::printf("%d jobs, sum of the results %ld\n", count, sum);
}

}  // namespace

int main() { rota::run(run_pool); }
