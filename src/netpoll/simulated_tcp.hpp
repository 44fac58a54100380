// TCP in this process's memory, for repeatable runs (GODEBUG=schedseed): whole connections of
// clients and servers, whose bytes arrive when the seed says, by the virtual clock.
//
// Between begin() and the end of the tests that want it, calls on TCP sockets are done here, and
// descriptors are only numbers. It is a small TCP, but no kinder than the true one:
//
//   * sent bytes arrive later and in order, a piece at a time; a segment that is lost now and then
//     holds up the segments behind it;
//   * a buffer has an end: a writer of more than fits is told how much was taken, and then waits
//   for
//     the reader;
//   * a connection takes its time, and is refused where nothing listens; a listener whose queue is
//     full does not answer, and the client tries again after a second, and after two, as Linux
//     does;
//   * a side may end while its peer goes on; a side that goes with unread bytes, or that gets bytes
//     after it has gone, resets.
//
//     connecting ─── room in the queue of a listener ───► open ─── shutdown, close, reset
//        │  ▲ └───── nothing listens ──► refused
//        └──┘ the queue is full
//
// Absent: addresses of the machine's own (every address is local), options (each is accepted, none
// has an effect), urgent data. Nothing here sends to, or receives from, the network.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "base/atomic.hpp"
#include "base/rand.hpp"
#include "sys/call/clock.hpp"
#include "sys/io/socket_kernel.hpp"

namespace rota::rt {

class simulated_tcp final : public socket_kernel {
  public:
    explicit constexpr simulated_tcp(const virtual_clock_t& clock) : clock_(clock) {}
    simulated_tcp(const simulated_tcp&) = delete;
    simulated_tcp& operator=(const simulated_tcp&) = delete;

    // Draws the events from this seed. Caller: no socket is left.
    void begin(std::uint64_t seed);
    // The moment of the next arrival; 0: nothing is under way. Allocates nothing.
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
        std::deque<char> bytes;        // the arrived bytes, then the bytes under way
        std::deque<segment> segments;  // the bytes under way
        std::size_t here = 0;          // number of arrived bytes
        std::size_t capacity = 0;
        std::int64_t last_at = 0;  // when the last segment arrives: none overtakes another
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

    // Held for a call of this kernel; as a rule there is one thread.
    atomic<std::uint32_t> in_use_{0};

    // --- owner: the holder of the turn ---
    rng rand_;
    std::uint16_t next_port_ = 40'000;
    std::uint32_t way_ = 30'000;  // ns: latency without a delay
    int count_ = 0;
    side* all_[sides_max] = {};                  // in the order of their creation
    atomic<side*> by_number_[numbers_max] = {};  // any thread reads whether it is null
};
inline constinit simulated_tcp simulated_net{virtual_clock};

}  // namespace rota::rt
