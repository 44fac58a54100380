// Implements the io_uring back end: the watcher thread, and the requests that it gets from other
// threads.
#include "netpoll/uring.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include <sys/epoll.h>
#include <sys/stat.h>

#include "base/check.hpp"
#include "base/fatal.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/fault.hpp"
#include "sys/io/file.hpp"
#include "sys/io/io.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

// Tags of our own; tags of descriptors have none of these bits (netpoll/poll_desc.hpp).
constexpr std::uint64_t cancel_mark = std::uint64_t{1} << 63, own_mark = std::uint64_t{1} << 62;
constexpr std::uint64_t event_tag = own_mark, epoll_tag = own_mark | 1;
// Mark of calls on files: the rest is the request's address, which ends below this bit.
constexpr std::uint64_t file_mark = std::uint64_t{1} << 61;

// Whether the ring watches it; epoll refuses the kinds that it does not know.
bool is_for_ring(int fd) {
    struct stat status{};
    return file_stat(fd, status) == 0 && (S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode));
}

// Plants a fault of the call itself, or of its way through the ring.
int fault_of_file_call(io_file_call& c) {
    if (const int error = faulty_size(sys_call::ring_file, c.size)) return error;
    switch (c.what) {
        case io_file_call::act::read: return faulty_size(sys_call::read, c.size);
        case io_file_call::act::write: return faulty_size(sys_call::write, c.size);
        case io_file_call::act::sync: break;
    }
    return fault_at(sys_call::sync);
}

// The kernel has no memory for the requests; only time helps.
void wait_for_memory() { thread_sleep_ns(1'000'000); }

// Ends the process: reported events may be lost.
[[noreturn]] void fail(int error) {
    fatal("runtime: netpoll failed", trace_scope::none,
          "runtime: the ring does not work any more (errno=%zu): has the program closed a "
          "descriptor that is not its own, or forbidden io_uring?",
          static_cast<std::size_t>(-error));
}

}  // namespace

// Lies on the stack of the thread that waits for it.
struct uring_backend::removal : ring_request {
    removal* next_leaving = nullptr;  // this and the next two fields: the watcher's
    bool is_answered = false;         // the cancellation is
    bool is_gone = false;             // the last completion of the watch has been read
    int result = 0;
    note done;
};

// --- the threads that ask ---

int uring_backend::add(int fd, std::uint64_t tag) {
    if (!is_for_ring(fd)) return io_epoll_add(epoll_, fd, poll_everything, tag);
    if (const int error = fault_at(sys_call::poll_add, "uring_backend::add")) return -error;
    poll_desc* const d = poll_desc_of(tag);
    ROTA_CHECK(d != nullptr);
    d->request.fd = fd;
    d->request.tag = tag;
    hand_over(d->request);
    return 0;
}

// add() has noted whether ring or epoll watches it: by now the number may be another file's.
int uring_backend::remove(int fd, std::uint64_t tag) {
    const poll_desc* const d = poll_desc_of(tag);
    if (d == nullptr || d->request.tag != tag) return io_epoll_remove(epoll_, fd);
    removal mine;
    mine.fd = fd;
    mine.tag = tag;
    mine.what = ring_request::sort::removal;
    hand_over(mine);
    mine.done.sleep();
    return mine.result;
}

void uring_backend::ask(file_request& f) {
    f.what = ring_request::sort::file;
    hand_over(f);
}

void uring_backend::hand_over(ring_request& r) {
    ring_request* seen = asked_.load(memory_order_relaxed);  // relaxed: decided by the exchange
    do r.next = seen == &nobody_ ? nullptr : seen;
    while (!asked_.compare_exchange(seen, &r, memory_order_acq_rel,  // pairs(uring.asked)
                                    memory_order_relaxed));  // relaxed: tried again
    if (seen == nullptr) return;  // the watcher is awake
    // The watcher sleeps. The thread that replaced `nobody` may have been stopped before it could
    // wake it.
    int error = 0;
    do error = io_event_add(event_);
    while (error == -EINTR);
    if (error < 0 && error != -EAGAIN) fail(error);
}

int uring_backend::wait(std::int64_t timeout, std::span<poll_event> events) {
    const int n = events_.take(events);
    if (n > 0 || timeout == 0) return n;
    const std::int64_t now = nanotime();
    const bool ends = timeout >= 0 && timeout <= std::numeric_limits<std::int64_t>::max() - now;
    events_.sleep(ends ? now + timeout : no_deadline);
    return events_.take(events);
}

void uring_backend::wake() { events_.wake(); }

constinit atomic<uring_backend*> uring_backend::all_{nullptr};

bool uring_backend::is_watcher(int tid) {
    const uring_backend* b = all_.load(memory_order_acquire);  // pairs(uring.all)
    while (b != nullptr && b->watcher_ != tid) b = b->all_next_;
    return b != nullptr;
}

