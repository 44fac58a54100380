// The interface between the poller and its back end: epoll here, io_uring (netpoll/uring.hpp), a
// simulated one in tests.
//
// A back end reports changes: once when a ready descriptor is added, then whenever more can be read
// or written than before. Each event names the descriptor by the tag it was added with. Several
// threads may call every function at once, except `start`; wait with a time-out other than 0 is for
// one thread at a time. Errors are negative errno values.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rota::rt {

inline constexpr std::size_t poll_events_max = 128;  // events a call

struct file_request;

struct poll_event {
    std::uint64_t tag = 0;
    bool read = false;   // read or accept will not wait: data, the end, or an error
    bool write = false;  // a write will not wait
    bool ended = false;  // see poll_desc::ended
};

// The watched events, as epoll's bits, which are those of poll(2); and the conversion to
// poll_event.
extern const std::uint32_t poll_everything;
poll_event event_of(std::uint64_t tag, std::uint32_t events);

class poll_backend {
  public:
    // Starts it; 0 or an error. Called again after an error.
    virtual int start() = 0;
    virtual int add(int fd, std::uint64_t tag) = 0;  // -EPERM: the kernel does not watch this kind
    // Reports the next of these events (epoll's bits) once, with this tag, and replaces an earlier
    // call for fd. Call it again after the report. -EEXIST: add() watches fd, and goes on to.
    // -ENOSYS: the back end cannot do this.
    virtual int arm(int, std::uint32_t, std::uint64_t) { return -ENOSYS; }
    // When it returns the kernel has let go of the open file and begins no further report with this
    // tag. Earlier reports may still be on their way.
    virtual int remove(int fd, std::uint64_t tag) = 0;
    // Waits for at most `timeout` ns; below 0: for ever; 0: not at all. Returns the number of
    // events, at most poll_events_max. The next call reports the events that had no room.
    virtual int wait(std::int64_t timeout, std::span<poll_event> events) = 0;
    // Ends the wait with a time-out that is under way, or the next one. A wait without a time-out
    // does not use the wake-up up.
    virtual void wake() = 0;
    // Whether it makes calls on files that cannot be watched, and the function that makes one: see
    // file_request.
    virtual bool makes_file_calls() const { return false; }
    virtual void ask(file_request&) {}
    virtual const char* name() const = 0;
    // Thread id of its own thread, which brings work from descriptors only; 0: there is none.
    virtual int watcher() const { return 0; }

  protected:
    ~poll_backend() = default;
};

// The back end on every Linux: edge-triggered, with an eventfd that breaks a sleep. Go:
// netpoll_epoll.go.
class epoll_backend final : public poll_backend {
  public:
    int start() override;
    int add(int fd, std::uint64_t tag) override;
    int arm(int fd, std::uint32_t events, std::uint64_t tag) override;
    int remove(int fd, std::uint64_t tag) override;
    int wait(std::int64_t timeout, std::span<poll_event> events) override;
    void wake() override;
    const char* name() const override { return "epoll"; }

  private:
    int epoll_ = -1;  // fixed, as is wake_, once start() has succeeded
    int wake_ = -1;
};
inline constinit epoll_backend net_epoll;  // the process's

}  // namespace rota::rt
