// Looks names up by the C library's getaddrinfo, on a goroutine of its own. The call blocks a
// thread, needs a larger stack than most goroutines have, and cannot be interrupted. So a caller
// that stops waiting leaves that goroutine behind.
#include "net/resolve.hpp"

#include <cerrno>
#include <charconv>
#include <memory>
#include <new>

#include <netdb.h>
#include <sys/socket.h>
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>
#include <rota/sync/weighted_semaphore.hpp>

#include "sys/call/fault.hpp"

namespace rota::net {

namespace {

constexpr int lookups_max = 64;  // lookups at once; each blocks a thread
weighted_semaphore& lookups() {
    static weighted_semaphore* const all = new weighted_semaphore(lookups_max);  // never destroyed
    return *all;
}

// A slot of the lookups_max lookups that may run at once.
class lookup_turn {
  public:
    // A caller that waits in vain leaves no goroutine and no place in a queue behind.
    lookup_turn(const context& ctx, std::error_code& error) {
        error = lookups().acquire(ctx);
        holds_ = !error;
    }
    lookup_turn(lookup_turn&& other) noexcept : holds_(std::exchange(other.holds_, false)) {}
    lookup_turn& operator=(lookup_turn&&) = delete;
    ~lookup_turn() {
        if (holds_) lookups().release();
    }

  private:
    bool holds_;
};

std::error_code lookup_error(int code, int error) {
    switch (code) {
        case EAI_NONAME:
#ifdef EAI_NODATA
        case EAI_NODATA:
#endif
#ifdef EAI_ADDRFAMILY
        case EAI_ADDRFAMILY:
#endif
            return net_errc::no_such_host;
        case EAI_SERVICE: return net_errc::bad_address;
        case EAI_MEMORY: return std::make_error_code(std::errc::not_enough_memory);
        case EAI_SYSTEM: return {error, std::system_category()};
        default: return net_errc::lookup_failed;
    }
}

struct answer {
    std::vector<endpoint> all;
    std::error_code error;
};

answer ask(const std::string& host, const std::string& service, network_kind network) {
    addrinfo hints{};
    hints.ai_family = network.family;
    hints.ai_socktype = network.type;
    addrinfo* list = nullptr;
    int code = 0;
    int error = 0;
    blocking([&] {
        error = rt::fault_at(rt::sys_call::resolve, "getaddrinfo");
        code = EAI_SYSTEM;
        if (error != 0) return;
        code = ::getaddrinfo(host.empty() ? nullptr : host.c_str(),
                             service.empty() ? nullptr : service.c_str(), &hints, &list);
        error = errno;
    });
    answer a;
    if (code != 0) {
        a.error = lookup_error(code, error);
        return a;
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
    for (const addrinfo* i = list; i != nullptr; i = i->ai_next) {
        if (i->ai_addrlen > endpoint::capacity) continue;
        endpoint e;
        __builtin_memcpy(e.data(), i->ai_addr, i->ai_addrlen);
        e.resize(i->ai_addrlen);
        bool known = false;
        for (const endpoint& other : a.all) known = known || other == e;
        if (!known) a.all.push_back(e);
    }
    if (a.all.empty()) a.error = net_errc::no_such_host;
    return a;
}

answer ask_within(const context& ctx, const std::string& host, const std::string& service,
                  network_kind network) {
    constexpr std::size_t stack_size = 256 * 1024;
    answer a;
    lookup_turn turn(ctx, a.error);
    if (a.error) return a;
    auto answers = make_chan<answer>(1);
    try {
        go({.name = "name lookup", .stack_size = stack_size},
           [answers, host, service, network, turn = std::move(turn)] {
               answer got;
               try {
                   got = ask(host, service, network);
               } catch (const std::bad_alloc&) {
                   got.error = std::make_error_code(std::errc::not_enough_memory);
               }
               answers.send(std::move(got));
           });
    } catch (const std::system_error& no_stack) {
        a.error = no_stack.code();
        return a;
    }
    select(on_recv(answers, [&](std::optional<answer> got) { a = std::move(*got); }),
           on_recv(ctx.done(), [&](std::optional<unit>) { a.error = ctx.err(); }));
    return a;
}

std::optional<std::uint16_t> port_number(std::string_view text) {
    if (text.empty()) return std::uint16_t{0};
    std::uint16_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return n;
}

bool is_number(std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The port, from its number or from the name of its service.
std::optional<std::uint16_t> port_of(const context& ctx, network_kind network,
                                     std::string_view text, std::error_code& error) {
    if (const auto n = port_number(text)) return n;
    if (is_number(text)) {
        error = net_errc::bad_address;
        return std::nullopt;
    }
    const answer a = ask_within(ctx, {}, std::string(text), {AF_UNSPEC, network.type});
    error = a.error;
    if (error) return std::nullopt;
    return a.all.front().port();
}

// The addresses for an empty host: to listen, the wildcard addresses; to connect, loopback.
std::vector<endpoint> own_addresses(network_kind network, std::uint16_t port, bool to_listen) {
    if (to_listen) {
        if (network.family != AF_UNSPEC) return {any_address(network.family, port)};
        return {any_address(AF_INET6, port), any_address(AF_INET, port)};
    }
    std::vector<endpoint> all;
    if (network.family != AF_INET6) all.push_back(*literal("127.0.0.1", port));
    if (network.family != AF_INET) all.push_back(*literal("::1", port));
    return all;
}

}  // namespace

std::vector<endpoint> addresses_of(const context& ctx, const network_kind& network,
                                   std::string_view address, bool to_listen,
                                   std::error_code& error) {
    error.clear();
    if (network.is_unix()) {
        if (const auto e = unix_endpoint(address)) return {*e};
        error = net_errc::bad_address;
        return {};
    }
    const auto parts = split(address);
    if (!parts) {
        error = net_errc::bad_address;
        return {};
    }
    const auto port = port_of(ctx, network, parts->port, error);
    if (!port) return {};
    if (parts->host.empty()) return own_addresses(network, *port, to_listen);
    if (const auto e = literal(parts->host, *port)) {
        if (network.family == AF_UNSPEC || network.family == family_of(*e)) return {*e};
        error = net_errc::no_such_host;
        return {};
    }
    error = zone_error(parts->host);
    if (error) return {};
    answer a = ask_within(ctx, std::string(parts->host), {}, network);
    error = a.error;
    for (endpoint& e : a.all) e = with_port(e, *port);
    return std::move(a.all);
}

endpoint resolve(std::string_view network, std::string_view address, std::error_code& error) {
    const auto kind = network_of(network);
    if (!kind) {
        error = net_errc::unknown_network;
        return {};
    }
    const std::vector<endpoint> all = addresses_of(background(), *kind, address, false, error);
    return all.empty() ? endpoint() : all.front();
}

std::vector<std::string> lookup_host(std::string_view name, std::error_code& error) {
    error.clear();
    if (const auto e = literal(name, 0)) return {e->host()};
    error = zone_error(name);
    if (error) return {};
    if (name.empty() || name.find('\0') != std::string_view::npos) {
        error = net_errc::no_such_host;
        return {};
    }
    const answer a = ask_within(background(), std::string(name), {}, {AF_UNSPEC, SOCK_STREAM});
    error = a.error;
    std::vector<std::string> hosts;
    for (const endpoint& e : a.all) hosts.push_back(e.host());
    return hosts;
}

}  // namespace rota::net
