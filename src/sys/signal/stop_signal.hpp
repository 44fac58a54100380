// The number of the signal by which the runtime stops threads.
#pragma once

namespace rota::rt {

// The number, or 0: the runtime has installed no handler for it (sys/signal/stop_handler).
int stop_signal();

// Caller: on_stop_signal, once.
void note_stop_signal(int signal);

}  // namespace rota::rt
