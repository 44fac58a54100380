// Implements the calls on simulated sockets, and delivers arrivals at each call.
#include "netpoll/simulated_tcp.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/check.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::int64_t second = 1'000'000'000;  // ns
constexpr unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_any(const unsigned char (&ip)[16]) {
    const bool is_v4 = std::memcmp(ip, mapped, sizeof mapped) == 0;
    return std::all_of(ip + (is_v4 ? sizeof mapped : 0), ip + 16, [](int b) { return b == 0; });
}

template <class Name>
int take_name(const sockaddr* from, std::uint32_t size, Name& to) {
    if (from->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
        sockaddr_in in;
        std::memcpy(&in, from, sizeof in);
        std::memcpy(to.ip, mapped, sizeof mapped);
        std::memcpy(to.ip + sizeof mapped, &in.sin_addr, sizeof in.sin_addr);
        to.port = ntohs(in.sin_port);
        return 0;
    }
    if (from->sa_family != AF_INET6 || size < sizeof(sockaddr_in6)) return -EINVAL;
    sockaddr_in6 in;
    std::memcpy(&in, from, sizeof in);
    std::memcpy(to.ip, &in.sin6_addr, sizeof to.ip);
    to.port = ntohs(in.sin6_port);
    return 0;
}

template <class Name>
void give_name(const Name& from, int family, sockaddr* to, std::uint32_t& size) {
    sockaddr_in six_less{};
    sockaddr_in6 six{};
    const void* made = &six;
    std::uint32_t made_size = sizeof six;
    if (family == AF_INET) {
        six_less.sin_family = AF_INET;
        six_less.sin_port = htons(from.port);
        std::memcpy(&six_less.sin_addr, from.ip + sizeof mapped, sizeof six_less.sin_addr);
        made = &six_less;
        made_size = sizeof six_less;
    } else {
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(from.port);
        std::memcpy(&six.sin6_addr, from.ip, sizeof from.ip);
    }
    std::memcpy(to, made, std::min(size, made_size));
    size = made_size;
}

}  // namespace

class simulated_tcp::turn {
  public:
    explicit turn(simulated_tcp& of) : of_(of) {
        // pairs(simulated.turn)
        while (!of.in_use_.cas(0, 1, memory_order_acquire)) thread_yield();
        of.settle();
    }
    ~turn() { of_.in_use_.store(0, memory_order_release); }  // pairs(simulated.turn)
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

    side& of(int number) const {
        return *of_.by_number_[number].load(memory_order_relaxed);  // relaxed: we have the turn
    }

  private:
    simulated_tcp& of_;
};

// --- values drawn from the seed ---

