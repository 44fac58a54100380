// Cells for locks, conditions, semaphores and meeting points.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>

#include "sim.hpp"

using namespace rota_sim;

ROTA_CELL(shared_mutex) {
    const int workers = d.in(2, 6), rounds = d.in(1, 8), writers_in = d.in(2, 5);
    rota::shared_mutex mu;
    int reading = 0, writing = 0, value = 0, writes = 0;
    rota::wait_group all;
    for (int i = 0; i < workers; ++i) {
        all.go([&, own = d.fork()]() mutable {
            for (int k = 0; k < rounds; ++k) {
                noise(own);
                if (own.once_in(writers_in)) {
                    if (!own.once_in(3) || !mu.try_lock()) mu.lock();
                    SIM_CHECK(++writing == 1 && reading == 0);
                    const int before = value;
                    noise(own);
                    value = before + 1;
                    ++writes;
                    --writing;
                    mu.unlock();
                } else {
                    if (!own.once_in(3) || !mu.try_lock_shared()) mu.lock_shared();
                    ++reading;
                    SIM_CHECK(writing == 0);
                    const int before = value;
                    noise(own);
                    SIM_CHECK(value == before && writing == 0);
                    --reading;
                    mu.unlock_shared();
                }
            }
        });
    }
    all.wait();
    SIM_CHECK(value == writes && mu.try_lock());
    SIM_CHECK(!mu.try_lock_shared());
    mu.unlock();
}

