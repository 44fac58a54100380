// Raises the limit of descriptors.
#include "sys/io/limits.hpp"

#include "base/atomic.hpp"

namespace rota::rt {

constinit raised_limit raised_descriptors;

void raise_descriptor_limit() {
    static constinit atomic<bool> tried{false};
    // relaxed, both: the other callers need not wait for the first
    if (tried.load(memory_order_relaxed) || tried.exchange(true, memory_order_relaxed)) return;
    rlimit now{};
    if (get_descriptor_limit(now) != 0 || now.rlim_cur >= now.rlim_max) return;
    raised_limit& raised = raised_descriptors;
    raised.before = now;
    raised.after = {now.rlim_max, now.rlim_max};
    // First, so that no child has the raised limit without knowing of it.
    __atomic_store_n(&raised.is_noted, true, __ATOMIC_RELEASE);  // pairs(nofile.raised)
    (void)set_descriptor_limit(raised.after);
}

}  // namespace rota::rt
