// Keeps the idle connections of a client.
//
// The connections to one destination are a stack: the connection that was used last has given its
// server the least time to close it. No goroutine reads an idle connection; take() checks that it
// is still quiet. A timer closes connections that have been kept for too long. It holds the pool
// weakly: when the client goes, its connections go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rota/http.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/time.hpp>

#include "http/client/client_stream.hpp"
#include "http/message/buffer.hpp"

namespace rota::http::detail {

struct client_connection {
    client_connection(net::conn socket, std::string to)
        : wire(std::move(socket)), destination(std::move(to)) {}

    client_stream wire;
    input_buffer in;
    const std::string destination;
    std::int64_t idle_since = 0;
};

class idle_pool : public std::enable_shared_from_this<idle_pool> {
  public:
    explicit idle_pool(const client_options& o);
    ~idle_pool();
    idle_pool(const idle_pool&) = delete;
    idle_pool& operator=(const idle_pool&) = delete;

    // A quiet connection to that destination, or null.
    std::unique_ptr<client_connection> take(const std::string& destination);
    // Keeps the connection, or closes it. Caller: has read the last answer, and nothing is behind
    // it.
    void give_back(std::unique_ptr<client_connection> c) noexcept;
    void close_all() noexcept;

  private:
    using connections = std::vector<std::unique_ptr<client_connection>>;  // the oldest first

    bool is_expired(const client_connection& c, std::int64_t now) const;
    std::unique_ptr<client_connection> take_last(const std::string& destination);
    void keep(std::unique_ptr<client_connection>& c, connections& closed);
    void drop_oldest(connections& closed);
    void close_expired();
    void arm(clock::duration d);

    // --- fixed -----------------------------------------------------------------------
    const std::size_t per_host_max_, all_max_;
    const clock::duration idle_timeout_;

    // --- guarded by mu_ ----------------------------------------------------------------
    mutex mu_;
    std::map<std::string, connections> idle_;
    std::size_t count_ = 0;
    timer reaper_;  // runs while there is a connection to be closed
    bool has_reaper_ = false, is_armed_ = false;
};

}  // namespace rota::http::detail
