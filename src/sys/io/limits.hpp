// Raises the limit of descriptors for a program that listens, and gives its children the old one.
//
// A server needs a descriptor for each connection. The soft limit is 1024 almost everywhere,
// because select() cannot take larger numbers, not because memory is short. The hard limit is the
// most that a process may have. So the first listener of the process raises the soft limit to the
// hard limit, once, as Go does at the start of a program. A later limit of the program stays.
//
// A child may use select(), or close every number up to its limit in a loop. So it begins with the
// limit that the process had before, unless the program has set a limit itself since. The child
// reads its own limit, a copy of the parent's, before it runs the program: the parent cannot
// know whether another thread raises the limit between a look and the clone.
#pragma once

#include <cerrno>

#include <sys/resource.h>
#include <sys/syscall.h>

#include "arch/kernel_call.hpp"
#include "base/annotations.hpp"

namespace rota::rt {

// Caller: net::listen. Any number of threads. A limit that cannot be raised stays as it is.
void raise_descriptor_limit();

struct raised_limit {
    rlimit before{}, after{};  // written once, before `is_noted`
    bool is_noted = false;     // set with release order before the limit is raised; never reset
};
extern constinit raised_limit raised_descriptors;

// The calls below leave errno alone. Where a filter refuses prlimit64 it may allow the older calls.
// They return 0, or a negative errno value.
ROTA_ALWAYS_INLINE long get_descriptor_limit(rlimit& now) {
    const long to = reinterpret_cast<long>(&now);
    const long r = kernel_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, to);
    return r == 0 ? r : kernel_call(SYS_getrlimit, RLIMIT_NOFILE, to);
}
ROTA_ALWAYS_INLINE long set_descriptor_limit(const rlimit& wanted) {
    const long from = reinterpret_cast<long>(&wanted);
    const long r = kernel_call(SYS_prlimit64, 0, RLIMIT_NOFILE, from, 0);
    return r == 0 ? r : kernel_call(SYS_setrlimit, RLIMIT_NOFILE, from);
}

// Caller: a child that shares the parent's memory. Where the kernel refuses the calls, the child
// keeps the raised limit.
ROTA_ALWAYS_INLINE void restore_descriptor_limit() {
    const raised_limit& raised = raised_descriptors;
    if (!__atomic_load_n(&raised.is_noted, __ATOMIC_ACQUIRE)) return;  // pairs(nofile.raised)
    rlimit now;
    if (get_descriptor_limit(now) != 0 || now.rlim_cur != raised.after.rlim_cur ||
        now.rlim_max != raised.after.rlim_max)
        return;
    (void)set_descriptor_limit(raised.before);
}

}  // namespace rota::rt
