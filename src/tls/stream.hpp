// Implements a TLS connection: puts OpenSSL between a program's calls and a socket.
//
// OpenSSL never touches the socket. It takes ciphertext from `text_.in` and puts ciphertext into
// `text_.out`, by a BIO of our own (tls/bio.hpp), and reports "more" where it would have to wait.
// So the goroutine waits outside OpenSSL, with no lock that the other direction needs. OpenSSL
// keeps errors per thread; they are taken before the goroutine can move to another thread.
//
// Which lock or turn protects what:
//
//     mu_        every call of OpenSSL, and the fields. Held for one such call, never
//                during a wait for a socket.
//     shaking_   the turn to make the handshake, and to send its records.
//     writing_   the turn to send `out`, in order, and to wait for the socket to take it; held for
//                a whole write, so that pieces of two writes never mix
//     feeding_   the turn to read the socket
//
// They are taken in the order shaking_, writing_, feeding_, mu_. Only writing_ is a mutex of its
// own. shaking_ and feeding_ are fields under mu_, and `changed_` reports their changes. A caller
// that waits for such a turn waits by its own limit, which may change meanwhile, and until a close.
//
// The handshake is complete when its last bytes have been sent. Only then does the holder of
// shaking_ set shaken_; until then no other caller sends or reads. So a caller that finds shaken_
// set has nothing to wait for and nothing to send. It does not touch writing_, which a long write
// may hold. A handshake whose limit passes leaves its unsent bytes in sending_, and the next call
// continues it from there.
//
// A reader's record may make OpenSSL answer (a key update, an alert, a refused renegotiation). The
// reader must not wait for the socket to take that answer: its peer may be waiting for us to read.
// So a reader sends only if no sender is active, with mu_ held and writing_ only tried, and only as
// many bytes as the socket takes at once. A sender releases writing_ with mu_ held, and first tries
// to send the latest output. So no output is left without a sender, except bytes that the socket
// did not take. Those go in front of the next write: no peer waits for them. Two ends that both
// write, and both read, cannot block each other.
//
// A write must read from the socket in two cases. It makes the handshake; or the peer has sent half
// of a message about the connection itself, such as a key update, and we have begun to take it.
// Then the writer feeds as a reader does, and for that time the socket's read limit is the
// writer's. If a reader feeds already, the writer waits until that reader has read. So the write
// deadline bounds a write, and the read deadline a read, whichever of them feeds. OpenSSL sends
// nothing within such a message: close_write waits for the rest of it too, and a close leaves its
// alert out.
//
// A write may end by an error or an exception after OpenSSL has taken a part of it. The socket may
// then have sent a part of a message: write_failed_ stops every later write.
// exception, may have sent a part of a message: write_failed_ stops all later ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <system_error>

#include <rota/net.hpp>
#include <rota/sync/condition_variable.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/tls.hpp>

#include "tls/bio.hpp"

typedef struct ssl_st SSL;

namespace rota::tls::detail {

class settings;

class stream {
  public:
    enum class side : std::uint8_t { client, server };

    // Returns null and an error on failure. Throws std::bad_alloc.
    static std::shared_ptr<stream> make(net::conn over, std::shared_ptr<const settings> s,
                                        side which, std::string_view server_name,
                                        std::error_code& error);
    // The same for a server's listener. An error belongs to that connection, and its handshake
    // reports it.
    static std::shared_ptr<stream> accepted(net::conn over, std::shared_ptr<const settings> s);
    ~stream();
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    void handshake(std::error_code& error) { handshake(cause::both, error); }

    std::size_t read(std::span<std::byte> to, std::error_code& error);
    // As read, but std::errc::resource_unavailable_try_again where a read would wait.
    std::size_t try_read(std::span<std::byte> to, std::error_code& error);
    // Waits as a read would; 0 at the end. The bytes stay unread.
    std::size_t peek(std::error_code& error);

    void write(std::span<const std::span<const std::byte>> pieces, std::error_code& error);
    void close_write(std::error_code& error);
    // Ends the connection in order, see tls/closing.cpp; parks for a bounded time. A second call
    // ends the first call's wait.
    void close() noexcept { close(true); }
    // Ends the connection without a wait for the peer: written data may be lost.
    void abort() noexcept { close(false); }

