// Programs that change the floating-point control words in a goroutine.
#include <atomic>
#include <cfenv>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// Calls `operation` while the goroutine has changed the rounding mode.
template <class F>
int changed_at(F operation) {
    rota::run([operation] {
        rota::wait_group one;
        one.go([operation] {
            std::fesetround(FE_UPWARD);
            operation();
            std::fesetround(FE_TONEAREST);
        });
        one.wait();
    });
    say("silent");
    return 0;
}

int at_park() {
    return changed_at([] { rota::sleep_for(1ms); });
}
int at_yield() {
    return changed_at([] {
        // a thread may steal the goroutine, and then no switch happens
        for (int i = 0; i < 1000; ++i) {
            rota::go([] {});  // a goroutine to yield to
            rota::runtime::gosched();
        }
    });
}
int at_end() {
    rota::run([] {
        rota::go([] { std::fesetround(FE_UPWARD); });
        // the end of that goroutine ends the process
        for (int i = 0; i < 2000; ++i) rota::sleep_for(10ms);
    });
    say("silent");
    return 0;
}

// The goroutine restores the mode in time. A status bit, which every inexact result sets, is no
// change.
int restored() {
    rota::run([] {
        for (int i = 0; i < 100; ++i) {
            std::fesetround(FE_UPWARD);
            volatile double third = 1.0;
            third = third / 3.0;
            std::fesetround(FE_TONEAREST);
            std::feraiseexcept(FE_INEXACT | FE_UNDERFLOW);
            rota::sleep_for(10us);
        }
    });
    say("silent");
    return 0;
}

// A thread that the runtime starts must not inherit a temporary setting of the starting thread.
// Here a thread of the program's own starts it: for the first goroutine no thread exists yet.
// Status 1: a thread inherited the setting.
int new_threads() {
    (void)rota::runtime::num_thread();  // boots the runtime, by this thread
    std::atomic<int> wrong{0};
    rota::wait_group all;
    std::thread([&] {
        std::fesetround(FE_UPWARD);
        for (int i = 0; i < 4; ++i) {
            all.go([&] {
                if (std::fegetround() != FE_TONEAREST) wrong.fetch_add(1);
            });
        }
        all.wait();
    }).join();
    return wrong.load() == 0 ? 0 : 1;
}

// The program's own choice, made before run(), is the initial setting of every thread.
int chosen_before_boot() {
    std::fesetround(FE_DOWNWARD);
    return rota::run([] {
        std::atomic<int> wrong{0};
        rota::wait_group all;
        for (int i = 0; i < 20; ++i) {
            all.go([&] {
                rota::sleep_for(100us);
                if (std::fegetround() != FE_DOWNWARD) wrong.fetch_add(1);
                sit_in_a_call(100);
                if (std::fegetround() != FE_DOWNWARD) wrong.fetch_add(1);
            });
        }
        all.wait();
        return wrong.load() == 0 ? 0 : 1;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"at_park", at_park},
                     {"at_yield", at_yield},
                     {"at_end", at_end},
                     {"restored", restored},
                     {"new_threads", new_threads},
                     {"chosen_before_boot", chosen_before_boot}});
}
