// Programs in which every goroutine sleeps, either for ever or for a limited time.
#include <atomic>
#include <csignal>
#include <future>
#include <mutex>

#include <semaphore.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

int receive() {
    rota::run([] { rota::make_chan<int>().recv(); });
    return 0;
}

int send() {
    rota::run([] { rota::make_chan<int>().send(1); });
    return 0;
}

int nil() {
    rota::run([] {
        rota::go([] { rota::chan<int>().send(1); });
        rota::chan<int>().recv();
    });
    return 0;
}

[[gnu::noinline]] void starts_a_sender() {
    rota::go([] { rota::chan<int>().send(1); });
    asm volatile("");  // no tail call
}

int started() {
    rota::run([] {
        starts_a_sender();
        rota::chan<int>().recv();
    });
    return 0;
}

int future() {
    rota::run([] {
        auto never = rota::async([] { rota::chan<int>().recv(); });
        never.get();
    });
    return 0;
}

// One goroutine for each kind of waiting; main waits for the group.
int each_kind() {
    rota::run([] {
        auto full = rota::make_chan<int>(1);
        auto empty = rota::make_chan<int>();
        rota::mutex held, guard;
        rota::shared_mutex read, written;
        rota::condition_variable condition;
        rota::counting_semaphore<> none(0);
        rota::weighted_semaphore spent(1);
        rota::latch closed(1);
        rota::barrier lonely(2);
        rota::once_flag never;
        rota::wait_group all;
        held.lock();
        read.lock_shared();
        written.lock();
        (void)spent.try_acquire(1);
        full.send(0);
        all.go([&] { full.send(1); });
        all.go([&] { empty.recv(); });
        all.go([&] { held.lock(); });
        all.go([&] { read.lock(); });
        all.go([&] { written.lock_shared(); });
        all.go([&] {
            std::unique_lock lk(guard);
            condition.wait(lk);
        });
        all.go([&] { none.acquire(); });
        all.go([&] { (void)spent.acquire(rota::background()); });
        all.go([&] { closed.wait(); });
        all.go([&] { lonely.arrive_and_wait(); });
        all.go([&] { rota::call_once(never, [&] { empty.recv(); }); });
        all.wait();
    });
    return 0;
}

// A thread that sleeps with its locked goroutine is on no list of idle threads.
int locked() {
    rota::run([] {
        rota::runtime::lock_os_thread();
        auto never = rota::make_chan<int>();
        rota::wait_group up;
        for (int i = 0; i < 3; ++i) {
            up.add(1);
            rota::go([never, &up] {
                rota::runtime::lock_os_thread();
                up.done();
                never.recv();
            });
        }
        up.wait();
        never.recv();
    });
    return 0;
}

// The thread of run() has no goroutine to wait for, and serves no other goroutine.
int locked_goexit() {
    rota::run([] {
        rota::runtime::lock_os_thread();
        rota::go([] {
            for (int i = 0; i < 10; ++i) rota::sleep_for(1ms);
            sit_in_a_call(1000);
        });
        rota::runtime::goexit();
    });
    return 0;
}

// Long lists, many threads and earlier work: the count of sleeping threads must still be exact.
int after_work() {
    rota::run([] {
        constexpr int pairs = 500;
        rota::wait_group all;
        auto never = rota::make_chan<int>();
        for (int i = 0; i < pairs; ++i) {
            auto ch = rota::make_chan<int>();
            all.go([ch] {
                for (int k = 0; k < 20; ++k) ch.send(k);
                ch.close();
            });
            all.go([ch, never] {
                for (int k : ch) {
                    if (k % 7 == 0) sit_in_a_call(1);
                    if (k % 9 == 0) rota::sleep_for(50us);
                }
                never.recv();
            });
        }
        all.wait();
    });
    return 0;
}

// Selects that no goroutine can end: without cases, with several cases, with nil channels only.
int selects() {
    rota::run([] {
        auto ch = rota::make_chan<int>();
        rota::go([] { rota::select(); });
        rota::go([ch] {
            rota::select_set set;
            set.send(ch, 1);
            std::optional<int> none;
            set.recv(rota::chan<int>(), none);
            set.wait();
        });
        rota::go([] { rota::select(rota::on_recv(rota::chan<int>())); });
        auto other = rota::make_chan<int>();
        rota::select(rota::on_recv(other), rota::on_send(other, 1));
    });
    return 0;
}

// A second run() of the process, when threads of the first have long been idle.
int second_run() {
    rota::run([] {
        rota::wait_group all;
        for (int i = 0; i < 100; ++i) all.go([] { rota::runtime::gosched(); });
        all.wait();
    });
    return receive();
}

