// Implements tls::stream: the handshake, reads and writes of one TLS connection. The header says
// which lock or turn each step holds.
#include "tls/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/uio.h>
#include <rota/detail/time_engine.hpp>

#include "core/sched.hpp"
#include "fd/fd.hpp"
#include "sys/io/io_bytes.hpp"
#include "tls/errors.hpp"
#include "tls/settings.hpp"
#include "tls/verified_name.hpp"

namespace rota::tls::detail {

namespace {

constexpr std::size_t record_max = 16 * 1024;
// Bytes of ciphertext: a write that has so many ready sends them before it encrypts more.
constexpr std::size_t sent_at_once = 64 * 1024;
// Bytes of unsent answers that the peer has caused and does not read. Beyond that the peer is
// malicious, and a read breaks the connection.
constexpr std::size_t unsent_max = 1 << 20;

// The earlier of two deadlines (ns); 0 means no deadline.
std::int64_t earlier_limit(std::int64_t a, std::int64_t b) {
    return a == 0 || b == 0 ? a + b : std::min(a, b);
}

// Holds `turn` (writing_) while its owner sends. The destructor runs `at_end` with `mu` held: it
// sends what a reader has queued meanwhile, as far as the socket takes it without a wait.
template <class AtEnd>
struct sending_turn {
    mutex& turn;
    mutex& mu;
    AtEnd at_end;
    sending_turn(mutex& t, mutex& m, AtEnd f) : turn(t), mu(m), at_end(f) { turn.lock(); }
    ~sending_turn() {
        const std::lock_guard guard(mu);
        at_end();
        turn.unlock();
    }
    sending_turn(const sending_turn&) = delete;
    sending_turn& operator=(const sending_turn&) = delete;
};

}  // namespace

// The turn to read the socket (feeding_). It sets the socket's read deadline to the limit of `why`
// for that time. Constructor and destructor run with mu_ held; the destructor takes it if needed.
class stream::feeding_turn {
  public:
    feeding_turn(stream& s, std::unique_lock<mutex>& lock, cause why) : s_(s), lock_(lock) {
        s_.feeding_ = why;
        limit(s_.limit_of(why), s_.read_limit_);
    }
    ~feeding_turn() {
        if (!lock_.owns_lock()) lock_.lock();
        // stream::close has set the deadline that ended this turn, and sets the next deadline.
        if (!s_.closed_) limit(s_.read_limit_, s_.limit_of(s_.feeding_));
        s_.feeding_ = cause::none;
        s_.changed_.notify_all();
    }
    feeding_turn(const feeding_turn&) = delete;
    feeding_turn& operator=(const feeding_turn&) = delete;

  private:
    void limit(std::int64_t wanted, std::int64_t present) {
        if (wanted != present) (void)s_.socket_.descriptor()->set_deadline(true, false, wanted);
    }
    stream& s_;
    std::unique_lock<mutex>& lock_;
};

// The turn to make the handshake (shaking_). Constructor and destructor run with mu_ held.
class stream::shaking_turn {
  public:
    shaking_turn(stream& s, std::unique_lock<mutex>& lock) : s_(s), lock_(lock) {
        s_.shaking_ = true;
    }
    ~shaking_turn() {
        if (!lock_.owns_lock()) lock_.lock();
        s_.shaking_ = false;
        s_.changed_.notify_all();
    }
    shaking_turn(const shaking_turn&) = delete;
    shaking_turn& operator=(const shaking_turn&) = delete;

