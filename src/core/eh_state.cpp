// Returns the address of the calling thread's exception state inside the C++ runtime.
#include "core/eh_state.hpp"

#include <cxxabi.h>

#if defined(_LIBCPP_VERSION)
// libc++abi exports it, as the ABI demands, and declares it in no header.
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals();
}  // namespace __cxxabiv1
#endif

namespace rota::rt {

eh_state* thread_eh_state() { return reinterpret_cast<eh_state*>(abi::__cxa_get_globals()); }

}  // namespace rota::rt