// Each of two runs waits for ever, on a thread that no other thread can wake.
int two_stuck_runs() {
    std::atomic<int> inside{0};
    const auto wait_for_the_other = [&inside] {
        rota::run([&inside] {
            inside.fetch_add(1);
            await([&inside] { return inside.load() == 2; });
            rota::make_chan<int>().recv();
        });
    };
    std::thread other(wait_for_the_other);
    wait_for_the_other();
    other.join();
    return 0;
}

// A thread of the program's own that could use rota, but ends without having done so.
int thread_ends() {
    rota::run([] {
        std::thread([] { sit_in_a_call(100); }).detach();
        rota::make_chan<int>().recv();
    });
    return 0;
}

// Threads that wait for each other; the last waits for the run() that is stuck.
int threads_wait_too() {
    std::thread stuck([] { (void)receive(); });
    std::thread([&stuck] { stuck.join(); }).join();
    return 0;
}

// A run() ends, and its thread continues in C++ for a while. Another run() is stuck.
int run_ends_beside() {
    std::atomic<bool> inside{false};
    std::thread stuck([&inside] {
        rota::run([&inside] {
            inside = true;
            rota::make_chan<int>().recv();
        });
    });
    rota::run([&inside] { await([&inside] { return inside.load(); }); });
    sit_in_a_call(100);
    stuck.join();
    return 0;
}

// --- no deadlock ---------------------------------------------------------------------------------

// The shortest program: threads are still starting when only the timer can bring work.
int nap() {
    return rota::run([] {
        auto ch = rota::make_chan<int>();
        rota::go([ch] {
            rota::sleep_for(200us);
            ch.send(7);
        });
        rota::go([] { rota::runtime::gosched(); });
        return ch.recv() == 7 ? 0 : 1;
    });
}

int sleeper() {
    return rota::run([] {
        auto ch = rota::make_chan<int>();
        rota::go([ch] {
            rota::sleep_for(300ms);
            ch.send(7);
        });
        return ch.recv() == 7 ? 0 : 1;
    });
}

// Only a goroutine in a call still runs: the deadlock check has already happened by then.
int in_blocking() {
    return rota::run([] {
        auto ch = rota::make_chan<int>();
        rota::go([ch] {
            rota::blocking([] { await_in_blocking(do_the_others_sleep); });
            ch.send(7);
        });
        return ch.recv() == 7 ? 0 : 1;
    });
}

// main itself blocks its thread, and every other goroutine waits for main.
int main_in_blocking() {
    return rota::run([] {
        auto ch = rota::make_chan<int>();
        const std::uint64_t before = parks();
        rota::go([ch] { ch.recv(); });
        await([before] { return parks() > before; });
        rota::blocking([] { await_in_blocking(do_the_others_sleep); });
        ch.send(7);
        return 0;
    });
}

sem_t alarm_rang;

