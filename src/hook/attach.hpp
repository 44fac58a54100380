// Makes the runtime known to librota_hook.so, if that is in the process (hook/protocol.hpp).
#pragma once

#include "hook/protocol.hpp"

namespace rota::rt {

// The settings of GODEBUG=hook=...
struct hook_mode {
    bool off = false;
    bool traces = false;
    bool takes_locks = false;
    bool notes_mutexes = false;  // for GODEBUG=parkcheck, also where calls are not hooked
};

// Caller: boot, once.
void hook_attach(hook_mode mode);

// The library's counts; null: there is no library, or it is off. Any thread, once rota has booted.
const hook_library* attached_hook();

}  // namespace rota::rt
