// Programs that destroy an object while a goroutine waits in it by reference: the most common
// mistake with a capture by [&]. One processor: a goroutine that counts as parked is in its wait
// list.
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include <rota/synctest.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// Starts a goroutine that waits in the object, lets it park, and destroys the object. `members`:
// the goroutines that it begins and that park as well, maybe earlier than itself.
template <class T, std::uint64_t members = 0, class W, class... A>
int destroy(W wait, A&&... args) {
    std::optional<T> object;
    object.emplace(std::forward<A>(args)...);
    return rota::run([&] {
        const std::uint64_t before = parks();
        rota::go([&] { wait(*object); });
        await([&] { return parks() > before + members; });
        object.reset();
        say("nothing was said");
        return 0;
    });
}

using channel = rota::chan<int>;
channel with_room() { return rota::make_chan<int>(1); }

int chan_receive() {
    return destroy<channel>([](channel& c) { (void)c.recv(); }, rota::make_chan<int>());
}
int chan_send() {
    return destroy<channel>([](channel& c) { c.send(1); }, rota::make_chan<int>());
}
int chan_range() {
    return destroy<channel>(
        [](channel& c) {
            for (const int v : c) (void)v;
        },
        with_room());
}
int chan_limited() {
    return destroy<channel>(
        [](channel& c) {
            int got = 0;
            (void)c.recv_for(got, 1h);
        },
        with_room());
}
int chan_select() {
    return destroy<channel>(
        [](channel& c) {
            auto own = rota::make_chan<int>();
            rota::select(rota::on_recv(own, [](auto) {}), rota::on_recv(c, [](auto) {}));
        },
        with_room());
}
int select_set() {
    return destroy<rota::select_set>([](rota::select_set& s) {
        auto own = rota::make_chan<int>();
        std::optional<int> got;
        s.recv(own, got);
        (void)s.wait();
    });
}
// The timer and its channel are destroyed together.
template <class Timer>
struct with_channel {
    Timer t{1h};
    rota::recv_chan<rota::clock::time_point> c = t.c();
};
int timer_channel() {
    return destroy<with_channel<rota::timer>>([](auto& w) { (void)w.c.recv(); });
}
int ticker_channel() {
    return destroy<with_channel<rota::ticker>>([](auto& w) { (void)w.c.recv(); });
}
int mutex() {
    return destroy<rota::mutex>([](rota::mutex& m) {
        m.lock();
        m.lock();
    });
}
int shared_mutex() {
    return destroy<rota::shared_mutex>([](rota::shared_mutex& m) {
        m.lock();
        m.lock();
    });
}
int shared_mutex_reader() {
    return destroy<rota::shared_mutex>([](rota::shared_mutex& m) {
        m.lock();
        m.lock_shared();
    });
}
int shared_mutex_writer() {
    return destroy<rota::shared_mutex>([](rota::shared_mutex& m) {
        m.lock_shared();
        m.lock();
    });
}
struct condition {
    rota::mutex mu;
    rota::condition_variable changed;
};
int condition_variable() {
    return destroy<condition>([](condition& c) {
        std::unique_lock lock(c.mu);
        c.changed.wait(lock);
    });
}
int wait_group() {
    return destroy<rota::wait_group>([](rota::wait_group& g) {
        g.add(1);
        g.wait();
    });
}
int semaphore() {
    return destroy<rota::counting_semaphore<>>([](auto& s) { s.acquire(); }, 0);
}
int semaphore_limited() {
    return destroy<rota::counting_semaphore<>>([](auto& s) { (void)s.try_acquire_for(1h); }, 0);
}
int latch() {
    return destroy<rota::latch>([](rota::latch& l) { l.wait(); }, 1);
}
int barrier() {
    return destroy<rota::barrier<>>([](rota::barrier<>& b) { b.arrive_and_wait(); }, 2);
}
int weighted_semaphore() {
    return destroy<rota::weighted_semaphore>(
        [](rota::weighted_semaphore& s) {
            (void)s.try_acquire();
            (void)s.acquire(rota::background());
        },
        1);
}
template <class Group>
void wait_for_member(Group& g) {
    g.go([] { (void)rota::make_chan<int>().recv(); });
    g.wait();
}
int error_group() { return destroy<rota::error_group, 1>(wait_for_member<rota::error_group>); }
int scope() { return destroy<rota::scope, 1>(wait_for_member<rota::scope>); }
int once_flag() {
    return destroy<rota::once_flag>(
        [](rota::once_flag& f) { rota::call_once(f, [&] { rota::call_once(f, [] {}); }); });
}
int future() {
    return destroy<std::optional<rota::future<void>>, 1>([](auto& f) {
        f = rota::async([] { (void)rota::make_chan<int>().recv(); });
        f->wait();
    });
}
int future_limited() {
    return destroy<std::optional<rota::future<void>>, 1>([](auto& f) {
        f = rota::async([] { (void)rota::make_chan<int>().recv(); });
        (void)f->wait_for(1h);
    });
}
struct cancellable {
    std::optional<std::pair<rota::context, rota::cancel_func>> both =
        rota::with_cancel(rota::background());
};
int context() {
    return destroy<cancellable>([](cancellable& c) {
        (void)rota::detail::context_sleep_until(c.both->first.node(), rota::detail::ns_max);
    });
}

