// Lists the threads of this process from /proc/self/task.
#pragma once

#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/call/call.hpp"
#include "sys/call/number.hpp"

namespace rota::rt {

// Calls each(tid) until it returns false. False: there is no list, or no descriptor to read it. No
// lock, no allocation, no descriptor kept.
template <class F>
bool for_each_thread(F each) {
    const int list = open_to_read("/proc/self/task", O_DIRECTORY);
    if (list < 0) return false;
    // The kernel's layout: a record's length is in bytes 16 and 17, its name from byte 19 on.
    alignas(8) char records[2048];
    bool more = true;
    long size = 1;
    while (more && size > 0) {
        size = ::syscall(SYS_getdents64, list, records, sizeof records);
        for (long at = 0; at < size && more;) {
            const char* const record = records + at;
            at += *reinterpret_cast<const std::uint16_t*>(record + 16);
            const int tid = std::atoi(record + 19);  // 0: "." and ".."
            if (tid > 0) more = each(tid);
        }
    }
    plain_close(list);
    return size >= 0;
}

}  // namespace rota::rt
