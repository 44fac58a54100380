// The heap of explored schedules (kernel.cpp): what they allocate is counted, what they free is
// poisoned.
#pragma once

namespace model::heap {

void begin_schedule();
// Returns how many blocks the schedule has allocated and not freed.
long end_schedule();

// What is allocated in its scope is the explorer's own.
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
