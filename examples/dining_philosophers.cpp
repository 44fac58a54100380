// Dining philosophers: five philosophers share five forks; each needs the two forks beside its
// plate.
//
// If each takes the left fork and waits for the right fork, each can wait for ever. Go: every
// philosopher takes the forks in the same order, the lower number first. C++ has this ready made:
// std::scoped_lock takes several locks without a deadlock, also rota::mutex, and releases them in
// every case. (Take the forks by two std::lock_guard, left then right, and put a
// rota::runtime::gosched() between them: sooner or later the runtime reports "all goroutines are
// asleep - deadlock!".)
//
// What to see: every philosopher eats the same number of meals, and the party ends.
// Last line: 5 philosophers have eaten 500 meals
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <mutex>

namespace {

constexpr std::size_t seats = 5;
constexpr int meals_each = 100;

struct table {
    std::array<rota::mutex, seats> forks;
    // each written by its own philosopher, while it holds two forks
    std::array<int, seats> meals{};
};

void philosopher(table& t, std::size_t seat) {
    for (int i = 0; i < meals_each; ++i) {
        {
            const std::scoped_lock both(t.forks[seat], t.forks[(seat + 1) % seats]);
            ++t.meals[seat];
            rota::runtime::gosched();  // eating, with both forks in hand
        }
        rota::runtime::gosched();  // thinking
    }
}

int dine() {
    table t;
    rota::latch served(1);
    rota::wait_group guests;
    for (std::size_t seat = 0; seat < seats; ++seat) {
        guests.go([&, seat] {
            served.wait();
            philosopher(t, seat);
        });
    }
    served.count_down();
    guests.wait();

    int total = 0;
    for (std::size_t seat = 0; seat < seats; ++seat) {
        std::printf("philosopher %zu: %d meals\n", seat, t.meals[seat]);
        total += t.meals[seat];
    }
    std::printf("%zu philosophers have eaten %d meals\n", seats, total);
    return total == static_cast<int>(seats) * meals_each ? 0 : 1;
}

}  // namespace

int main() { return rota::run(dine); }
