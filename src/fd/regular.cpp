// Decides between ring and hand-off for calls on regular files, and makes them.
#include "fd/regular.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "fd/poll_wait.hpp"
#include "fd/turn.hpp"
#include "netpoll/file_request.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/call/call.hpp"
#include "sys/io/file.hpp"

namespace rota::rt {

namespace {

using act = io_file_call::act;

// Bytes that are copied before the p could be given to another m.
constexpr std::size_t short_copy = 64 * 1024;
// Bytes that the watcher copies at once: a longer copy would delay the events of sockets.
constexpr std::size_t watcher_copy = 256 * 1024;

// Whether the caller is a goroutine with a p, on a thread that other goroutines could use. At exit
// no m would wake it.
bool is_for_ring() {
    const m* const mp = getm_or_null();  // first: with one, the runtime has booted
    return mp != nullptr && net_poller.makes_file_calls() && !mp->curg->is_thread &&
           !mp->curg->is_locked && !mp->curg->is_pinned &&
           mp->entry.load(memory_order_relaxed) == entry_state::clear &&  // relaxed: our own
           !sched.exiting.load(memory_order_relaxed);                     // relaxed: advice
}

// Errors that the call itself would not have returned, or returns again.
bool is_refusal(std::int64_t result) {
    return result == -EINTR || result == -EAGAIN || result == -ECANCELED || result == -ENOMEM ||
           result == -EINVAL || result == -EOPNOTSUPP;
}

std::int64_t hand_off(const io_file_call& c) {
    const blocking_call handed_off;
    const bool has_place = c.offset != at_position;
    std::int64_t n = 0;
    do {
        if (c.what == act::sync) n = file_sync(c.fd);
        else if (c.what == act::write)
            n = has_place ? file_write_at(c.fd, c.bytes, c.size, c.offset)
                          : file_write(c.fd, c.bytes, c.size);
        else
            n = has_place ? file_read_at(c.fd, c.bytes, c.size, c.offset)
                          : file_read(c.fd, c.bytes, c.size);
    } while (n == -EINTR);
    return n;
}

// Calls in the kernel's own threads, of which there are so many (io_ring); each may hang with a
// file system that does not answer. relaxed: a count.
constexpr int by_workers_max = 48;
constinit atomic<int> by_workers{0};

struct worker_place {
    const bool is_needed;
    const bool is_there;
    explicit worker_place(bool needed)
        : is_needed(needed),
          is_there(!needed || by_workers.fetch_add(1, memory_order_relaxed) < by_workers_max) {}
    ~worker_place() {
        if (is_needed) by_workers.fetch_sub(1, memory_order_relaxed);  // relaxed: a count
    }
    worker_place(const worker_place&) = delete;
    worker_place& operator=(const worker_place&) = delete;
};

// Parks until the call has been made.
std::int64_t make(const io_file_call& call) {
    const worker_place worker(call.by_worker);
    if (!worker.is_there) return hand_off(call);
    poll_desc* place = nullptr;
    {
        const runtime_entry inside;
        if (net_poller.start() == 0) place = poll_desc_new();
    }
    if (place == nullptr) return hand_off(call);
    file_request r;
    r.tag = place->tag();
    r.call = call;
    net_poller.ask(r);
    // Nothing else may end this wait: the bytes are the kernel's until then.
    while (!r.is_done.load(memory_order_acquire))  // pairs(file.done)
        (void)poll_wait(*place, poll_dir::read);
    {
        const runtime_entry inside;
        poll_desc_free(*place);
    }
    return is_refusal(r.result) ? hand_off(call) : r.result;
}

std::int64_t place_of(std::int64_t offset, std::size_t done) {
    return offset == at_position ? offset : offset + static_cast<std::int64_t>(done);
}

// The position of an open file, for calls that are made at an offset. The ring's own calls at the
// position leave it unchanged when they end short or go past the cache.
class position {
  public:
    explicit position(const io_file_call& c) : number_(c.fd), is_meant_(c.offset == at_position) {
        at_ = is_meant_ ? file_seek(number_, 0, SEEK_CUR) : c.offset;
    }
    // For a file without a position, the call is made unchanged.
    std::int64_t place() const { return at_ < 0 ? at_position : at_; }
    // `n` bytes have been read or written there.
    void move(std::int64_t n) {
        if (at_ < 0 || n <= 0) return;
        at_ += n;
        if (is_meant_) (void)file_seek(number_, at_, SEEK_SET);
    }

  private:
    const int number_;
    const bool is_meant_;
    std::int64_t at_;
};

// Reads the bytes that need no wait; `ended`: up to the end of the file. Or an error.
std::int64_t read_now(const io_file_call& c, bool& ended) {
    char* const bytes = static_cast<char*>(c.bytes);
    std::size_t done = 0;
    while (done < c.size) {
        const std::int64_t n =
            file_read_now(c.fd, bytes + done, c.size - done, place_of(c.offset, done));
        if (n == -EINTR) continue;
        ended = n == 0;
        if (n < 0 && done == 0) return n;
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(done);
}

}  // namespace

std::int64_t regular_read(int number, void* to, std::size_t size, std::int64_t offset,
                          bool may_park) {
    const io_file_call all{act::read, false, number, to, size, offset};
    if (!may_park || !is_for_ring()) return hand_off(all);
    bool ended = false;
    std::int64_t n = 0;
    if (size <= short_copy) {
        n = read_now(all, ended);
    } else {
        const blocking_call handed_off;
        n = read_now(all, ended);
    }
    if (n < 0 && n != -EAGAIN) return is_refusal(n) || is_absent(n) ? hand_off(all) : n;
    std::size_t done = n < 0 ? 0 : static_cast<std::size_t>(n);
    if (done == size || ended) return static_cast<std::int64_t>(done);
    io_file_call rest = all;
    rest.offset = place_of(offset, done);
    position at(rest);
    while (done < size) {
        rest.bytes = static_cast<char*>(to) + done;
        rest.size = size - done;
        rest.offset = at.place();
        rest.by_worker = rest.size > watcher_copy;
        n = make(rest);
        if (n < 0 && done == 0) return n;
        if (n <= 0) break;
        at.move(n);
        done += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(done);
}

std::int64_t regular_write(int number, const void* from, std::size_t size, std::int64_t offset,
                           bool may_park) {
    const io_file_call all{act::write, true, number, const_cast<void*>(from), size, offset};
    if (!may_park || !is_for_ring()) return hand_off(all);
    if (offset != at_position) return make(all);
    // The offset at which an append will write is not known before.
    const int flags = file_flags(number);
    if (flags < 0 || (flags & O_APPEND) != 0) return hand_off(all);
    position at(all);
    io_file_call there = all;
    there.offset = at.place();
    const std::int64_t n = make(there);
    at.move(n);
    return n;
}

int regular_sync(int number) {
    const io_file_call all{act::sync, true, number, nullptr, 0, 0};
    return static_cast<int>(is_for_ring() ? make(all) : hand_off(all));
}

}  // namespace rota::rt
