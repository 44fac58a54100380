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
//     shaking_   the one that makes the handshake
//     writing_   the one that sends what is in `out_`, in order, and waits for the socket to take
//                it; for the whole of a write, so that pieces of two writes never mix
//     feeding_   the one that reads the socket
//
// They are taken in the order shaking_, writing_, feeding_, mu_. A reader whose record makes
// OpenSSL answer (a key update, an alert, a refused renegotiation) must not wait for the socket to
// take that answer: its peer may be waiting for us to read. So a reader sends only if nobody is
// sending, with mu_ held and writing_ only tried, and only what the socket takes at once; whoever
// sends lets go of writing_ with mu_ held and `out_` empty. Nothing is left without a sender
// therefore, but for what the socket would not take, and that goes in front of the next write: no
// peer waits for it. Two ends that both write, and both read, cannot block each other.
//
// A write needs something to be read in one case alone: the peer has sent half of a message that
// concerns the connection itself, as a key update, and we have begun to take it. Then the writer
// feeds as a reader does; if there is a reader at it, the writer waits until that has read. Its
// wait is bounded by the deadlines of both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <system_error>

#include <rota/net.hpp>
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
    ~stream();
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    void handshake(std::error_code& error);

    std::size_t read(std::span<std::byte> to, std::error_code& error);
    // As read, but std::errc::resource_unavailable_try_again where that would wait.
    std::size_t try_read(std::span<std::byte> to, std::error_code& error);
    // Waits as a read would; 0 at the end. What is there stays.
    std::size_t peek(std::error_code& error);

    void write(std::span<const std::span<const std::byte>> pieces, std::error_code& error);
    void close_write(std::error_code& error);
    void close() noexcept;

    const net::conn& socket() const { return socket_; }
    void set_deadline(bool of_reads, bool of_writes, std::int64_t when, std::error_code& error);

    // f(SSL) alone.
    template <class F>
    auto look(F f) {
        const std::lock_guard guard(mu_);
        return f(ssl_);
    }
    bool has_shaken_hands() {
        const std::lock_guard guard(mu_);
        return shaken_;
    }

  private:
    enum class outcome : std::uint8_t { done, ended, more, failed };
    enum class manner : std::uint8_t { wait, peek, at_once };

    stream(net::conn over, std::shared_ptr<const settings> s, side which);
    std::error_code begin(std::string_view server_name);
    std::error_code verify_server(const std::string& name);

    template <class Call>
    outcome ask(Call call, std::error_code& error);
    std::size_t read(std::span<std::byte> to, manner how, std::error_code& error);
    outcome shake(std::uint64_t& seen, std::error_code& error);
    bool feed(std::uint64_t seen, bool for_a_write, bool waits, std::error_code& error);
    std::int64_t receive(std::unique_ptr<std::byte[]>& to, bool waits);
    void wait_by_write_limit(bool on);
    bool put(std::span<const std::byte> bytes, std::error_code& error);
    bool drain(std::error_code& error);
    bool send_all(std::error_code& error);
    void send_at_once() noexcept;

    // --- fixed ---------------------------------------------------------------------------
    const net::conn socket_;
    const std::shared_ptr<const settings> settings_;
    const side side_;

    // --- turns: see above ------------------------------------------------------------------
    mutex shaking_, writing_, feeding_;

    // --- guarded by mu_ ----------------------------------------------------------------------
    mutex mu_;
    SSL* ssl_ = nullptr;
    ciphertext text_;
    std::uint64_t fed_ = 0;       // how often something has been read, or the end
    std::error_code broken_;      // OpenSSL is of no use any more, for this reason
    std::error_code read_error_;  // nothing more comes, for this reason
    bool shaken_ = false;         // the handshake has been made
    bool write_failed_ = false;   // a part of a record may have been sent
    bool write_ended_ = false;    // the peer has been told
    bool closed_ = false;
    // a writer that reads: the socket's limit of reads is the earlier
    bool limits_mixed_ = false;
    std::int64_t read_limit_ = 0;  // as they have been set; 0: none
    std::int64_t write_limit_ = 0;
};

}  // namespace rota::tls::detail
