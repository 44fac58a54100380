// Fan-out, fan-in: several goroutines search in parts of the work, each into a channel of its own;
// a single channel collects the results.
//
// Go: `merge(channels ...<-chan T) <-chan T`. A goroutine copies each input. A sync.WaitGroup tells
// when the last input has ended, so that the output can be closed.
//
// What to see: the parts finish in any order, and no result is lost or doubled.
// Last line: 78498 primes below 1000000
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct finding {
    long from, to;
    int primes;
};

bool is_prime(long n) {
    if (n < 2 || n % 2 == 0) return n == 2;
    for (long d = 3; d * d <= n; d += 2) {
        if (n % d == 0) return false;
    }
    return true;
}

// Fan-out: a goroutine counts in [from, to), in slices, so that results come early.
rota::recv_chan<finding> count_primes(long from, long to) {
    auto found = rota::make_chan<finding>();
    rota::go([found, from, to] {
        constexpr long slice = 25'000;
        for (long at = from; at < to; at += slice) {
            int primes = 0;
            for (long n = at; n < at + slice; ++n) primes += is_prime(n) ? 1 : 0;
            found.send({at, at + slice, primes});
        }
        found.close();
    });
    return found;
}

// Fan-in: the returned channel delivers the values of every input.
template <class T>
rota::recv_chan<T> merge(const std::vector<rota::recv_chan<T>>& inputs) {
    auto out = rota::make_chan<T>();
    // The goroutines share it, because this function returns before they end.
    auto copying = std::make_shared<rota::latch>(static_cast<std::ptrdiff_t>(inputs.size()));
    for (const auto& in : inputs) {
        rota::go([in, out, copying] {
            for (T& v : in) out.send(std::move(v));
            copying->count_down();
        });
    }
    rota::go([out, copying] {
        copying->wait();
        out.close();
    });
    return out;
}

void search() {
    std::vector<rota::recv_chan<finding>> parts;
    for (long from = 0; from < 1'000'000; from += 250'000)
        parts.push_back(count_primes(from, from + 250'000));
    int primes = 0;
    int slices = 0;
    for (const finding& f : merge(parts)) {
        primes += f.primes;
        ++slices;
    }
    std::printf("%d slices from %zu goroutines\n", slices, parts.size());
    std::printf("%d primes below 1000000\n", primes);
}

}  // namespace

int main() { rota::run(search); }
