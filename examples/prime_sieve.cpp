// Prime sieve: a chain of goroutines that grows by a filter for each prime found.
//
// Go: the classic of concurrent programming, after C. A. R. Hoare. A generator sends 2, 3, 4, ...;
// a number that passes every filter so far is a prime, and gets a filter of its own. Go's usual
// version leaves the goroutines to the end of the process. Here the generator closes its channel,
// each filter closes the next, and the whole chain ends by itself.
//
// What to see: 168 filters at work, joined by unbuffered channels.
// Last line: 168 primes below 1000, the last is 997
#include <rota/chan.hpp>
#include <rota/go.hpp>

#include <cstdio>

namespace {

rota::recv_chan<int> numbers_below(int end) {
    auto out = rota::make_chan<int>();
    rota::go([out, end] {
        for (int n = 2; n < end; ++n) out.send(n);
        out.close();
    });
    return out;
}

// The numbers of `in` that `prime` does not divide.
rota::recv_chan<int> without_multiples(rota::recv_chan<int> in, int prime) {
    auto out = rota::make_chan<int>();
    rota::go([in, out, prime] {
        for (int n : in) {
            if (n % prime != 0) out.send(n);
        }
        out.close();
    });
    return out;
}

void sieve() {
    constexpr int end = 1000;
    int count = 0;
    int last = 0;
    auto rest = numbers_below(end);
    while (auto prime = rest.recv()) {
        if (count < 10) std::printf("%d ", *prime);
        ++count;
        last = *prime;
        rest = without_multiples(rest, *prime);
    }
    std::printf("...\n%d primes below %d, the last is %d\n", count, end, last);
}

}  // namespace

int main() { rota::run(sieve); }
