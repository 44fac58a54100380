// A TLS connection: OpenSSL between a program's calls and a socket.
//
// OpenSSL never touches the socket. It takes ciphertext from `in_` and leaves some in `out_`, by a
// BIO of our own (tls/bio.hpp), and says "more" where it would have to wait. So the goroutine waits
// outside of it, with no lock of ours that another direction needs, and OpenSSL's errors, which it
// keeps for the thread, are taken before the goroutine can move to another one.
//
// Who may do what:
//
//     mu_        every call of OpenSSL, and all fields; held for one such call, and never while
//                anybody waits for a socket
//     shaking_   the one that makes the handshake, and sends what belongs to it
//     writing_   the one that sends what is in `out_`, in order, and waits for the socket to take
//                it; for the whole of a write, so that pieces of two writes never mix
//     feeding_   the one that reads the socket
//
// They are taken in the order shaking_, writing_, feeding_, mu_. Only writing_ is a mutex of its
// own. shaking_ and feeding_ are fields under mu_, and `changed_` tells of them: each one that
// waits for such a turn waits by its own limit, which may change meanwhile, and until a close.
//
// The handshake is made when its last words have been sent: only then is shaken_ set, by who holds
// shaking_, and until then nobody else sends or reads. So whoever finds shaken_ has nothing to wait
// for and nothing to send, and does not touch writing_, which a long write may hold. A handshake
// whose limit has passed leaves what it has not sent in sending_, and goes on from there when it is
// asked for again.
//
// A reader whose record makes OpenSSL answer (a key update, an alert, a refused renegotiation) must
// not wait for the socket to take that answer: its peer may be waiting for us to read. So a reader
// sends only if nobody is sending, with mu_ held and writing_ only tried, and only what the socket
// takes at once; whoever sends lets go of writing_ with mu_ held, and has then tried to send what
// has come last. Nothing is left without a sender therefore, but for what the socket would not
// take, and that goes in front of the next write: no peer waits for it. Two ends that both write,
// and both read, cannot block each other.
//
// A write needs something to be read in two cases: it makes the handshake, or the peer has sent
// half of a message that concerns the connection itself, as a key update, and we have begun to take
// it. Then the writer feeds as a reader does, and the socket's limit of reads is for that time the
// writer's; if there is somebody at it, the writer waits until that has read. So the deadline of
// writes bounds a write, and that of reads a read, whoever feeds. OpenSSL says nothing to the peer
// within such a message: close_write waits for the rest of it too, and a close leaves its alert
// out.
//
// A write that does not come to its end once OpenSSL has taken some of it, by an error or an
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

    // Null, and an error. Throws std::bad_alloc.
    static std::shared_ptr<stream> make(net::conn over, std::shared_ptr<const settings> s,
                                        side which, std::string_view server_name,
                                        std::error_code& error);
    // The same for a server's listener: an error is that connection's, and its handshake tells it.
    static std::shared_ptr<stream> accepted(net::conn over, std::shared_ptr<const settings> s);
    ~stream();
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    void handshake(std::error_code& error) { handshake(cause::both, error); }

    std::size_t read(std::span<std::byte> to, std::error_code& error);
    // As read, but std::errc::resource_unavailable_try_again where that would wait.
    std::size_t try_read(std::span<std::byte> to, std::error_code& error);
    // Waits as a read would; 0 at the end. What is there stays.
    std::size_t peek(std::error_code& error);

    void write(std::span<const std::span<const std::byte>> pieces, std::error_code& error);
    void close_write(std::error_code& error);
    // Ends the connection in order, see tls/closing.cpp; parks for a bounded time. A second call
    // ends the wait of the first.
    void close() noexcept { close(true); }
    // Ends it without a wait for the peer: what has been written may be lost.
    void abort() noexcept { close(false); }

    const net::conn& socket() const { return socket_; }
    void set_deadline(bool of_reads, bool of_writes, std::int64_t when, std::error_code& error);

    // f(SSL) alone, once the handshake has been made: what is known before that nobody has proven.
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
    // What something is waited for: its limit counts, of both the earlier one.
    enum class cause : std::uint8_t { none, read, write, both };
    class feeding_turn;
    class shaking_turn;

    stream(net::conn over, std::shared_ptr<const settings> s, side which);
    std::error_code begin(std::string_view server_name);
    std::error_code verify_server(const std::string& name);

    template <class Call>
    outcome ask(Call call, std::error_code& error);
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

    // --- owner: who holds writing_ -----------------------------------------------------------
    std::string sending_;  // goes in front of `out`: what a send has left when its limit passed

    // --- guarded by mu_ ----------------------------------------------------------------------
    mutex mu_;
    condition_variable changed_;   // a turn is free, something has been read, a limit is another
    bool shaking_ = false;         // somebody makes the handshake
    cause feeding_ = cause::none;  // somebody reads the socket, for this
    SSL* ssl_ = nullptr;           // null only if broken_ is set
    ciphertext text_;
    std::uint64_t fed_ = 0;       // how often something has been read, or the end
    std::error_code broken_;      // OpenSSL is of no use any more, for this reason
    std::error_code read_error_;  // nothing more comes, for this reason
    bool shaken_ = false;         // the handshake has been made, and all of it sent
    bool write_failed_ = false;   // a part of a write may have been sent
    bool write_ended_ = false;    // the peer has been told, or will be by `out`
    bool alerted_ = false;        // OpenSSL has failed, and `out` got the alert that says why
    bool unanswered_ = false;     // data has been written since data was read last
    bool closed_ = false;
    std::size_t tickets_due_ = 0;  // count; tickets that a server sends in front of its first data
    std::int64_t read_limit_ = 0;  // as they have been set; 0: none
    std::int64_t write_limit_ = 0;
};

}  // namespace rota::tls::detail
