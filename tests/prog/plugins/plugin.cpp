// A plugin with a copy of the runtime inside.
#include <thread>

#include "work.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int plugin_work() { return plugin_test::work(); }

// Returns while a goroutine of the plugin goes on, which counts for ever.
EXPORTED void plugin_count(std::atomic<int>* count) {
    rota::go([count] {
        for (;;) {
            rota::sleep_for(std::chrono::milliseconds(1));
            ++*count;
        }
    });
}

EXPORTED void plugin_fault() {
    rota::run([] {
        volatile int* volatile nowhere = nullptr;
        *nowhere = 1;
    });
}
