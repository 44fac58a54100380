// Fault signals on an alternate stack: a goroutine that has run off its own stack has no room for a
// handler's frame.
#include "sys/signal.hpp"

#include <csignal>

#include <sys/mman.h>
#include <ucontext.h>

#include "base/atomic.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t signal_stack_size =
    64 * 1024;  // room for the unwinder; only touched pages cost

struct sigaction before_segv, before_bus;  // written before the handler is installed
constinit atomic<void (*)(const fault_info&)> fault_handler{nullptr};

const void* pc_of(const ucontext_t& context) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#else
    return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#endif
}

const void* sp_of(const ucontext_t& context) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RSP]);
#else
    return reinterpret_cast<const void*>(context.uc_mcontext.sp);
#endif
}

void pass_on(int signal, siginfo_t* info, void* context) {
    const struct sigaction& before = signal == SIGSEGV ? before_segv : before_bus;
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else {
        // Back to the default: the faulting instruction runs again and ends the process as if we
        // were not there.
        struct sigaction none{};
        none.sa_handler = SIG_DFL;
        ::sigaction(signal, &none, nullptr);
    }
}

void on_signal(int signal, siginfo_t* info, void* context) {
    const auto& at = *static_cast<const ucontext_t*>(context);
    // relaxed: stored before the signal could come here.
    if (auto* handler = fault_handler.load(memory_order_relaxed)) {
        handler({signal, info->si_addr, pc_of(at), sp_of(at)});
    }
    pass_on(signal, info, context);
}

}  // namespace

void* signal_stack_install() {
    stack_t now{};
    if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return nullptr;
    void* start = ::mmap(nullptr, signal_stack_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    stack_t ours{};
    ours.ss_sp = start;
    ours.ss_size = signal_stack_size;
    ::sigaltstack(&ours, nullptr);
    return start;
}

void signal_stack_free(void* stack) {
    if (stack == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(stack, signal_stack_size);
}

void on_fault(void (*handler)(const fault_info&)) {
    fault_handler.store(
        handler, memory_order_relaxed);  // relaxed: sigaction below orders it for this process
    struct sigaction ours{};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(SIGSEGV, &ours, &before_segv);
    ::sigaction(SIGBUS, &ours, &before_bus);
}

}  // namespace rota::rt