// Sleeps as a thread does that waits for another thread: for the kernel, without a limit. In fact a
// signal ends the sleep. The 300 ms are the load: a detector that takes this for a deadlock reports
// it earlier.
void sleep_until_the_alarm() {
    ::sem_init(&alarm_rang, 0, 0);
    ::signal(SIGALRM, [](int) { ::sem_post(&alarm_rang); });
    const itimerval in_300_ms = {{0, 0}, {0, 300'000}};
    ::setitimer(ITIMER_REAL, &in_300_ms, nullptr);
    while (::sem_wait(&alarm_rang) != 0) {
    }
}

// A thread of the program's own that has used rota before may use it again.
int thread() {
    return rota::run([] {
        auto ch = rota::make_chan<int>();
        auto known = rota::make_chan<int>();
        std::thread outside([ch, known] {
            known.send(1);
            sleep_until_the_alarm();
            ch.send(7);
        });
        known.recv();
        const int status = ch.recv() == 7 ? 0 : 1;
        outside.join();
        return status;
    });
}

// A channel that the program makes before run() and before the start of the runtime, as every
// program with a global channel does. It is not global here, because main would then use rota in
// the other cases too.
int global() {
    static const auto channel = rota::make_chan<int>();
    rota::run([] { channel.recv(); });
    return 0;
}

// The thread of run() has used rota before: it already has its m when it enters run().
int used_before() {
    auto ch = rota::make_chan<int>(1);
    rota::mutex mu;
    ch.send(1);
    ch.recv();
    mu.lock();
    mu.unlock();
    rota::go([] {});
    rota::run([ch] { ch.recv(); });
    return 0;
}

// Two threads. The second continues outside run(): the wait that it did in run() is over, but the
// thread is not.
int outside_again() {
    auto ch = rota::make_chan<int>();
    std::thread other([ch] {
        (void)rota::make_chan<int>();
        rota::run([] {});
        sleep_until_the_alarm();
        ch.send(7);
    });
    const int status = rota::run([ch] { return ch.recv() == 7 ? 0 : 1; });
    other.join();
    return status;
}

// A thread that has used rota and has ended brings no work. The signal comes too late.
int thread_that_was() {
    return rota::run([] {
        auto ch = rota::make_chan<int>(1);
        std::thread([ch] { ch.send(1); }).join();
        ch.recv();
        ::signal(SIGALRM, [](int) { ::_exit(0); });
        const itimerval in_300_ms = {{0, 0}, {0, 300'000}};
        ::setitimer(ITIMER_REAL, &in_300_ms, nullptr);
        ch.recv();
        return 1;
    });
}

// The same with a thread that has not used rota yet, while every goroutine has long been waiting
// for it.
int fresh_thread() {
    return rota::run([] {
        auto ch = rota::make_chan<int>();
        std::thread([ch] {
            std::this_thread::sleep_for(300ms);  // the load: the kernel shows a sleep with a limit
            ch.send(7);
        }).detach();
        return ch.recv() == 7 ? 0 : 1;
    });
}

// The same; this thread waits for another thread, which is awake.
int thread_behind_a_thread() {
    return rota::run([] {
        auto ch = rota::make_chan<int>();
        std::thread([ch] {
            std::thread([] { std::this_thread::sleep_for(300ms); }).join();  // the load, as above
            ch.send(7);
        }).detach();
        return ch.recv() == 7 ? 0 : 1;
    });
}

// Two runs at once: the main goroutine of one waits for the main goroutine of the other.
int two_runs() {
    std::promise<rota::chan<int>> made;
    std::thread other([&made] {
        rota::run([&made] {
            auto ch = rota::make_chan<int>();
            made.set_value(ch);
            rota::sleep_for(300ms);
            ch.send(7);
        });
    });
    auto ch = made.get_future().get();
    const int status = rota::run([ch] { return ch.recv() == 7 ? 0 : 1; });
    other.join();
    return status;
}

// No thread is in run(): the detector must ignore goroutines that sleep.
int nobody_runs() {
    rota::run([] {
        auto ch = rota::make_chan<int>();
        const std::uint64_t before = parks();
        rota::go([ch] { ch.recv(); });
        await([before] { return parks() > before; });
    });
    sleep_until_the_alarm();
    return 0;
}

// Waits that only a timer ends, with each kind of timer.
int timers() {
    return rota::run([] {
        auto done = rota::make_chan<int>();
        rota::after_func(100ms, [done] { done.send(7); });
        if (done.recv() != 7) return 1;
        (void)rota::after(100ms).recv();
        rota::ticker t(50ms);
        (void)t.c().recv();
        (void)t.c().recv();
        t.stop();
        auto [ctx, cancel] = rota::with_timeout(rota::background(), 100ms);
        (void)ctx.done().recv();
        return 0;
    });
}

// The goroutine that writes a trace ends with the trace, and no other goroutine is left awake.
int after_trace() {
    rota::run([] {
        rota::trace::start("/dev/null");
        rota::trace::stop();
        rota::make_chan<int>().recv();
    });
    return 0;
}

// The goroutine of the trace rests, holds no m and has no timer, but it will run again. Only a
// signal ends the program.
int in_trace() {
    rota::run([] {
        rota::trace::start("/dev/null");
        struct sigaction end{};
        end.sa_handler = [](int) { ::_exit(7); };
        ::sigaction(SIGALRM, &end, nullptr);
        ::alarm(1);
        rota::make_chan<int>().recv();
    });
    return 0;
}

// A stopped timer wakes no goroutine.
int stopped_timer() {
    return rota::run([] {
        rota::timer t(std::chrono::hours(1));
        t.stop();
        (void)t.c().recv();
        return 1;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"receive", receive},
                     {"send", send},
                     {"nil", nil},
                     {"future", future},
                     {"started", started},
                     {"each_kind", each_kind},
                     {"selects", selects},
                     {"locked", locked},
                     {"locked_goexit", locked_goexit},
                     {"after_work", after_work},
                     {"second_run", second_run},
                     {"two_stuck_runs", two_stuck_runs},
                     {"thread_ends", thread_ends},
                     {"threads_wait_too", threads_wait_too},
                     {"run_ends_beside", run_ends_beside},
                     {"nap", nap},
                     {"sleeper", sleeper},
                     {"in_blocking", in_blocking},
                     {"main_in_blocking", main_in_blocking},
                     {"thread", thread},
                     {"thread_that_was", thread_that_was},
                     {"global", global},
                     {"used_before", used_before},
                     {"outside_again", outside_again},
                     {"fresh_thread", fresh_thread},
                     {"thread_behind_a_thread", thread_behind_a_thread},
                     {"two_runs", two_runs},
                     {"nobody_runs", nobody_runs},
                     {"after_trace", after_trace},
                     {"in_trace", in_trace},
                     {"timers", timers},
                     {"stopped_timer", stopped_timer}});
}
