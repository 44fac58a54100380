// Tells whether the processor's ticks measure time.
#pragma once

namespace rota::rt {

// Whether the ticks come at one rate, whatever the processor does, and are the same on every
// processor. On x86-64 both the processor must say so (an invariant counter) and the kernel, which
// offers no counter that it has found going wrong. If the kernel cannot be asked: false. AArch64
// guarantees it. Reads a file. A caller that relies on it checks now and then whether it still
// holds: a virtual machine may move to another host.
bool are_ticks_steady();

}  // namespace rota::rt
