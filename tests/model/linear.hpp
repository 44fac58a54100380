// Checks linearizability (Herlihy and Wing). Is there one order of the operations, each at a moment
// between its call and its return, in which a simple sequential object gives the same results?
//
// A test records its operations in a history and asks at its end. The search is Wing and Gong's:
// take an operation that no other operation's return precedes, try it on the sequential object, go
// on with the rest. A history has at most ten operations. So the search remembers each tried case
// by the set of operations taken and the object's state.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "explore.hpp"
#include "heap.hpp"

namespace model {

// Object: a sequential object. It is copied, compared by `state()`, and
//    bool apply(const Operation&, bool returned)
// tells whether the operation may have had its recorded result in this state, and has its effect.
// If the operation has not returned, its result is unknown.
template <class Operation>
class history {
  public:
    static constexpr unsigned operation_max = 10;

    // Returns the operation's number, for finish().
    unsigned begin(Operation what) {
        if (count_ == operation_max) fail("a history holds ten operations");
        calls_[count_] = {what, ++now_, never};
        return count_++;
    }
    // `complete` writes the result into the recorded operation.
    template <class F>
    void finish(unsigned number, F complete) {
        complete(calls_[number].what);
        calls_[number].returned = ++now_;
    }

    // Records one operation: `act` performs it, and writes its result into its argument.
    template <class F>
    void record(Operation what, F act) {
        const unsigned number = begin(what);
        act(what);
        finish(number, [&](Operation& recorded) { recorded = what; });
    }

    // Operations that have not returned may have had their effect or not.
    template <class Object>
    bool is_linearizable(const Object& initial) const {
        const heap::outside ours;
        std::set<std::pair<unsigned, std::uint64_t>> tried;
        return search(initial, 0, tried);
    }

  private:
    static constexpr unsigned never = ~0u;
    struct call {
        Operation what;
        unsigned called = 0;
        unsigned returned = never;
    };

    template <class Object>
    bool search(const Object& object, unsigned taken,
                std::set<std::pair<unsigned, std::uint64_t>>& tried) const {
        unsigned first_return = never;
        bool done = true;
        for (unsigned i = 0; i < count_; ++i) {
            if ((taken >> i & 1) != 0) continue;
            if (calls_[i].returned < first_return) first_return = calls_[i].returned;
            done = done && calls_[i].returned == never;
        }
        if (done) return true;
        if (!tried.insert({taken, object.state()}).second) return false;
        for (unsigned i = 0; i < count_; ++i) {
            if ((taken >> i & 1) != 0 || calls_[i].called > first_return) continue;
            Object next = object;
            if (next.apply(calls_[i].what, calls_[i].returned != never) &&
                search(next, taken | 1u << i, tried))
                return true;
        }
        return false;
    }

    call calls_[operation_max];
    unsigned count_ = 0;
    unsigned now_ = 0;
};

}  // namespace model