// --- the watcher ---------------------------------------------------------------------------------

int uring_backend::start() {
    if (started_) return 0;
    int error = event_ = io_event_create();
    if (error >= 0) error = epoll_ = io_epoll_create();
    if (error >= 0) {
        constexpr std::size_t stack_size = 128 * 1024;
        begun_.clear();
        error = -thread_create(run, this, stack_size);
    }
    if (error == 0) {
        begun_.sleep();
        error = begin_error_;
    }
    if (error == 0) {
        started_ = true;
        all_next_ = all_.load(memory_order_relaxed);  // relaxed: decided by the exchange
        while (!all_.compare_exchange(all_next_, this, memory_order_release,  // pairs(uring.all)
                                      memory_order_relaxed)) {                // relaxed: as above
        }
        return 0;
    }
    for (int* const number : {&event_, &epoll_}) {
        if (*number >= 0) (void)io_close(*number);
        *number = -1;
    }
    return error;
}

void* uring_backend::run(void* self) {
    auto& me = *static_cast<uring_backend*>(self);
    thread_set_name("rota-uring");
    thread_block_signals();
    thread_runs_briefly();
    me.watcher_ = current_thread_id();
    const int error = me.begin_error_ = me.begin();
    me.begun_.wakeup();
    while (error == 0) me.round();
    return nullptr;
}

// Starts the two watches of our own, which show whether the kernel knows such requests.
int uring_backend::begin() {
    if (const int error = ring_.open(size_)) return error;
    watch(event_, event_tag);
    watch(epoll_, epoll_tag);
    int error = 0;
    do error = ring_.enter(false);
    while (error == -EINTR);
    io_completion c;
    while (ring_.pop(c)) {
        if (c.result < 0 && error == 0) error = c.result;
    }
    if (error != 0) ring_.close();
    return error;
}

void uring_backend::round() {
    const bool is_idle = take_requests();
    const bool waits = is_idle && again_ == nullptr && !ring_.has_backlog() && told_count_ == 0;
    if (!ring_.has_backlog()) watch_again();
    enter(waits);
    read_answers();
    if (told_count_ > 0) events_.put(told_, std::exchange(told_count_, 0));
    if (std::exchange(short_of_memory_, false)) wait_for_memory();
}

// True: there is no further request, and the thread that makes the next one wakes the watcher.
bool uring_backend::take_requests() {
    ring_request* last = asked_.exchange(nullptr, memory_order_acq_rel);  // pairs(uring.asked)
    if (last == &nobody_) last = nullptr;
    ring_request* first = nullptr;  // in the order of their arrival
    while (last != nullptr) {
        ring_request* const before = last->next;
        last->next = first;
        first = std::exchange(last, before);
    }
    while (first != nullptr) serve(*std::exchange(first, first->next));
    return asked_.cas(nullptr, &nobody_, memory_order_acq_rel);  // pairs(uring.asked)
}

void uring_backend::serve(ring_request& r) {
    if (r.what == ring_request::sort::watch) return watch(r.fd, r.tag);
    if (r.what == ring_request::sort::file) return begin_call(static_cast<file_request&>(r));
    auto& leaves = static_cast<removal&>(r);
    leaves.next_leaving = leaving_;
    leaving_ = &leaves;
    forget_again(r.tag);
    cancel(r.tag);
}

// Starts no more watches than there is room for.
void uring_backend::watch_again() {
    for (std::uint32_t n = size_.completions / 2; again_ != nullptr && n > 0; --n) {
        ring_request& r = *std::exchange(again_, again_->next);
        watch(r.fd, r.tag);
    }
}

void uring_backend::forget_again(std::uint64_t tag) {
    ring_request** at = &again_;
    while (*at != nullptr && (*at)->tag != tag) at = &(*at)->next;
    if (*at != nullptr) *at = (*at)->next;
}

void uring_backend::make_room() {
    enter(false);
    if (std::exchange(short_of_memory_, false)) wait_for_memory();
}

void uring_backend::watch(int fd, std::uint64_t tag) {
    const std::uint32_t events = (tag & own_mark) != 0 ? EPOLLIN : poll_everything & ~EPOLLET;
    while (!ring_.push_watch(fd, events, tag)) make_room();
}

void uring_backend::cancel(std::uint64_t tag) {
    while (!ring_.push_cancel(tag, tag | cancel_mark)) make_room();
}

void uring_backend::begin_call(file_request& f) {
    if (const int error = fault_of_file_call(f.call)) return end_call(f, -error);
    const std::uint64_t tag = reinterpret_cast<std::uintptr_t>(&f);
    ROTA_CHECK(tag < file_mark);
    while (!ring_.push_file(f.call, tag | file_mark)) make_room();
}

