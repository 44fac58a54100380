// Boost.Fiber measured on the common workloads: round_robin with one proc, work_stealing with more.
// Stacks come from a slab pool (16 KiB each), the leanest allocator a user of it can plug in.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/fiber/all.hpp>
#include <mutex>
#include <random>
#include <thread>

#include "../common/bench.hpp"
#include "../common/stack_pool.hpp"

namespace bf = boost::fibers;
using namespace peers;

// ---- stacks

struct PoolStack {
    using traits_type = boost::context::stack_traits;
    boost::context::stack_context allocate() {
        boost::context::stack_context s;
        s.size = StackPool::kSize;
        s.sp = (char*)StackPool::get() + StackPool::kSize;
        return s;
    }
    void deallocate(boost::context::stack_context& s) {
        StackPool::put((char*)s.sp - StackPool::kSize);
    }
};

template <class F>
bf::fiber go(F f, bf::launch how = bf::launch::post) {
    return bf::fiber(how, std::allocator_arg, PoolStack{}, std::move(f));
}

// ---- what Boost.Fiber has no equivalent of

class WaitGroup {
    std::atomic<long> n_{0};
    bf::mutex mu_;
    bf::condition_variable cv_;

public:
    void add(long k) { n_.fetch_add(k, std::memory_order_relaxed); }
    void done() {
        // The count falls to zero only under the lock, so that the waiter cannot leave while it is
        // held here.
        long v = n_.load(std::memory_order_relaxed);
        while (v > 1)
            if (n_.compare_exchange_weak(v, v - 1, std::memory_order_acq_rel)) return;
        std::unique_lock lk(mu_);
        if (n_.fetch_sub(1, std::memory_order_acq_rel) == 1) cv_.notify_all();
    }
    void wait() {
        std::unique_lock lk(mu_);
        cv_.wait(lk, [&] { return n_.load(std::memory_order_acquire) == 0; });
    }
};

template <class Chan, class Make>
std::function<void(long)> pipe_of(int p, int c, Make make) {
    return [=](long n) {
        std::unique_ptr<Chan> ch = make();
        WaitGroup prod, cons;
        prod.add(p);
        cons.add(c);
        for (int i = 0; i < p; i++)
            go([&, n] {
                for (long k = 0; k < n / p; k++) ch->push((int)k);
                prod.done();
            }).detach();
        for (int i = 0; i < c; i++)
            go([&] {
                int v;
                while (ch->pop(v) == bf::channel_op_status::success) {}
                cons.done();
            }).detach();
        prod.wait();
        ch->close();
        cons.wait();
    };
}
using BChan = bf::buffered_channel<int>;
using UChan = bf::unbuffered_channel<int>;

static long fib(int n) {
    if (n < 2) return n;
    long l = 0;
    auto f = go([&l, n] { l = fib(n - 1); }, bf::launch::dispatch);
    long r = fib(n - 2);
    f.join();
    return l + r;
}

using LChan = bf::buffered_channel<long>;
// Children start at once and push into a buffered channel, or a million stacks would be live
// together.
static void skynet(LChan& c, long num, long size) {
    if (size == 1) {
        c.push(num);
        return;
    }
    LChan rc(16);
    long sub = size / 10, sum = 0, v = 0;
    for (int i = 0; i < 10; i++)
        go([&rc, num, i, sub] { skynet(rc, num + i * sub, sub); }, bf::launch::dispatch).detach();
    for (int i = 0; i < 10; i++) {
        rc.pop(v);
        sum += v;
    }
    c.push(sum);
}

static void parked(const char* name, long n) {
    Parked p{name, (double)n};
    for (int r = 0; r < kReps + 1; r++) {
        double before = rss();
        UChan ch;
        std::atomic<long> up{0};
        WaitGroup wg;
        wg.add(n);
        auto t = Clock::now();
        for (long i = 0; i < n; i++)
            go([&] {
                up.fetch_add(1, std::memory_order_relaxed);
                int v;
                ch.pop(v);
                wg.done();
            }).detach();
        while (up.load() < n) boost::this_fiber::yield();
        double c = ns_since(t);
        boost::this_fiber::sleep_for(std::chrono::milliseconds(50));
        double after = rss();
        t = Clock::now();
        ch.close();
        wg.wait();
        p.add(r == 0, c, ns_since(t), before, after);
    }
    p.finish();
}

// ---- TCP: a round_robin scheduler that waits in epoll

struct Slot {
    bf::context* waiter = nullptr;
    bool ready = false;
};

