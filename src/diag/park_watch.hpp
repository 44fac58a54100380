// GODEBUG=parkcheck, the half that reports: which parks of a goroutine are a fault of the program.
//
// A thread of rota's own reads the notes of sched/park_check, asks for the symbols of their frames,
// and prints a report for each place once: the innermost frames, and the mutex or the library.
// Names are compared here alone, so that a park costs a walk of its stack, and no more where that
// stack has been noted before.
//
// A name stands for a shared object whose file's name begins with it (libgomp: libgomp.so.1), and
// for a function whose name does, by its namespaces (boost::asio::). The second is the only way to
// name a library that is all headers, or is linked statically. Functions are compared by their
// mangled names, in which each namespace has a place of its own: arguments of templates do not
// count.
#pragma once

#include <string_view>

namespace rota::rt {

struct park_watch_mode {
    std::string_view names;  // joined by +
    bool mutexes = false;
    bool is_fatal = false;  // the first report ends the process
};

// Caller: boot, before the first goroutine. Without names and mutexes: nothing.
void start_park_watch(park_watch_mode mode);

// As wait_for_park_reports; the watching thread itself, which may fail, does not wait.
void finish_park_reports();

}  // namespace rota::rt