  private:
    stream& s_;
    std::unique_lock<mutex>& lock_;
};

// --- beginning and end ---------------------------------------------------------------------------

stream::stream(net::conn over, std::shared_ptr<const settings> s, side which)
    : socket_(std::move(over)), settings_(std::move(s)), side_(which) {}

std::shared_ptr<stream> stream::make(net::conn over, std::shared_ptr<const settings> s, side which,
                                     std::string_view server_name, std::error_code& error) {
    if (s == nullptr) {
        error = tls_errc::bad_config;
        return nullptr;
    }
    if (!over) {
        error = net::net_errc::closed;
        return nullptr;
    }
    std::shared_ptr<stream> made(new stream(std::move(over), std::move(s), which));
    error = made->begin(server_name);
    if (error) return nullptr;
    return made;
}

std::shared_ptr<stream> stream::accepted(net::conn over, std::shared_ptr<const settings> s) {
    std::shared_ptr<stream> made(new stream(std::move(over), std::move(s), side::server));
    made->broken_ = made->begin({});
    return made;
}

std::error_code stream::begin(std::string_view server_name) {
    const bool is_server = side_ == side::server;
    if (is_server && !settings_->has_certificate()) return tls_errc::no_certificate;
    const bool verifies =
        is_server ? settings_->clients() != client_auth::none : !settings_->skips_verify();
    if (verifies) {
        if (const std::error_code failed = settings_->need_roots()) return failed;
    }
    std::error_code failed;
    ssl_ = settings_->connect(failed);
    if (ssl_ == nullptr) return failed;
    BIO* const b = bio_of(text_);
    if (b == nullptr) return std::make_error_code(std::errc::not_enough_memory);
    SSL_set_bio(ssl_, b, b);
    int mode = verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE;
    if (is_server && settings_->clients() == client_auth::required)
        mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    SSL_set_verify(ssl_, mode, nullptr);
    if (is_server) {
        SSL_set_accept_state(ssl_);
        tickets_due_ = settings_->session_tickets();
        return {};
    }
    SSL_set_connect_state(ssl_);
    const std::string& own = settings_->server_name();
    return verify_server(own.empty() ? std::string(server_name) : own);
}

// Verification ignores the subject's CN, as is common practice. RFC 6066: an address is not sent as
// the server name of the handshake.
std::error_code stream::verify_server(const std::string& name) {
    const bool verifies = !settings_->skips_verify();
    if (name.empty())
        return verifies ? std::error_code(tls_errc::no_server_name) : std::error_code();
    verified_name v;
    if (!v.parse(name)) return tls_errc::bad_config;
    X509_VERIFY_PARAM* const p = SSL_get0_param(ssl_);
    ERR_clear_error();
    if (v.address_size != 0)
        return X509_VERIFY_PARAM_set1_ip(p, v.address, v.address_size) == 1 ? std::error_code()
                                                                            : take_error(nullptr);
    X509_VERIFY_PARAM_set_hostflags(
        p, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool is_set = SSL_set_tlsext_host_name(ssl_, v.host.c_str()) == 1 &&
                        X509_VERIFY_PARAM_set1_host(p, v.host.data(), v.host.size()) == 1;
    return is_set ? std::error_code() : take_error(nullptr);
}

stream::~stream() {
    // At exit and after a fork, a goroutine may be inside the stream that never runs again.
    const bool too_late = rt::sched.exiting.load(rt::memory_order_relaxed) ||  // relaxed: our own
                          rt::sched.forked.load(rt::memory_order_relaxed);
    if (too_late) return;
    close();
    SSL_free(ssl_);
}

// --- limits --------------------------------------------------------------------------------------

void stream::set_deadline(bool of_reads, bool of_writes, std::int64_t when,
                          std::error_code& error) {
    const std::lock_guard guard(mu_);
    if (closed_) {
        error = net::net_errc::closed;
        return;
    }
    if (of_reads) read_limit_ = when;
    if (of_writes) write_limit_ = when;
    rt::fd& d = *socket_.descriptor();
    const bool is_for_reads = feeding_ == cause::none || feeding_ == cause::read;
    (void)checked(d.set_deadline(of_reads && is_for_reads, of_writes, when), error);
    if (!is_for_reads) (void)d.set_deadline(true, false, limit_of(feeding_));
    changed_.notify_all();
}

// Caller: holds mu_.
std::int64_t stream::limit_of(cause why) const {
    if (why == cause::both) return earlier_limit(read_limit_, write_limit_);
    return why == cause::write ? write_limit_ : read_limit_;
}

// Waits until `holds()` is true, and reads the limit of `why` again after each wakeup. False, with
// an error: the stream is closed, or the limit has passed. Caller: holds mu_.
template <class Condition>
bool stream::wait(std::unique_lock<mutex>& lock, cause why, Condition holds,
                  std::error_code& error) {
    for (;;) {
        error.clear();
        if (closed_) error = net::net_errc::closed;
        if (closed_ || holds()) return !closed_;
        const std::int64_t limit = limit_of(why);
        if (limit == 0) {
            changed_.wait(lock);
            continue;
        }
        if (limit <= rota::detail::clock_now()) {
            error = rt::error_of(-ETIMEDOUT);
            return false;
        }
        (void)changed_.wait_until(lock, clock::time_point(clock::duration(limit)));
    }
}

// --- OpenSSL -------------------------------------------------------------------------------------

// Calls OpenSSL, and classifies its result. Caller: holds mu_.
template <class Call>
stream::outcome stream::ask(Call call, std::error_code& error) {
    error = broken_;
    if (broken_) return outcome::failed;
    const std::size_t unsent = text_.out.size();
    ERR_clear_error();
    const int result = call();
    if (result > 0) return outcome::done;
    const int what = SSL_get_error(ssl_, result);
    if (what == SSL_ERROR_WANT_READ) return outcome::more;
    if (what == SSL_ERROR_ZERO_RETURN) return outcome::ended;
    broken_ = take_error(ssl_);
    if (text_.no_memory) broken_ = std::make_error_code(std::errc::not_enough_memory);
    alerted_ = text_.out.size() > unsent;
    error = broken_;
    return outcome::failed;
}

// Puts close_notify into `out`. Caller: holds mu_.
stream::outcome stream::end_by_notify(std::error_code& error) {
    return ask([this] { return SSL_shutdown(ssl_) < 0 ? -1 : 1; }, error);
}

// Caller: holds the turn shaking_.
stream::outcome stream::shake(std::uint64_t& seen, std::error_code& error) {
    const std::lock_guard guard(mu_);
    error.clear();
    seen = fed_;
    if (closed_) {
        error = net::net_errc::closed;
        return outcome::failed;
    }
    const outcome o = ask([this] { return SSL_do_handshake(ssl_); }, error);
    if (o != outcome::ended) return o;
    error = tls_errc::unexpected_end;
    return outcome::failed;
}

// True: the handshake is complete, or its bytes cannot be sent. Caller: holds the turn shaking_.
bool stream::finish_shaking(bool is_done, const std::error_code& unsent) {
    const std::lock_guard guard(mu_);
    if (unsent && unsent != std::errc::timed_out && !broken_) broken_ = unsent;
    if (is_done && !unsent) {
        shaken_ = true;
        if (SSL_version(ssl_) != TLS1_3_VERSION) tickets_due_ = 0;
    }
    return is_done || unsent;
}

void stream::handshake(cause why, std::error_code& error) {
    std::unique_lock lock(mu_);
    if (!wait(lock, why, [this] { return shaken_ || !shaking_; }, error) || shaken_) return;
    const shaking_turn turn(*this, lock);
    lock.unlock();
    for (;;) {
        std::uint64_t seen = 0;
        const outcome o = shake(seen, error);
        std::error_code unsent;
        (void)send_all(unsent);
        if (o == outcome::failed) return;  // send_all has sent the alert that says why
        error = unsent;
        if (finish_shaking(o == outcome::done, unsent)) return;
        if (!feed(seen, why, true, error)) return;
    }
}

// --- reading -------------------------------------------------------------------------------------

// A reader that waits for the socket holds no buffer; it allocates one for each attempt to read.
std::int64_t stream::receive(std::unique_ptr<std::byte[]>& to, bool waits) {
    rt::fd& d = *socket_.descriptor();
    for (;;) {
        to = std::make_unique_for_overwrite<std::byte[]>(ciphertext::room);
        const std::int64_t n = d.try_read(to.get(), ciphertext::room);
        if (n >= 0 || n != -EAGAIN || !waits) return n;
        to.reset();
        if (const int failed = d.wait_readable()) return failed;
    }
}

// Reads ciphertext for OpenSSL, unless another goroutine has done so since `seen`. False, with an
// error: nothing was read.
bool stream::feed(std::uint64_t seen, cause why, bool waits, std::error_code& error) {
    std::unique_lock lock(mu_);
    if (!waits && feeding_ != cause::none) {
        error = std::make_error_code(std::errc::resource_unavailable_try_again);
        return false;
    }
    const auto is_my_turn = [&] { return fed_ != seen || feeding_ == cause::none; };
    if (!wait(lock, why, is_my_turn, error)) return false;
    if (fed_ != seen) return true;
    error = read_error_;
    if (error) return false;
    const feeding_turn turn(*this, lock, why);
    lock.unlock();
    std::unique_ptr<std::byte[]> got;
    const std::int64_t n = receive(got, waits);
    lock.lock();
    if (n < 0) {
        error = closed_ ? std::error_code(net::net_errc::closed) : rt::error_of(n);
        return false;
    }
    ++fed_;
    if (n == 0) {
        error = read_error_ = tls_errc::unexpected_end;
        return false;
    }
    text_.in = std::move(got);
    text_.begin = 0;
    text_.end = static_cast<std::size_t>(n);
    return true;
}

std::size_t stream::read(std::span<std::byte> to, manner how, std::error_code& error) {
    for (;;) {
        std::uint64_t seen = 0;
        outcome o = outcome::more;
        bool shakes = false;
        std::size_t n = 0;
        {
            const std::lock_guard guard(mu_);
            error.clear();
            if (closed_) {
                error = net::net_errc::closed;
                return 0;
            }
            shakes = !shaken_;
            if (!shakes && to.empty()) return 0;
            if (!shakes) {
                o = ask(
                    [&] {
                        const auto call = how == manner::peek ? SSL_peek_ex : SSL_read_ex;
                        return call(ssl_, to.data(), to.size(), &n);
                    },
                    error);
                if (o == outcome::done) unanswered_ = false;
                if (text_.out.size() > unsent_max) broken_ = tls_errc::broken;
                if (!text_.out.empty() && writing_.try_lock()) {
                    send_at_once();
                    writing_.unlock();
                }
                seen = fed_;
            }
        }
        if (shakes) {
            handshake(cause::read, error);
            if (error) return 0;
            continue;
        }
        if (o != outcome::more) return o == outcome::done ? n : 0;
        if (!feed(seen, cause::read, how != manner::at_once, error)) return 0;
    }
}

std::size_t stream::read(std::span<std::byte> to, std::error_code& error) {
    return read(to, manner::wait, error);
}
std::size_t stream::try_read(std::span<std::byte> to, std::error_code& error) {
    return read(to, manner::at_once, error);
}
std::size_t stream::peek(std::error_code& error) {
    std::byte next;
    return read({&next, 1}, manner::peek, error);
}

// --- writing -------------------------------------------------------------------------------------

// Caller: holds mu_ and writing_.
void stream::send_at_once() noexcept {
    std::string& out = text_.out;
    if (out.empty() || write_failed_ || !sending_.empty()) return;
    const std::int64_t n = socket_.descriptor()->use(
        [&out](int number) { return rt::io_send(number, out.data(), out.size()); });
    if (n > 0) out.erase(0, static_cast<std::size_t>(n));
}

// Sends until nothing is left. After an error the rest stays in sending_ for the next sender.
// Caller: holds writing_.
bool stream::drain(std::error_code& error) {
    for (;;) {
        {
            const std::lock_guard guard(mu_);
            error.clear();
            if (write_failed_) error = tls_errc::broken;
            if (sending_.empty()) sending_.swap(text_.out);
            if (write_failed_ || sending_.empty()) return !error;
        }
        iovec rest{sending_.data(), sending_.size()};
        (void)checked(socket_.descriptor()->write_parts(&rest, 1), error);
        if (error) {
            sending_.erase(0, sending_.size() - rest.iov_len);
            return false;
        }
        std::string().swap(sending_);
    }
}

bool stream::send_all(std::error_code& error) {
    const sending_turn turn(writing_, mu_, [this] { send_at_once(); });
    return drain(error);
}

// A server sends its tickets in front of its first data. A client that reads no data gets none: it
// would leave them unread, and the kernel answers the close of a socket with unread bytes by a
// reset. Caller: holds mu_.
void stream::offer_tickets() {
    for (; tickets_due_ > 0; --tickets_due_) (void)SSL_new_session_ticket(ssl_);
}

// Caller: holds writing_.
bool stream::put(std::span<const std::byte> bytes, bool& is_begun, std::error_code& error) {
    while (!bytes.empty()) {
        std::uint64_t seen = 0;
        std::size_t n = 0;
        outcome o = outcome::failed;
        bool is_much = false;
        {
            const std::lock_guard guard(mu_);
            error.clear();
            if (closed_) error = net::net_errc::closed;
            else if (write_failed_) error = tls_errc::broken;
            else if (write_ended_) error = std::make_error_code(std::errc::broken_pipe);
            if (error) return false;
            const std::size_t size = std::min(bytes.size(), record_max);
            is_begun = true;
            offer_tickets();
            o = ask([&] { return SSL_write_ex(ssl_, bytes.data(), size, &n); }, error);
            if (o == outcome::done) unanswered_ = true;
            seen = fed_;
            is_much = text_.out.size() >= sent_at_once;
        }
        if (o == outcome::more) {
            if (!drain(error) || !feed(seen, cause::write, true, error)) return false;
            continue;
        }
        if (o != outcome::done) {
            if (!error) error = tls_errc::broken;
            return false;
        }
        bytes = bytes.subspan(n);
        if (is_much && !drain(error)) return false;
    }
    return true;
}

void stream::write(std::span<const std::span<const std::byte>> pieces, std::error_code& error) {
    if (!has_shaken_hands()) {
        handshake(cause::write, error);
        if (error) return;
    }
    std::size_t size = 0;
    for (const auto& piece : pieces) size += piece.size();
    std::string joined;
    const bool joins = pieces.size() > 1 && size <= record_max;
    if (joins) {
        joined.reserve(size);
        for (const auto& piece : pieces)
            joined.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
    bool is_begun = false, is_done = false;
    const sending_turn turn(writing_, mu_, [&] {
        if (is_begun && !is_done) write_failed_ = true;
        send_at_once();
    });
    if (joins) {
        if (!put(std::as_bytes(std::span(joined)), is_begun, error)) return;
    } else {
        for (const auto& piece : pieces)
            if (!put(piece, is_begun, error)) return;
    }
    is_done = drain(error);
}

// Tells the peer that no data follows. `more`: the rest of a message of the peer that concerns the
// connection itself (a key update) has to arrive first. Caller: holds writing_.
stream::outcome stream::end_writes(std::uint64_t& seen, std::error_code& error) {
    const std::lock_guard guard(mu_);
    error.clear();
    seen = fed_;
    if (closed_) error = net::net_errc::closed;
    else if (write_failed_) error = tls_errc::broken;
    if (error) return outcome::failed;
    if (write_ended_) return outcome::done;
    outcome o = outcome::done;
    if (SSL_in_init(ssl_) != 0) o = ask([this] { return SSL_do_handshake(ssl_); }, error);
    if (o == outcome::done) o = end_by_notify(error);
    write_ended_ = o == outcome::done;
    if (o != outcome::ended) return o;
    error = tls_errc::broken;
    return outcome::failed;
}

void stream::close_write(std::error_code& error) {
    if (!has_shaken_hands()) {
        handshake(cause::write, error);
        if (error) return;
    }
    const sending_turn turn(writing_, mu_, [this] { send_at_once(); });
    for (;;) {
        std::uint64_t seen = 0;
        const outcome o = end_writes(seen, error);
        if (o == outcome::failed || !drain(error) || o == outcome::done) return;
        if (!feed(seen, cause::write, true, error)) return;
    }
}

}  // namespace rota::tls::detail
