// Static constructors that use rota before main has called run, and before anything else has.
#include <memory>
#include <string>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

auto answers = rota::make_chan<int>(16);
rota::mutex mu;
std::string text = "made by a static constructor";

struct starter {
    starter() {
        rota::go([] {
            const std::lock_guard guard(mu);
            answers.send(1);
        });
        rota::go([ch = answers] {
            rota::sleep_for(1ms);
            ch.send(2);
        });
    }
};
starter goroutines;

// Waits for what other goroutines do, on the thread of main before main.
struct waiter {
    int got = 0;
    waiter() {
        auto two = rota::async([] { return 2; });
        rota::wait_group done;
        done.go([this] { got = 1; });
        done.wait();
        got += two.get();
        rota::sleep_for(1ms);
    }
};
waiter waited;

struct runner {
    int got = rota::run([] { return rota::async([] { return 4; }).get(); });
};
runner ran;

int in_main() {
    return rota::run([] {
        int sum = waited.got + ran.got;
        sum += answers.recv().value_or(100);
        sum += answers.recv().value_or(100);
        say(sum == 10 ? text.c_str() : "wrong sum");
        return 0;
    });
}

// main never calls run: the goroutines of the constructors work nevertheless.
int without_run() {
    const int sum = waited.got + ran.got + answers.recv().value_or(100) + *answers.recv();
    say(sum == 10 ? text.c_str() : "wrong sum");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv, {{"in_main", in_main}, {"without_run", without_run}});
}
