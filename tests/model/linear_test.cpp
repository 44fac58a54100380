// Compares channels and mutexes with sequential objects, in every explored history.
#include <array>

#include <gtest/gtest.h>
#include <rota/detail/chan_engine.hpp>
#include <rota/sync/mutex.hpp>

#include "linear.hpp"
#include "rig.hpp"

namespace {

using namespace rota::detail;
using model::departures;
using model::expect_holds_in_both_modes;
using model::history;
using model::options;
using model::stranger;
using model::stranger_thread;

// --- channels ------------------------------------------------------------------------------------

struct chan_call {
    enum class kind : std::uint8_t { send, recv, close };
    kind what = kind::send;
    bool blocks = true;
    int value = 0;
    chan_result result = chan_result::ok;
};

// A bounded queue. An unbuffered channel is not a queue: its send and its receive happen at one
// moment.
struct queue {
    unsigned capacity;
    unsigned count = 0;
    bool closed = false;
    std::array<int, 4> values{};

    explicit queue(unsigned c) : capacity(c) {}

    std::uint64_t state() const {
        std::uint64_t s = closed ? 1 : 0;
        for (unsigned i = 0; i < count; ++i) s = s * 16 + static_cast<std::uint64_t>(values[i]) + 1;
        return s;
    }

    bool apply(const chan_call& c, bool returned) {
        switch (c.what) {
            case chan_call::kind::close:
                if (closed) return false;
                closed = true;
                return true;
            case chan_call::kind::send: return send(c, returned);
            case chan_call::kind::recv: return recv(c, returned);
        }
        return false;
    }

    bool send(const chan_call& c, bool returned) {
        if (returned && c.result == chan_result::closed) return closed;
        if (returned && c.result == chan_result::would_block) return !closed && count == capacity;
        if (closed || count == capacity) return false;
        values[count++] = c.value;
        return true;
    }

    bool recv(const chan_call& c, bool returned) {
        if (returned && c.result == chan_result::closed) return closed && count == 0;
        if (returned && c.result == chan_result::would_block) return !closed && count == 0;
        if (count == 0 || (returned && values[0] != c.value)) return false;
        for (unsigned i = 1; i < count; ++i) values[i - 1] = values[i];
        --count;
        return true;
    }
};

// A channel that records its operations.
class recorded_chan {
  public:
    explicit recorded_chan(std::size_t capacity)
        : c_(chan_make(sizeof(int), capacity, nullptr)), capacity_(capacity) {}
    ~recorded_chan() { chan_release(c_); }
    recorded_chan(const recorded_chan&) = delete;
    recorded_chan& operator=(const recorded_chan&) = delete;

    void send(int v, bool blocks = true) {
        calls_.record({chan_call::kind::send, blocks, v, chan_result::ok},
                      [&](chan_call& c) { c.result = chan_send(c_, &v, blocks); });
    }
    void recv(bool blocks = true) {
        calls_.record({chan_call::kind::recv, blocks, 0, chan_result::ok},
                      [&](chan_call& c) { c.result = chan_recv(c_, &c.value, blocks); });
    }
    void close() {
        calls_.record({chan_call::kind::close, true, 0, chan_result::ok},
                      [&](chan_call&) { chan_close(c_); });
    }
    bool is_linearizable() const {
        return calls_.is_linearizable(queue(static_cast<unsigned>(capacity_)));
    }

  private:
    hchan* c_;
    std::size_t capacity_;
    history<chan_call> calls_;
};

TEST(linear_chan, two_senders_and_two_receivers_share_a_queue) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        recorded_chan c(2);
        stranger_thread a("a", [&] {
            c.send(1);
            c.send(2);
        });
        stranger_thread b("b", [&] { c.send(3); });
        c.recv();
        c.recv();
        c.recv();
        a.join();
        b.join();
        MODEL_CHECK(c.is_linearizable());
    });
}

TEST(linear_chan, a_full_queue_keeps_the_order_of_those_who_wait) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        recorded_chan c(1);
        stranger_thread a("a", [&] {
            c.send(1);
            c.send(2);
        });
        stranger_thread b("b", [&] {
            c.recv();
            c.recv();
        });
        c.send(3);
        c.recv();
        a.join();
        b.join();
        MODEL_CHECK(c.is_linearizable());
    });
}

