// What the simulated kernel does to the calls on descriptors of the program that runs now, drawn
// from its seed: a random half of the kinds of fault is on. Interruptions, short counts and want of
// readiness after it was told must not be seen by anybody; refusals and resets are told to the
// caller whom they meet. Builds without ROTA_DEBUG_CHECKS have no seam for them: nothing happens
// there.
#pragma once

#include <system_error>

#include "sim.hpp"

namespace rota_sim {

// While it lives, calls fail as d says. One at a time; its calls come from one thread at a time.
class net_faults {
  public:
    // Some keep what they are told of to themselves, as servers do: for these only such faults are
    // planted as nobody is told of.
    explicit net_faults(dice d, bool may_tell = true);
    ~net_faults();
    net_faults(const net_faults&) = delete;
    net_faults& operator=(const net_faults&) = delete;

    // At the program's end: every error that was planted has come out.
    static void expect_told();
    static bool has_planted();  // such an error, in this program
};

// Whether it is one that the simulated kernel may have planted. Checks that it has: who is told of
// one must have met it, or talk to somebody who has.
bool is_planted(const std::error_code& error);

// How many calls have failed, or done less than they were asked for, since the process began.
unsigned long net_faults_planted();

}  // namespace rota_sim
