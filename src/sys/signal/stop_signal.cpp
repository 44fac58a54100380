// Keeps the number of the stop signal.
#include "sys/signal/stop_signal.hpp"

#include "base/atomic.hpp"

namespace rota::rt {

namespace {

constinit atomic<int> stop_number{0};  // relaxed: set once, at boot

}  // namespace

int stop_signal() { return stop_number.load(memory_order_relaxed); }  // relaxed: see there

void note_stop_signal(int signal) {
    stop_number.store(signal, memory_order_relaxed);  // relaxed: see there
}

}  // namespace rota::rt
