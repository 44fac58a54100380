// The strategies of the explorer: they choose the schedule that comes next.
//
// At each choice the engine offers options, the undisturbed option first: the running thread goes
// on, a load sees the newest value, a time-out does not strike. A strategy picks one option. The
// departures from the undisturbed schedule make the replay string.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace model {

inline constexpr unsigned option_max = 12;

enum class choice : std::uint8_t {
    thread,  // ids are threads
    value,   // ids say how many values the load lags behind the newest
    late,    // 1: a store stays in the thread's buffer
};

struct option {
    std::uint16_t id;
    std::uint8_t cost;  // preemptions, or departures from the newest value
};

struct options_at {
    choice kind;
    unsigned step;  // of the schedule
    unsigned count = 0;
    std::array<option, option_max> list;

    options_at(choice k, unsigned s) : kind(k), step(s) {}
    void add(unsigned id, unsigned cost) {
        if (count < option_max)
            list[count++] = {static_cast<std::uint16_t>(id), static_cast<std::uint8_t>(cost)};
    }
};

class strategy {
  public:
    virtual ~strategy() = default;
    // Prepares the next schedule; false: there is none.
    virtual bool begin() = 0;
    // The index of the option to take.
    virtual unsigned pick(const options_at& at) = 0;
    // The schedule is over; it had `choices` choices of threads.
    virtual void end(unsigned choices) = 0;
    // A location turned out to be shared: choices come up where there were none.
    virtual void points_changed() {}
};

// Every schedule within the bounds, depth first.
class depth_first : public strategy {
  public:
    depth_first(unsigned preemptions, unsigned departures)
        : preemptions_(preemptions), departures_(departures) {
        path_.reserve(1 << 16);
    }
    bool begin() override;
    unsigned pick(const options_at& at) override;
    void end(unsigned choices) override;
    void points_changed() override { restart_ = true; }

  private:
    struct node {
        std::uint8_t at = 0;
        std::uint8_t count = 0;
        std::uint8_t costs[option_max];
        std::uint8_t indexes[option_max];
    };
    unsigned& budget(choice kind) {
        return kind == choice::thread ? preemptions_left_ : departures_left_;
    }

    unsigned preemptions_, departures_;
    unsigned preemptions_left_ = 0, departures_left_ = 0;
    std::vector<node> path_;
    std::size_t depth_ = 0;
    bool started_ = false;
    bool restart_ = false;
};

// Probabilistic concurrency testing (Burckhardt and others, ASPLOS 2010): random priorities, and
// depth - 1 moments at which the running thread falls behind every other thread. A bug of depth d
// shows in a run with probability at least 1/(n * k^(d-1)), for n threads and k choices.
class random_priorities : public strategy {
  public:
    random_priorities(unsigned depth, std::uint64_t seed) : depth_(depth), state_(seed | 1) {}
    bool begin() override;
    unsigned pick(const options_at& at) override;
    void end(unsigned choices) override;
    unsigned longest() const { return longest_; }

  private:
    static constexpr unsigned thread_slots = 16, changes_max = 8;
    std::uint64_t draw();

    unsigned depth_;
    std::uint64_t state_;
    unsigned longest_ = 0;
    unsigned choices_ = 0;
    std::uint32_t priority_[thread_slots] = {};
    unsigned change_at_[changes_max] = {};
};

// One schedule, from the string that a failure printed: for each departure its step, its kind (t, v
// or l) and the id of the option.
class replay : public strategy {
  public:
    explicit replay(std::string_view text);
    bool begin() override;
    unsigned pick(const options_at& at) override;
    void end(unsigned) override {}

  private:
    struct departure {
        unsigned step;
        choice kind;
        unsigned id;
    };
    std::vector<departure> departures_;
    std::size_t next_ = 0;
    bool begun_ = false;
};

// The letter of a kind in replay strings.
char letter_of(choice kind);

}  // namespace model
