// The engine of the schedule explorer: threads that are fibers, and the calls by which they reach
// the kernel.
//
// A schedule runs the body of a test from its beginning, as thread 0. Before each access to a
// shared atomic, each futex call and each schedule point the engine lets the strategy choose the
// thread that goes on. At each load that has a choice it lets the strategy choose the value. So a
// schedule is a function of the strategy's choices, and can be run again.
//
// The engine stands in for kernel and clock: futex, membarrier and the monotonic clock reach it by
// way of the linker (--wrap, see kernel.cpp). The clock advances by a tick at each look, and to the
// next deadline when every thread sleeps.
//
// An access is a choice of threads only if two threads touch the location and at least one of them
// writes. The engine learns these locations from the schedules themselves. Depth-first search
// starts over when another location turns up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <rota/detail/explorer.hpp>
#include <rota/detail/sched_point.hpp>

#include "arch/context.hpp"
#include "core/eh_state.hpp"
#include "memory.hpp"
#include "strategy.hpp"
#include "sys/thread/self.hpp"

namespace model {

struct limits {
    unsigned steps = 4000;         // limit of one schedule: more are a livelock
    unsigned in_a_row = 60;        // limit of steps of one thread in a row
    std::int64_t tick = 1000;      // ns that pass at each look at the clock
    bool early_time_outs = false;  // a time-out may strike while other threads run
    bool sequential = false;       // each store is seen at once
    bool late_stores = true;       // stores of restartable sequences may stay in the buffer
    bool all_points = false;       // do not skip locations of one thread
};

inline constexpr unsigned event_max = 8192;   // events of a table; the oldest are overwritten
inline constexpr unsigned shared_max = 4096;  // slots of the table of shared locations

// An event of a schedule, for the table of a failure.
struct event {
    enum class kind : std::uint8_t {
        load,
        store,
        modify,
        exchange_done,
        exchange_failed,
        fence,
        barrier,
        restart,
        late_store,
        commit,
        sleep,
        woken,
        timed_out,
        refused,
        wake,
        spawn,
        end,
        note,
    };
    kind what;
    std::uint8_t thread;
    std::uint8_t order;
    std::uint8_t lag;  // values that the load stayed behind the newest
    std::uint16_t location;
    std::uint32_t step;
    std::uint64_t value;
    std::uint64_t before;
    const char* text;
};

class engine final : public rota::detail::explorer {
  public:
    engine(const limits& l, void (*on_failure)(engine&, const char* why));
    ~engine();

    // Runs one schedule. `body` is its thread 0.
    void run(const std::function<void()>& body, strategy& how);

    // --- for the body ---------------------------------------------------------------
    unsigned spawn(std::function<void()> f, const char* name, bool daemon);
    void join(unsigned thread);
    void wait_until_quiet();
    // While off, the engine offers no choice: for the steps to the state with which a test begins.
    void offer_choices(bool on) { offers_ = on; }
    void name(const void* at, std::size_t size, const char* text);
    void note(const char* text, std::uint64_t value);
    void plain(const void* at, bool writes);
    unsigned current() const { return current_; }
    [[noreturn]] void fail(const char* why);

    // --- the kernel (kernel.cpp) -----------------------------------------------------
    long futex_wait(const void* at, std::uint32_t expected, std::int64_t deadline);
    long futex_wake(const void* at, std::uint32_t count);
    void membarrier(bool restarts);
    std::int64_t clock() { return now_ += limits_.tick; }
    void schedule_point();

