// Every goroutine, thread and processor as JSON.
#pragma once

#include <string>

namespace rota::rt {

// Figures of slightly different moments. Throws std::bad_alloc.
std::string sched_json();

}  // namespace rota::rt
