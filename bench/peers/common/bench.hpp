// The harness of the C++ peers: calibration, medians, JSON lines, memory and CPU figures.
#pragma once
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace peers {

using Clock = std::chrono::steady_clock;

inline std::string env_or(const char* k, const char* d) {
    const char* v = getenv(k);
    return v && *v ? v : d;
}
inline std::string peer = env_or("PEER", "cpp");
inline int procs = atoi(env_or("PROCS", "2").c_str());
inline double rep_ns = atof(env_or("BENCH_MS", "1000").c_str()) * 1e6;
inline const int kReps = std::max(1, atoi(env_or("BENCH_REPS", "5").c_str()));
// BENCH_OPS: the number of operations in each repetition, without calibration: for a measurement of
// a quantity other than time.
inline const long fixed_ops = atol(env_or("BENCH_OPS", "0").c_str());
inline int port = 0;

inline void emit(const std::string& workload, double value, const char* unit) {
    printf("{\"peer\":\"%s\",\"workload\":\"%s\",\"procs\":%d,\"value\":%.6g,\"unit\":\"%s\"}\n",
           peer.c_str(), workload.c_str(), procs, value, unit);
    fflush(stdout);
}

inline double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}
inline double pct(const std::vector<double>& sorted, double p) {
    return sorted[std::min(sorted.size() - 1, (size_t)(p * (double)sorted.size()))];
}
inline double ns_since(Clock::time_point t) {
    return (double)std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - t).count();
}

// Calibration for bench() and for peers with coroutine loops. The caller feeds it the time of n
// iterations until `done`; n then fills one repetition.
struct Calibration {
    long step;
    long n = step;
    bool done = false;
    void feed(double d) {
        if (d >= rep_ns / 8) {
            n = (long)((double)n * rep_ns / d);
            done = true;
        } else if (d < 1e6) {
            n *= 10;
        } else {
            n = (long)((double)n * rep_ns / d / 4);
        }
        n = std::max((n + step - 1) / step * step, step);
    }
};

template <class F>
void bench(const std::string& name, long step, F f) {
    Calibration c{step};
    if (fixed_ops > 0) {
        c.n = (fixed_ops + step - 1) / step * step;
        c.done = true;
    }
    while (!c.done) {
        auto t = Clock::now();
        f(c.n);
        c.feed(ns_since(t));
    }
    std::vector<double> v;
    for (int r = 0; r < kReps; r++) {
        auto t = Clock::now();
        f(c.n);
        v.push_back(ns_since(t) / (double)c.n);
    }
    emit(name, median(v), "ns/op");
}

template <class F>
void bench_ms(const std::string& name, F f) {
    f();
    std::vector<double> v;
    for (int r = 0; r < kReps; r++) {
        auto t = Clock::now();
        f();
        v.push_back(ns_since(t) / 1e6);
    }
    emit(name, median(v), "ms");
}

inline double rss() {
    FILE* f = fopen("/proc/self/statm", "r");
    unsigned long total = 0, res = 0;
    if (!f || fscanf(f, "%lu %lu", &total, &res) != 2) abort();
    fclose(f);
    return (double)res * 4096;
}
inline double cpu_seconds() {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}
inline int threads() {
    int n = 0;
    if (DIR* d = opendir("/proc/self/task")) {
        while (dirent* e = readdir(d)) n += e->d_name[0] != '.';
        closedir(d);
    }
    return n;
}

constexpr int kSumTasks = 512;
inline int sum_cost(int i) {
    uint64_t h = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u >> 58;
    return 2000 + (int)(h * h * h);
}
inline uint64_t burn(uint64_t x, int n) {
    x |= 1;
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

// The figures of parked_*: the caller feeds a (create ns, wake ns) pair per repetition; the first
// is the cold repetition.
struct Parked {
    std::string name;
    double n;
    double per = 0;
    std::vector<double> create, wake;
    void add(bool cold, double c, double w, double rss_before, double rss_after) {
        if (cold) {
            per = (rss_after - rss_before) / n;
            emit(name + ".create_cold", c / n, "ns/goroutine");
            emit(name + ".wake_cold", w / n, "ns/goroutine");
        } else {
            create.push_back(c / n);
            wake.push_back(w / n);
        }
    }
    void finish() {
        emit(name + ".create", median(create), "ns/goroutine");
        emit(name + ".wake", median(wake), "ns/goroutine");
        emit(name + ".rss", per, "B/goroutine");
    }
};

using Table = std::map<std::string, std::function<void()>>;

// Parses "-procs N [-port P] WORKLOAD"; returns the workload's name.
inline std::string parse(int argc, char** argv) {
    std::string w;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-procs") && i + 1 < argc) procs = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-port") && i + 1 < argc) port = atoi(argv[++i]);
        else w = argv[i];
    }
    return w;
}
inline std::function<void()> pick(const Table& t, const std::string& w) {
    auto it = t.find(w);
    if (it == t.end()) {
        fprintf(stderr, "workloads:");
        for (auto& [k, v] : t) fprintf(stderr, " %s", k.c_str());
        fprintf(stderr, "\n");
        exit(2);
    }
    return it->second;
}

}  // namespace peers
