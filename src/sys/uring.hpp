// A ring of requests to the kernel and of its answers (io_uring), as one thread uses it.
//
// Requests are pushed and go to the kernel together, with enter(). Each is answered by a completion
// with the tag of the request; one that watches is answered time and again, until a completion says
// that there will be no `more`. No answer is ever lost: what has no room in the ring waits in the
// kernel. The kernel does its part of the work in enter() alone, so the ring's thread is one that
// never blocks elsewhere, and never ends: its requests would end with it.
//
// No library is needed: these are three system calls, and two tables that are shared with the
// kernel. Errors are errno values with their sign turned.
#pragma once

#include <cstddef>
#include <cstdint>

struct io_uring_cqe;
struct io_uring_sqe;

namespace rota::rt {

struct io_completion {
    std::uint64_t tag = 0;
    std::int32_t result = 0;  // 0 or more, or an errno value with its sign turned
    bool more = false;        // the request goes on
};

// What a file is asked for: as by pread, pwrite or fsync.
struct io_file_call {
    enum class act : std::uint8_t { read, write, sync };
    act what = act::read;
    // A thread of the kernel's makes the call as a whole. Otherwise enter() does what can be done
    // without waiting, with bytes that it copies, and the rest as the disk delivers.
    bool by_worker = false;
    int fd = -1;
    void* bytes = nullptr;  // read: written to; these are the kernel's until the completion
    std::size_t size = 0;
    // -1: at the position of the open file, which is read at the beginning and written at the end:
    // nobody else may use it meanwhile.
    std::int64_t offset = 0;
};

// Powers of two.
struct io_ring_size {
    std::uint32_t requests = 256, completions = 4096;
};

// All functions but the first are for one thread, that which has called open().
class io_ring {
  public:
    constexpr io_ring() = default;
    io_ring(const io_ring&) = delete;
    io_ring& operator=(const io_ring&) = delete;

    // -ENOSYS, -EPERM, -EACCES: there is none, or it is forbidden; -EOPNOTSUPP: it cannot do what
    // is needed. Any other: there is no room for one.
    int open(io_ring_size size);
    void close();

    // Requests. False: there is no room, enter() makes some.
    // Tells of `events` (poll.h's) of fd whenever there are new ones, and at once if there are
    // some. The result is a set of events. Until its last completion the open file is kept.
    [[nodiscard]] bool push_watch(int fd, std::uint32_t events, std::uint64_t tag);
    // The result is that of the call; also less than asked for, -EINTR, -EAGAIN, -ECANCELED.
    [[nodiscard]] bool push_file(const io_file_call& call, std::uint64_t tag);
    // Ends the request that has the tag `of`; -ENOENT: there is none, its last completion has been
    // posted. 0: that comes.
    [[nodiscard]] bool push_cancel(std::uint64_t of, std::uint64_t tag);

    // Gives the kernel what has been pushed, and sleeps until there is a completion if `waits`. 0
    // or an error: -EINTR, or -EAGAIN and -EBUSY, when it has no memory now. What it has not taken
    // is given again by the next call.
    int enter(bool waits);

    // The next completion; false: there is none.
    [[nodiscard]] bool pop(io_completion& out);
    // The kernel keeps some that had no room; enter() brings them.
    bool has_backlog() const;

  private:
    io_uring_sqe* next_slot();

    int fd_ = -1;
    void* rings_ = nullptr;
    std::size_t rings_size_ = 0;
    io_uring_sqe* slots_ = nullptr;
    std::size_t slots_size_ = 0;
    io_uring_cqe* answers_ = nullptr;
    // In the shared pages: of the requests and of the completions. We write tail_ and
    // answers_head_, the kernel the two others.
    std::uint32_t *head_ = nullptr, *tail_ = nullptr, *flags_ = nullptr;
    std::uint32_t *answers_head_ = nullptr, *answers_tail_ = nullptr;
    std::uint32_t slot_count_ = 0, answer_mask_ = 0;
    std::uint32_t pushed_ = 0;  // our own copy of tail_, ahead of it until enter()
};

}  // namespace rota::rt
