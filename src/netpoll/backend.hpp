// What the poller needs of whoever watches descriptors: epoll here, io_uring (netpoll/uring.hpp),
// another in tests.
//
// A back end tells of changes: once when a descriptor is added that is ready already, then whenever
// something more can be read, or written, than before. Each event names the descriptor by the tag
// it was added with. All functions may be called by several threads at once, but for `start`; wait
// with a time-out other than 0 by one at a time. Errors are errno values with their sign turned.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rota::rt {

inline constexpr std::size_t poll_events_max = 128;  // a call

struct file_request;

struct poll_event {
    std::uint64_t tag = 0;
    bool read = false;   // a read, or an accept, will not wait: it finds data, the end, or an error
    bool write = false;  // likewise
    bool ended = false;  // see poll_desc::ended
};

// What is watched for, in the words of epoll, which are those of poll(2); and an event in our own.
extern const std::uint32_t poll_everything;
poll_event event_of(std::uint64_t tag, std::uint32_t events);

class poll_backend {
  public:
    // Makes it ready for use; 0 or an error. Called again after an error.
    virtual int start() = 0;
    virtual int add(int fd, std::uint64_t tag) = 0;  // -EPERM: the kernel does not watch this kind
    // Has the next of these events (epoll's words) told once, with this tag, instead of what a
    // former call asked for; again after it has been told. -EEXIST: add() watches fd, and goes on
    // to. -ENOSYS: the back end has no such way.
    virtual int arm(int, std::uint32_t, std::uint64_t) { return -ENOSYS; }
    // When it returns the kernel has let go of the open file, and begins to tell nothing with
    // this tag any more; what has been told may still be on its way.
    virtual int remove(int fd, std::uint64_t tag) = 0;
    // Waits for at most `timeout` ns; below 0: for ever; 0: not at all. Returns the number of
    // events; those for which there is no room are told by the next call. At most poll_events_max.
    virtual int wait(std::int64_t timeout, std::span<poll_event> events) = 0;
    // Ends the wait with a time-out that is under way, or the next one. A wait without one leaves
    // that alone.
    virtual void wake() = 0;
    // Whether it makes calls on files that cannot be watched, and makes one: see file_request.
    virtual bool makes_file_calls() const { return false; }
    virtual void ask(file_request&) {}
    virtual const char* name() const = 0;
    // The number of a thread of its own, which brings no work but from descriptors; 0: it has none.
    virtual int watcher() const { return 0; }

  protected:
    ~poll_backend() = default;
};

// That of every Linux: edge-triggered, with an eventfd that breaks a sleep. Go: netpoll_epoll.go.
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