TEST(linear_chan, attempts_fail_only_on_a_full_or_an_empty_queue) {
    expect_holds_in_both_modes(departures(1), [] {
        const stranger here;
        recorded_chan c(1);
        stranger_thread a("a", [&] {
            c.send(1, false);
            c.recv(false);
        });
        stranger_thread b("b", [&] {
            c.recv(false);
            c.send(2, false);
        });
        c.send(3, false);
        c.recv(false);
        a.join();
        b.join();
        MODEL_CHECK(c.is_linearizable());
    });
}

TEST(linear_chan, a_close_falls_between_the_others) {
    model::expect_holds(departures(1), [] {
        const stranger here;
        recorded_chan c(1);
        stranger_thread a("a", [&] {
            c.send(1);
            c.send(2);
        });
        stranger_thread b("b", [&] {
            c.recv();
            c.recv();
        });
        c.close();
        a.join();
        b.join();
        MODEL_CHECK(c.is_linearizable());
    });
}

// --- mutex ---------------------------------------------------------------------------------------

struct mutex_call {
    enum class kind : std::uint8_t { lock, try_lock, unlock };
    kind what = kind::lock;
    bool got = true;
};

struct locked_or_not {
    bool locked = false;

    std::uint64_t state() const { return locked ? 1 : 0; }
    bool apply(const mutex_call& c, bool returned) {
        if (c.what == mutex_call::kind::unlock) {
            const bool was = locked;
            locked = false;
            return was;
        }
        if (returned && !c.got) return locked;  // an attempt fails only on a locked mutex
        if (locked) return false;
        locked = true;
        return true;
    }
};

class recorded_mutex {
  public:
    void lock() {
        calls_.record({mutex_call::kind::lock, true}, [&](mutex_call&) { mu_.lock(); });
    }
    bool try_lock() {
        bool got = false;
        calls_.record({mutex_call::kind::try_lock, true},
                      [&](mutex_call& c) { c.got = got = mu_.try_lock(); });
        return got;
    }
    void unlock() {
        calls_.record({mutex_call::kind::unlock, true}, [&](mutex_call&) { mu_.unlock(); });
    }
    bool is_linearizable() const { return calls_.is_linearizable(locked_or_not{}); }

  private:
    rota::mutex mu_;
    history<mutex_call> calls_;
};

TEST(linear_mutex, locks_and_unlocks_in_one_order) {
    expect_holds_in_both_modes(departures(1), [] {
        const stranger here;
        recorded_mutex mu;
        const auto work = [&] {
            mu.lock();
            mu.unlock();
        };
        stranger_thread a("a", work), b("b", work);
        work();
        a.join();
        b.join();
        MODEL_CHECK(mu.is_linearizable());
    });
}

TEST(linear_mutex, an_attempt_fails_on_a_locked_mutex_alone) {
    // A failed attempt orders nothing: it may miss an unlock that its thread has not learnt of in
    // another way. Where every store is seen at once it must not miss it.
    options o;
    o.sequential = true;
    expect_holds_in_both_modes(o, [] {
        const stranger here;
        recorded_mutex mu;
        const auto attempt = [&] {
            if (mu.try_lock()) mu.unlock();
        };
        stranger_thread a("a", attempt);
        stranger_thread b("b", [&] {
            mu.lock();
            mu.unlock();
            attempt();
        });
        attempt();
        a.join();
        b.join();
        MODEL_CHECK(mu.is_linearizable());
    });
}

// --- the search itself ---------------------------------------------------------------------------

TEST(linear_search, tells_a_history_that_has_no_order) {
    // Two values received in turn, in the wrong order: no queue does that.
    model::expect_fails({}, "is_linearizable", [] {
        history<chan_call> calls;
        const auto call = [&](chan_call::kind what, int value) {
            calls.record({what, true, value, chan_result::ok}, [](chan_call&) {});
        };
        call(chan_call::kind::send, 1);
        call(chan_call::kind::send, 2);
        call(chan_call::kind::recv, 2);
        call(chan_call::kind::recv, 1);
        MODEL_CHECK(calls.is_linearizable(queue(2)));
    });
}

TEST(linear_search, finds_the_order_of_overlapping_calls) {
    model::expect_holds({}, [] {
        history<chan_call> calls;
        const unsigned first = calls.begin({chan_call::kind::send, true, 1, chan_result::ok});
        const unsigned second = calls.begin({chan_call::kind::send, true, 2, chan_result::ok});
        calls.finish(second, [](chan_call&) {});
        calls.finish(first, [](chan_call&) {});
        for (const int v : {1, 2}) {
            calls.record({chan_call::kind::recv, true, v, chan_result::ok}, [](chan_call&) {});
        }
        MODEL_CHECK(calls.is_linearizable(queue(2)));
    });
}

}  // namespace
