// GODEBUG=parkcheck, the reporting half: reports the parks of goroutines that are program faults.
//
// A thread of rota's own reads the notes of sched/base/park_check and looks up the symbols of their
// frames. It reports each place once: the innermost frames, and the mutex or the library. Names are
// compared only here, so a park costs one walk of its stack, and no more if that stack has been
// noted before.
//
// A name matches each shared object with a file name that begins with it (libgomp: libgomp.so.1).
// It also matches each function with a name that begins with it, by namespaces (boost::asio::):
// the only way to name a library that is header-only or linked statically. Functions are compared
// by their mangled names, in which each namespace has a place of its own: template arguments do not
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

// As wait_for_park_reports. Does nothing on the watching thread, where a failure may call it too.
void finish_park_reports();

}  // namespace rota::rt
