// Keeps the shared object that contains this copy of the runtime loaded.
#pragma once

namespace rota::rt {

// Keeps that object loaded until the process ends: threads of the runtime, signal handlers and the
// handler for the end of the process go on in its code after a dlclose. Does nothing where the
// runtime is part of the program itself. Any number of calls.
//
// Takes the dynamic linker's lock. A thread may hold that lock while it waits for a lock of the
// runtime: a constructor of a library may boot the runtime. Caller: holds no lock.
void keep_own_object_loaded();

}  // namespace rota::rt
