// Asks one thread at a time for its registers, by one global question that the signal handler
// answers.
//
//                 ask_thread                    handler                  handler
//     nobody ──────────────────► tid of thread ───────────► answering ───────────► answered
//        ▲                       asked │                                              │
//        │                             │ time is up, by the asker                     │ asker
//        └─────────────────────────────┴──────────────────────────────────────────────┘
#include "sys/signal/ask_thread.hpp"

#include "base/atomic.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/futex.hpp"
#include "sys/proc/thread_status.hpp"
#include "sys/signal/stop_signal.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t nobody = 0, answering = ~std::uint32_t{0}, answered = answering - 1;

struct question_t {
    // As drawn above. The thread that changes it to `answering` may read `f` and `arg`.
    atomic<std::uint32_t> state{nobody};
    // Thread id of the asker, 0: there is none. The asker owns the rest.
    atomic<std::uint32_t> asker{0};
    // Thread id of the answering thread; relaxed: a thread compares it with its own id only.
    atomic<std::uint32_t> answerer{0};

    // --- owner: the asker, before `state` is set -------------------------------------
    answer_fn f = nullptr;
    void* arg = nullptr;
};
constinit question_t question;

constexpr long nap_ns = 20'000;

// Not a lock: the handler that wants it may have interrupted its holder.
bool begin_to_ask(std::uint32_t me, std::int64_t until) {
    for (;;) {
        std::uint32_t none = 0;
        if (question.asker.compare_exchange(none, me, memory_order_acquire,  // pairs(ask.over)
                                            memory_order_relaxed))
            return true;
        if (none == me || nanotime() > until) return false;
        thread_sleep_ns(nap_ns);
    }
}

// True: there is an answer, and the asker owns `state` again.
bool wait_for_answer(std::uint32_t tid, std::int64_t until) {
    for (;;) {
        const std::uint32_t now = question.state.load(memory_order_acquire);  // pairs(ask.answer)
        if (now == answered) return true;
        if (now == nobody) return false;  // in the child of a fork
        // An answer that has begun comes in a moment: its thread does nothing else.
        const bool is_late = now == tid && nanotime() > until;
        std::uint32_t asked = tid;
        // relaxed: no thread has looked at the question
        if (is_late && question.state.compare_exchange(asked, nobody, memory_order_relaxed,
                                                       memory_order_relaxed))
            return false;
        if (!is_late) (void)futex_wait(question.state, now, now == tid ? until : no_deadline);
    }
}

}  // namespace

bool ask_thread(int tid, bool (*shall)(void* arg), answer_fn f, void* arg, std::int64_t limit_ns) {
    const int signal = stop_signal();
    const int me = current_thread_id();
    if (signal == 0 || tid <= 0 || tid == me) return false;
    const std::int64_t until = nanotime() + limit_ns;
    const uncancelled meanwhile;  // cancelled in here, it would leave the question taken for ever
    if (!begin_to_ask(static_cast<std::uint32_t>(me), until)) return false;
    bool is_answered = false;
    if (shall(arg)) {
        question.f = f;
        question.arg = arg;
        const auto asked = static_cast<std::uint32_t>(tid);
        question.state.store(asked, memory_order_release);  // pairs(ask.question)
        // An earlier signal may bring the answer even if this one cannot be sent.
        const bool is_sent = thread_signal(tid, signal);
        is_answered = wait_for_answer(asked, is_sent ? until : 0);
        question.state.store(nobody, memory_order_relaxed);  // relaxed: the next asker's stores
                                                             // come after it
    }
    question.asker.store(0, memory_order_release);  // pairs(ask.over)
    return is_answered;
}

void answer_if_asked(const gobuf& interrupted) {
    std::uint32_t asked = question.state.load(memory_order_relaxed);  // relaxed: the exchange below
                                                                      // checks again
    if (asked == nobody) return;
    const auto me = static_cast<std::uint32_t>(current_thread_id());
    if (asked != me) return;
    // Blocks the C library's own signals too: the signal of pthread_cancel would end the thread in
    // here.
    const kernel_signals mask = block_all_but_memory_faults();
    if (question.state.compare_exchange(asked, answering,
                                        memory_order_acquire,  // pairs(ask.question)
                                        memory_order_relaxed)) {
        question.answerer.store(me, memory_order_relaxed);  // relaxed: see the declaration
        question.f(interrupted, question.arg);
        question.answerer.store(0, memory_order_relaxed);      // relaxed: see the declaration
        question.state.store(answered, memory_order_release);  // pairs(ask.answer)
        futex_wake(question.state, 1);
    }
    restore_signals(mask);
}

void give_up_answer() {
    const auto me = static_cast<std::uint32_t>(current_thread_id());
    if (question.answerer.load(memory_order_relaxed) != me) return;  // relaxed: see the declaration
    question.answerer.store(0, memory_order_relaxed);                // relaxed: see the declaration
    question.state.store(answered, memory_order_release);            // pairs(ask.answer)
    futex_wake(question.state, 1);
}

void forget_who_is_asked() {
    // relaxed, each: the child of a fork has no other thread
    question.state.store(nobody, memory_order_relaxed);
    question.asker.store(0, memory_order_relaxed);
    question.answerer.store(0, memory_order_relaxed);
}

}  // namespace rota::rt
