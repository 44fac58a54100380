// Switches the means of asymmetric synchronisation on at boot, and contains its expensive sides.
#include "sys/thread/asymmetric.hpp"

#include <cerrno>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fatal.hpp"

namespace rota::rt {

namespace {

bool membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

// The kernel granted it at boot, so it fails only if the process has shut itself off since. The
// light sides rely on it: going on would corrupt memory.
void membarrier_or_die(int command) {
    if (membarrier(command)) return;
    fatal("membarrier is refused", trace_scope::none,
          "runtime: the system call membarrier, granted at the start, is refused now (errno=%zu): "
          "was a seccomp filter installed? GODEBUG=asymmetric=0 does without it",
          static_cast<std::size_t>(errno));
}

// Offset of the areas for restartable sequences from the thread pointer; 0: there are none.
std::ptrdiff_t rseq_area() {
#if ROTA_RSEQ
    if (__rseq_size > 0 && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ))
        return __rseq_offset;
#endif
    return 0;
}

}  // namespace

int asymmetric_init() {
    if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) return errno;
    const std::ptrdiff_t rseq = rseq_area();
    asymmetric.restart.store(rseq != 0, memory_order_seq_cst);  // pairs(asymmetric.on)
    asymmetric.heavy.store(true, memory_order_seq_cst);         // pairs(asymmetric.on)
    membarrier_or_die(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    // When the light side reads its switch on, each heavy side that read its own switch off has
    // done its store before.
    asymmetric.light.store(true, memory_order_release);  // pairs(asymmetric.on)
    asymmetric.owner.store(rseq, memory_order_release);  // pairs(asymmetric.on)
    return 0;
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