    // --- rota::detail::explorer --------------------------------------------------------
    void created(const void* at) override;
    void destroyed(const void* at) override;
    std::uint64_t load(const void* at, unsigned size, std::memory_order order) override;
    void store(void* at, unsigned size, std::uint64_t v, std::memory_order order) override;
    std::uint64_t modify(void* at, unsigned size, change what, std::uint64_t by,
                         std::memory_order order) override;
    bool compare_exchange(void* at, unsigned size, std::uint64_t& expected, std::uint64_t desired,
                          std::memory_order success, std::memory_order failure) override;
    void fence(std::memory_order order) override;
    bool restartable_replace(void* at, std::uint32_t from, std::uint32_t to) override;
    bool restartable_exchange(const void* gate, void* at, std::uint64_t desired,
                              std::uint64_t& old) override;
    bool restartable_add(const void* gate, std::uint32_t from, void* at,
                         std::uint32_t delta) override;
    unsigned processor() const override { return current_; }

    // --- for reports -------------------------------------------------------------------
    std::string table();
    std::string replay_string() const;
    std::string threads() const;
    unsigned steps() const { return steps_; }
    unsigned choices() const { return choices_; }
    unsigned thread_count() const { return thread_count_; }
    bool is_running() const { return running_; }

  private:
    enum class state : std::uint8_t { unused, ready, asleep, joining, quiet, ended };
    struct buffered {
        location* at;
        std::uint64_t value;
        view then;
    };
    struct thread {
        state is = state::unused;
        bool daemon = false;
        bool timed_out = false;
        bool in_sequence = false;  // inside a restartable sequence
        bool restarted = false;
        unsigned waits_for = 0;  // the thread that this thread joins
        const void* futex = nullptr;
        std::int64_t deadline = -1;
        std::uint32_t asleep_since = 0;  // step, for the order of wake-ups
        const char* name = "";
        rota::rt::gobuf context;
        rota::rt::self_header* self = nullptr;
        rota::rt::eh_state exceptions;
        std::function<void()> body;
        std::vector<buffered> late;  // stores that other threads do not see yet
        std::unique_ptr<std::byte[]> stack;
    };
    struct named {
        const char* begin;
        std::size_t size;
        const char* text;
    };
    struct departed {
        std::uint32_t step;
        choice kind;
        std::uint16_t id;
    };

    static void fiber_main();
    void prepare(thread& t);
    void switch_to(unsigned next);
    void choose_thread(bool goes_on);
    void add_time_outs(options_at& at) const;
    void time_out(thread& t);
    unsigned pick(const options_at& at);
    void thread_ends();
    void leave_schedule();

    location& access(const void* at, unsigned size, bool writes);
    unsigned choose_lag(const location& l, std::memory_order order, const std::uint64_t* unless);
    void put(location& l, std::uint64_t v, std::memory_order order, bool modifies);
    void put_late(location& l, std::uint64_t v);
    void drain(thread& t);
    std::uint64_t load_newest(const void* address, unsigned size);
    bool finish_sequence(void* address, unsigned size, std::uint64_t v);
    bool is_alone() const { return lives_ == 1; }
    void learn(location& l, bool writes);
    bool is_shared(const void* at) const;
    void record(event::kind what, const location* l, std::uint64_t value, std::memory_order order,
                std::uint64_t before = 0, unsigned lag = 0, const char* text = nullptr);
    std::string name_of_address(const void* address) const;

    limits limits_;
    void (*on_failure_)(engine&, const char*);
    memory memory_;
    strategy* how_ = nullptr;
    thread threads_[thread_max];
    rota::rt::gobuf host_;
    unsigned current_ = 0, thread_count_ = 0, lives_ = 0, in_a_row_ = 0;
    unsigned steps_ = 0, choices_ = 0, waiting_count_ = 0;
    std::int64_t now_ = 0;
    bool running_ = false;
    bool offers_ = true;
    std::vector<named> names_;
    std::vector<departed> departures_;
    std::unique_ptr<event[]> events_;
    unsigned event_count_ = 0;
    std::unique_ptr<const void*[]> shared_;  // open addressing, kept from schedule to schedule
    unsigned shared_count_ = 0;
};

// The engine of the running schedule, or null.
extern engine* the_engine;

}  // namespace model
