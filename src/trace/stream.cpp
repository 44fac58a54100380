// Moves chunks between streams, the list of a generation and the list of free chunks.
#include "trace/stream.hpp"

#include "mem/mapped.hpp"

namespace rota::rt {

void trace_list::add(trace_chunk& c) {
    c.next = nullptr;
    if (last != nullptr) last->next = &c;
    else first = &c;
    last = &c;
    count += c.counted;
}

void trace_store::set_limit(std::size_t bytes) {
    const lock_guard guard(mu_);
    limit_ = bytes / trace_chunk::bytes;
}

std::size_t trace_store::limit() {
    const lock_guard guard(mu_);
    return limit_ * trace_chunk::bytes;
}

void trace_store::list(trace_stream& s) {
    if (s.chunk == nullptr) return;
    s.chunk->used = static_cast<std::uint64_t>(s.at - s.chunk->data);
    list_.add(*s.chunk);
    s.chunk = nullptr;
    s.at = s.end = nullptr;
}

trace_chunk* trace_store::empty_chunk(bool is_unlimited) {
    {
        const lock_guard guard(mu_);
        const std::size_t used = in_use_.load(memory_order_relaxed);  // relaxed: under mu_
        if (!is_unlimited && used >= limit_) {
            ++list_.dropped;
            return nullptr;
        }
        if (!is_unlimited) in_use_.store(used + 1, memory_order_relaxed);  // relaxed: as above
        if (trace_chunk* const c = free_) {
            free_ = c->next;
            return c;
        }
    }
    if (void* const fresh = mapped_pages_or_null(trace_chunk::bytes, mapped_for::traces))
        return static_cast<trace_chunk*>(fresh);
    const lock_guard guard(mu_);
    if (!is_unlimited)
        in_use_.store(in_use_.load(memory_order_relaxed) - 1,
                      memory_order_relaxed);  // relaxed, both: under mu_
    ++list_.dropped;
    list_.refused = true;
    return nullptr;
}

bool trace_store::renew(trace_stream& s, std::uint64_t now) {
    flush(s);
    trace_chunk* const c = empty_chunk(s.is_unlimited);
    if (c == nullptr) return false;
    c->next = nullptr;
    c->thread = s.thread;
    c->counted = s.is_unlimited ? 0 : 1;
    if (s.last < now) s.last = now;
    c->time = s.last;
    s.chunk = c;
    s.at = c->data;
    s.end = c->data + sizeof c->data;
    return true;
}

void trace_store::drop(bool refused) {
    const lock_guard guard(mu_);
    ++list_.dropped;
    list_.refused = list_.refused || refused;
}

void trace_store::flush(trace_stream& s) {
    if (s.chunk == nullptr) return;
    const lock_guard guard(mu_);
    list(s);
}

trace_list trace_store::take() {
    const lock_guard guard(mu_);
    const trace_list all = list_;
    list_ = {};
    return all;
}

void trace_store::release(trace_list& list, bool keep) {
    {
        const lock_guard guard(mu_);
        in_use_.store(in_use_.load(memory_order_relaxed) - list.count,
                      memory_order_relaxed);  // relaxed, both: under mu_
        if (keep && list.last != nullptr) {
            list.last->next = free_;
            free_ = list.first;
            list.first = nullptr;
        }
    }
    while (trace_chunk* const c = list.first) {
        list.first = c->next;
        mapped_free(c, trace_chunk::bytes, mapped_for::traces);
    }
    list = {};
}

void trace_store::trim() {
    trace_list idle;
    {
        const lock_guard guard(mu_);
        idle.first = free_;
        free_ = nullptr;
    }
    release(idle, false);
}

}  // namespace rota::rt
