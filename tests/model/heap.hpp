// The heap of explored schedules (kernel.cpp): counts the blocks that a schedule allocates, and
// poisons the blocks that it frees.
#pragma once

namespace model::heap {

void begin_schedule();
// Returns how many blocks the schedule has allocated and not freed.
long end_schedule();

// Allocations inside its scope belong to the explorer, not to the schedule.
class outside {
  public:
    outside();
    ~outside();
    outside(const outside&) = delete;
    outside& operator=(const outside&) = delete;

  private:
    bool before_;
};

}  // namespace model::heap
