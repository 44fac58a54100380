// The way between a request and its client, and the state that reading and writing share.
//
// The request_reader, the response_sender and the request_watch of an exchange use one
// exchange_wire. On a full-duplex request one goroutine reads the body while another goroutine
// writes. Two locks then guard the shared state:
//
//     shared_mu   guards the end of the body and its error, the request's context and the watch.
//                 No holder waits for the client.
//     head_mu     guards a due "100 Continue", the step of the response's phase to its body, and
//                 the output until then. From then on the output is the writer's.
//
// A holder of head_mu may wait for the client: it writes in front of the body. Only a goroutine
// that must write behind it waits for head_mu, and takes head_mu before shared_mu.
//
// Without full duplex one goroutine does both, and takes no lock.
#pragma once

#include <cstddef>
#include <mutex>

#include <rota/sync/mutex.hpp>

#include "base/atomic.hpp"
#include "http/connection/connection.hpp"
#include "http/exchange/stream_transport.hpp"

namespace rota::http::detail {

// bytes; the most that a string or a map of an exchange keeps for the next borrower
inline constexpr std::size_t kept_max = 16 * 1024;

// A flag that both goroutines of a full-duplex request set and read. relaxed: it hands over
// nothing, and a goroutine that reads it too early meets the failure itself.
class shared_flag {
  public:
    operator bool() const { return set_.load(rt::memory_order_relaxed); }  // relaxed: see above
    shared_flag& operator=(bool set) {
        set_.store(set, rt::memory_order_relaxed);  // relaxed: see above
        return *this;
    }

  private:
    rt::atomic<bool> set_{false};
};

struct exchange_wire {
    std::unique_lock<mutex> lock_shared() {
        return is_duplex ? std::unique_lock(shared_mu) : std::unique_lock<mutex>();
    }
    std::unique_lock<mutex> lock_head() {
        return is_duplex ? std::unique_lock(head_mu) : std::unique_lock<mutex>();
    }
    void reset() noexcept {
        broken = is_duplex = false;
        c = nullptr;
        over = nullptr;
    }

    // --- owner: the goroutine with the exchange; fixed while a handler runs --------------
    connection* c = nullptr;
    stream_transport* over = nullptr;  // null: the exchange has a connection of its own
    bool is_duplex = false;            // two goroutines use the exchange; set before both run

    // --- the reader and the writer -------------------------------------------------------
    shared_flag broken;       // the connection fails: exceptions about it are no news
    shared_flag body_failed;  // the request's body cannot be read to its end
    mutex head_mu, shared_mu;
};

}  // namespace rota::http::detail
