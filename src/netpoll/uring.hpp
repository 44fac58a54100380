// The back end on io_uring: GODEBUG=netpoll=uring.
//
// A thread of its own, the watcher, owns the ring. Only the watcher gives the kernel requests and
// reads the completions. Other threads hand it descriptors by a list, and find its events in the
// event_queue. A poll costs no system call. The dull alternative: each m submits its own requests
// and an idle m waits in the ring. That is not sound here, because the kernel does the work of a
// request on the thread that has submitted it. An m that is stuck on a disk would delay the events
// of the connections it has added, and an m that ends would end its requests. The price is a second
// thread to be woken for an event when every thread sleeps.
//
//     add ────► list ──watcher──► ring ~~~kernel~~~► ring ──watcher──► event_queue ──► look, sleep
//     remove ─► list ──watcher──► ring ~~~kernel~~~► ring ──watcher──► remove returns
//
// A request keeps the open file. So a close alone would not end the file, and no peer would hear of
// it. remove() returns when the request's last completion has been read. The kernel has let go of
// the file by then, and nothing of the old tag comes from the ring any more. A pending event in the
// event_queue bears the number of the use, as an event of epoll under way does.
//
// A watch that the kernel ends by itself (its completion had no room) is begun anew. The new watch
// reports the ready state of that moment, so no change is lost in between. It does not begin at
// once: the first reports need room too, and where thousands of watches have ended each would end
// again.
//
// The ring watches sockets and pipes. The other kinds (terminals, counters, devices) are left to an
// epoll of the ring's own, which the ring watches. epoll knows which kinds cannot be polled, and
// serves some that the ring refuses.
//
// Regular files are always ready, so there is nothing to watch: the ring makes the calls
// themselves. The watcher begins a short read, which goes on as pages come. It waits for none of
// the pages, but may wait for memory, for their places on the disk, and for room in the disk's
// queue. Every other call goes to the kernel's own threads.
#pragma once

#include <cstdint>
#include <span>

#include "base/atomic.hpp"
#include "netpoll/backend.hpp"
#include "netpoll/event_queue.hpp"
#include "netpoll/file_request.hpp"
#include "netpoll/poll_desc.hpp"
#include "sys/io/uring.hpp"
#include "sys/thread/note.hpp"

namespace rota::rt {

class uring_backend final : public poll_backend {
  public:
    constexpr explicit uring_backend(io_ring_size size = {}) : size_(size) {}

    // Starts the watcher. 0, or the error of io_ring::open(), of the thread or of the two
    // descriptors; called again after an error. Not under a lock.
    int start() override;
    int add(int fd, std::uint64_t tag) override;
    int remove(int fd, std::uint64_t tag) override;
    int wait(std::int64_t timeout, std::span<poll_event> events) override;
    void wake() override;
    bool makes_file_calls() const override { return true; }
    void ask(file_request& r) override;
    const char* name() const override { return "uring"; }
    int watcher() const override { return watcher_; }
    // Whether the thread is the watcher of any ring: watchers run no code of the program, and never
    // end. Any thread.
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
    int watcher_ = 0;  // its thread id
    uring_backend* all_next_ = nullptr;
    // The back ends whose watchers run, the last one first; they live for ever.
    static constinit atomic<uring_backend*> all_;

    // --- anyone ---------------------------------------------------------------------------------
    // The requests, the last one first. null: none, and the watcher is awake. `nobody_`: none, and
    // the watcher sleeps or is about to: the next thread that asks wakes it.
    alignas(cache_line) atomic<ring_request*> asked_{nullptr};
    ring_request nobody_;
    event_queue events_;

    // --- the watcher's own; begin_error_ and begun_ hand over the outcome of its start ---
    note begun_;
    int begin_error_ = 0;
    io_ring ring_;
    removal* leaving_ = nullptr;     // removals that have not ended
    ring_request* again_ = nullptr;  // to be watched anew, except descriptors that leave
    poll_event told_[poll_events_max];
    int told_count_ = 0;
    bool short_of_memory_ = false;
};
inline constinit uring_backend net_uring;

}  // namespace rota::rt
