// Makes calls on regular files, directories and disks: by the poller's back end if it makes such
// calls (GODEBUG=netpoll=uring), otherwise handed off.
//
// With a ring, a reader first asks the kernel for the bytes that are there at once, which costs no
// more than any read that finds its data. For the rest the goroutine parks, and its m and p serve
// other goroutines meanwhile. Where the file system cannot tell which bytes need a wait, a read is
// handed off: the ring would only wait in a thread of the kernel's own. A kernel thread makes a
// write as a whole: in pieces, other appends to the same file could come in between. The same holds
// for fsync.
//
// These calls are handed off too: calls of threads that are not rota's; of goroutines that are tied
// to their thread or inside blocking(), so that parking would free nothing; and calls that the ring
// cannot make now.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

// The position of the open file, in the place of an offset. Caller: holds the position alone
// (fd::positioned) if `may_park`: the position is read before a call of the ring and set after it.
inline constexpr std::int64_t at_position = -1;

// Results of pread, pwrite and fsync, never interrupted. A read of less than `size` has met the end
// of the file. Caller: in user code, keeps the number.
std::int64_t regular_read(int number, void* to, std::size_t size, std::int64_t offset,
                          bool may_park);
std::int64_t regular_write(int number, const void* from, std::size_t size, std::int64_t offset,
                           bool may_park);
int regular_sync(int number);

}  // namespace rota::rt