class EpollScheduler : public bf::algo::round_robin {
    int ep_ = epoll_create1(0);
    int picks_ = 0;
    static inline thread_local EpollScheduler* self_ = nullptr;

    void poll(int timeout_ms) {
        epoll_event ev[256];
        int n = epoll_wait(ep_, ev, 256, timeout_ms);
        for (int i = 0; i < n; i++) {
            auto* s = (Slot*)ev[i].data.ptr;
            if (bf::context* c = std::exchange(s->waiter, nullptr))
                bf::context::active()->schedule(c);
            else
                s->ready = true;
        }
    }

public:
    EpollScheduler() { self_ = this; }
    static EpollScheduler* self() { return self_; }
    // Registers fd; slot holds the fiber that waits for it.
    void watch(int fd, Slot* slot) {
        epoll_event ev{};
        ev.events = EPOLLIN | EPOLLET;
        ev.data.ptr = slot;
        epoll_ctl(ep_, EPOLL_CTL_ADD, fd, &ev);
    }
    static void wait(Slot* slot) {
        if (std::exchange(slot->ready, false)) return;
        slot->waiter = bf::context::active();
        slot->waiter->suspend();
    }
    bf::context* pick_next() noexcept override {
        if (++picks_ % 64 == 0) poll(0);
        return round_robin::pick_next();
    }
    void suspend_until(const std::chrono::steady_clock::time_point& tp) noexcept override {
        int ms = -1;
        if (tp != (std::chrono::steady_clock::time_point::max)())
            ms = (int)std::max(0.0, 1 - ns_since(tp) / 1e6);
        poll(ms);
    }
    void notify() noexcept override {}
};

static void serve_conn(int fd) {
    Slot slot;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    EpollScheduler::self()->watch(fd, &slot);
    char buf[1024];
    for (;;) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n < 0 && errno == EAGAIN) {
            EpollScheduler::wait(&slot);
            continue;
        }
        if (n <= 0 || write(fd, buf, (size_t)n) != n) break;
        if ((size_t)n < sizeof buf) EpollScheduler::wait(&slot); // drained: the next edge wakes it
    }
    close(fd);
}

