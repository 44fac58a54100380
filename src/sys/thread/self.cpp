// Defines the thread-local slot. A pthread key, not a C++ destructor, reports the thread's end: it
// needs no guard variable and runs after the destructors of the program's own thread-locals, which
// may still use rota.
#include "sys/thread/self.hpp"

#include <pthread.h>

#include "base/atomic.hpp"
#include "base/check.hpp"

extern "C" {
// used: only assembly reads it, and whole-program optimisation does not see that.
__attribute__((used)) constinit thread_local void* rota_self_slot = nullptr;
}

namespace rota::rt {

namespace {

constinit atomic<void (*)(self_header*)> end_of_thread{
    nullptr};  // the same function for every thread: the last store wins
pthread_key_t key;
pthread_once_t key_once = PTHREAD_ONCE_INIT;

void run_end(void* header) {
    // relaxed: stored by this very thread before it set the key.
    if (auto* end = end_of_thread.load(memory_order_relaxed))
        end(static_cast<self_header*>(header));
}

void make_key() { ROTA_CHECK(pthread_key_create(&key, run_end) == 0); }

}  // namespace

ROTA_NOINLINE void set_self(self_header* header) { rota_self_slot = header; }

void at_thread_end(self_header* header, void (*end)(self_header*)) {
    if (end != nullptr)
        end_of_thread.store(end,
                            memory_order_relaxed);  // relaxed: read by this thread only after this
    pthread_once(&key_once, make_key);
    ROTA_CHECK(pthread_setspecific(key, header) == 0);
}

}  // namespace rota::rt
