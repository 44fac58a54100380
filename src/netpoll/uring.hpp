// The back end on io_uring: GODEBUG=netpoll=uring.
//
// A thread of its own, the watcher, owns the ring. It alone gives the kernel requests and reads the
// answers; the others hand it descriptors by a list, and find in the mailbox what it has been told.
// A look costs no system call. The dull way, in which each m submits what it needs and whoever is
// idle waits in the ring, is not sound here: the kernel does the work of a request on the thread
// that has submitted it, so that an m that is stuck on a disk would keep news from the connections
// it has added, and one that ends would end their requests. The price is a second thread to be
// woken for what comes while all rest.
//
//     add ────► list ──watcher──► ring ~~~kernel~~~► ring ──watcher──► mailbox ──► look, sleep
//     remove ─► list ──watcher──► ring ~~~kernel~~~► ring ──watcher──► remove returns
//
// A request keeps the open file, which a close alone therefore would not end: no peer would hear of
// it. So remove() returns when the request's last answer has been read, at which time the kernel
// has let go of the file; from then on nothing of the old tag comes from the ring. What lies in the
// mailbox bears the number of the use, as an event of epoll on its way does.
//
// A watch that the kernel ends by itself (its completion had no room) is begun anew; that tells of
// what is ready at that moment, so no change is lost in between. Not at once: what is told at the
// beginning needs room too, and where thousands have ended each would end again.
//
// Sockets and pipes are watched so. What else there is (terminals, counters, devices) is left to an
// epoll of the ring's own, which the ring watches: it knows which kinds cannot be polled, and
// serves some that the ring refuses.
//
// Regular files are always ready, so there is nothing to be watched: the ring makes the calls
// themselves. A short read is begun by the watcher and goes on as pages come: it waits for none of
// these, but may wait for memory, for where on the disk they are, and for room in the disk's queue.
// Whatever else there is goes to the kernel's own threads.
#pragma once

#include <cstdint>
#include <span>

#include "base/atomic.hpp"
#include "netpoll/backend.hpp"
#include "netpoll/file_request.hpp"
#include "netpoll/mailbox.hpp"
#include "netpoll/poll_desc.hpp"
#include "sys/note.hpp"
#include "sys/uring.hpp"

namespace rota::rt {

class uring_backend final : public poll_backend {
  public:
    constexpr explicit uring_backend(io_ring_size size = {}) : size_(size) {}

    // Starts the watcher. 0, or why that cannot be: io_ring::open(), or what a thread and two
    // descriptors need; called again after an error. Not under a lock.
    int start() override;
    int add(int fd, std::uint64_t tag) override;
    int remove(int fd, std::uint64_t tag) override;
    int wait(std::int64_t timeout, std::span<poll_event> events) override;
    void wake() override;
    bool makes_file_calls() const override { return true; }
    void ask(file_request& r) override;
    const char* name() const override { return "uring"; }
    int watcher() const override { return watcher_; }
    // Whether the thread is the watcher of any ring: they run nothing of the program's, and for
    // ever. Any thread.
    static bool is_watcher(int tid);

  private:
    struct removal;
    static void* run(void* self);

    void hand_over(ring_request& r);
    int begin();
    void round();
    bool take_requests();
    void watch_again();
    void forget_again(std::uint64_t tag);
    void serve(ring_request& r);
    void make_room();  // in the queue
    void watch(int fd, std::uint64_t tag);
    void cancel(std::uint64_t tag);
    void begin_call(file_request& f);
    void end_call(file_request& f, std::int64_t result);
    void enter(bool waits);
    void read_answers();
    void take_answer(const io_completion& c);
    void take_end_of_watch(const io_completion& c);
    void take_cancelled(std::uint64_t tag, int result);
    void tell_of(std::uint64_t tag, std::uint32_t events);
    void tell(const poll_event& e);
    void tell_of_epoll();
    void end_removal(removal& r, int result);
    removal* removal_of(std::uint64_t tag);

    // --- fixed once start() has succeeded -------------------------------------------------------
    const io_ring_size size_;
    bool started_ = false;
    int event_ = -1;  // wakes the watcher
    int epoll_ = -1;
    int watcher_ = 0;  // the thread
    uring_backend* all_next_ = nullptr;
    // Those whose watcher runs, the last first; they live for ever.
    static constinit atomic<uring_backend*> all_;

    // --- anyone ---------------------------------------------------------------------------------
    // What is wanted, the last first; null: nothing, and the watcher is awake; `nobody`: nothing,
    // and it sleeps or is about to: who comes then wakes it.
    alignas(cache_line) atomic<ring_request*> asked_{nullptr};
    ring_request nobody_;
    mailbox mail_;

    // --- the watcher's own; begin_error_ and begun_ hand the outcome of its start over -----------
    note begun_;
    int begin_error_ = 0;
    io_ring ring_;
    removal* leaving_ = nullptr;     // those that have not ended
    ring_request* again_ = nullptr;  // to be watched anew, none of those that leave
    poll_event told_[poll_events_max];
    int told_count_ = 0;
    bool short_of_memory_ = false;
};
inline constinit uring_backend net_uring;

}  // namespace rota::rt
