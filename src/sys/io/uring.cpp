// Implements the ring protocol: the writer of an index publishes the entries before it.
#include "sys/io/uring.hpp"

#include <cerrno>

#include <linux/io_uring.h>
#include <sys/mman.h>

#include "sys/call/call.hpp"
#include "sys/call/fault.hpp"
#include "sys/call/number.hpp"
#include "sys/io/io.hpp"

#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif
#ifndef IORING_REGISTER_IOWQ_MAX_WORKERS
#define IORING_REGISTER_IOWQ_MAX_WORKERS 19
#endif
#ifndef IORING_FEAT_CQE_SKIP
#define IORING_FEAT_CQE_SKIP (1U << 11)
#endif

namespace rota::rt {

namespace {

// Completions without room are kept, one mapping holds both rings, and the kernel does its work
// when we enter. The last came with Linux 6.1. Before that, a poll that was woken twice reported
// the first time alone: a reader could wait for ever.
constexpr unsigned needed = IORING_FEAT_NODROP | IORING_FEAT_SINGLE_MMAP | IORING_FEAT_CQE_SKIP;

// Calls on files that may wait at once, of the kind for which the kernel has threads. Its default
// is four for each processor, and a server that does not answer would then stop every other call.
constexpr unsigned workers_max = 64;

// The bound of read(2) and write(2).
constexpr std::size_t bytes_max = 0x7ffff000;

int set_up(io_uring_params& p, io_ring_size size) {
    p = {};
    p.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SINGLE_ISSUER |
              IORING_SETUP_DEFER_TASKRUN;
    p.cq_entries = size.completions;
    return above_standard(call_int(SYS_io_uring_setup, size.requests, &p));
}

// Hidden from the child of a fork, which must not use them.
void* map(int fd, std::size_t size, long what) {
    const long at =
        call(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);
    if (at < 0 && at > -4096) return nullptr;
    void* const start = reinterpret_cast<void*>(at);
    (void)call(SYS_madvise, start, size, MADV_DONTFORK);
    return start;
}

std::uint32_t read_index(const std::uint32_t* index) {
    return __atomic_load_n(index, __ATOMIC_ACQUIRE);  // pairs(uring.index), the kernel's
}

void write_index(std::uint32_t* index, std::uint32_t value) {
    __atomic_store_n(index, value, __ATOMIC_RELEASE);  // pairs(uring.index), the kernel's
}

}  // namespace

int io_ring::open(io_ring_size size) {
    if (const int error = fault_at(sys_call::ring_create, "io_ring::open")) return -error;
    io_uring_params p{};
    const int fd = set_up(p, size);
    if (fd == -EINVAL) return -EOPNOTSUPP;
    if (fd < 0) return fd;
    fd_ = fd;
    if ((p.features & needed) != needed) {
        close();
        return -EOPNOTSUPP;
    }
    const std::size_t of_requests = p.sq_off.array + p.sq_entries * sizeof(std::uint32_t);
    const std::size_t of_answers = p.cq_off.cqes + p.cq_entries * sizeof(io_uring_cqe);
    rings_size_ = of_requests > of_answers ? of_requests : of_answers;
    slots_size_ = p.sq_entries * sizeof(io_uring_sqe);
    rings_ = map(fd, rings_size_, IORING_OFF_SQ_RING);
    slots_ = static_cast<io_uring_sqe*>(map(fd, slots_size_, IORING_OFF_SQES));
    if (rings_ == nullptr || slots_ == nullptr) {
        close();
        return -ENOMEM;
    }
    char* const base = static_cast<char*>(rings_);
    const auto at = [base](std::uint32_t offset) {
        return reinterpret_cast<std::uint32_t*>(base + offset);
    };
    head_ = at(p.sq_off.head);
    tail_ = at(p.sq_off.tail);
    flags_ = at(p.sq_off.flags);
    answers_head_ = at(p.cq_off.head);
    answers_tail_ = at(p.cq_off.tail);
    answers_ = reinterpret_cast<io_uring_cqe*>(base + p.cq_off.cqes);
    slot_count_ = p.sq_entries;
    answer_mask_ = p.cq_entries - 1;
    for (std::uint32_t i = 0; i < slot_count_; ++i) at(p.sq_off.array)[i] = i;
    pushed_ = *tail_;
    unsigned workers[2] = {workers_max, 0};  // 0: the second number stays as it was
    // If the kernel refuses, the number of workers is smaller.
    (void)call(SYS_io_uring_register, fd, IORING_REGISTER_IOWQ_MAX_WORKERS, workers, 2U);
    return 0;
}

void io_ring::close() {
    if (rings_ != nullptr) (void)call(SYS_munmap, rings_, rings_size_);
    if (slots_ != nullptr) (void)call(SYS_munmap, slots_, slots_size_);
    rings_ = nullptr;
    slots_ = nullptr;
    (void)io_close(fd_);
    fd_ = -1;
}

io_uring_sqe* io_ring::next_slot() {
    if (pushed_ - read_index(head_) == slot_count_) return nullptr;
    io_uring_sqe* const slot = slots_ + (pushed_++ & (slot_count_ - 1));
    *slot = {};
    return slot;
}

bool io_ring::push_watch(int fd, std::uint32_t events, std::uint64_t tag) {
    io_uring_sqe* const slot = next_slot();
    if (slot == nullptr) return false;
    slot->opcode = IORING_OP_POLL_ADD;
    slot->fd = fd;
    slot->len = IORING_POLL_ADD_MULTI;
    slot->poll32_events = events;  // on big-endian machines its 16-bit halves are swapped
    slot->user_data = tag;
    return true;
}
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

bool io_ring::push_file(const io_file_call& call, std::uint64_t tag) {
    using act = io_file_call::act;
    io_uring_sqe* const slot = next_slot();
    if (slot == nullptr) return false;
    slot->opcode = call.what == act::read    ? IORING_OP_READ
                   : call.what == act::write ? IORING_OP_WRITE
                                             : IORING_OP_FSYNC;
    if (call.by_worker) slot->flags = IOSQE_ASYNC;
    slot->fd = call.fd;
    if (call.what != act::sync) {
        slot->addr = reinterpret_cast<std::uintptr_t>(call.bytes);
        slot->len = static_cast<std::uint32_t>(call.size < bytes_max ? call.size : bytes_max);
        slot->off = static_cast<std::uint64_t>(call.offset);
    }
    slot->user_data = tag;
    return true;
}

bool io_ring::push_cancel(std::uint64_t of, std::uint64_t tag) {
    io_uring_sqe* const slot = next_slot();
    if (slot == nullptr) return false;
    slot->opcode = IORING_OP_ASYNC_CANCEL;
    slot->fd = -1;
    slot->addr = of;
    slot->user_data = tag;
    return true;
}

int io_ring::enter(bool waits) {
    write_index(tail_, pushed_);
    if (const int error = fault_at(sys_call::ring_enter, "io_ring::enter")) return -error;
    const std::uint32_t given = pushed_ - read_index(head_);
    const int n = call_int(SYS_io_uring_enter, fd_, given, waits ? 1U : 0U, IORING_ENTER_GETEVENTS,
                           nullptr, std::size_t{0});
    return n < 0 ? n : 0;
}

bool io_ring::pop(io_completion& out) {
    const std::uint32_t head = *answers_head_;  // our own
    if (head == read_index(answers_tail_)) return false;
    const io_uring_cqe& c = answers_[head & answer_mask_];
    out = {c.user_data, c.res, (c.flags & IORING_CQE_F_MORE) != 0};
    write_index(answers_head_, head + 1);
    return true;
}

bool io_ring::has_backlog() const {
    return (__atomic_load_n(flags_, __ATOMIC_RELAXED) & IORING_SQ_CQ_OVERFLOW) != 0;
}

}  // namespace rota::rt
