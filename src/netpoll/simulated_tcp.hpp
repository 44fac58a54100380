// TCP in this process's memory, for repeatable runs (GODEBUG=schedseed): whole conversations of
// clients and servers, whose bytes arrive when the seed says, by the virtual clock.
//
// What a socket of TCP does is done here between begin() and the end of the tests that want it;
// descriptors are only numbers then. It is a small TCP, but none that is kinder than the true one:
//
//   * what is sent comes later and in order, a piece of it at a time; a segment that is lost now
//     and then holds up what is behind it;
//   * a buffer has an end: whoever writes more than fits is told how much did, and then waits for
//     the reader;
//   * a connection takes its time, and is refused where nobody listens; a listener whose queue is
//     full says nothing, and the client tries again after a second, and after two, as Linux does;
//   * one side may end while the other goes on; one that goes with unread bytes, or is sent
//     something after it has gone, resets.
//
//     connecting ─── room in the queue of a listener ───► open ─── shutdown, close, reset
//        │  ▲ └───── nobody listens ──► refused
//        └──┘ the queue is full
//
// Absent: addresses of the machine's own (every one is local), options (each is accepted, none has
// an effect), urgent data. Nothing here sends to, or hears from, the world.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "base/atomic.hpp"
#include "base/rand.hpp"
#include "sys/clock.hpp"
#include "sys/socket_kernel.hpp"

namespace rota::rt {

class simulated_tcp final : public socket_kernel {
  public:
    explicit constexpr simulated_tcp(const virtual_clock_t& clock) : clock_(clock) {}
    simulated_tcp(const simulated_tcp&) = delete;
    simulated_tcp& operator=(const simulated_tcp&) = delete;

    // What comes is drawn from this seed. Caller: no socket is left.
    void begin(std::uint64_t seed);
    // When something arrives that has not yet; 0: nothing is on its way. Allocates nothing.
    std::int64_t next_change();
    int socket_count();

    bool takes(int family, int type) const override;
    int adopt(int number, int family) override;
    bool has(int number) const override;
    void close(int number) override;
    int bind(int number, const sockaddr* to, std::uint32_t size) override;
    int listen(int number, int backlog) override;
    int accept(int number, int fresh, sockaddr* from, std::uint32_t* from_size) override;
    int connect(int number, const sockaddr* to, std::uint32_t size) override;
    int shutdown(int number, int how) override;
    int get_option(int number, int level, int name, int& value) override;
    int address(int number, bool of_peer, sockaddr* to, std::uint32_t& size) override;
    std::int64_t receive(int number, void* to, std::size_t size, bool stays) override;
    std::int64_t send(int number, const iovec* parts, std::size_t count) override;
    int poll(int number, short events) override;

    static constexpr int numbers_max = 4096, sides_max = 2 * numbers_max;

  private:
    // Moments are of the clock; 0: never.
    struct name {
        unsigned char ip[16] = {};  // IPv4 as RFC 4291, 2.5.5.2 maps it; all 0: any
        std::uint16_t port = 0;
    };
    struct segment {
        std::int64_t at;
        std::size_t size;
    };
    // One direction, with its reader.
    struct stream {
        std::deque<char> bytes;        // what has arrived, then what has not
        std::deque<segment> segments;  // the latter
        std::size_t here = 0;          // how many have arrived
        std::size_t capacity = 0;
        std::int64_t last_at = 0;  // when the last thing arrives: nothing overtakes another
        std::int64_t end_at = 0, reset_at = 0;
    };
    enum class phase : std::uint8_t { fresh, listening, connecting, open };
    struct side {
        phase now = phase::fresh;
        int family = 0;
        int number = -1;  // -1: in a listener's queue
        name local, remote;
        side* peer = nullptr;
        stream in;
        bool has_ended_writes = false, has_ended_reads = false;
        // --- of a listener
        std::size_t backlog = 0;
        std::deque<side*> queue;
        // --- of a client
        std::int64_t asks_at = 0, stands_at = 0, fails_at = 0;
        int tries = 0, failure = 0;
    };
    class turn;

    std::span<side* const> sides() const { return {all_, static_cast<std::size_t>(count_)}; }
    side& make_side();
    std::int64_t latency();
    std::size_t draw_capacity();
    void settle();
    void ask(side& client, std::int64_t at);
    side* listener_at(const name& at) const;
    std::uint16_t free_port();
    void take_arrivals(side& s);
    void reset_peer(side& s);
    void remove(side& s);
    bool stands(const side& s) const;
    bool is_due(std::int64_t moment) const { return moment != 0 && moment <= clock_.peek(); }
    int poll_open(side& s, short events);

    // --- fixed ---------------------------------------------------------------------------------
    const virtual_clock_t& clock_;

    // Held for a call of this kernel's; there is one thread, as a rule.
    atomic<std::uint32_t> in_use_{0};

    // --- owner: who has the turn ----------------------------------------------------------------
    rng rand_;
    std::uint16_t next_port_ = 40'000;
    std::uint32_t way_ = 30'000;  // ns: how long what is not held up takes
    int count_ = 0;
    side* all_[sides_max] = {};                  // as they were made
    atomic<side*> by_number_[numbers_max] = {};  // anyone reads whether there is one
};
inline constinit simulated_tcp simulated_net{virtual_clock};

}  // namespace rota::rt
