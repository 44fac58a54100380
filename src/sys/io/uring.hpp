// A ring of requests to the kernel and of its completions (io_uring), for use by one thread.
//
// Requests are pushed and go to the kernel together, with enter(). A completion with the request's
// tag answers each. A request that watches is answered time and again, until a completion without
// `more`. No completion is ever lost: a completion without room in the ring waits in the kernel.
// The kernel does its part of the work in enter() alone. So the ring's thread never blocks
// elsewhere, and never ends: its requests would end with it.
//
// No library is needed: there are three system calls, and two tables shared with the kernel. Errors
// are negative errno values.
#pragma once

#include <cstddef>
#include <cstdint>

struct io_uring_cqe;
struct io_uring_sqe;

namespace rota::rt {

struct io_completion {
    std::uint64_t tag = 0;
    std::int32_t result = 0;  // 0 or more, or a negative errno value
    bool more = false;        // the request goes on
};

// A request on a file, as by pread, pwrite or fsync.
struct io_file_call {
    enum class act : std::uint8_t { read, write, sync };
    act what = act::read;
    // A kernel thread makes the whole call. Otherwise enter() does the part that needs no wait,
    // with bytes that it copies, and the rest as the disk delivers.
    bool by_worker = false;
    int fd = -1;
    void* bytes = nullptr;  // read: written to; the kernel's until the completion
    std::size_t size = 0;
    // -1: at the position of the open file, which the kernel reads at the beginning and writes at
    // the end: no other call may use it meanwhile.
    std::int64_t offset = 0;
};

// Powers of two.
struct io_ring_size {
    std::uint32_t requests = 256, completions = 4096;
};

// Caller of every function but open(): the thread that called open().
class io_ring {
  public:
    constexpr io_ring() = default;
    io_ring(const io_ring&) = delete;
    io_ring& operator=(const io_ring&) = delete;

    // -ENOSYS, -EPERM, -EACCES: the kernel has no ring, or forbids it; -EOPNOTSUPP: the ring has
    // too few features. Any other error: there is no room for a ring.
    int open(io_ring_size size);
    void close();

    // Requests. False: there is no room, enter() makes some.
    // Reports `events` (poll.h's) of fd whenever there are new ones, and at once if there are any.
    // The result is a set of events. The open file is kept until the last completion.
    [[nodiscard]] bool push_watch(int fd, std::uint32_t events, std::uint64_t tag);
    // The result is that of the call; it may be less than asked for, -EINTR, -EAGAIN, -ECANCELED.
    [[nodiscard]] bool push_file(const io_file_call& call, std::uint64_t tag);
    // Ends the request with the tag `of`. 0: its last completion will come; -ENOENT: there is no
    // such request, or its last completion has been posted.
    [[nodiscard]] bool push_cancel(std::uint64_t of, std::uint64_t tag);

    // Gives the pushed requests to the kernel, and if `waits` sleeps until there is a completion. 0
    // or an error: -EINTR, or -EAGAIN and -EBUSY, when the kernel has no memory now. The next call
    // gives the requests again that the kernel has not taken.
    int enter(bool waits);

    // Takes the next completion; false: there is none.
    [[nodiscard]] bool pop(io_completion& out);
    // The kernel keeps completions that had no room; enter() brings them.
    bool has_backlog() const;

  private:
    io_uring_sqe* next_slot();

    int fd_ = -1;
    void* rings_ = nullptr;
    std::size_t rings_size_ = 0;
    io_uring_sqe* slots_ = nullptr;
    std::size_t slots_size_ = 0;
    io_uring_cqe* answers_ = nullptr;
    // Indices in the shared pages: of the requests, then of the completions. We write tail_ and
    // answers_head_, the kernel writes head_ and answers_tail_.
    std::uint32_t *head_ = nullptr, *tail_ = nullptr, *flags_ = nullptr;
    std::uint32_t *answers_head_ = nullptr, *answers_tail_ = nullptr;
    std::uint32_t slot_count_ = 0, answer_mask_ = 0;
    std::uint32_t pushed_ = 0;  // our own copy of tail_, ahead of it until enter()
};

}  // namespace rota::rt