ROTA_CELL(writer_among_readers) {
    // Readers overlap for ever, until the writer has had the lock.
    rota::shared_mutex mu;
    bool written = false;
    rota::wait_group all;
    for (int i = d.in(2, 4); i > 0; --i) {
        all.go([&, own = d.fork()]() mutable {
            for (int n = 0;; ++n) {
                SIM_CHECK(n < 10'000);
                const std::shared_lock lock(mu);
                if (written) break;
                noise(own);
                rota::runtime::gosched();
            }
        });
    }
    noise(d);
    mu.lock();
    written = true;
    mu.unlock();
    all.wait();
}

ROTA_CELL(bounded_buffer) {
    // Two conditions and a mutex: a lost notification leaves a goroutine asleep for ever.
    const int producers = d.in(1, 3), consumers = d.in(1, 3), each = d.in(1, 8), room = d.in(1, 3);
    rota::mutex mu;
    rota::condition_variable not_empty, not_full;
    std::vector<int> buffer, seen(place(producers * each), 0);
    int left = producers * each;
    rota::wait_group all;
    for (int p = 0; p < producers; ++p) {
        all.go([&, p, own = d.fork()]() mutable {
            for (int i = 0; i < each; ++i) {
                noise(own);
                std::unique_lock lock(mu);
                not_full.wait(lock, [&] { return static_cast<int>(buffer.size()) < room; });
                buffer.push_back(p * each + i);
                if (own.once_in(2)) lock.unlock();
                not_empty.notify_one();
            }
        });
    }
    for (int c = 0; c < consumers; ++c) {
        all.go([&, own = d.fork()]() mutable {
            for (;;) {
                noise(own);
                std::unique_lock lock(mu);
                not_empty.wait(lock, [&] { return !buffer.empty() || left == 0; });
                if (buffer.empty()) break;
                ++seen[place(buffer.back())];
                buffer.pop_back();
                if (--left == 0) not_empty.notify_all();
                not_full.notify_one();
            }
        });
    }
    all.wait();
    SIM_CHECK(all_ones(seen));
}

ROTA_CELL(order_of_notices) {
    // n notifications wake the n goroutines that have waited longest, and no further goroutine.
    const int waiters = d.in(1, 6);
    rota::mutex mu;
    rota::condition_variable cv;
    std::vector<int> awake;
    rota::wait_group all;
    for (int i = 0; i < waiters; ++i) {
        all.go([&, i] {
            rota::sleep_for(long_after * (i + 1));
            std::unique_lock lock(mu);
            cv.wait(lock);
            SIM_CHECK(lock.owns_lock());
            awake.push_back(i);
        });
    }
    rota::sleep_for(long_after * (waiters + 2));
    for (int notified = 0; notified < waiters;) {
        const int n = d.in(1, waiters - notified);
        for (int i = 0; i < n; ++i) cv.notify_one();
        notified += n;
        rota::sleep_for(long_after);
        const std::lock_guard lock(mu);
        SIM_CHECK(static_cast<int>(awake.size()) == notified);
        std::sort(awake.begin(), awake.end());
        SIM_CHECK(awake.front() == 0 && awake.back() == notified - 1);
    }
    all.wait();
}

ROTA_CELL(counting_semaphore) {
    const int permits = d.in(1, 4), workers = d.in(2, 6), rounds = d.in(1, 8);
    rota::counting_semaphore<> sem(0);
    int inside = 0;
    rota::wait_group all;
    for (int i = 0; i < workers; ++i) {
        all.go([&, own = d.fork()]() mutable {
            for (int k = 0; k < rounds; ++k) {
                noise(own);
                if (!own.once_in(3) || !sem.try_acquire()) sem.acquire();
                SIM_CHECK(++inside <= permits);
                noise(own);
                --inside;
                sem.release();
            }
        });
    }
    noise(d);
    for (int left = permits; left > 0;) {
        const int n = d.in(1, left);
        sem.release(n);
        left -= n;
        noise(d);
    }
    all.wait();
    for (int i = 0; i < permits; ++i) SIM_CHECK(sem.try_acquire());
    SIM_CHECK(!sem.try_acquire());
}

ROTA_CELL(weighted_semaphore) {
    // If a goroutine's context ends while it waits, the goroutine has taken nothing.
    const int size = d.in(1, 6), workers = d.in(2, 6), rounds = d.in(1, 6);
    rota::weighted_semaphore sem(size);
    int held = 0;
    rota::wait_group all, cancelling;
    for (int i = 0; i < workers; ++i) {
        all.go([&, own = d.fork()]() mutable {
            for (int k = 0; k < rounds; ++k) {
                noise(own);
                const int n = own.in(0, size);
                const auto [ctx, cancel] = rota::with_cancel(rota::background());
                const bool impatient = own.once_in(3);
                if (impatient) {
                    cancelling.go([cancel = cancel, mine = own.fork()]() mutable {
                        rota::sleep_for(std::chrono::microseconds(mine.in(0, 100)));
                        cancel();
                    });
                }
                if (!own.once_in(4) || !sem.try_acquire(n)) {
                    if (const std::error_code e = sem.acquire(ctx, n)) {
                        SIM_CHECK(impatient && e == rota::context_errc::canceled);
                        continue;
                    }
                }
                SIM_CHECK((held += n) <= size);
                noise(own);
                held -= n;
                sem.release(n);
            }
        });
    }
    all.wait();
    cancelling.wait();
    SIM_CHECK(held == 0 && sem.try_acquire(size));
    SIM_CHECK(!sem.try_acquire(1));
}

ROTA_CELL(order_of_weights) {
    // The semaphore serves requests in the order in which they came, whatever their weight, as soon
    // as they fit. A request that gives up lets those behind it pass. After each event the
    // goroutines come to rest.
    struct request {
        int who, weight;
        bool leaves;
    };
    const int size = d.in(1, 6);
    rota::weighted_semaphore sem(size);
    int held = d.in(0, size);
    SIM_CHECK(sem.try_acquire(held));
    std::vector<request> queue;
    std::vector<int> expected, served;
    const auto [ctx, cancel] = rota::with_cancel(rota::background());
    rota::wait_group all;
    const auto settle = [&] {
        while (!queue.empty()) {
            const request r = queue.front();
            const bool gone = r.leaves && ctx.err();
            if (!gone && held + r.weight > size) break;
            queue.erase(queue.begin());
            if (gone) continue;
            held += r.weight;
            expected.push_back(r.who);
        }
        rota::sleep_for(long_after);
        std::sort(served.begin(), served.end());
        std::sort(expected.begin(), expected.end());
        SIM_CHECK(served == expected);
    };
    for (int event = d.in(1, 12), who = 0; event > 0 || !queue.empty(); --event) {
        const int what = event > 0 ? d.in(0, 4) : 3;
        if (what < 3) {
            // At most one request may leave: while a cancel goes from the first to the second, the
            // first may have let the second in.
            const bool alone =
                std::none_of(queue.begin(), queue.end(), [](const request& r) { return r.leaves; });
            const request r{who++, d.in(1, size), alone && d.once_in(2)};
            if (!r.leaves || !ctx.err()) queue.push_back(r);
            all.go([&, ctx = r.leaves ? ctx : rota::background(), r] {
                if (const std::error_code e = sem.acquire(ctx, r.weight))
                    SIM_CHECK(r.leaves && e == rota::context_errc::canceled);
                else served.push_back(r.who);
            });
        } else if (what == 3 && held > 0) {
            const int n = d.in(1, held);
            held -= n;
            sem.release(n);
        } else if (what == 4) {
            cancel();
        }
        settle();
    }
    all.wait();
    SIM_CHECK(sem.try_acquire(size - held) && !sem.try_acquire(1));
}

ROTA_CELL(notices_and_limits) {
    // A notification goes to a goroutine that still waits, never to a goroutine whose time was up
    // before. A goroutine that a notification wakes reports no time-out.
    const int patient = d.in(1, 3), impatient = d.in(0, 4);
    rota::mutex mu;
    rota::condition_variable cv;
    int tokens = 0, taken = 0;
    rota::wait_group all;
    for (int i = 0; i < patient; ++i) {
        all.go([&, own = d.fork()]() mutable {
            noise(own);
            std::unique_lock lock(mu);
            cv.wait(lock, [&] { return tokens > 0; });
            --tokens;
            ++taken;
        });
    }
    for (int i = 0; i < impatient; ++i) {
        all.go([&, own = d.fork()]() mutable {
            const std::chrono::microseconds span(own.in(0, 60));
            std::unique_lock lock(mu);
            while (tokens == 0) {
                const auto before = rota::clock::now();
                if (cv.wait_for(lock, span) == std::cv_status::no_timeout) continue;
                SIM_CHECK(lock.owns_lock() && rota::clock::now() - before >= span);
                return;
            }
            --tokens;
            ++taken;
        });
    }
    for (int i = 0; i < patient + impatient; ++i) {
        noise(d);
        const std::lock_guard lock(mu);
        ++tokens;
        cv.notify_one();
    }
    all.wait();
    SIM_CHECK(tokens + taken == patient + impatient && taken >= patient);
}

ROTA_CELL(singleflight) {
    // A single call at a time for each key; each goroutine that came meanwhile gets its result,
    // value or exception.
    rota::singleflight<int, int> flights;
    const int keys = d.in(1, 3);
    std::vector<int> running(place(keys), 0);
    int calls = 0, led = 0;
    rota::wait_group all;
    for (int i = d.in(1, 6); i > 0; --i) {
        all.go([&, own = d.fork()]() mutable {
            for (int k = own.in(1, 4); k > 0; --k) {
                noise(own);
                const int key = own.in(0, keys - 1);
                bool leads = false;
                try {
                    const auto got = flights.run(key, [&] {
                        leads = true;
                        int& mine = running[place(key)];
                        SIM_CHECK(++mine == 1);
                        noise(own);
                        --mine;
                        ++calls;
                        if (own.once_in(4)) throw std::runtime_error(std::to_string(key));
                        return key * 1'000 + calls;
                    });
                    SIM_CHECK(got.value / 1'000 == key && (leads || got.shared));
                } catch (const std::runtime_error& e) {
                    SIM_CHECK(e.what() == std::to_string(key));
                }
                led += leads;
            }
        });
    }
    all.wait();
    SIM_CHECK(calls == led);
}

ROTA_CELL(local) {
    // A goroutine has its own value, while it waits and while other goroutines use the same local.
    rota::local<std::vector<int>> mine;
    rota::wait_group all;
    for (int i = d.in(1, 5); i > 0; --i) {
        all.go([&, i, own = d.fork()]() mutable {
            SIM_CHECK(mine->empty());
            for (int k = own.in(1, 5); k > 0; --k) {
                mine->push_back(i);
                noise(own);
            }
            for (const int x : *mine) SIM_CHECK(x == i);
            if (own.once_in(3)) rota::runtime::goexit();
        });
    }
    all.wait();
    SIM_CHECK(mine->empty());
}

ROTA_CELL(once) {
    const int callers = d.in(1, 6), failures = d.in(0, 3);
    rota::once_flag flag;
    int tried = 0, thrown = 0, caught = 0, running = 0;
    bool done = false;
    rota::wait_group all;
    for (int i = 0; i < callers; ++i) {
        all.go([&, own = d.fork()]() mutable {
            for (;;) {
                noise(own);
                try {
                    rota::call_once(flag, [&] {
                        SIM_CHECK(++running == 1 && !done);
                        noise(own);
                        --running;
                        if (tried++ < failures) {
                            ++thrown;
                            throw std::runtime_error("not yet");
                        }
                        done = true;
                    });
                    SIM_CHECK(done && running == 0);
                    return;
                } catch (const std::runtime_error&) {
                    ++caught;
                }
            }
        });
    }
    all.wait();
    SIM_CHECK(thrown == failures && caught == failures && tried == failures + 1);
}

ROTA_CELL(latch) {
    const int parts = d.in(1, 6);
    rota::latch gate(parts);
    int arrived = 0;
    rota::wait_group all;
    for (int i = 0; i < parts; ++i) {
        all.go([&, own = d.fork()]() mutable {
            noise(own);
            ++arrived;
            if (own.once_in(2)) gate.arrive_and_wait();
            else gate.count_down(), gate.wait();
            SIM_CHECK(arrived == parts);
        });
    }
    for (int i = d.in(0, 3); i > 0; --i) {
        all.go([&, own = d.fork()]() mutable {
            noise(own);
            if (gate.try_wait()) SIM_CHECK(arrived == parts);
            gate.wait();
            SIM_CHECK(arrived == parts && gate.try_wait());
        });
    }
    all.wait();
}

ROTA_CELL(barrier) {
    const int parts = d.in(1, 5), phases = d.in(1, 8);
    int completed = 0, inside = 0;
    const auto complete = [&]() noexcept {
        SIM_CHECK(inside >= 1);
        inside = 0;
        ++completed;
    };
    rota::barrier meeting(parts, complete);
    rota::wait_group all;
    for (int i = 0; i < parts; ++i) {
        const int leaves_in = i == 0 ? phases : d.in(0, phases);
        all.go([&, leaves_in, own = d.fork()]() mutable {
            for (int phase = 0; phase < phases; ++phase) {
                noise(own);
                SIM_CHECK(completed == phase);
                ++inside;
                if (phase == leaves_in) return meeting.arrive_and_drop();
                if (own.once_in(2)) {
                    meeting.arrive_and_wait();
                } else {
                    auto token = meeting.arrive();
                    noise(own);
                    meeting.wait(std::move(token));
                }
                SIM_CHECK(completed == phase + 1);
            }
        });
    }
    all.wait();
    SIM_CHECK(completed == phases);
}

ROTA_CELL(wait_group_again) {
    // A group used round after round; several goroutines wait in each.
    rota::wait_group group;
    for (int round = d.in(1, 5); round > 0; --round) {
        int done = 0;
        const int members = d.in(1, 4), waiters = d.in(0, 3);
        rota::wait_group waiting;
        group.add(members);
        for (int i = 0; i < members; ++i) {
            rota::go([&, own = d.fork()]() mutable {
                noise(own);
                ++done;
                group.done();
            });
        }
        for (int i = 0; i < waiters; ++i) {
            waiting.go([&, own = d.fork()]() mutable {
                noise(own);
                group.wait();
                SIM_CHECK(done == members);
            });
        }
        group.wait();
        SIM_CHECK(done == members);
        waiting.wait();
    }
}

ROTA_CELL(dining) {
    // Each goroutine needs two of the locks, taken in one order: each eats, and never beside a
    // neighbour that eats.
    const int seats = d.in(2, 5);
    std::vector<rota::mutex> fork(place(seats));
    std::vector<int> taken(place(seats), 0);
    rota::wait_group all;
    for (int i = 0; i < seats; ++i) {
        const std::size_t left = place(std::min(i, (i + 1) % seats)),
                          right = place(std::max(i, (i + 1) % seats));
        all.go([&, left, right, own = d.fork()]() mutable {
            for (int meals = own.in(1, 5); meals > 0; --meals) {
                noise(own);
                const std::lock_guard first(fork[left]);
                noise(own);
                const std::lock_guard second(fork[right]);
                SIM_CHECK(++taken[left] == 1 && ++taken[right] == 1);
                noise(own);
                --taken[left];
                --taken[right];
            }
        });
    }
    all.wait();
}
