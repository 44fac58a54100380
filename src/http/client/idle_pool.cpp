// Keeps a client's idle connections, gives them out again, and closes them.
#include "http/client/idle_pool.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include <rota/detail/time_engine.hpp>

namespace rota::http::detail {

idle_pool::idle_pool(const client_options& o)
    : per_host_max_(o.keep_alive ? o.max_idle_per_host : 0),
      all_max_(std::max(o.max_idle, o.max_idle_per_host)),
      idle_timeout_(o.idle_timeout) {}

idle_pool::~idle_pool() {
    if (has_reaper_) reaper_.stop();
}

bool idle_pool::is_expired(const client_connection& c, std::int64_t now) const {
    return idle_timeout_.count() > 0 &&
           rota::detail::saturated_add(c.idle_since, idle_timeout_.count()) <= now;
}

std::unique_ptr<client_connection> idle_pool::take_last(const std::string& destination) {
    const std::lock_guard guard(mu_);
    const auto found = idle_.find(destination);
    if (found == idle_.end()) return nullptr;
    std::unique_ptr<client_connection> last = std::move(found->second.back());
    found->second.pop_back();
    if (found->second.empty()) idle_.erase(found);
    --count_;
    return last;
}

// Closes the connections on its way that are not good any more.
std::unique_ptr<client_connection> idle_pool::take(const std::string& destination) {
    for (;;) {
        std::unique_ptr<client_connection> c = take_last(destination);
        if (c == nullptr) return nullptr;
        if (!is_expired(*c, rota::detail::clock_now()) && c->wire.is_quiet()) return c;
    }
}

void idle_pool::give_back(std::unique_ptr<client_connection> c) noexcept {
    if (per_host_max_ == 0) return;
    c->wire.limit(0);
    c->in.shrink();
    c->idle_since = rota::detail::clock_now();
    connections closed;  // destroyed without the lock: a close may wait
    try {
        const std::lock_guard guard(mu_);
        keep(c, closed);
    } catch (const std::bad_alloc&) {  // no memory: c is closed
    }
}

// Caller: holds mu_.
void idle_pool::keep(std::unique_ptr<client_connection>& c, connections& closed) {
    if (idle_timeout_.count() > 0 && !is_armed_) arm(idle_timeout_);
    const auto found = idle_.find(c->destination);
    if (found != idle_.end() && found->second.size() >= per_host_max_) return;
    closed.reserve(1);
    connections& of_one = found == idle_.end() ? idle_[c->destination] : found->second;
    try {
        of_one.push_back(nullptr);
    } catch (...) {
        if (of_one.empty()) idle_.erase(c->destination);
        throw;
    }
    of_one.back() = std::move(c);
    if (++count_ > all_max_) drop_oldest(closed);
}

// Caller: holds mu_; there is room in `closed`.
void idle_pool::drop_oldest(connections& closed) {
    const auto oldest =
        std::min_element(idle_.begin(), idle_.end(), [](const auto& a, const auto& b) {
            return a.second.front()->idle_since < b.second.front()->idle_since;
        });
    connections& of_one = oldest->second;
    closed.push_back(std::move(of_one.front()));
    of_one.erase(of_one.begin());
    if (of_one.empty()) idle_.erase(oldest);
    --count_;
}

void idle_pool::close_all() noexcept {
    std::map<std::string, connections> all;
    {
        const std::lock_guard guard(mu_);
        all.swap(idle_);
        count_ = 0;
    }
}

// Caller: holds mu_.
void idle_pool::arm(clock::duration d) {
    if (has_reaper_) {
        reaper_.reset(d);
    } else {
        reaper_ = after_func(d, [known = weak_from_this()] {
            if (const std::shared_ptr<idle_pool> self = known.lock()) self->close_expired();
        });
        has_reaper_ = true;
    }
    is_armed_ = true;
}

// Runs on the timer's goroutine. The oldest connections of each stack lie in front.
void idle_pool::close_expired() {
    std::map<std::string, connections> closed;  // destroyed without the lock
    const std::lock_guard guard(mu_);
    const std::int64_t now = rota::detail::clock_now();
    std::int64_t next = 0;
    is_armed_ = false;
    for (auto at = idle_.begin(); at != idle_.end();) {
        const auto here = at++;
        connections& all = here->second;
        const auto fresh = std::find_if(all.begin(), all.end(),
                                        [&](const auto& c) { return !is_expired(*c, now); });
        count_ -= static_cast<std::size_t>(fresh - all.begin());
        if (fresh == all.end()) {
            closed.insert(idle_.extract(here));
            continue;
        }
        all.erase(all.begin(), fresh);
        const std::int64_t since = all.front()->idle_since;
        if (next == 0 || since < next) next = since;
    }
    if (next != 0) arm(clock::duration{next + idle_timeout_.count() - now});
}

}  // namespace rota::http::detail
