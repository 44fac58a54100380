// Where the C++ runtime keeps the words.
#include "core/eh_state.hpp"

#include <cxxabi.h>

namespace rota::rt {

eh_state* thread_eh_state() { return reinterpret_cast<eh_state*>(abi::__cxa_get_globals()); }

}  // namespace rota::rt
