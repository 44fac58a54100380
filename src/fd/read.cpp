// fd::read, in which servers spend most of their time.
//
// In a server with thousands of connections each stack is in no cache, line by line, and every ret
// after a switch is mispredicted. So there is one small frame between the reader and the switch.
// Values that can be read again after the wait are not kept over it, and rare cases have functions
// of their own.
#include <cerrno>
#include <utility>

#include "core/getg.hpp"
#include "fd/fd.hpp"
#include "fd/poll_wait.hpp"
#include "fd/turn.hpp"
#include "netpoll/read_ahead.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/park_here.hpp"
#include "sys/call/fault.hpp"
#include "sys/io/io_bytes.hpp"

namespace rota::rt {

namespace {

// Whether a different thread may make the call for the caller. A caller that is a thread, or is
// locked or pinned to one, may have changed that thread's state, even its table of descriptors.
bool is_any_thread_as_good() {
    const g& self = *getm().curg;
    return !self.is_thread && !self.is_locked && !self.is_pinned;
}

}  // namespace

// A reading turn that has been taken: `turn` without the flag whether it was taken, which would
// have to be kept over the wait.
struct fd::reading_now {
    fd& of;
    ROTA_ALWAYS_INLINE ~reading_now() {
        if (ROTA_UNLIKELY(of.mu_.release_read())) of.give_number_back();
    }
};

// The order of a read. Its end removes the order: whatever ends the wait, no thread may find an
// order whose buffer is gone.
struct fd::ordered {
    fd& of;
    ROTA_ALWAYS_INLINE ordered(fd& by, void* to, std::size_t size) : of(by) {
        const bool may = size <= read_ahead_max && is_any_thread_as_good();
        of.poll_->order = {read_request::not_done, may ? to : nullptr,
                           static_cast<std::uint32_t>(size), of.number_};
    }
    ROTA_ALWAYS_INLINE ~ordered() { of.poll_->order.to = nullptr; }
};

std::int64_t fd::read(void* to, std::size_t size) {
    give_way_if_asked();
    if (!mu_.acquire_read()) return -error_closed;
    const reading_now turn{*this};
    if (mu_.is_closed()) return -error_closed;
    if (const int error = poll_check(*poll_, poll_dir::read)) return -error;
    if (size == 0 && !has_messages()) return 0;
    if (ROTA_UNLIKELY(returned_ != nullptr)) return take_returned(to, size, false);
    if (!has_messages()) (void)faulty_size(sys_call::room, size, "fd::read");
    const std::int64_t n = kind_ == kind::tcp ? receive(to, size) : receive_other(to, size);
    drained_ = has_drained(n, size);
    return n;
}

// A reader that has emptied the socket waits first.
ROTA_ALWAYS_INLINE std::int64_t fd::receive(void* to, std::size_t size) {
    std::int64_t n = std::exchange(drained_, false) ? wait_to_receive(to, size) : -EINTR;
    if (n == -EINTR) n = io_receive(number_, to, size);
    return ROTA_UNLIKELY(n == -EAGAIN || n == -EINTR) ? receive_again(n, to, size) : n;
}

ROTA_NOINLINE std::int64_t fd::receive_again(std::int64_t n, void* to, std::size_t size) {
    while (n == -EAGAIN || n == -EINTR)
        n = n == -EAGAIN ? wait_to_receive(to, size) : io_receive(number_, to, size);
    return n;
}

// Waits as poll_wait does; the m that readies the caller may read meanwhile. Returns the result of
// that read; -EINTR: the caller makes the call; -EAGAIN: the caller waits again; or a negative
// error of the wait.
ROTA_ALWAYS_INLINE std::int64_t fd::wait_to_receive(void* to, std::size_t size) {
    poll_word::state s = (*poll_)[poll_dir::read].take();
    if (s == poll_word::state::none) {
        const runtime_entry inside;
        const ordered until_then(*this, to, size);
        park_here(begin_poll_wait, &(*poll_)[poll_dir::read], wait_reason::io_wait);
        const std::int32_t got = poll_->order.got;
        if (got == read_request::not_done) s = (*poll_)[poll_dir::read].take();
        if (got != read_request::not_done || s == poll_word::state::ready) note_ready_inside();
        if (got != read_request::not_done) return got;
    } else if (s == poll_word::state::ready) {
        note_ready();
    }
    if (s == poll_word::state::ready) return -EINTR;
    return s == poll_word::state::none ? -EAGAIN : -poll_error_of(s);
}

ROTA_NOINLINE std::int64_t fd::receive_other(void* to, std::size_t size) {
    return try_until_done(poll_dir::read, [&] { return io_receive(number_, to, size); });
}

}  // namespace rota::rt
