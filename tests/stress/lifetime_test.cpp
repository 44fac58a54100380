// Objects that are destroyed the moment the other side releases them (known bug 47).
//
// unlock, done, send and the end of a goroutine hand a lock, a value or a result over; its receiver
// may destroy the object at once. The test fills the memory of each destroyed object with a pattern
// and checks it later, so that a late write shows in every build. Under asan the memory is poisoned
// meanwhile: a late read shows too.
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "load.hpp"

#if ROTA_TEST_ASAN
#include <sanitizer/asan_interface.h>
#endif

using rota_test::choices;
using rota_test::progress;
using rota_test::time_box;

namespace {

// Places for objects that are in use only for a moment each.
template <class T>
class graveyard {
  public:
    // A new object at the next place; checks that the place's last object was not written to since
    // its end.
    T* make() {
        grave& g = graves_[next_++ % graves_.size()];
        open(g);
        g.used = true;
        return new (g.bytes) T;
    }
    static void bury(T* object) {
        object->~T();
        std::memset(static_cast<void*>(object), pattern, size);
#if ROTA_TEST_ASAN
        __asan_poison_memory_region(object, size);
#endif
    }
    ~graveyard() {
        for (grave& g : graves_) open(g);
    }

  private:
    static constexpr unsigned char pattern = 0xa5;
    static constexpr std::size_t align = 16;  // whole units that asan can poison
    static constexpr std::size_t size = (sizeof(T) + align - 1) / align * align;
    struct grave {
        alignas(align) unsigned char bytes[size];
        bool used = false;
    };
    void open(const grave& g) const {
        if (!g.used) return;
#if ROTA_TEST_ASAN
        __asan_unpoison_memory_region(g.bytes, size);
#endif
        for (const unsigned char b : g.bytes) {
            ASSERT_EQ(b, pattern) << "written to after its end, in the last " << graves_.size()
                                  << " rounds";
        }
    }
    std::vector<grave> graves_ = std::vector<grave>(64);
    std::size_t next_ = 0;
};

constexpr std::size_t workers = 8;
constexpr std::chrono::milliseconds usual_life{1000};

// Runs `round(worker, choices)` in goroutines and in two threads for as long as the box is open.
template <class F>
void repeat(std::uint64_t salt, F round) {
    const time_box box(usual_life);
    progress watch(workers);
    const auto work = [&](std::size_t id) {
        choices choose(salt + id);
        while (box.open()) {
            round(id, choose);
            watch.step(id);
        }
        watch.finish(id);
    };
    rota::wait_group wg;
    std::vector<std::thread> threads;
    for (std::size_t id = 0; id < workers; ++id) {
        if (id < 2) threads.emplace_back([&, id] { work(id); });
        else wg.go([&, id] { work(id); });
    }
    wg.wait();
    for (auto& t : threads) t.join();
}

}  // namespace

TEST(kb47_lifetime, wait_group_may_go_when_wait_returns) {
    // done() could look at the group again after it has released the waiter: it would read or write
    // memory in another use.
    std::vector<graveyard<rota::wait_group>> yards(workers);
    repeat(1, [&](std::size_t id, choices& choose) {
        rota::wait_group* const wg = yards[id].make();
        const int n = static_cast<int>(1 + choose.below(3));
        wg->add(n);
        for (int i = 0; i < n; ++i) rota::go([wg] { wg->done(); });
        wg->wait();
        graveyard<rota::wait_group>::bury(wg);
    });
}

TEST(kb47_lifetime, mutex_may_go_when_the_last_holder_unlocks) {
    // unlock() could look at the mutex again after it has given it to the next holder, which
    // destroys it. It would read or write memory in another use.
    struct shared {
        rota::mutex mu;
        int turns = 0;
    };
    std::vector<graveyard<shared>> yards(workers);
    repeat(2, [&](std::size_t id, choices& choose) {
        shared* const s = yards[id].make();
        s->mu.lock();
        rota::go([s, give = choose.once_in(2)] {
            s->mu.lock();
            if (give) rota_test::give_way();
            ++s->turns;
            s->mu.unlock();
        });
        s->mu.unlock();
        for (bool over = false; !over;) {
            {
                const std::lock_guard guard(s->mu);
                over = s->turns == 1;
            }
            if (!over) rota_test::give_way();
        }
        graveyard<shared>::bury(s);
    });
}

TEST(kb47_lifetime, mutex_may_go_when_its_last_waiter_got_it) {
    // As above, with the waiter asleep: the semaphore must be given without a look at the mutex.
    struct shared {
        rota::mutex mu;
        std::atomic<bool> waiting{false};
    };
    std::vector<graveyard<shared>> yards(workers);
    repeat(3, [&](std::size_t id, choices& choose) {
        shared* const s = yards[id].make();
        s->mu.lock();
        auto over = rota::make_chan<rota::unit>();
        rota::go([s, over] {
            s->waiting = true;
            s->mu.lock();
            s->mu.unlock();
            graveyard<shared>::bury(s);  // the first holder may still be inside its unlock
            over.send({});
        });
        while (!s->waiting) rota_test::give_way();
        for (unsigned i = choose.below(3); i > 0; --i) rota_test::give_way();
        s->mu.unlock();
        over.recv();
    });
}

TEST(kb47_lifetime, future_may_go_when_get_returns) {
    // The goroutine could look at the shared state again after it has announced the result: asan
    // would report a use after free.
    repeat(4, [&](std::size_t, choices& choose) {
        auto f = rota::async([n = choose.below(100)] { return n; });
        if (choose.once_in(4)) return;  // dropped without a look
        if (choose.once_in(2)) f.wait();
        ASSERT_LT(f.get(), 100u);
    });
}

TEST(kb47_lifetime, channel_may_go_when_its_value_has_arrived) {
    // send() could look at the channel after the receiver has the value and has dropped the last
    // other handle. The sender's own handle keeps the channel alive; a reference to the receiver's
    // handle does not.
    struct call {
        rota::chan<int> reply = rota::make_chan<int>();
    };
    std::vector<graveyard<call>> yards(workers);
    repeat(5, [&](std::size_t id, choices& choose) {
        call* const c = yards[id].make();
        const int n = static_cast<int>(choose.below(1000));
        // The sender uses a handle of its own, as it must.
        rota::go([reply = c->reply, n] { reply.send(n); });
        EXPECT_EQ(c->reply.recv(), n);
        graveyard<call>::bury(c);
    });
}

TEST(kb47_lifetime, closed_channel_may_go_when_its_receivers_are_released) {
    // close() could signal a waiter that has already returned, or touch the channel after its end:
    // asan would report it, or an unrelated waiter would be woken.
    repeat(6, [&](std::size_t, choices& choose) {
        const int n = static_cast<int>(1 + choose.below(3));
        rota::wait_group wg;
        {
            auto ch = rota::make_chan<int>(choose.below(2));
            for (int i = 0; i < n; ++i) {
                wg.go([ch]() mutable {
                    EXPECT_EQ(ch.recv(), std::nullopt);
                    ch = rota::chan<int>();
                });
            }
            if (choose.once_in(2)) rota_test::give_way();
            ch.close();
        }
        wg.wait();
    });
}
