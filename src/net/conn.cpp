// The handles: everything that is done with an open socket.
#include <algorithm>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "net/address.hpp"
#include "net/errors.hpp"
#include "net/naps.hpp"
#include "sys/io/io.hpp"

namespace rota::net {

namespace {

constexpr std::int64_t none = -rt::error_closed;  // what every call on no socket returns

sockaddr* as_sockaddr(endpoint& e) { return static_cast<sockaddr*>(e.data()); }

}  // namespace

namespace detail {

socket::socket(const socket& other) noexcept : fd_(other.fd_) {
    if (fd_ != nullptr) fd_->retain();
}

socket::~socket() {
    if (fd_ != nullptr) fd_->release();
}

void socket::close(std::error_code& error) const {
    error.clear();
    if (fd_ != nullptr) (void)fd_->close();
}
void socket::close() const {
    std::error_code none_is_possible;
    close(none_is_possible);
}

int socket::fd() const noexcept { return fd_ != nullptr ? fd_->number() : -1; }

void socket::set_deadline(bool of_reads, bool of_writes, clock::time_point when,
                          std::error_code& error) const {
    const std::int64_t ns = when.time_since_epoch().count();
    (void)checked(fd_ != nullptr ? fd_->set_deadline(of_reads, of_writes, ns) : none, error);
}

endpoint socket::address(bool remote, std::error_code& error) const {
    endpoint e;
    std::uint32_t size = endpoint::capacity;
    const int result = fd_ == nullptr ? static_cast<int>(none) : fd_->use([&](int number) {
        return remote ? rt::io_remote_address(number, as_sockaddr(e), size)
                      : rt::io_local_address(number, as_sockaddr(e), size);
    });
    (void)checked(result, error);
    if (result >= 0) e.resize(size);
    return e;
}

void data_socket::set_deadline(clock::time_point when, std::error_code& error) const {
    socket::set_deadline(true, true, when, error);
}
void data_socket::set_deadline(clock::time_point when) const {
    throwing("set_deadline", [&](std::error_code& error) { set_deadline(when, error); });
}
void data_socket::set_read_deadline(clock::time_point when, std::error_code& error) const {
    socket::set_deadline(true, false, when, error);
}
void data_socket::set_read_deadline(clock::time_point when) const {
    throwing("set_read_deadline", [&](std::error_code& error) { set_read_deadline(when, error); });
}
void data_socket::set_write_deadline(clock::time_point when, std::error_code& error) const {
    socket::set_deadline(false, true, when, error);
}
void data_socket::set_write_deadline(clock::time_point when) const {
    throwing("set_write_deadline",
             [&](std::error_code& error) { set_write_deadline(when, error); });
}
endpoint data_socket::local_addr(std::error_code& error) const { return address(false, error); }
endpoint data_socket::local_addr() const {
    return throwing("local_addr", [&](std::error_code& error) { return local_addr(error); });
}

}  // namespace detail

// --- connections ---------------------------------------------------------------------------------

std::size_t conn::read(std::span<std::byte> to, std::error_code& error) const {
    return checked(fd_ != nullptr ? fd_->read(to.data(), to.size()) : none, error);
}
std::size_t conn::read(std::span<std::byte> to) const {
    return throwing("read", [&](std::error_code& error) { return read(to, error); });
}

std::size_t conn::read_full(std::span<std::byte> to, std::error_code& error) const {
    error.clear();
    std::size_t done = 0;
    while (done < to.size()) {
        const std::size_t n = read(to.subspan(done), error);
        if (n == 0) break;
        done += n;
    }
    return done;
}
std::size_t conn::read_full(std::span<std::byte> to) const {
    return throwing("read_full", [&](std::error_code& error) { return read_full(to, error); });
}

std::size_t conn::write(std::span<const std::byte> from, std::error_code& error) const {
    return checked(fd_ != nullptr ? fd_->write(from.data(), from.size()) : none, error);
}
std::size_t conn::write(std::span<const std::byte> from) const {
    return throwing("write", [&](std::error_code& error) { return write(from, error); });
}

std::size_t conn::write(std::span<const std::span<const std::byte>> pieces,
                        std::error_code& error) const {
    if (fd_ == nullptr) return checked(none, error);
    const auto as_part = [](std::span<const std::byte> piece) {
        return iovec{const_cast<std::byte*>(piece.data()), piece.size()};
    };
    constexpr std::size_t few = 16;
    if (pieces.size() <= few) {
        iovec parts[few];
        std::transform(pieces.begin(), pieces.end(), parts, as_part);
        return checked(fd_->write_parts(parts, pieces.size()), error);
    }
    std::vector<iovec> parts(pieces.size());
    std::transform(pieces.begin(), pieces.end(), parts.begin(), as_part);
    return checked(fd_->write_parts(parts.data(), parts.size()), error);
}
std::size_t conn::write(std::span<const std::span<const std::byte>> pieces) const {
    return throwing("write", [&](std::error_code& error) { return write(pieces, error); });
}

std::uint64_t conn::send_from(rt::fd* from, std::int64_t offset, std::uint64_t count,
                              std::error_code& error) const {
    error.clear();
    std::uint64_t done = 0;
    while (done < count && !error) {
        const std::size_t n = checked(
            fd_ != nullptr && from != nullptr
                ? fd_->send_file(*from, offset + static_cast<std::int64_t>(done), count - done)
                : none,
            error);
        if (n == 0) break;
        done += n;
    }
    return done;
}
std::uint64_t conn::send_from(rt::fd* from, std::int64_t offset, std::uint64_t count) const {
    return throwing("send_file",
                    [&](std::error_code& e) { return send_from(from, offset, count, e); });
}

void conn::close_write(std::error_code& error) const {
    (void)checked(fd_ != nullptr ? fd_->shutdown(SHUT_WR) : none, error);
}
void conn::close_write() const {
    throwing("close_write", [&](std::error_code& error) { close_write(error); });
}

endpoint conn::remote_addr(std::error_code& error) const { return address(true, error); }
endpoint conn::remote_addr() const {
    return throwing("remote_addr", [&](std::error_code& error) { return remote_addr(error); });
}

void conn::set_no_delay(bool on, std::error_code& error) const {
    (void)checked(fd_ != nullptr ? fd_->set_option(IPPROTO_TCP, TCP_NODELAY, on ? 1 : 0) : none,
                  error);
}
void conn::set_no_delay(bool on) const {
    throwing("set_no_delay", [&](std::error_code& error) { set_no_delay(on, error); });
}

// --- listeners -----------------------------------------------------------------------------------

conn listener::accept(endpoint& peer, std::error_code& error) const {
    std::uint32_t size = endpoint::capacity;
    const int number = static_cast<int>(
        checked(fd_ != nullptr ? fd_->accept(as_sockaddr(peer), &size) : none, error));
    if (error) return {};
    peer.resize(size);
    rt::fd* accepted = nullptr;
    const int failed = rt::fd::open(number, fd_->accepts(), accepted);
    if (failed == 0) return conn(accepted);
    (void)rt::io_close(number);
    error = error_of(-failed);
    return {};
}
conn listener::accept(std::error_code& error) const {
    endpoint peer;
    return accept(peer, error);
}
conn listener::accept() const {
    return throwing("accept", [&](std::error_code& error) { return accept(error); });
}

endpoint listener::addr(std::error_code& error) const { return address(false, error); }
endpoint listener::addr() const {
    return throwing("addr", [&](std::error_code& error) { return addr(error); });
}

void listener::set_deadline(clock::time_point when, std::error_code& error) const {
    socket::set_deadline(true, false, when, error);
}
void listener::set_deadline(clock::time_point when) const {
    throwing("set_deadline", [&](std::error_code& error) { set_deadline(when, error); });
}

// --- messages ------------------------------------------------------------------------------------

std::pair<std::size_t, endpoint> packet_conn::read_from(std::span<std::byte> to,
                                                        std::error_code& error) const {
    endpoint from;
    std::uint32_t size = endpoint::capacity;
    const std::int64_t n =
        fd_ == nullptr ? none : fd_->receive_from(to.data(), to.size(), as_sockaddr(from), size);
    from.resize(n < 0 ? 0 : size);
    return {checked(n, error), from};
}
std::pair<std::size_t, endpoint> packet_conn::read_from(std::span<std::byte> to) const {
    return throwing("read_from", [&](std::error_code& error) { return read_from(to, error); });
}

std::size_t packet_conn::write_to(std::span<const std::byte> from, const endpoint& to,
                                  std::error_code& error) const {
    if (fd_ == nullptr) return checked(none, error);
    const auto send = [&] {
        return fd_->send_to(from.data(), from.size(), net::as_sockaddr(to), to.size());
    };
    return checked(retried(send), error);
}
std::size_t packet_conn::write_to(std::span<const std::byte> from, const endpoint& to) const {
    return throwing("write_to", [&](std::error_code& error) { return write_to(from, to, error); });
}

// --- by text -------------------------------------------------------------------------------------

namespace {

template <class Call>
auto throwing(const char* what, std::string_view network, std::string_view address, Call call) {
    return rt::throwing("net", what, call, network, address);
}

}  // namespace

listener listen(std::string_view network, std::string_view address) {
    return throwing("listen", network, address,
                    [&](std::error_code& e) { return listen(network, address, e); });
}
conn dial(std::string_view network, std::string_view address) {
    return throwing("dial", network, address,
                    [&](std::error_code& e) { return dial(network, address, e); });
}
conn dial(context ctx, std::string_view network, std::string_view address) {
    return throwing("dial", network, address,
                    [&](std::error_code& e) { return dial(ctx, network, address, e); });
}
packet_conn listen_packet(std::string_view network, std::string_view address) {
    return throwing("listen_packet", network, address,
                    [&](std::error_code& e) { return listen_packet(network, address, e); });
}
endpoint resolve(std::string_view network, std::string_view address) {
    return throwing("resolve", network, address,
                    [&](std::error_code& e) { return resolve(network, address, e); });
}
std::vector<std::string> lookup_host(std::string_view name) {
    return throwing("lookup", "host", name,
                    [&](std::error_code& e) { return lookup_host(name, e); });
}

}  // namespace rota::net
