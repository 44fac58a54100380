// One question at a time.
//
//                 ask_thread                    handler                  handler
//     nobody ──────────────────► tid of who is ───────────► answering ───────────► answered
//        ▲                       asked │                                              │
//        │                             │ time is up, by the asker                     │ asker
//        └─────────────────────────────┴──────────────────────────────────────────────┘
#include "sys/ask_thread.hpp"

#include "base/atomic.hpp"
#include "sys/clock.hpp"
#include "sys/futex.hpp"
#include "sys/signal.hpp"
#include "sys/thread.hpp"
#include "sys/thread_status.hpp"

namespace rota::rt {

namespace {

constexpr std::uint32_t nobody = 0, answering = ~std::uint32_t{0}, answered = answering - 1;

struct question_t {
    // As drawn above. Who has changed it to `answering` may look at the rest.
    atomic<std::uint32_t> state{nobody};
    // Who asks, by the thread's number; 0: nobody does. The rest is his.
    atomic<std::uint32_t> asker{0};
    // Who answers; relaxed: compared with itself.
    atomic<std::uint32_t> answerer{0};

    // --- owner: the asker, before `state` is set -------------------------------------
    answer_fn f = nullptr;
    void* arg = nullptr;
};
constinit question_t question;

constexpr long nap_ns = 20'000;

// Not a lock: who holds it may have been interrupted by the handler that wants it.
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

// True: there is an answer, after which `state` is the asker's again.
bool wait_for_answer(std::uint32_t tid, std::int64_t until) {
    for (;;) {
        const std::uint32_t now = question.state.load(memory_order_acquire);  // pairs(ask.answer)
        if (now == answered) return true;
        if (now == nobody) return false;  // in the child of a fork
        // An answer that has begun comes in a moment: its thread does nothing else.
        const bool is_late = now == tid && nanotime() > until;
        std::uint32_t asked = tid;
        // relaxed: nobody has looked at what was asked
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
    const uncancelled meanwhile;  // nobody else could ask any more
    if (!begin_to_ask(static_cast<std::uint32_t>(me), until)) return false;
    bool is_answered = false;
    if (shall(arg)) {
        question.f = f;
        question.arg = arg;
        const auto asked = static_cast<std::uint32_t>(tid);
        question.state.store(asked, memory_order_release);  // pairs(ask.question)
        // A signal of before may bring the answer, even if this one can't be sent.
        const bool is_sent = thread_signal(tid, signal);
        is_answered = wait_for_answer(asked, is_sent ? until : 0);
        question.state.store(nobody, memory_order_relaxed);  // relaxed: the next asker's come after
    }
    question.asker.store(0, memory_order_release);  // pairs(ask.over)
    return is_answered;
}

void answer_if_asked(const gobuf& interrupted) {
    std::uint32_t asked = question.state.load(memory_order_relaxed);  // relaxed: looked at again
    if (asked == nobody) return;
    const auto me = static_cast<std::uint32_t>(current_thread_id());
    if (asked != me) return;
    // The C library's own signals too: the one that cancels a thread would end it in here.
    const kernel_signals mask = block_all_but_memory_faults();
    if (question.state.compare_exchange(asked, answering,
                                        memory_order_acquire,  // pairs(ask.question)
                                        memory_order_relaxed)) {
        question.answerer.store(me, memory_order_relaxed);  // relaxed: see there
        question.f(interrupted, question.arg);
        question.answerer.store(0, memory_order_relaxed);      // relaxed: see there
        question.state.store(answered, memory_order_release);  // pairs(ask.answer)
        futex_wake(question.state, 1);
    }
    restore_signals(mask);
}

void give_up_answer() {
    const auto me = static_cast<std::uint32_t>(current_thread_id());
    if (question.answerer.load(memory_order_relaxed) != me) return;  // relaxed: see there
    question.answerer.store(0, memory_order_relaxed);                // relaxed: see there
    question.state.store(answered, memory_order_release);            // pairs(ask.answer)
    futex_wake(question.state, 1);
}

void forget_who_is_asked() {
    // relaxed, all: the child has but this thread
    question.state.store(nobody, memory_order_relaxed);
    question.asker.store(0, memory_order_relaxed);
    question.answerer.store(0, memory_order_relaxed);
}

}  // namespace rota::rt