// Once is_done is set the request may be gone.
void uring_backend::end_call(file_request& f, std::int64_t result) {
    poll_event e;
    e.tag = f.tag;
    e.read = true;
    f.result = result;
    f.is_done.store(true, memory_order_release);  // pairs(file.done)
    tell(e);
}

void uring_backend::enter(bool waits) {
    const int error = ring_.enter(waits);
    if (error == 0 || error == -EINTR) return;
    if (error != -EAGAIN && error != -EBUSY) fail(error);
    short_of_memory_ = true;
}

// With a bound: requests that the completions cause are answered in turn.
void uring_backend::read_answers() {
    io_completion c;
    for (std::uint32_t n = size_.completions; n > 0 && ring_.pop(c); --n) take_answer(c);
}

void uring_backend::take_answer(const io_completion& c) {
    if ((c.tag & cancel_mark) != 0) return take_cancelled(c.tag & ~cancel_mark, c.result);
    if ((c.tag & own_mark) != 0) {
        if (c.result == -ENOMEM) wait_for_memory();
        else if (c.result < 0 && c.result != -ECANCELED) fail(c.result);
        if (c.tag == epoll_tag) tell_of_epoll();
        if (!c.more) watch(c.tag == epoll_tag ? epoll_ : event_, c.tag);
        return;
    }
    if ((c.tag & file_mark) != 0)
        return end_call(*reinterpret_cast<file_request*>(c.tag & ~file_mark), c.result);
    if (c.result > 0) tell_of(c.tag, static_cast<std::uint32_t>(c.result));
    if (!c.more) take_end_of_watch(c);
}

void uring_backend::take_end_of_watch(const io_completion& c) {
    if (removal* const r = removal_of(c.tag)) {
        r->is_gone = true;
        if (r->is_answered) end_removal(*r, 0);
        return;
    }
    poll_desc* const d = poll_desc_of(c.tag);
    // A descriptor that a foreign close ended is forgotten, as by epoll.
    if (d == nullptr || c.result == -EBADF) return;
    if (c.result < 0 && c.result != -ECANCELED) {
        // The ring cannot watch it; it may have more wait queues than the ring knows.
        if (io_epoll_add(epoll_, d->request.fd, poll_everything, c.tag) >= 0) return;
        short_of_memory_ = true;
    }
    d->request.next = again_;
    again_ = &d->request;
}

void uring_backend::take_cancelled(std::uint64_t tag, int result) {
    removal* const r = removal_of(tag);
    ROTA_CHECK(r != nullptr);
    if (result == 0) {
        r->is_answered = true;
        if (r->is_gone) end_removal(*r, 0);
    } else if (result == -ENOENT) {
        // Its last completion has been read, or epoll watches it.
        end_removal(*r, r->is_gone ? 0 : io_epoll_remove(epoll_, r->fd));
    } else {
        short_of_memory_ |= result != -EALREADY;
        cancel(tag);
    }
}

void uring_backend::end_removal(removal& r, int result) {
    removal** at = &leaving_;
    while (*at != &r) at = &(*at)->next_leaving;
    *at = r.next_leaving;
    r.result = result;
    r.done.wakeup();
}

uring_backend::removal* uring_backend::removal_of(std::uint64_t tag) {
    removal* r = leaving_;
    while (r != nullptr && r->tag != tag) r = r->next_leaving;
    return r;
}

// The kernel reports the events of each wake-up, and most sockets report "urgent" with any data.
// That would make each read try for more: so the true state is asked for.
void uring_backend::tell_of(std::uint64_t tag, std::uint32_t events) {
    constexpr std::uint32_t end = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
    if ((events & EPOLLPRI) != 0 && (events & end) == 0) {
        const poll_desc* const d = poll_desc_of(tag);
        if (d == nullptr) return;
        constexpr short asked = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI;
        const int now = io_poll_now(d->request.fd, asked);
        if (now > 0) events = (events & ~std::uint32_t{EPOLLPRI}) | static_cast<std::uint32_t>(now);
    }
    tell(event_of(tag, events));
}

void uring_backend::tell(const poll_event& e) {
    if (told_count_ == int{poll_events_max}) events_.put(told_, std::exchange(told_count_, 0));
    told_[told_count_++] = e;
}

// epoll reports each change once, so every event must be taken.
void uring_backend::tell_of_epoll() {
    for (;;) {
        epoll_event found[poll_events_max];
        const int n = io_epoll_wait(epoll_, found, int{poll_events_max}, 0);
        for (int i = 0; i < n; ++i) tell(event_of(found[i].data.u64, found[i].events));
        if (n < 0 && n != -EINTR) fail(n);
        if (n >= 0 && n < int{poll_events_max}) return;
    }
}

}  // namespace rota::rt
