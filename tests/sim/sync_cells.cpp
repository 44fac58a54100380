// Locks, groups, sleep, exceptions and ends.
#include <mutex>
#include <stdexcept>

#include "sim.hpp"

using namespace rota_sim;

ROTA_CELL(mutex) {
    const int workers = d.in(2, 5), rounds = d.in(1, 10);
    rota::mutex mu;
    int inside = 0, steps = 0;
    rota::wait_group all;
    for (int i = 0; i < workers; ++i) {
        all.go([&, own = d.fork()]() mutable {
            for (int k = 0; k < rounds; ++k) {
                noise(own);
                if (!own.once_in(4) || !mu.try_lock()) mu.lock();
                SIM_CHECK(++inside == 1);
                noise(own);
                --inside;
                ++steps;
                mu.unlock();
            }
        });
    }
    all.wait();
    SIM_CHECK(steps == workers * rounds);
}

ROTA_CELL(spawn_tree) {
    const int fan = d.in(1, 4), depth = d.in(1, 3);
    int leaves = 0;
    const auto grow = [&](const auto& self, int left, dice own) -> void {
        noise(own);
        if (left == 0) {
            ++leaves;
            return;
        }
        rota::wait_group children;
        for (int i = 0; i < fan; ++i) {
            children.go([&self, left, own = own.fork()] { self(self, left - 1, own); });
        }
        children.wait();
    };
    grow(grow, depth, d.fork());
    int expected = 1;
    for (int i = 0; i < depth; ++i) expected *= fan;
    SIM_CHECK(leaves == expected);
}

ROTA_CELL(sleep) {
    rota::wait_group all;
    for (int i = d.in(1, 6); i > 0; --i) {
        all.go([own = d.fork()]() mutable {
            for (int k = own.in(1, 4); k > 0; --k) {
                const std::chrono::microseconds span(own.in(0, 20'000));
                const auto before = rota::clock::now();
                rota::sleep_for(span);
                SIM_CHECK(rota::clock::now() - before >= span);
            }
        });
    }
    all.wait();
}

ROTA_CELL(futures) {
    const int many = d.in(1, 6);
    std::vector<rota::future<int>> results;
    for (int i = 0; i < many; ++i) {
        results.push_back(rota::async([i, own = d.fork()]() mutable {
            noise(own);
            if (i % 3 == 2) throw std::runtime_error(std::to_string(i));
            return i;
        }));
    }
    for (int i = many - 1; i >= 0; --i) {
        noise(d);
        try {
            SIM_CHECK(results[place(i)].get() == i && i % 3 != 2);
        } catch (const std::runtime_error& e) {
            SIM_CHECK(i % 3 == 2 && e.what() == std::to_string(i));
        }
    }
}

ROTA_CELL(goexit) {
    int undone = 0;
    rota::wait_group all;
    for (int i = d.in(1, 4); i > 0; --i) {
        all.go([&, own = d.fork()]() mutable {
            ++undone;
            const rota::defer back([&] { --undone; });
            noise(own);
            if (own.once_in(2)) rota::runtime::goexit();
            noise(own);
        });
    }
    all.wait();
    SIM_CHECK(undone == 0);
}
