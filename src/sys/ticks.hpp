// Whether the processor's ticks measure time.
#pragma once

namespace rota::rt {

// Whether they come at one rate, whatever the processor does, and are the same on all of them. On
// x86-64 that is what the processor says (an invariant counter), and what the kernel believes: it
// offers a counter that it has found going wrong to nobody. Where it cannot be asked: no. AArch64
// guarantees it. Reads a file; who relies on it looks now and then whether it still holds: a
// virtual machine may go on elsewhere.
bool are_ticks_steady();

}  // namespace rota::rt
