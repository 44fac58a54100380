// The explorer as the tests of this folder use it; README.md shows an example.
//
//    explored_as   a body is run in every schedule within the bounds, then in random ones
//    thread        begins a thread of the schedule
//    plain<T>      memory that is not atomic: accesses that nothing orders are reported
//
// The body must be a function of the schedule alone. It creates each object that it changes, or has
// it restored (image); it asks no real clock and draws no random numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "engine.hpp"

namespace model {

struct options : limits {
    unsigned preemptions = 2;  // of the depth-first search; 3 with ROTA_TEST_LONG
    unsigned departures = 2;   // limit per schedule of it: loads of an old value, and late stores
    unsigned depth = 3;        // of the bugs that random priorities should find
    double seconds = 1.5;      // limit for each of the two searches
    bool leaks = true;         // a schedule must free the memory that it allocates
};

// The usual bounds, with another number of departures.
inline options departures(unsigned n) {
    options o;
    o.departures = n;
    return o;
}

// The work of one search.
struct search {
    std::uint64_t schedules = 0;
    std::uint64_t wanted = 0;  // random priorities: schedules for 99.99 % of the bugs of that depth
    double seconds = 0;
    unsigned steps = 0;    // of the longest schedule
    unsigned choices = 0;  // largest number of choices of a thread
    unsigned threads = 0;
    bool complete = false;
};

struct result {
    bool failed = false;
    std::string why;     // the failure in one line
    std::string report;  // its threads and its table
    std::string replay;
    search depth_first, random;
    std::uint64_t seen[4] = {};  // bits: the codes given to observe()

    bool has_seen(unsigned code) const { return (seen[code / 64] >> code % 64 & 1) != 0; }
};

// Explores `body` in child processes, with both strategies at once.
result explore(const options& how, const std::function<void()>& body);

// As explore, for a GoogleTest: prints the work of the searches; a failure fails the test and is
// printed.
result expect_holds(const options& how, const std::function<void()>& body);
// The explorer must find the fault planted in the body; its message must contain `why`.
void expect_fails(const options& how, const char* why, const std::function<void()>& body);

// --- inside a body -------------------------------------------------------------------------------

class thread {
  public:
    explicit thread(const char* name, std::function<void()> f)
        : id_(the_engine->spawn(std::move(f), name, false)) {}
    void join() { the_engine->join(id_); }

  private:
    unsigned id_;
};

// A thread that may sleep for ever when the other threads have ended.
inline void daemon(const char* name, std::function<void()> f) {
    the_engine->spawn(std::move(f), name, true);
}

// Waits until every other thread has ended or sleeps.
inline void wait_until_quiet() { the_engine->wait_until_quiet(); }

// Sleeps in virtual time, which passes when every other thread sleeps.
inline void sleep_until(std::int64_t when) {
    static std::uint32_t never;
    never = 0;
    while (the_engine->clock() < when) (void)the_engine->futex_wait(&never, 0, when);
}

// Names a variable, or an object of many variables, for tables.
template <class T>
void name(const T& what, const char* text) {
    the_engine->name(&what, sizeof what, text);
}
inline void note(const char* text, std::uint64_t value) { the_engine->note(text, value); }

// Reports which of several outcomes, below 256, this schedule had: result::has_seen.
void observe(unsigned code);

// Memory that only one thread at a time may touch.
template <class T>
class plain {
  public:
    plain() = default;
    explicit plain(T v) : v_(v) {}
    T get() const {
        the_engine->plain(this, false);
        return v_;
    }
    void set(T v) {
        the_engine->plain(this, true);
        v_ = v;
    }

  private:
    T v_{};
};

// Bytes that are restored before every schedule: globals, and objects that outlive a schedule.
void restore_before_each(void* at, std::size_t size);
void forget_images();

[[noreturn]] inline void fail(const char* why) { the_engine->fail(why); }

}  // namespace model

// Inside a body: ends the search with a failure.
#define MODEL_CHECK(fact) ((fact) ? static_cast<void>(0) : model::fail("not true: " #fact))