// Accepted sockets go round the threads in turn; each thread has its own epoll.
static void echo_server() {
    int l = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons((uint16_t)port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t len = sizeof a;
    if (bind(l, (sockaddr*)&a, sizeof a) || listen(l, 4096) ||
        getsockname(l, (sockaddr*)&a, &len))
        abort();
    std::vector<int> in;
    for (int i = 1; i < procs; i++) {
        int p[2];
        if (pipe2(p, O_NONBLOCK)) abort();
        in.push_back(p[1]);
        new std::thread([r = p[0]] {
            bf::use_scheduling_algorithm<EpollScheduler>();
            Slot slot;
            EpollScheduler::self()->watch(r, &slot);
            for (;;) {
                int fd;
                if (read(r, &fd, sizeof fd) != sizeof fd) EpollScheduler::wait(&slot);
                else go([fd] { serve_conn(fd); }).detach();
            }
        });
    }
    bf::use_scheduling_algorithm<EpollScheduler>();
    Slot slot;
    EpollScheduler::self()->watch(l, &slot);
    printf("PORT %d\n", ntohs(a.sin_port));
    fflush(stdout);
    for (size_t turn = 0;;) {
        int fd = accept4(l, nullptr, nullptr, SOCK_NONBLOCK);
        if (fd < 0) {
            EpollScheduler::wait(&slot);
            continue;
        }
        size_t k = turn++ % (size_t)procs;
        if (k == 0) go([fd] { serve_conn(fd); }).detach();
        else if (write(in[k - 1], &fd, sizeof fd) != sizeof fd) abort();
    }
}

int main(int argc, char** argv) {
    Table t;
    t["spawn"] = [] {
        bench("spawn", 1000, [](long n) {
            for (long b = 0; b < n; b += 1000) {
                WaitGroup wg;
                wg.add(1000);
                for (int i = 0; i < 1000; i++) go([&] { wg.done(); }).detach();
                wg.wait();
            }
        });
    };
    t["spawn_wake"] = [] {
        bench("spawn_wake", 1, [](long n) {
            for (long i = 0; i < n; i++) go([] {}).join();
        });
    };
    t["yield"] = [] {
        bench("yield", 2, [](long n) {
            auto body = [n] {
                for (long i = 0; i < n / 2; i++) boost::this_fiber::yield();
            };
            auto a = go(body), b = go(body);
            a.join();
            b.join();
        });
    };
    t["ping_pong"] = [] {
        bench("ping_pong", 1, [](long n) {
            UChan a, b;
            auto f = go([&, n] {
                int v;
                for (long i = 0; i < n; i++) {
                    a.pop(v);
                    b.push(v);
                }
            });
            int v;
            for (long i = 0; i < n; i++) {
                a.push((int)i);
                b.pop(v);
            }
            f.join();
        });
    };
    auto buffered = [] { return std::make_unique<BChan>(128); };
    auto unbuffered = [] { return std::make_unique<UChan>(); };
    t["chan_spsc"] = [=] { bench("chan_spsc", 1, pipe_of<BChan>(1, 1, buffered)); };
    t["chan_mpmc"] = [=] { bench("chan_mpmc", 4, pipe_of<BChan>(4, 4, buffered)); };
    t["chan_unbuffered_mpmc"] = [=] {
        bench("chan_unbuffered_mpmc", 4, pipe_of<UChan>(4, 4, unbuffered));
    };
    t["mutex_uncontended"] = [] {
        bf::mutex mu;
        long x = 0;
        bench("mutex_uncontended", 1, [&](long n) {
            for (long i = 0; i < n; i++) {
                std::lock_guard lk(mu);
                asm volatile("" : "+m"(x));
                x++;
            }
        });
    };
    t["mutex_contended"] = [] {
        bench("mutex_contended", 8, [](long n) {
            bf::mutex mu;
            WaitGroup wg;
            long x = 0;
            wg.add(8);
            for (int i = 0; i < 8; i++)
                go([&, n] {
                    for (long k = 0; k < n / 8; k++) {
                        std::lock_guard lk(mu);
                        x++;
                    }
                    wg.done();
                }).detach();
            wg.wait();
            if (x != n) abort();
        });
    };
    t["waitgroup_fanout"] = [] {
        bench("waitgroup_fanout", 1, [](long n) {
            for (long i = 0; i < n; i++) {
                WaitGroup wg;
                wg.add(100);
                for (int k = 0; k < 100; k++) go([&] { wg.done(); }).detach();
                wg.wait();
            }
        });
    };
    t["skynet"] = [] {
        bench_ms("skynet", [] {
            LChan c(16);
            go([&] { skynet(c, 0, 1000000); }).detach();
            long v = 0;
            c.pop(v);
            if (v != 499999500000) abort();
        });
    };
    t["fib_forkjoin"] = [] {
        bench_ms("fib_forkjoin", [] {
            if (fib(27) != 196418) abort();
        });
    };
    t["parallel_sum"] = [] {
        bench_ms("parallel_sum", [] {
            WaitGroup wg;
            std::atomic<uint64_t> total{0};
            wg.add(kSumTasks);
            for (int i = 0; i < kSumTasks; i++)
                go([&, i] {
                    total += burn((uint64_t)i, sum_cost(i));
                    wg.done();
                }).detach();
            wg.wait();
        });
    };
    t["parked_100k"] = [] { parked("parked_100k", 100000); };
    t["parked_1m"] = [] { parked("parked_1m", 1000000); };
    t["sleep_100k"] = [] {
        constexpr int n = 100000;
        std::vector<double> over(n);
        std::minstd_rand rnd(1);
        WaitGroup wg;
        wg.add(n);
        double cpu = cpu_seconds();
        for (int i = 0; i < n; i++) {
            int ms = 1 + (int)(rnd() % 1000);
            go([&, i, ms] {
                auto b = Clock::now();
                boost::this_fiber::sleep_for(std::chrono::milliseconds(ms));
                over[(size_t)i] = ns_since(b) / 1e6 - ms;
                wg.done();
            }).detach();
        }
        wg.wait();
        cpu = cpu_seconds() - cpu;
        std::sort(over.begin(), over.end());
        emit("sleep_100k.p50", pct(over, .5), "ms");
        emit("sleep_100k.p99", pct(over, .99), "ms");
        emit("sleep_100k.cpu", cpu, "s");
    };
    std::string w = parse(argc, argv);
    if (w == "tcp_echo_server") {
        echo_server();
        return 0;
    }
    auto f = pick(t, w);
    std::atomic<bool> stop{false};
    std::vector<std::thread> others;
    for (int i = 1; i < procs; i++)
        others.emplace_back([&] {
            bf::use_scheduling_algorithm<bf::algo::work_stealing>((uint32_t)procs);
            while (!stop) boost::this_fiber::sleep_for(std::chrono::milliseconds(20));
        });
    if (procs > 1) bf::use_scheduling_algorithm<bf::algo::work_stealing>((uint32_t)procs);
    go(f).join();
    stop = true;
    for (auto& o : others) o.join();
}
