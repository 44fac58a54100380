// Calls on regular files, directories and disks: by the poller's back end where that makes them
// (GODEBUG=netpoll=uring), otherwise handed off.
//
// With a ring, who reads asks the kernel first for what there is at once, which costs no more than
// any read that finds its data; for the rest the goroutine parks, and its m and p are others'
// meanwhile. Where the file system cannot tell what would have to wait, a read is handed off as
// ever: the ring would only wait in a thread of the kernel's own. A write is made by such a thread,
// as a whole: in pieces it would let others, who append to the same file, come in between. So is
// fsync.
//
// Handed off are also the calls of threads that are not rota's, of goroutines that are tied to
// their thread or inside blocking(), so that parking would free nothing, and whatever the ring
// cannot do now.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

// The position of the open file, in the place of an offset. Caller: has it alone (fd::positioned)
// if `may_park`: it is asked for before a call of the ring's, and set behind it.
inline constexpr std::int64_t at_position = -1;

// What pread, pwrite and fsync return, interrupted never. Of a read less than `size` means the end
// of the file. Caller: in user code, keeps the number.
std::int64_t regular_read(int number, void* to, std::size_t size, std::int64_t offset,
                          bool may_park);
std::int64_t regular_write(int number, const void* from, std::size_t size, std::int64_t offset,
                           bool may_park);
int regular_sync(int number);

}  // namespace rota::rt
