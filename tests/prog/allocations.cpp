// Counts calls of operator new: prints how many a thousand operations of each kind make, after a
// warm-up round.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::atomic<long> calls{0};

void* counted(std::size_t size) {
    calls.fetch_add(1, std::memory_order_relaxed);
    if (void* const p = std::malloc(size == 0 ? 1 : size)) return p;
    throw std::bad_alloc();
}
void* counted(std::size_t size, std::align_val_t align) {
    calls.fetch_add(1, std::memory_order_relaxed);
    const auto to = static_cast<std::size_t>(align);
    if (void* const p = std::aligned_alloc(to, (size + to - 1) / to * to)) return p;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t align) { return counted(size, align); }
void* operator new[](std::size_t size, std::align_val_t align) { return counted(size, align); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

constexpr int rounds = 1000;

// Calls f `rounds` times as a warm-up, then as often again, and prints the calls of operator new in
// the second round.
template <class F>
void count(const char* what, F f) {
    for (int i = 0; i < rounds; ++i) f();
    const long before = calls.load(std::memory_order_relaxed);
    for (int i = 0; i < rounds; ++i) f();
    std::printf("%s %ld\n", what, calls.load(std::memory_order_relaxed) - before);
}

// Eight channels. A goroutine sends to c[5] only on request, so a select on the eight must wait.
struct feed {
    rota::chan<int> c[8];
    rota::chan<rota::unit> wanted = rota::make_chan<rota::unit>();

    feed() {
        for (auto& each : c) each = rota::make_chan<int>();
        rota::go([c = c[5], wanted = wanted] {
            while (wanted.recv()) {
                rota::runtime::gosched();
                c.send(1);
            }
        });
    }
    ~feed() { wanted.close(); }
};

void selects() {
    const feed from;
    const auto& c = from.c;
    const auto nothing = [](auto) {};
    const auto idle = [] {};
    count("select_of_eight_that_waits", [&] {
        from.wanted.send({});
        rota::select(rota::on_recv(c[0], nothing), rota::on_recv(c[1], nothing),
                     rota::on_recv(c[2], nothing), rota::on_recv(c[3], nothing),
                     rota::on_recv(c[4], nothing), rota::on_recv(c[5], nothing),
                     rota::on_recv(c[6], nothing), rota::on_recv(c[7], nothing));
    });
    const auto full = rota::make_chan<int>(1), ready = rota::make_chan<int>(1);
    full.send(1);
    count("select_that_is_ready", [&] {
        rota::select(rota::on_send(ready, 1, idle), rota::on_recv(c[0], nothing));
        rota::select(rota::on_send(full, 1, idle), rota::on_recv(ready, nothing));
    });
    count("select_with_default", [&] {
        rota::select(rota::on_send(full, 1, idle), rota::on_recv(c[1], nothing),
                     rota::on_default(idle));
    });
    count("send_and_recv", [&] {
        ready.send(1);
        (void)ready.recv();
    });
    count("wait_with_a_limit", [&] {
        int v = 0;
        (void)c[0].recv_for(v, 1us);
    });
}

void others() {
    rota::mutex mu;
    rota::wait_group wg;
    count("lock_that_waits", [&] {
        mu.lock();
        wg.go([&] {
            mu.lock();
            mu.unlock();
        });
        rota::runtime::gosched();
        mu.unlock();
        wg.wait();
    });
    count("sleep", [] { rota::sleep_for(1us); });
    count("go", [&] {
        wg.go([] {});
        wg.wait();
    });
    count("make_and_drop_a_channel", [] { (void)rota::make_chan<int>(4); });
    count("make_stop_and_drop_a_timer", [] {
        const rota::timer t(1h);
        t.stop();
    });
}

}  // namespace

int main() {
    rota::run([] {
        selects();
        others();
    });
}
