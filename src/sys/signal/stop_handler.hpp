// Installs the handler of the stop signal.
#pragma once

#include "arch/context.hpp"

namespace rota::rt {

// Calls `handler` for each of this signal, with the registers of the interrupted code, on the
// alternate stack, with errno kept and every other signal but faults blocked. Then calls the
// program's earlier handler, if there is one: two signals may have become one, and nothing tells
// which of the two came. Call it once.
void on_stop_signal(int signal, void (*handler)(const gobuf& interrupted));

}  // namespace rota::rt
