// fd: an open descriptor that several handles share and several goroutines use.
//
// Handles are counted; the last one to go closes. A call holds the object's mutex for its direction
// (fd/fd_mutex.hpp), so that whatever happens meanwhile the number stays this object's. Closing
// marks the object, wakes those who wait, and waits until the last call has left and given the
// number back: then, and not earlier, the kernel may give it to somebody else (kb34). Calls on a
// descriptor that does not block are plain system calls: no p is handed off for them.
//
// Results are 0 or more, or an errno value with its sign turned, or -error_closed. Go: poll.FD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "base/atomic.hpp"
#include "fd/fd_mutex.hpp"
#include "netpoll/poll_desc.hpp"

struct iovec;
struct sockaddr;

namespace rota::rt {

// The object is closed: no errno value.
inline constexpr int error_closed = 4096;

class fd {
  public:
    enum class kind : std::uint8_t {
        tcp,       // what is sent may be cut anywhere; a read that is short has read all there was
        stream,    // likewise, but a read may stop short: before descriptors that are passed along
        datagram,  // messages that are kept apart
        local_datagram,  // likewise, within this machine
    };

    // Makes an object of a descriptor that does not block, with one handle. 0, and the number is
    // the object's; otherwise an errno value, and it is the caller's still. EPERM: it cannot be
    // polled.
    [[nodiscard]] static int open(int number, kind k, fd*& made) noexcept;

    // The path is removed when it is closed. Throws std::bad_alloc. Caller: before anybody else
    // knows the object.
    void unlink_at_close(std::string_view path);

    // --- handles ---------------------------------------------------------------------
    void retain() noexcept {
        handles_.fetch_add(1, memory_order_relaxed);  // relaxed: the caller has one
    }
    void release() noexcept;

    // --- calls: by any goroutine or thread that has a handle; they block as they must --
    std::int64_t read(void* to, std::size_t size);
    // All, or an error.
    std::int64_t write(const void* from, std::size_t size);
    std::int64_t write_parts(iovec* parts, std::size_t count);  // changes them
    std::int64_t receive_from(void* to, std::size_t size, sockaddr* from, std::uint32_t& from_size);
    // -EAGAIN from a local_datagram whose receiver has no room: the kernel does not tell when it
    // has some, but after each vain attempt that the sender has, so who waited for that would go
    // round.
    std::int64_t send_to(const void* from, std::size_t size, const sockaddr* to,
                         std::uint32_t to_size);
    // A new descriptor, of the kind that accepts() tells.
    int accept();
    kind accepts() const { return kind_; }
    // 0, or an error: until the connection stands.
    int connect(const sockaddr* to, std::uint32_t size);

    int shutdown(int how);
    int set_option(int level, int name, int value);
    // A moment of the runtime's clock, 0 for none.
    int set_deadline(bool of_reads, bool of_writes, std::int64_t when);
    // f(number) while the number is ours.
    template <class F>
    int use(F f) {
        if (!enter()) return -error_closed;
        const int result = f(number_);
        leave();
        return result;
    }

    // 0, or -error_closed if it was closed before.
    int close();

    // The number; -1 once it is closed.
    int number() const { return mu_.is_closed() ? -1 : number_; }

  private:
    bool has_messages() const { return kind_ == kind::datagram || kind_ == kind::local_datagram; }
    template <bool (fd_mutex::*take)(), bool (fd_mutex::*drop)()>
    class turn;
    using reading = turn<&fd_mutex::acquire_read, &fd_mutex::release_read>;
    using writing = turn<&fd_mutex::acquire_write, &fd_mutex::release_write>;

    fd(int number, kind k, poll_desc& d) : number_(number), kind_(k), poll_(d) {}
    ~fd();

    bool enter() { return mu_.acquire(); }
    void leave() {
        if (mu_.release()) give_number_back();
    }
    void give_number_back();
    template <class Call>
    std::int64_t try_until_done(poll_dir dir, Call call);

    // --- fixed -------------------------------------------------------------------------
    const int number_;
    const kind kind_;
    poll_desc& poll_;
    char* path_ = nullptr;  // to be removed; null: nothing

    // --- owner: who holds the mutex for reading -------------------------------------------
    bool drained_ = false;  // the last read has taken all there was: the next one waits first

    // --- anyone ------------------------------------------------------------------------------
    fd_mutex mu_;
    atomic<std::uint32_t> handles_{1};  // pairs(fd.handles): the last one out sees all
    atomic<std::uint32_t> gone_{0};     // a semaphore: 1 when the number has been given back
};

}  // namespace rota::rt