    const net::conn& socket() const { return socket_; }
    void set_deadline(bool of_reads, bool of_writes, std::int64_t when, std::error_code& error);

    // Calls f(SSL) under mu_, once the handshake is complete: earlier answers would not be proven.
    template <class F>
    std::string look(F f) {
        const std::lock_guard guard(mu_);
        return shaken_ ? f(ssl_) : std::string();
    }
    bool has_shaken_hands() {
        const std::lock_guard guard(mu_);
        return shaken_;
    }

  private:
    enum class outcome : std::uint8_t { done, ended, more, failed };
    enum class manner : std::uint8_t { wait, peek, at_once };
    // The calls for which a wait is made; the wait ends at their limit, for `both` at the earlier
    // limit.
    enum class cause : std::uint8_t { none, read, write, both };
    class feeding_turn;
    class shaking_turn;

    stream(net::conn over, std::shared_ptr<const settings> s, side which);
    std::error_code begin(std::string_view server_name);
    std::error_code verify_server(const std::string& name);

    template <class Call>
    outcome ask(Call call, std::error_code& error);
    outcome end_by_notify(std::error_code& error);
    std::int64_t limit_of(cause why) const;
    template <class Condition>
    bool wait(std::unique_lock<mutex>& lock, cause why, Condition holds, std::error_code& error);
    void handshake(cause why, std::error_code& error);
    outcome shake(std::uint64_t& seen, std::error_code& error);
    bool finish_shaking(bool is_done, const std::error_code& unsent);
    std::size_t read(std::span<std::byte> to, manner how, std::error_code& error);
    bool feed(std::uint64_t seen, cause why, bool waits, std::error_code& error);
    std::int64_t receive(std::unique_ptr<std::byte[]>& to, bool waits);
    bool put(std::span<const std::byte> bytes, bool& is_begun, std::error_code& error);
    outcome end_writes(std::uint64_t& seen, std::error_code& error);
    bool drain(std::error_code& error);
    bool send_all(std::error_code& error);
    void send_at_once() noexcept;
    void offer_tickets();
    void close(bool waits) noexcept;
    bool say_goodbye(bool waits) noexcept;
    bool is_unanswered() const;
    void take_over_reads(std::unique_lock<mutex>& lock) noexcept;
    void drop_the_rest(bool waits) noexcept;

    // --- fixed ---------------------------------------------------------------------------
    const net::conn socket_;
    const std::shared_ptr<const settings> settings_;
    const side side_;

    // --- turns: see above ------------------------------------------------------------------
    mutex writing_;

    // --- owner: the holder of writing_ -------------------------------------------------------
    std::string sending_;  // goes in front of `out`; bytes left by a send whose limit passed

    // --- guarded by mu_ ----------------------------------------------------------------------
    mutex mu_;
    condition_variable changed_;   // a turn is free, bytes have been read, or a limit has changed
    bool shaking_ = false;         // a caller makes the handshake
    cause feeding_ = cause::none;  // a caller reads the socket, for this cause
    SSL* ssl_ = nullptr;           // null only if broken_ is set
    ciphertext text_;
    std::uint64_t fed_ = 0;       // count; reads of the socket that gave bytes or the end
    std::error_code broken_;      // reason; OpenSSL can no longer be used
    std::error_code read_error_;  // reason; no more bytes come
    bool shaken_ = false;         // the handshake is complete and sent
    bool write_failed_ = false;   // a part of a write may have been sent
    bool write_ended_ = false;    // close_notify has been sent, or is in `out`
    bool alerted_ = false;        // OpenSSL has failed, and `out` got the alert that says why
    bool unanswered_ = false;     // data has been written since data was last read
    bool closed_ = false;
    std::size_t tickets_due_ = 0;  // count; tickets that a server sends in front of its first data
    std::int64_t read_limit_ = 0;  // ns; as set by set_deadline; 0: none
    std::int64_t write_limit_ = 0;
};

}  // namespace rota::tls::detail
