// A program with a fault; the commands of docs/debugging.md find it.
//
// `symptoms NAME [SECONDS]` has the fault of that name, for ten minutes or the given time. It
// serves its pages at localhost:6060, or at ROTA_DEBUG_ADDRESS. Without a name it prints the names.
//
// Last line: late       answers come late, and all processors are busy

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <rota/debug.hpp>
#include <rota/pprof.hpp>
#include <rota/rota.hpp>

using namespace std::chrono_literals;

namespace {

// Waits for a configuration that no goroutine sends.
void waits_for_configuration(rota::chan<int> configuration) { configuration.recv(); }

void hangs() {
    for (int i = 0; i < 3; ++i)
        rota::go({.name = "worker"}, waits_for_configuration, rota::make_chan<int>(4));
}

struct account {
    rota::mutex mu;
    int balance = 100;
};
account alice, bob;

void transfers(account& from, account& to) {
    from.mu.lock();
    rota::sleep_for(50ms);  // until the second goroutine has its first lock, too
    to.mu.lock();
    --from.balance, ++to.balance;
    to.mu.unlock();
    from.mu.unlock();
}

void deadlocks() {
    // A first lock of each: the first lock of a mutex made before watch_locks() is not recorded.
    for (account* const a : {&alice, &bob}) {
        a->mu.lock();
        a->mu.unlock();
    }
    rota::go([] { transfers(alice, bob); });
    rota::go([] { transfers(bob, alice); });
}

// Sends an answer that no goroutine receives any more.
void sends_to_nobody(rota::chan<int> answers) { answers.send(1); }

void leaks() {
    for (int i = 0; i < 10; ++i) rota::go(sends_to_nobody, rota::make_chan<int>());
}

std::atomic<std::uint64_t> primes{0};

void counts_primes() {
    for (std::uint64_t n = 2;; ++n) {
        bool is_prime = true;
        for (std::uint64_t d = 2; d * d <= n && is_prime; ++d) is_prime = n % d != 0;
        primes += is_prime ? 1 : 0;
    }
}

void is_busy() {
    rota::pprof::do_labels({{"tenant", "blue"}}, [] { rota::go(counts_primes); });
}

rota::mutex table;

void holds_the_table_for_long() {
    for (;;) {
        table.lock();
        rota::sleep_for(1ms);
        table.unlock();
    }
}

void is_contended() {
    rota::pprof::set_mutex_profile_fraction(1);
    rota::pprof::set_block_profile_rate(1'000'000);  // ns: waits of a millisecond and more
    for (int i = 0; i < 8; ++i) rota::go(holds_the_table_for_long);
}

void is_late() {
    for (int i = 0; i < 8 * rota::runtime::gomaxprocs(); ++i) rota::go(counts_primes);
}

struct symptom {
    std::string_view name;
    void (*begin)();
    const char* text;
};
constexpr symptom symptoms[] = {
    {"hangs", hangs, "goroutines wait for ever"},
    {"deadlocks", deadlocks, "two goroutines wait for each other's locks"},
    {"leaks", leaks, "goroutines are left behind"},
    {"busy", is_busy, "a processor is busy, nobody knows with what"},
    {"contended", is_contended, "everybody wants the same lock"},
    {"late", is_late, "answers come late, and all processors are busy"},
};

int shows(const symptom& s, int seconds) {
    return rota::run([&s, seconds] {
        const char* const address = std::getenv("ROTA_DEBUG_ADDRESS");
        const auto pages = rota::debug::serve(address != nullptr ? address : "localhost:6060");
        s.begin();
        rota::sleep_for(std::chrono::seconds(seconds));
        std::_Exit(0);  // in most cases the goroutines never end
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    const int seconds = argc > 2 ? std::atoi(argv[2]) : 600;
    for (const symptom& s : symptoms) {
        if (s.name == wanted) return shows(s, seconds);
    }
    for (const symptom& s : symptoms)
        std::printf("%-10.*s %s\n", static_cast<int>(s.name.size()), s.name.data(), s.text);
    return wanted.empty() ? 0 : 2;
}
