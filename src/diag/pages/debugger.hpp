// What a debugger must know to find goroutines without types: tools/gdb/rota-gdb.py reads a table
// of addresses and offsets, in live processes and core files, of programs with or without debug
// information.
#pragma once

namespace rota::rt {

// Keeps the table in the program. Caller: boot.
void describe_to_debuggers();

}  // namespace rota::rt
