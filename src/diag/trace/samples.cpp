// Moves samples from the handlers' queue into the samples of a generation.
#include "diag/trace/samples.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include "mem/mapped.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

void trace_samples_t::make_room() {
    if (ring_.load(memory_order_acquire) != nullptr) return;  // pairs(samples.trace)
    void* const pages = mapped_pages_or_null(sizeof(sample_queue), mapped_for::traces);
    if (pages == nullptr) return;
    auto* const ring = new (pages) sample_queue;
    ring->init();
    ring_.store(ring, memory_order_release);  // pairs(samples.trace)
}

void trace_samples_t::add(const cpu_sample& s) {
    sample_queue* const ring = ring_.load(memory_order_acquire);  // pairs(samples.trace)
    if (ring == nullptr) return;
    std::uint64_t ticket = 0;
    cpu_sample* const its = ring->claim(ticket);
    if (its == nullptr) return;
    its->copy(s);
    ring->publish(ticket);
}

void trace_samples_t::prepare() {
    if (kept_ == nullptr) kept_ = new std::vector<traced_sample>;
}

void trace_samples_t::begin() {
    began_ = nanotime();
    is_wanted_.store(true, memory_order_relaxed);  // relaxed: see is_wanted
}

void trace_samples_t::end() {
    is_wanted_.store(false, memory_order_relaxed);  // relaxed: see is_wanted
    std::vector<traced_sample>().swap(*kept_);
}

void trace_samples_t::keep(const cpu_sample& s) noexcept {
    if (s.time < began_ || kept_->size() >= kept_max) return;
    try {
        kept_->push_back({s.time, s.thread, s.p, s.goroutine, {s.pcs, s.pcs + s.size}});
    } catch (const std::bad_alloc&) {
        // the sample is missing
    }
}

void trace_samples_t::collect() {
    sample_queue* const ring = ring_.load(memory_order_acquire);  // pairs(samples.trace)
    if (ring == nullptr) return;
    while (const cpu_sample* const s = ring->take()) {
        keep(*s);
        ring->give_back();
    }
}

std::vector<traced_sample> trace_samples_t::take_until(std::int64_t time) {
    collect();
    std::vector<traced_sample> taken;
    taken.swap(*kept_);
    const auto later = std::partition(taken.begin(), taken.end(),
                                      [&](const traced_sample& s) { return s.time < time; });
    try {
        kept_->assign(std::make_move_iterator(later), std::make_move_iterator(taken.end()));
    } catch (const std::bad_alloc&) {
        // the later samples are missing
    }
    taken.erase(later, taken.end());
    return taken;
}

}  // namespace rota::rt
