// A process in which many goroutines have ended and no goroutine runs afterwards. Each case says
// how much memory the process had before these goroutines ("before N") and with them ("peak N"), in
// KiB. Then it says "idle", and waits.
#include <atomic>

#include "../resident.hpp"
#include "program.hpp"

using namespace rota_test;

namespace {

void say_kib(const char* name) {
    const std::string text = std::string(name) + " " + std::to_string(resident_kib());
    say(text.c_str());
}

// Starts `count` goroutines: each calls f and waits until each has called it.
template <class F>
void begin_and_end(int count, F f) {
    auto over = rota::make_chan<int>();
    rota::wait_group all;
    std::atomic<int> there{0};
    for (int i = 0; i < count; ++i) {
        all.go([&] {
            f();
            ++there;
            over.recv();
        });
    }
    await([&] { return there == count; });
    say_kib("peak");
    over.close();
    all.wait();
}

constexpr int many = 20'000;

void end_many() {
    begin_and_end(10, [] {});
    say_kib("before");
    begin_and_end(many, [] {});
}

// main waits for a client: a thread sleeps in the poller, and every other thread sleeps.
int in_poller() {
    rota::run([] {
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        end_many();
        say("idle");
        (void)l.accept();
    });
    return 0;
}

// No goroutine is left, and no thread is inside run.
int after_run() {
    rota::run(end_many);
    say("idle");
    ::pause();
    return 0;
}

[[gnu::noinline]] void use(std::size_t bytes) {
    char frame[4096];
    std::memset(frame, 1, sizeof frame);
    asm volatile("" : : "r"(frame) : "memory");  // the code uses the whole frame
    if (bytes > sizeof frame) use(bytes - sizeof frame);
    asm volatile("" : : "r"(frame) : "memory");  // no tail call
}

// Few goroutines that have used a large part of their stacks. A processor keeps up to 60 of them
// for itself.
template <int Count>
int deep() {
    rota::run([] {
        const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        begin_and_end(10, [] {});
        say_kib("before");
        begin_and_end(Count, [] { use(std::size_t{200} << 10); });
        say("idle");
        (void)l.accept();
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"in_poller", in_poller},
                     {"after_run", after_run},
                     {"deep", deep<800>},
                     {"few_deep", deep<60>}});
}
