// Opens and closes descriptors, and changes their settings. The calls that move bytes are in
// fd/read, fd/socket_calls and fd/file_calls.
#include "fd/fd.hpp"

#include <cerrno>
#include <new>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "fd/blocking_call.hpp"
#include "fd/poll_wait.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sync/wait/sema.hpp"
#include "sys/io/file.hpp"
#include "sys/io/io.hpp"

namespace rota::rt {

// --- opening and closing -------------------------------------------------------------------------

int fd::open(int number, kind k, fd*& made) noexcept {
    struct undo {
        poll_desc* d = nullptr;
        ~undo() {
            if (d == nullptr) return;
            const runtime_entry inside;
            poll_desc_free(*d);
        }
    } record;
    {
        const runtime_entry inside;
        if (const int error = net_poller.start()) return error;
        record.d = poll_desc_new();
    }
    if (record.d == nullptr) return EMFILE;
    fd* const object = new (std::nothrow) fd(number, k, record.d);
    if (object == nullptr) return ENOMEM;
    record.d->prefetch_hint = object;
    if (const int error = net_poller.add(number, *record.d)) {
        delete object;
        return error;
    }
    record.d = nullptr;
    made = object;
    return 0;
}

int fd::open_blocking(int number, kind k, fd*& made) noexcept {
    fd* const object = new (std::nothrow) fd(number, k, nullptr);
    if (object == nullptr) return ENOMEM;
    made = object;
    return 0;
}

void fd::give_number_back() {
    // The kernel would go on reporting events if another process has a copy.
    if (poll_ != nullptr) net_poller.remove(number_, poll_->tag());
    // Linux has closed it whatever it returns.
    if (is_file()) {
        const blocking_call handed_off;
        close_result_ = file_close(number_);
        if (close_result_ == -EINTR) close_result_ = 0;
    } else {
        (void)io_close(number_);
    }
    const runtime_entry inside;
    if (poll_ != nullptr) poll_desc_free(*poll_);
    sem_release(gone_, false);
}

struct fd::bound_file {
    file_identity identity;
};

fd::~fd() {
    delete bound_;
    delete[] name_;
    ::operator delete(returned_);
}

void fd::set_name(std::string_view name) {
    name_ = new char[name.size() + 1];
    name.copy(name_, name.size());
    name_[name.size()] = 0;
}

// The kernel keeps the file's number while the socket is open: no other file has the same identity.
void fd::unlink_at_close(std::string_view path) {
    set_name(path);
    file_identity now;
    if (io_identity_of(name_, now) == 0) bound_ = new bound_file{now};
}

namespace {

// Whether the process exits, by this or another thread, and the caller is no goroutine: calls under
// way may then never leave. A goroutine that is about to be stopped goes on as usual.
bool is_exiting_thread() {
    return sched.exiting.load(memory_order_relaxed) &&  // relaxed: set by our own exit, or advice
           current_goroutine() == nullptr;
}

}  // namespace

bool fd::shut() {
    if (bound_ != nullptr) (void)io_unlink_if(name_, bound_->identity);
    if (poll_ != nullptr) {
        const runtime_entry inside;
        poll_evict(*poll_);
    }
    if (!mu_.release()) return false;
    give_number_back();
    return true;
}

int fd::close() {
    if (!mu_.close()) return -error_closed;
    if (!shut() && (blocks() || is_exiting_thread())) return 0;  // the last call under way does it
    {
        const runtime_entry inside;
        sem_acquire(gone_, false, wait_reason::io_wait);
    }
    over_.store(true, memory_order_relaxed);  // relaxed: handles_ orders
    return close_result_;
}

void fd::release() noexcept {
    // In the child of a fork, which ends, nothing of the runtime may be touched.
    if (sched.forked.load(memory_order_relaxed)) return;  // relaxed: set in the only thread
    if (handles_.fetch_sub(1, memory_order_acq_rel) != 1) return;  // pairs(fd.handles)
    if (is_exiting_thread()) {
        // A goroutine that runs no more may be inside a call: it stays, and so does the object.
        const bool closed = over_.load(memory_order_relaxed) ||       // relaxed: handles_ orders
                            gone_.load(memory_order_acquire) != 0 ||  // pairs(sema.count)
                            (mu_.close() && shut());
        if (closed) delete this;
        return;
    }
    (void)close();
    delete this;
}

// --- settings ------------------------------------------------------------------------------------

int fd::shutdown(int how) {
    return use([how](int number) { return io_shutdown(number, how); });
}

int fd::set_option(int level, int name, int value) {
    return use([=](int number) { return io_set_option(number, level, name, value); });
}

int fd::set_deadline(bool of_reads, bool of_writes, std::int64_t when) {
    if (blocks()) return mu_.is_closed() ? -error_closed : -EOPNOTSUPP;
    return use([=, this](int) {
        const runtime_entry inside;
        if (of_reads) poll_set_deadline(*poll_, poll_dir::read, when);
        if (of_writes) poll_set_deadline(*poll_, poll_dir::write, when);
        return 0;
    });
}

// A call that waits in the poller goes on waiting until there is an event; its next try is handed
// off.
int fd::make_blocking() noexcept {
    blocks_.store(true, memory_order_relaxed);  // relaxed: see blocks()
    return file_set_blocking(number_, true);
}

}  // namespace rota::rt
