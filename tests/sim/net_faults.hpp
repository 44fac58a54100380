// Faults that the simulated kernel injects into the running program's calls on descriptors, drawn
// from its seed: a random half of the kinds of fault is on. No caller may see interruptions, short
// counts, and calls that are not ready after a report of readiness. A caller that meets a refusal
// or a reset gets that error. Builds without ROTA_DEBUG_CHECKS have no seam for faults and inject
// none.
#pragma once

#include <system_error>

#include "sim.hpp"

namespace rota_sim {

// While it lives, calls fail as d says. There is one object at a time; its calls come from one
// thread at a time.
class net_faults {
  public:
    // Servers keep some errors to themselves. For such programs `may_tell` is false: only faults
    // that no caller may see are injected.
    explicit net_faults(dice d, bool may_tell = true);
    ~net_faults();
    net_faults(const net_faults&) = delete;
    net_faults& operator=(const net_faults&) = delete;

    // At the program's end: each injected error has been returned to a caller.
    static void expect_told();
    static bool has_planted();  // whether this program has met such an error
};

// Whether the simulated kernel may have injected this error. Checks that it has injected an error:
// the caller must have met a fault, or talk to a peer that has.
bool is_planted(const std::error_code& error);

// How many calls have failed, or done less than asked, since the process began.
unsigned long net_faults_planted();

}  // namespace rota_sim