void simulated_tcp::begin(std::uint64_t seed) {
    constexpr std::uint32_t ways[] = {1'000, 30'000, 500'000, 20'000'000};  // ns
    constexpr std::uint16_t first_port = 40'000;
    ROTA_CHECK(count_ == 0);
    rand_ = rng(seed * rng::spread + 2);
    way_ = ways[rand_.below(std::size(ways))];
    next_port_ = first_port;
}

std::int64_t simulated_tcp::latency() {
    constexpr std::int64_t repeated_after = 200'000'000;  // ns: Linux's least
    const std::int64_t usual = std::int64_t{way_} + rand_.below(way_);
    return rand_.below(64) == 0 ? usual + repeated_after : usual;
}

std::size_t simulated_tcp::draw_capacity() {
    constexpr std::size_t some[] = {64 * 1024, 16 * 1024, 5'000, 300};
    return some[rand_.below(std::size(some))];
}

// --- connections ---------------------------------------------------------------------------------

simulated_tcp::side* simulated_tcp::listener_at(const name& at) const {
    for (side* const s : sides()) {
        if (s->now != phase::listening || s->local.port != at.port) continue;
        if (is_any(s->local.ip) || is_any(at.ip) ||
            std::memcmp(s->local.ip, at.ip, sizeof at.ip) == 0)
            return s;
    }
    return nullptr;
}

std::uint16_t simulated_tcp::free_port() {
    const auto is_taken = [this](std::uint16_t port) {
        return std::any_of(sides().begin(), sides().end(),
                           [port](const side* s) { return s->local.port == port; });
    };
    do {
        ++next_port_;
        ROTA_CHECK(next_port_ != 0);  // far more ports than a test uses
    } while (is_taken(next_port_));
    return next_port_;
}

// Handles the connection requests of clients that have arrived by now, in the order of their
// arrival.
void simulated_tcp::settle() {
    for (;;) {
        side* first = nullptr;
        for (side* const s : sides())
            if (is_due(s->asks_at) && (first == nullptr || s->asks_at < first->asks_at)) first = s;
        if (first == nullptr) return;
        ask(*first, std::exchange(first->asks_at, 0));
    }
}

void simulated_tcp::ask(side& client, std::int64_t at) {
    constexpr int tries_max = 6;
    side* const l = listener_at(client.remote);
    if (l != nullptr && l->queue.size() > l->backlog && ++client.tries <= tries_max) {
        client.asks_at = at + (second << (client.tries - 1));
        return;
    }
    if (l == nullptr || client.tries > tries_max) {
        client.failure = l == nullptr ? ECONNREFUSED : ETIMEDOUT;
        client.fails_at = at + latency();
        return;
    }
    side& made = make_side();
    made.now = phase::open;
    made.family = l->family;
    made.local = client.remote;
    made.remote = client.local;
    made.in.capacity = draw_capacity();
    made.peer = &client;
    client.peer = &made;
    client.stands_at = at + latency();
    client.in.last_at = client.stands_at;  // bytes written at once arrive after it
    l->queue.push_back(&made);
}

bool simulated_tcp::takes(int family, int type) const {
    return type == SOCK_STREAM && (family == AF_INET || family == AF_INET6);
}

bool simulated_tcp::has(int number) const {
    // relaxed: the caller owns the number
    return number >= 0 && number < numbers_max &&
           by_number_[number].load(memory_order_relaxed) != nullptr;
}

int simulated_tcp::adopt(int number, int family) {
    if (number >= numbers_max) return -EMFILE;
    const turn mine(*this);
    side& s = make_side();
    s.family = family;
    s.number = number;
    by_number_[number].store(&s, memory_order_relaxed);  // relaxed: as above
    return 0;
}

int simulated_tcp::bind(int number, const sockaddr* to, std::uint32_t size) {
    const turn mine(*this);
    side& s = mine.of(number);
    name at;
    if (const int failed = take_name(to, size, at)) return failed;
    if (at.port != 0 && listener_at(at) != nullptr) return -EADDRINUSE;
    if (at.port == 0) at.port = free_port();
    s.local = at;
    return 0;
}

int simulated_tcp::listen(int number, int backlog) {
    const turn mine(*this);
    side& s = mine.of(number);
    if (listener_at(s.local) != nullptr) return -EADDRINUSE;
    s.now = phase::listening;
    s.backlog = static_cast<std::size_t>(std::max(backlog, 0));
    return 0;
}

int simulated_tcp::accept(int number, int fresh, sockaddr* from, std::uint32_t* from_size) {
    if (fresh >= numbers_max) return -EMFILE;
    const turn mine(*this);
    side& l = mine.of(number);
    if (l.now != phase::listening) return -EINVAL;
    if (l.queue.empty()) return -EAGAIN;
    side* const s = l.queue.front();
    l.queue.pop_front();
    s->number = fresh;
    by_number_[fresh].store(s, memory_order_relaxed);  // relaxed: as above
    if (from != nullptr) give_name(s->remote, s->family, from, *from_size);
    return 0;
}

bool simulated_tcp::stands(const side& s) const {
    return s.now == phase::open || (s.now == phase::connecting && is_due(s.stands_at));
}

int simulated_tcp::connect(int number, const sockaddr* to, std::uint32_t size) {
    const turn mine(*this);
    side& s = mine.of(number);
    if (stands(s)) return -EISCONN;
    if (s.now == phase::connecting && s.failure == 0) return -EALREADY;
    if (const int failed = take_name(to, size, s.remote)) return failed;
    if (is_any(s.remote.ip)) {  // any address means this machine
        s.remote.ip[15] = 1;
        if (s.family == AF_INET) s.remote.ip[12] = 127;
    }
    if (s.local.port == 0) {
        s.local = s.remote;
        s.local.port = free_port();
    }
    s.now = phase::connecting;
    s.failure = s.tries = 0;
    s.fails_at = s.stands_at = 0;
    s.in.capacity = draw_capacity();
    s.asks_at = clock_.peek() + latency();
    return -EINPROGRESS;
}

int simulated_tcp::shutdown(int number, int how) {
    const turn mine(*this);
    side& s = mine.of(number);
    if (s.now == phase::listening) {
        s.now = phase::fresh;
        return 0;
    }
    if (!stands(s)) return -ENOTCONN;
    if (how != SHUT_WR) s.has_ended_reads = true;
    if (how == SHUT_RD || std::exchange(s.has_ended_writes, true) || s.peer == nullptr) return 0;
    stream& to = s.peer->in;
    to.end_at = to.last_at = std::max(to.last_at, clock_.peek() + latency());
    return 0;
}

// The peer learns that nothing reads its bytes.
void simulated_tcp::reset_peer(side& s) {
    if (s.peer == nullptr) return;
    stream& to = s.peer->in;
    to.reset_at = to.last_at = std::max(to.last_at, clock_.peek() + latency());
}

simulated_tcp::side& simulated_tcp::make_side() {
    ROTA_CHECK(count_ < sides_max);
    return *(all_[count_++] = new side);
}

void simulated_tcp::remove(side& s) {
    if (s.peer != nullptr) s.peer->peer = nullptr;
    side** const end = std::remove(all_, all_ + count_, &s);
    ROTA_CHECK(end == all_ + count_ - 1);
    --count_;
    delete &s;
}

void simulated_tcp::close(int number) {
    const turn mine(*this);
    side& s = mine.of(number);
    by_number_[number].store(nullptr, memory_order_relaxed);  // relaxed: as above
    for (side* const waiting : s.queue) {
        reset_peer(*waiting);
        remove(*waiting);
    }
    take_arrivals(s);
    if (s.peer != nullptr && s.in.here != 0) {
        reset_peer(s);
    } else if (s.peer != nullptr && !s.has_ended_writes) {
        stream& to = s.peer->in;
        to.end_at = to.last_at = std::max(to.last_at, clock_.peek() + latency());
    }
    remove(s);
}

// --- bytes ---------------------------------------------------------------------------------------

void simulated_tcp::take_arrivals(side& s) {
    while (!s.in.segments.empty() && is_due(s.in.segments.front().at)) {
        s.in.here += s.in.segments.front().size;
        s.in.segments.pop_front();
    }
}

std::int64_t simulated_tcp::receive(int number, void* to, std::size_t size, bool stays) {
    const turn mine(*this);
    side& s = mine.of(number);
    if (!stands(s)) return -ENOTCONN;
    take_arrivals(s);
    const std::size_t n = std::min(size, s.in.here);
    if (n == 0) {
        if (is_due(s.in.reset_at)) return -ECONNRESET;
        const bool is_over = is_due(s.in.end_at) || s.has_ended_reads || size == 0;
        return is_over ? 0 : -EAGAIN;
    }
    const auto end = s.in.bytes.begin() + static_cast<std::ptrdiff_t>(n);
    std::copy(s.in.bytes.begin(), end, static_cast<char*>(to));
    if (stays) return static_cast<std::int64_t>(n);
    s.in.bytes.erase(s.in.bytes.begin(), end);
    s.in.here -= n;
    return static_cast<std::int64_t>(n);
}

// Bytes that the peer has no room for wait with the sender, as in true TCP with its own send
// buffer: one such byte makes it full.
std::int64_t simulated_tcp::send(int number, const iovec* parts, std::size_t count) {
    const turn mine(*this);
    side& s = mine.of(number);
    if (!stands(s)) return s.now == phase::connecting ? -EAGAIN : -EPIPE;
    if (s.has_ended_writes) return -EPIPE;
    if (is_due(s.in.reset_at)) return is_due(s.in.end_at) ? -EPIPE : -ECONNRESET;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) all += static_cast<std::int64_t>(parts[i].iov_len);
    if (s.peer == nullptr) {
        if (s.in.reset_at == 0) s.in.reset_at = clock_.peek() + latency() + latency();
        return all;
    }
    stream& to = s.peer->in;
    std::size_t room = to.capacity - std::min(to.capacity, to.bytes.size());
    if (room == 0 && all != 0) return -EAGAIN;
    std::size_t sent = 0;
    for (std::size_t i = 0; i < count && room != 0; ++i) {
        const std::size_t n = std::min(room, parts[i].iov_len);
        const auto* const from = static_cast<const char*>(parts[i].iov_base);
        to.bytes.insert(to.bytes.end(), from, from + n);
        sent += n;
        room -= n;
    }
    // In one piece or in two; the second piece may arrive much later.
    const std::size_t first = sent > 1 && rand_.below(4) == 0
                                  ? 1 + rand_.below(static_cast<std::uint32_t>(sent) - 1)
                                  : sent;
    for (const std::size_t n : {first, sent - first}) {
        if (n == 0) continue;
        to.last_at = std::max(to.last_at, clock_.peek() + latency());
        to.segments.push_back({to.last_at, n});
    }
    return static_cast<std::int64_t>(sent);
}

// --- questions -----------------------------------------------------------------------------------

int simulated_tcp::get_option(int number, int level, int name, int& value) {
    const turn mine(*this);
    side& s = mine.of(number);
    value = 0;
    if (level != SOL_SOCKET) return 0;
    if (name == SO_DOMAIN) value = s.family;
    if (name == SO_TYPE) value = SOCK_STREAM;
    if (name != SO_ERROR || !is_due(s.fails_at)) return 0;
    value = s.failure;
    s.now = phase::fresh;
    s.fails_at = 0;
    return 0;
}

int simulated_tcp::address(int number, bool of_peer, sockaddr* to, std::uint32_t& size) {
    const turn mine(*this);
    const side& s = mine.of(number);
    if (of_peer && !stands(s)) return -ENOTCONN;
    give_name(of_peer ? s.remote : s.local, s.family, to, size);
    return 0;
}

int simulated_tcp::poll(int number, short events) {
    const turn mine(*this);
    side& s = mine.of(number);
    if (s.now == phase::listening) return s.queue.empty() ? 0 : events & EPOLLIN;
    if (stands(s)) return poll_open(s, events);
    if (is_due(s.fails_at)) return (events & (EPOLLIN | EPOLLOUT)) | EPOLLERR | EPOLLHUP;
    return s.now == phase::connecting ? 0 : int{EPOLLHUP};
}

int simulated_tcp::poll_open(side& s, short events) {
    take_arrivals(s);
    const bool is_reset = is_due(s.in.reset_at);
    const bool is_over = is_due(s.in.end_at) || s.has_ended_reads || is_reset;
    const stream* const to = s.peer == nullptr ? nullptr : &s.peer->in;
    const bool has_room = to == nullptr || to->bytes.size() < to->capacity;
    int now = 0;
    if (s.in.here != 0 || is_over) now |= EPOLLIN;
    if (has_room || s.has_ended_writes || is_reset) now |= EPOLLOUT;
    if (is_over) now |= EPOLLRDHUP;
    const int asked = now & events;
    if (is_reset) return asked | EPOLLERR | EPOLLHUP;
    return is_over && s.has_ended_writes ? asked | EPOLLHUP : asked;
}

std::int64_t simulated_tcp::next_change() {
    const turn mine(*this);
    const std::int64_t now = clock_.peek();
    std::int64_t next = 0;
    const auto look = [&](std::int64_t moment) {
        if (moment > now && (next == 0 || moment < next)) next = moment;
    };
    for (const side* const s : sides()) {
        for (const std::int64_t each :
             {s->asks_at, s->stands_at, s->fails_at, s->in.end_at, s->in.reset_at})
            look(each);
        // Segments that have arrived may not have been taken from the list yet.
        const auto first = std::find_if(s->in.segments.begin(), s->in.segments.end(),
                                        [now](const segment& one) { return one.at > now; });
        if (first != s->in.segments.end()) look(first->at);
    }
    return next;
}

int simulated_tcp::socket_count() {
    const turn mine(*this);
    return count_;
}

}  // namespace rota::rt
