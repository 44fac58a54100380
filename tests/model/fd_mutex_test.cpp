// Explores the mutex of a descriptor, used by threads of the program's own: handed-over turns, and
// the last release. The clock leaps, so that a waiter woken in vain counts as late at once.
#include "fd/fd_mutex.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "rig.hpp"

namespace {

using namespace rota::rt;
using model::options;
using model::plain;
using model::stranger;
using model::stranger_thread;

options with_a_clock_that_leaps(unsigned departures) {
    options o = model::departures(departures);
    o.tick = 1'500'000;
    return o;
}

// Whether there is no waiter, no unused turn and no unused wake-up.
bool nothing_is_left_in(const fd_mutex& mu) {
    struct {
        std::uint64_t state;
        struct {
            std::uint32_t waits, handed, is_late;
        } reads, writes;
    } words;
    static_assert(sizeof words == sizeof mu);
    model::the_engine->fence(memory_order_seq_cst);  // puts this thread's stores into memory
    std::memcpy(&words, static_cast<const void*>(&mu), sizeof words);
    return words.state <= 1 && words.reads.waits == 0 && words.reads.handed == 0 &&
           words.writes.waits == 0 && words.writes.handed == 0;
}

// Readers of one descriptor, which a thread may close.
class readers {
  public:
    readers() { model::name(mu_, "fd"); }

    // False: refused, since the descriptor is closed.
    bool read() {
        if (!mu_.acquire_read()) return false;
        inside_.set(inside_.get() + 1);
        leave(mu_.release_read());
        return true;
    }
    void close() {
        if (mu_.close()) leave(mu_.release());
    }
    // Each reader has come back, after `turns` turns.
    void end(int turns) {
        MODEL_CHECK(inside_.get() == turns);
        MODEL_CHECK(given_back_.get());
        MODEL_CHECK(nothing_is_left_in(mu_));
    }

  private:
    // The number goes back once; no reader uses the descriptor then or later.
    void leave(bool was_last) {
        if (!was_last) return;
        MODEL_CHECK(!given_back_.get());
        given_back_.set(true);
        (void)inside_.get();
    }

    fd_mutex mu_;
    plain<int> inside_{0};
    plain<bool> given_back_{false};
};

TEST(kb10_fd_mutex, a_turn_is_handed_to_who_was_woken_in_vain) {
    // One thread calls again and again: the waiter that it has woken finds the turn taken, and gets
    // the next turn.
    model::expect_holds(with_a_clock_that_leaps(1), [] {
        const stranger here;
        readers r;
        stranger_thread other("other", [&] { MODEL_CHECK(r.read()); });
        for (int i = 0; i < 3; ++i) MODEL_CHECK(r.read());
        other.join();
        r.close();
        r.end(4);
    });
}

TEST(kb10_fd_mutex, turns_are_handed_on_among_three) {
    model::expect_holds(with_a_clock_that_leaps(0), [] {
        const stranger here;
        readers r;
        stranger_thread a("a", [&] { MODEL_CHECK(r.read()); });
        stranger_thread b("b", [&] { MODEL_CHECK(r.read()); });
        for (int i = 0; i < 2; ++i) MODEL_CHECK(r.read());
        a.join();
        b.join();
        r.close();
        r.end(4);
    });
}

TEST(kb34_fd_mutex, a_close_meets_a_turn_on_its_way) {
    // The end of a turn and the close both wake a waiter. With two waiters, either may get the
    // turn, and the second must return.
    model::expect_holds(with_a_clock_that_leaps(0), [] {
        const stranger here;
        readers r;
        plain<int> turns_of_a(0), turns_of_b(0);
        stranger_thread a("a", [&] { turns_of_a.set(r.read() ? 1 : 0); });
        stranger_thread b("b", [&] { turns_of_b.set(r.read() ? 1 : 0); });
        int own = 0;
        for (int i = 0; i < 2; ++i) own += r.read() ? 1 : 0;
        r.close();
        a.join();
        b.join();
        r.end(own + turns_of_a.get() + turns_of_b.get());
    });
}

TEST(kb34_fd_mutex, a_close_by_another_sends_all_away) {
    model::expect_holds(with_a_clock_that_leaps(1), [] {
        const stranger here;
        readers r;
        plain<int> turns_of_a(0);
        stranger_thread a("a", [&] { turns_of_a.set(r.read() ? 1 : 0); });
        stranger_thread closer("closer", [&] { r.close(); });
        int own = 0;
        for (int i = 0; i < 3; ++i) own += r.read() ? 1 : 0;
        a.join();
        closer.join();
        MODEL_CHECK(!r.read());
        r.end(own + turns_of_a.get());
    });
}

}  // namespace
