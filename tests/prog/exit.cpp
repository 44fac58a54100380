// Programs that end while goroutines are alive: blocked, asleep, running, or in blocking().
#include <atomic>
#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::atomic<int> begun{0};

// Starts many goroutines of each kind; returns when each of them is about to begin its endless
// work.
void start_crowd() {
    constexpr int runners = 8, blockers = 16;
    constexpr int sleepers = many_goroutines / 2;
    constexpr int waiters = many_goroutines - sleepers - runners - blockers;
    for (int i = 0; i < waiters; ++i) {
        rota::go([] {
            begun.fetch_add(1);
            rota::make_chan<std::string>().recv();
        });
    }
    for (int i = 0; i < sleepers; ++i) {
        rota::go([i] {
            begun.fetch_add(1);
            for (;;) rota::sleep_for(std::chrono::milliseconds(i % 100 + 1));
        });
    }
    for (int i = 0; i < runners; ++i) {
        rota::go([] {
            begun.fetch_add(1);
            for (;;) rota::runtime::gosched();
        });
    }
    for (int i = 0; i < blockers; ++i) {
        rota::go([] {
            begun.fetch_add(1);
            rota::blocking([] {
                for (;;) ::pause();
            });
        });
    }
    await([] { return begun.load() == many_goroutines; });
}

// From here on the program ends: the test limits the time until the process has ended.
void say_ending() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    say(("ending at " + std::to_string(std::chrono::nanoseconds(now).count())).c_str());
}

void start_crowd_and_say_ending() {
    start_crowd();
    say_ending();
}

int return_from_main() {
    rota::run(start_crowd_and_say_ending);
    return 5;
}

// An object that only a pending timer refers to stays alive, and does not count as a leak.
int pending_timers() {
    rota::run([] {
        for (int i = 0; i < 100; ++i) {
            const rota::context ctx = rota::with_timeout(rota::background(), 1h).first;
            rota::after_func(1h, [text = std::string(100, 'x')] { std::abort(); });
        }
        say_ending();
        return 0;
    });
    return 5;
}

int exit_in_main_goroutine() {
    rota::run([] {
        start_crowd_and_say_ending();
        std::exit(3);
    });
    return 0;
}

int exit_in_goroutine() {
    rota::run([] {
        start_crowd_and_say_ending();
        rota::go([] { std::exit(3); });
        block_for_ever();
    });
    return 0;
}

int exit_in_blocking() {
    rota::run([] {
        start_crowd_and_say_ending();
        rota::blocking([] { std::exit(3); });
    });
    return 0;
}

int exit_in_thread() {
    rota::run(start_crowd_and_say_ending);
    std::thread([] { std::exit(3); }).join();
    return 0;
}

// A loop that never enters the runtime cannot be stopped; the end of the process must not wait for
// it. Only a thread without a p is sure to run beside the loop.
int exit_beside_spinner() {
    rota::run([] {
        // Waits until main is in its call: from then on the spinner may take the only processor.
        static std::atomic<bool> in_call{false};
        rota::go([] {
            await([] { return in_call.load(); });
            begun.fetch_add(1);
            while (begun.load(std::memory_order_relaxed) != 0) {
            }
        });
        rota::blocking([] {
            in_call = true;
            await_in_blocking([] { return begun.load() == 1; });
            say_ending();
            std::exit(3);
        });
    });
    return 0;
}

int quick_exit() {
    rota::run([] {
        start_crowd_and_say_ending();
        std::quick_exit(3);
    });
    return 0;
}

// --- static objects ------------------------------------------------------------------------------

// An object that goroutines use until the end; a use after its destruction leads to another exit
// status.
struct service {
    std::map<int, std::string> entries;
    std::atomic<bool> alive{true};
    explicit service(int n) {
        for (int i = 0; i < n; ++i) entries[i] = std::string(100, static_cast<char>('a' + i % 26));
    }
    ~service() {
        alive = false;
        entries.clear();
    }
    void use() const {
        for (const auto& [key, text] : entries) {
            if (!alive.load() || text.size() != 100) ::_exit(70 + key % 2);
        }
    }
};

service before_run{1000};

