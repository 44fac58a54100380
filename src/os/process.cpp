// Starts a program, waits for its end, and sends signals to it.
#include "os/process.hpp"

#include <cerrno>
#include <mutex>

#include "fd/turn.hpp"
#include "sys/io/file.hpp"
#include "sys/thread/thread.hpp"

namespace rota::os {

namespace {

// -ETXTBSY: another thread is starting a program at this moment. Its child has not executed yet and
// holds a copy of a descriptor by which we wrote this program (kb43). That is over in a moment; if
// not, the cause is not ours to wait for.
int start_patiently(const rt::process_plan& plan, pid_t& made) {
    constexpr long nap_ns = 1'000'000;
    constexpr int tries = 5;
    int r = 0;
    for (int i = 0; i < tries; ++i) {
        r = rt::process_start(plan, made);
        if (r != -ETXTBSY) break;
        rt::thread_sleep_ns(nap_ns << i);
    }
    return r;
}

}  // namespace

std::shared_ptr<process> process::start(const rt::process_plan& plan, int& error) {
    // Made before the child exists: without memory the child would have no process object to wait
    // for it.
    auto child = std::make_shared<process>();
    int number = -1;
    {
        const rt::blocking_call handed_off;
        error = -start_patiently(plan, child->pid_);
        if (error == 0) number = rt::process_descriptor(child->pid_);
    }
    if (error != 0) return nullptr;
    if (number >= 0 && rt::fd::open(number, rt::fd::kind::file, child->end_) != 0)
        (void)rt::file_close(number);
    return child;
}

process::~process() {
    if (end_ != nullptr) end_->release();
}

int process::note_end(int result, const rt::process_end& end) {
    done_ = true;
    lost_ = result;
    status_ = {end.has_ended && end.signal == 0, end.code, end.signal};
    return result;
}

int process::reap() {
    const std::lock_guard guard(mu_);
    if (done_) return lost_;
    rt::process_end end;
    const int number = end_ != nullptr ? end_->number() : -1;
    int r = 0;
    do r = rt::process_wait(pid_, number, false, true, end);  // the poller reports the end once
    while (r == -EINTR);
    if (r == 0 && !end.has_ended) return -EAGAIN;
    return note_end(r, end);
}

// Each waiter learns the end by itself. The last waiter inside takes it, and so frees the number.
int process::wait_by_number() {
    for (;;) {
        {
            const std::lock_guard guard(mu_);
            if (done_) return lost_;
            ++inside_;
        }
        rt::process_end end;
        int r = 0;
        {
            const rt::blocking_call handed_off;
            r = rt::process_wait(pid_, -1, true, false, end);
        }
        const std::lock_guard guard(mu_);
        --inside_;
        if (!done_ && r != -EINTR) (void)note_end(r, end);
        if (done_ && inside_ == 0 && lost_ == 0) {
            rt::process_end known;
            (void)rt::process_wait(pid_, -1, false, true, known);
        }
        if (done_) return lost_;
    }
}

int process::wait(exit_status& status) {
    const int r = end_ != nullptr
                      ? static_cast<int>(end_->await_read([this](int) { return reap(); }))
                      : wait_by_number();
    const std::lock_guard guard(mu_);
    status = status_;
    return r;
}

int process::signal(int signal) {
    const std::lock_guard guard(mu_);
    if (done_) return -ESRCH;
    return rt::process_signal(pid_, end_ != nullptr ? end_->number() : -1, signal);
}

}  // namespace rota::os