// The waiter and the destroyer are both threads.
int waiter_is_a_thread() {
    std::optional<channel> c = rota::make_chan<int>();
    std::atomic<int> tid{0};
    std::thread waiter([&] {
        tid = ::gettid();
        (void)c->recv();
    });
    await([&] { return tid != 0 && does_thread_sleep(::getpid(), std::to_string(tid)); });
    c.reset();
    waiter.join();
    return 0;
}

// At the end of the process no goroutine resumes in a destroyed object: static objects go without a
// report.
struct static_objects {
    channel c = rota::make_chan<int>();
    rota::wait_group group;
    rota::latch once_open{1};
    rota::mutex mu;
};
int at_exit() {
    static static_objects all;
    const std::uint64_t before = parks();
    return rota::run([before] {
        rota::go([] { (void)all.c.recv(); });
        rota::go([] {
            all.group.add(1);
            all.group.wait();
        });
        rota::go([] { all.once_open.wait(); });
        rota::go([] {
            all.mu.lock();
            all.mu.lock();
        });
        await([&] { return parks() >= before + 4; });
        return 0;
    });
}

// A goroutine that is left in a bubble never runs again: the objects in which it waits may go.
int left_in_a_bubble() {
    return rota::run([] {
        {
            rota::wait_group group;
            std::optional<channel> c;
            try {
                rota::synctest::test([&] {
                    c = rota::make_chan<int>();
                    rota::go([&] { (void)c->recv(); });
                    group.add(1);
                    group.wait();
                });
            } catch (const rota::panic_error& e) {
                say(e.what());
            }
        }
        return 0;
    });
}

// A member of a bubble's group calls done outside the bubble.
int group_of_a_bubble() {
    rota::wait_group group;
    return rota::run([&] {
        rota::synctest::test([&] {
            group.add(1);
            std::thread([&] { group.done(); }).join();
        });
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"chan_receive", chan_receive},
                     {"chan_send", chan_send},
                     {"chan_range", chan_range},
                     {"chan_limited", chan_limited},
                     {"chan_select", chan_select},
                     {"select_set", select_set},
                     {"timer", timer_channel},
                     {"ticker", ticker_channel},
                     {"mutex", mutex},
                     {"shared_mutex", shared_mutex},
                     {"shared_mutex_reader", shared_mutex_reader},
                     {"shared_mutex_writer", shared_mutex_writer},
                     {"condition_variable", condition_variable},
                     {"wait_group", wait_group},
                     {"semaphore", semaphore},
                     {"semaphore_limited", semaphore_limited},
                     {"latch", latch},
                     {"barrier", barrier},
                     {"weighted_semaphore", weighted_semaphore},
                     {"error_group", error_group},
                     {"scope", scope},
                     {"once_flag", once_flag},
                     {"future", future},
                     {"future_limited", future_limited},
                     {"context", context},
                     {"waiter_is_a_thread", waiter_is_a_thread},
                     {"at_exit", at_exit},
                     {"left_in_a_bubble", left_in_a_bubble},
                     {"group_of_a_bubble", group_of_a_bubble}});
}