void use_for_ever(const service& s) {
    begun.fetch_add(1);
    for (;;) {
        s.use();
        rota::runtime::gosched();
    }
}

int statics() {
    static std::unique_ptr<service> owned;
    rota::run([] {
        static service first_used_inside{1000};
        owned = std::make_unique<service>(1000);
        for (int i = 0; i < 8; ++i) {
            rota::go([] { use_for_ever(before_run); });
            rota::go([] { use_for_ever(first_used_inside); });
            rota::go([] { use_for_ever(*owned); });
        }
        await([] { return begun.load() == 24; });
    });
    return 0;
}

int statics_exit_in_goroutine() {
    rota::run([] {
        for (int i = 0; i < 8; ++i) rota::go([] { use_for_ever(before_run); });
        await([] { return begun.load() == 8; });
        rota::go([] { std::exit(3); });
        block_for_ever();
    });
    return 0;
}

// Wake-ups of every kind arrive while the scheduler stops: from a thread, from timers, from calls
// that return, from threads that the runtime has just started.
int amid_wake_ups() {
    static std::atomic<bool> over{false};
    const auto posted = rota::make_chan<int>();
    std::thread poster([posted] {
        while (!over) {
            rota::go([] { before_run.use(); });
            (void)posted.try_send(1);
        }
    });
    rota::run([posted] {
        for (int i = 0; i < 4; ++i) {
            rota::go([posted] {
                begun.fetch_add(1);
                for (;;) {
                    posted.recv();
                    before_run.use();
                }
            });
            rota::go([] {
                begun.fetch_add(1);
                for (;;) {
                    rota::sleep_for(1us);
                    before_run.use();
                }
            });
            rota::go([] {
                begun.fetch_add(1);
                for (;;) {
                    sit_in_a_call(20);
                    before_run.use();
                }
            });
        }
        await([] { return begun.load() == 12; });
    });
    over = true;
    poster.join();
    return 0;
}

// A static object that uses rota in its destructor: operations that need not wait still work.
struct late_user {
    rota::chan<int> ch = rota::make_chan<int>(4);
    rota::mutex mu;
    ~late_user() {
        const std::lock_guard guard(mu);
        ch.send(1);
        if (ch.recv() != 1) ::_exit(71);
        ch.close();
        rota::go([] { ::_exit(72); });  // never runs
    }
};

int late_use() {
    static late_user user;
    rota::run([] { user.ch.try_send(9); });
    user.ch.recv();
    return 0;
}

// The same with waits, each with a limit. A timer still works for a waiting thread.
struct late_waiter {
    rota::chan<int> ch = rota::make_chan<int>();
    rota::mutex mu;
    rota::condition_variable cv;
    rota::counting_semaphore<> none{0};
    ~late_waiter() {
        int x = 0;
        if (ch.recv_for(x, 5ms) != rota::chan_status::timeout) ::_exit(71);
        if (ch.send_for(1, 5ms) != rota::chan_status::timeout) ::_exit(72);
        {
            std::unique_lock lock(mu);
            if (cv.wait_for(lock, 5ms) != std::cv_status::timeout) ::_exit(73);
        }
        if (none.try_acquire_for(5ms)) ::_exit(74);
        if (!rota::after(5ms).recv()) ::_exit(75);
        if (rota::select(rota::on_recv(ch), rota::on_recv(rota::after(5ms))) != 1) ::_exit(76);
        auto [in, out] = rota::os::pipe();
        std::byte byte[1] = {};
        in.set_deadline(rota::clock::now() + 5ms);
        std::error_code ec;
        (void)in.read(byte, ec);
        if (ec != std::errc::timed_out) ::_exit(77);
        say("all waits are over");
    }
};

int late_waits() {
    static late_waiter waiter;
    rota::run([] { start_crowd_and_say_ending(); });
    return 0;
}

// Threads of the program's own still work when main returns; a static destructor stops and joins
// them. The looker checks from time to time whether to stop, and then drops its end of a pipe. The
// reader reads until the pipe has no writer.
struct late_joiner {
    std::atomic<bool> stops{false};
    rota::chan<int> ch = rota::make_chan<int>();
    std::thread looker, reader;
    ~late_joiner() {
        stops = true;
        looker.join();
        reader.join();
        say("all threads are joined");
    }
};

