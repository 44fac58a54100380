// The dear side, and the switching on.
#include "sys/asymmetric.hpp"

#include <cerrno>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fatal.hpp"

namespace rota::rt {

namespace {

bool membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

// Granted at boot, so it fails only if the process has shut itself off since. The light sides rely
// on it: going on would corrupt.
void membarrier_or_die(int command) {
    if (membarrier(command)) return;
    fatal("membarrier is refused", trace_scope::none,
          "runtime: the system call membarrier, granted at the start, is refused now (errno=%zu): "
          "was a seccomp filter installed? GODEBUG=asymmetric=0 does without it",
          static_cast<std::size_t>(errno));
}

bool has_rseq() {
#if ROTA_RSEQ
    return __rseq_size > 0 && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
#else
    return false;
#endif
}

}  // namespace

void asymmetric_init() {
    if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) return;
    const bool rseq = has_rseq();
    asymmetric.restart.store(rseq, memory_order_seq_cst);  // pairs(asymmetric.on)
    asymmetric.heavy.store(true, memory_order_seq_cst);    // pairs(asymmetric.on)
    membarrier_or_die(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    // A heavy side that found the switch off has read it, and had done its step before, when the
    // light side reads it on.
    asymmetric.light.store(true, memory_order_release);  // pairs(asymmetric.on)
    asymmetric.owner.store(rseq, memory_order_release);  // pairs(asymmetric.on)
}

void heavy_fence() {
    full_fence();
    if (!asymmetric.heavy.load(memory_order_seq_cst)) return;  // pairs(asymmetric.on)
    membarrier_or_die(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

void restart_owners() {
    if (!asymmetric.restart.load(memory_order_seq_cst)) return;  // pairs(asymmetric.on)
#if ROTA_RSEQ
    membarrier_or_die(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
#endif
}

}  // namespace rota::rt
