// Ends a TLS connection: the close_notify alert, the end of the TCP stream, and a bounded wait.
//
// The kernel answers close(2) on a socket with unread bytes, and bytes that arrive after close(2),
// by a reset. A reset discards data on its way to the peer, and the peer's next call fails. A TLS
// 1.3 server sends session tickets that no program asks for, one round trip after the client's
// handshake. So a client that writes and closes would destroy the data that it has written.
//
// A close therefore goes in this order:
//
//     1. closed_ is set; calls in progress end with net_errc::closed
//     2. close_notify is sent                                 waits while the socket has no room
//     3. shutdown(SHUT_WR)
//     4. received bytes are read and dropped                  waits for the peer's end, see below
//     5. close(2)
//
// Step 4 waits in one case: a client has written since it last read data. Until the server has
// answered, tickets may be on their way. Every other close drops the received bytes and does not
// wait. A client whose server has answered has received the tickets too, and a server receives
// nothing that its program does not ask for. An end that has refused its peer does not wait either:
// unknown peers could hold a server's goroutines.
//
// Both waits together end after close_patience, at the earlier deadline of the two directions,
// after close_bytes_max bytes, or by a second close. A close during a write that has not returned
// skips steps 2 to 4: that write's message is cut already.
//
// Rejected: a goroutine that drops the rest in the background. A program that writes, closes and
// returns from main would end before that goroutine.
#include <algorithm>
#include <mutex>

#include <openssl/ssl.h>
#include <sys/socket.h>
#include <rota/detail/time_engine.hpp>

#include "fd/fd.hpp"
#include "sys/io/io_bytes.hpp"
#include "tls/stream.hpp"

namespace rota::tls::detail {

namespace {

constexpr std::int64_t close_patience = 500'000'000;  // ns
constexpr std::size_t close_bytes_max = 4 << 20;      // bytes dropped by one close
constexpr std::int64_t long_past = 1;                 // a deadline that has passed

}  // namespace

void stream::close(bool waits) noexcept {
    const bool is_orderly = say_goodbye(waits);
    if (is_orderly) drop_the_rest(waits);
    std::error_code none;
    socket_.close(none);
}

// Whether tickets may be on their way, and the server may still have to read data that a reset
// would destroy. Caller: holds mu_.
bool stream::is_unanswered() const {
    const bool is_over =
        broken_ || read_error_ || !shaken_ || (SSL_get_shutdown(ssl_) & SSL_RECEIVED_SHUTDOWN) != 0;
    return !is_over && side_ == side::client && unanswered_;
}

// Steps 1 and 2. False: the caller skips steps 3 and 4. Parks: only while the socket has no room.
// In the middle of a message of the peer OpenSSL sends nothing: the peer gets no close_notify then.
bool stream::say_goodbye(bool waits) noexcept {
    {
        std::unique_lock lock(mu_);
        const bool is_first = !closed_;
        closed_ = true;
        changed_.notify_all();
        if (!is_first || write_failed_ || (!shaken_ && !alerted_)) return false;
        if (!writing_.try_lock()) return false;
        const bool is_due = shaken_ && !write_ended_ && !broken_ && SSL_in_init(ssl_) == 0;
        std::error_code none;
        if (is_due) write_ended_ = end_by_notify(none) == outcome::done;
        send_at_once();
        if (waits) take_over_reads(lock);
    }
    std::error_code none;
    if (waits) (void)drain(none);
    writing_.unlock();
    return true;
}

// Ends a read that is in progress, and sets the deadline for the waits of this close. Caller: holds
// mu_, and has set closed_, so no other read begins.
void stream::take_over_reads(std::unique_lock<mutex>& lock) noexcept {
    rt::fd& d = *socket_.descriptor();
    if (feeding_ != cause::none) (void)d.set_deadline(true, false, long_past);
    while (feeding_ != cause::none) changed_.wait(lock);
    std::int64_t limit = rota::detail::clock_now() + close_patience;
    if (const std::int64_t own = limit_of(cause::both); own != 0) limit = std::min(limit, own);
    (void)d.set_deadline(true, true, limit);
}

// Steps 3 and 4. Caller: say_goodbye has returned true.
void stream::drop_the_rest(bool waits) noexcept {
    bool is_awaited = false;
    {
        const std::lock_guard guard(mu_);
        is_awaited = waits && is_unanswered();
    }
    rt::fd& d = *socket_.descriptor();
    (void)d.shutdown(SHUT_WR);
    std::byte dropped[2048];
    for (std::size_t count = 0; count < close_bytes_max;) {
        const std::int64_t n = d.use(
            [&dropped](int number) { return rt::io_receive(number, dropped, sizeof dropped); });
        if (n == -EINTR) continue;
        if (n == -EAGAIN && is_awaited && d.wait_readable() == 0) continue;
        if (n <= 0) return;
        count += static_cast<std::size_t>(n);
    }
}

}  // namespace rota::tls::detail
