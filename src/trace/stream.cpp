// The chunks' comings and goings.
#include "trace/stream.hpp"

#include "mem/mapped.hpp"

namespace rota::rt {

void trace_list::add(trace_chunk& c) {
    c.next = nullptr;
    if (last != nullptr) last->next = &c;
    else first = &c;
    last = &c;
    ++count;
}

void trace_store::set_limit(std::size_t bytes) {
    const lock_guard guard(mu_);
    limit_ = bytes / trace_chunk::bytes;
}

bool trace_store::renew(trace_stream& s, std::uint64_t now) {
    trace_chunk* c = nullptr;
    {
        const lock_guard guard(mu_);
        if (s.chunk != nullptr) list_.add(*s.chunk);
        s.chunk = nullptr;
        const std::size_t used = in_use_.load(memory_order_relaxed);  // relaxed: under mu_
        if (used >= limit_) {
            ++list_.dropped;
            return false;
        }
        in_use_.store(used + 1, memory_order_relaxed);  // relaxed: as above
        c = free_;
        if (c != nullptr) free_ = c->next;
    }
    if (c == nullptr) c = static_cast<trace_chunk*>(mapped_pages(trace_chunk::bytes));
    c->next = nullptr;
    c->thread = s.thread;
    c->used = 0;
    if (s.last < now) s.last = now;
    c->time = s.last;
    s.chunk = c;
    return true;
}

void trace_store::flush(trace_stream& s) {
    if (s.chunk == nullptr) return;
    const lock_guard guard(mu_);
    list_.add(*s.chunk);
    s.chunk = nullptr;
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
        mapped_free(c, trace_chunk::bytes);
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