int late_joins() {
    static late_joiner all;
    auto [in, out] = rota::os::pipe();
    all.looker = std::thread([out = std::move(out)]() mutable {
        int x = 0;
        while (!all.stops) (void)all.ch.recv_for(x, 5ms);
        out = {};
    });
    all.reader = std::thread([in = std::move(in)]() mutable {
        std::byte byte[1] = {};
        while (in.read(byte) != 0) {
        }
    });
    rota::run([] { start_crowd_and_say_ending(); });
    return 0;
}

// A timer that would start a goroutine does not start it, while threads still check the clock.
struct late_timers {
    rota::chan<int> ch = rota::make_chan<int>();
    ~late_timers() {
        int x = 0;
        (void)ch.recv_for(x, 20ms);
        say("what is left stays");
    }
};

int late_timers_begin_nothing() {
    static late_timers last;
    static std::string gone = "a text in memory that is given back at the end of the process";
    static const rota::context ctx = rota::with_timeout(rota::background(), 10ms).first;
    rota::run([] {
        rota::after_func(10ms, [] { say(gone.c_str()); });
        say_ending();
    });
    return 0;
}

// run() in a static destructor: goroutines no longer run.
struct late_runner {
    ~late_runner() {
        rota::run([] { say("ran"); });
    }
};

int late_run() {
    static late_runner last;
    rota::run([] { say_ending(); });
    return 0;
}

// Static groups whose goroutines can never end: their destructors do not wait for them.
int static_groups() {
    static rota::error_group group;
    static rota::scope scope;
    rota::run([] {
        group.go([] { block_for_ever(); });
        scope.go([] { block_for_ever(); });
        (void)scope.async([] { block_for_ever(); });
        say_ending();
    });
    return 0;
}

// --- run() returns -------------------------------------------------------------------------------

int run_returns() {
    const int answer = rota::run([] {
        start_crowd_and_say_ending();
        return 42;
    });
    // A second run in the same process, while goroutines of the first are still alive.
    const int sum = rota::run([answer] {
        auto ch = rota::make_chan<int>();
        rota::go([ch, answer] { ch.send(answer); });
        return *ch.recv() + 1;
    });
    return sum == 43 ? 0 : 1;
}

int many_runs() {
    int sum = 0;
    say_ending();  // for the first run
    for (int i = 0; i < 1000; ++i) {
        sum += rota::run([i] {
            rota::go([] { rota::sleep_for(1h); });
            auto one = rota::async([i] { return i; });
            return one.get();
        });
    }
    return sum == 499'500 ? 0 : 1;
}

// Neither exit nor the end of main destroys the goroutine: its destructors do not run.
int no_unwinding() {
    struct loud {
        ~loud() { say("destroyed"); }
    };
    rota::run([] {
        const std::uint64_t before = parks();
        rota::go([] {
            const loud object;
            rota::make_chan<int>().recv();
        });
        await([before] { return parks() > before; });
    });
    return 0;
}

int killed() {
    rota::run([] {
        start_crowd();
        say("ready");
        block_for_ever();
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"return_from_main", return_from_main},
                     {"pending_timers", pending_timers},
                     {"exit_in_main_goroutine", exit_in_main_goroutine},
                     {"exit_in_goroutine", exit_in_goroutine},
                     {"exit_in_blocking", exit_in_blocking},
                     {"exit_in_thread", exit_in_thread},
                     {"exit_beside_spinner", exit_beside_spinner},
                     {"quick_exit", quick_exit},
                     {"statics", statics},
                     {"statics_exit_in_goroutine", statics_exit_in_goroutine},
                     {"amid_wake_ups", amid_wake_ups},
                     {"late_use", late_use},
                     {"late_waits", late_waits},
                     {"late_joins", late_joins},
                     {"late_timers_begin_nothing", late_timers_begin_nothing},
                     {"late_run", late_run},
                     {"static_groups", static_groups},
                     {"run_returns", run_returns},
                     {"many_runs", many_runs},
                     {"no_unwinding", no_unwinding},
                     {"killed", killed}});
}
