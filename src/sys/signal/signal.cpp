// Handles fault signals on an alternate stack: a goroutine that has overflowed its own stack has no
// room for a handler's frame.
#include "sys/signal/signal.hpp"

#include <cerrno>
#include <csignal>

#include <sys/mman.h>
#include <ucontext.h>

#include "base/atomic.hpp"
#include "base/shortfall.hpp"
#include "sys/signal/fault_escape.hpp"
#include "sys/signal/interrupted.hpp"

namespace rota::rt {

namespace {

constexpr int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGQUIT, SIGABRT};
constexpr std::size_t handled_count = sizeof handled / sizeof *handled;

struct sigaction before[handled_count];  // written before the handler is installed
constinit atomic<bool (*)(const fault_info&)> fault_handler{nullptr};

const struct sigaction& action_before(int signal) {
    std::size_t i = 0;
    while (handled[i] != signal) ++i;
    return before[i];
}

bool is_handler(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 ||
           (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// Another copy of the runtime in this process must tell our handlers from the program's. The mark
// is a set of blocked signals in the action that no program would put together. They are not really
// blocked, see on_signal. `over_program`: a handler of the program lies below.
constexpr int mark[] = {35, 36, 38, 41, 45, 50, 56, 63};
constexpr int mark_over_program = 64;
static_assert(mark_over_program < NSIG);

sigset_t mask_of(bool over_program) {
    sigset_t mask;
    ::sigemptyset(&mask);
    for (const int signal : mark) ::sigaddset(&mask, signal);
    if (over_program) ::sigaddset(&mask, mark_over_program);
    return mask;
}

bool has_mask(const struct sigaction& action, bool over_program) {
    const sigset_t wanted = mask_of(over_program);
    for (int signal = 1; signal < NSIG; ++signal) {
        if (::sigismember(&action.sa_mask, signal) != ::sigismember(&wanted, signal)) return false;
    }
    return true;
}

// Whether the action is a handler of a copy of the runtime.
bool is_copys(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 &&
           (has_mask(action, false) || has_mask(action, true));
}

// Whether the program handles the signal, even below another copy.
bool is_programs(const struct sigaction& action) {
    return is_handler(action) && (!is_copys(action) || has_mask(action, true));
}

void pass_on(int signal, siginfo_t* info, void* context) {
    const struct sigaction& program = action_before(signal);
    if ((program.sa_flags & SA_SIGINFO) != 0) {
        program.sa_sigaction(signal, info, context);
    } else if (is_handler(program)) {
        program.sa_handler(signal);
    } else {
        // Back to the default: the faulting instruction runs again and ends the process, as without
        // the runtime.
        struct sigaction none{};
        none.sa_handler = SIG_DFL;
        ::sigaction(signal, &none, nullptr);
        const bool again = info->si_code > 0 && signal != SIGABRT && signal != SIGQUIT;
        if (!again) ::raise(signal);
    }
}

void on_signal(int signal, siginfo_t* info, void* context) {
    // The mark must not act as a mask: a handler that leaves by a jump would keep it.
    ::pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
    if ((signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0) leave_try_call();
    const auto& at = *static_cast<const ucontext_t*>(context);
    const int error = errno;
    // relaxed: stored before the signal could come here.
    if (auto* handler = fault_handler.load(memory_order_relaxed)) {
        const fault_info fault{signal,
                               info->si_code,
                               info->si_addr,
                               interrupted_at(at),
                               is_programs(action_before(signal)),
                               context};
        if (handler(fault)) {
            errno = error;
            return;
        }
    }
    pass_on(signal, info, context);
    errno = error;
}

constinit std::size_t signal_stack_bytes_in_use = 0;

}  // namespace

std::size_t signal_stack_bytes() {
    return __atomic_load_n(&signal_stack_bytes_in_use, __ATOMIC_RELAXED);
}

void* signal_stack_install() {
    stack_t now{};
    if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return nullptr;
    void* start = ::mmap(nullptr, signal_stack_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        note_shortfall(shortfall::signal_stacks, errno);
        return nullptr;
    }
    stack_t ours{};
    ours.ss_sp = start;
    ours.ss_size = signal_stack_size;
    ::sigaltstack(&ours, nullptr);
    __atomic_fetch_add(&signal_stack_bytes_in_use, signal_stack_size, __ATOMIC_RELAXED);
    return start;
}

void signal_stack_free(void*& kept) {
    void* const stack = kept;
    if (stack == nullptr) return;
    kept = nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs(hold.place)
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(stack, signal_stack_size);
    __atomic_fetch_sub(&signal_stack_bytes_in_use, signal_stack_size, __ATOMIC_RELAXED);
}

namespace {

// Whether the runtime installs no handler for this signal, whose action was `now`. Never for
// faults.
//
// Of two copies the first reports the goroutines of both at SIGQUIT; each reports an abort in a
// goroutine of its own.
//
// An ignored SIGQUIT is taken over: a shell without job control starts a command before `&` with
// SIGQUIT ignored, and such a service could not be asked for its goroutines. Go leaves an inherited
// SIG_IGN of SIGHUP and SIGINT alone (sigInstallGoHandler); the runtime leaves these two as they
// are.
bool is_left_alone(int signal, const struct sigaction& now) {
    if (signal == SIGQUIT) return is_handler(now);
    if (signal != SIGABRT) return false;
    if (is_copys(now)) return is_programs(now);
    return is_handler(now) || now.sa_handler == SIG_IGN;
}

}  // namespace

void on_fault(bool (*handler)(const fault_info&)) {
    fault_handler.store(
        handler, memory_order_relaxed);  // relaxed: sigaction below orders it for this process
    struct sigaction ours{};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < handled_count; ++i) {
        ::sigaction(handled[i], nullptr, &before[i]);
        if (is_left_alone(handled[i], before[i])) continue;
        ours.sa_mask = mask_of(is_programs(before[i]));
        ::sigaction(handled[i], &ours, nullptr);
    }
}

bool faults_are_ours() {
    for (const int signal : {SIGSEGV, SIGBUS}) {
        struct sigaction now{};
        ::sigaction(signal, nullptr, &now);
        const bool is_ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal;
        if (!is_ours && !is_copys(now)) return false;  // a copy passes foreign faults on
    }
    return true;
}

gobuf caller_of(const fault_info& fault) {
    gobuf c = fault.at;
#if defined(__x86_64__)
    auto* const sp = static_cast<void**>(c.sp);
    c.pc = *sp;
    c.sp = sp + 1;
#else
    const auto& machine = static_cast<const ucontext_t*>(fault.machine)->uc_mcontext;
    c.pc = reinterpret_cast<void*>(machine.regs[30]);
#endif
    return c;
}

void signal_leave_abort() {
    struct sigaction none{};
    none.sa_handler = SIG_DFL;
    ::sigaction(SIGABRT, &none, nullptr);
}

void for_each_register(const fault_info& fault,
                       void (*print)(void* arg, const char* name, std::uint64_t value), void* arg) {
    const auto& machine = static_cast<const ucontext_t*>(fault.machine)->uc_mcontext;
#if defined(__x86_64__)
    constexpr struct {
        const char* name;
        int index;
    } registers[] = {{"rax", REG_RAX}, {"rbx", REG_RBX},   {"rcx", REG_RCX}, {"rdx", REG_RDX},
                     {"rdi", REG_RDI}, {"rsi", REG_RSI},   {"rbp", REG_RBP}, {"rsp", REG_RSP},
                     {"r8", REG_R8},   {"r9", REG_R9},     {"r10", REG_R10}, {"r11", REG_R11},
                     {"r12", REG_R12}, {"r13", REG_R13},   {"r14", REG_R14}, {"r15", REG_R15},
                     {"rip", REG_RIP}, {"rflags", REG_EFL}};
    for (const auto& r : registers)
        print(arg, r.name, static_cast<std::uint64_t>(machine.gregs[r.index]));
#else
    for (int i = 0; i < 31; ++i) {
        const char name[] = {'r', static_cast<char>(i < 10 ? '0' + i : '0' + i / 10),
                             static_cast<char>(i < 10 ? '\0' : '0' + i % 10), '\0'};
        print(arg, name, machine.regs[i]);
    }
    print(arg, "sp", machine.sp);
    print(arg, "pc", machine.pc);
#endif
}

}  // namespace rota::rt
