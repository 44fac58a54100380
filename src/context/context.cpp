// Contexts as their handles see them: references, the error and cause, the done channel.
#include <rota/context.hpp>

#include <string>

#include "chan/hchan.hpp"
#include "context/cancel_node.hpp"
#include "context/waiter.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/runtime_entry.hpp"

namespace rota {

using namespace rota::rt;

namespace {

class context_errors final : public std::error_category {
  public:
    constexpr context_errors() noexcept = default;
    const char* name() const noexcept override { return "context"; }
    std::string message(int code) const override {
        switch (static_cast<context_errc>(code)) {
            case context_errc::canceled: return "context canceled";
            case context_errc::deadline_exceeded: return "context deadline exceeded";
        }
        return "unknown context error " + std::to_string(code);
    }
    std::error_condition default_error_condition(int code) const noexcept override {
        switch (static_cast<context_errc>(code)) {
            case context_errc::canceled: return std::errc::operation_canceled;
            case context_errc::deadline_exceeded: return std::errc::timed_out;
        }
        return {code, *this};
    }
};

// Never destroyed: goroutines may read an error while the process ends.
union errors_for_good {
    context_errors value{};
    constexpr errors_for_good() noexcept {}
    ~errors_for_good() {}
};
constinit errors_for_good errors;

}  // namespace

const std::error_category& context_category() noexcept { return errors.value; }

recv_chan<unit> context::done() const {
    cancel_node* const c = n_ != nullptr ? n_->canceler : nullptr;
    if (c == nullptr) return {};
    if (c->has_done.load(memory_order_acquire)) return c->done;  // pairs(context.done)
    const tree_guard guard(c->mu);
    if (!c->has_done.load(memory_order_relaxed)) {  // relaxed: under mu
        c->done = make_chan<unit>();
        // It is closed by the canceller, not by the goroutine that asks first.
        if (c->made_in != current_bubble())
            chan_set_bubble(*detail::engine_of(c->done), c->made_in);
        if (c->end() != context_end::live) c->done.close();
        c->has_done.store(true, memory_order_release);  // pairs(context.done)
    }
    return c->done;
}

}  // namespace rota

namespace rota::detail {

namespace {

// Whether the end of a node cannot be seen any more, when only its list's reference is left: no
// channel with another handle, no token, no function.
bool is_forgotten(cancel_node& c) {
    const tree_guard guard(c.mu);
    const bool awaited = c.has_done.load(memory_order_relaxed) &&  // relaxed: under mu
                         engine_of(c.done)->refs.load(    // relaxed: only the node's handle
                             memory_order_relaxed) != 1;  // could still be copied
    return !awaited && !c.stop.stop_possible() && c.below.empty();
}

// The caller's reference is the last but for the list's. Takes the node out of the list. False: the
// canceller has taken it out, and gives up the list's reference.
bool take_from_list(cancel_node& c) {
    const tree_guard guard(c.above->mu);
    if (!c.listed) return false;
    c.above->below.remove(c);
    return true;
}

// Gives up one reference; true if it was the last.
bool drop(context_node& n) noexcept {
    std::uint64_t seen = n.refs.load(memory_order_acquire);  // pairs(context.refs)
    for (;;) {
        // No thread copies from 3, since the caller's handle is the only one; a request to stop may
        // still add to it.
        if (seen == 3) {
            auto& c = static_cast<cancel_node&>(n);
            const std::uint64_t ours = is_forgotten(c) && take_from_list(c) ? 3 : 2;
            return n.refs.fetch_sub(ours, memory_order_acq_rel) == ours;  // pairs(context.refs)
        }
        if (n.refs.compare_exchange(seen, seen - 2, memory_order_acq_rel,  // pairs(context.refs)
                                    memory_order_acquire)) {               // pairs(context.refs)
            return seen == 2;
        }
    }
}

}  // namespace

void context_release(context_node* n) noexcept {
    // Not by recursion: a chain of contexts may be long.
    while (n != nullptr && drop(*n)) {
        context_node* const parent = n->parent;
        n->destroy(n);
        n = parent;
    }
}

std::error_code context_err(const context_node* n) {
    const cancel_node* const c = n != nullptr ? n->canceler : nullptr;
    if (c == nullptr) return {};
    const std::uint8_t seen = c->state.load(memory_order_acquire);  // pairs(context.end)
    if (seen == 0) return {};
    // A caller that knows the error must find the channel closed.
    if ((seen & cancel_node::closed_bit) == 0) (void)c->done.recv();
    return make_error_code(static_cast<context_errc>(c->end()));
}

std::error_code context_cause(const context_node* n) {
    const cancel_node* const c = n != nullptr ? n->canceler : nullptr;
    return c != nullptr && c->end() != context_end::live ? c->cause : std::error_code();
}

void context_func_release(context_func* f) noexcept {
    if (f->refs.fetch_sub(1, memory_order_acq_rel) == 1) f->destroy(f);  // pairs(context_func.refs)
}

}  // namespace rota::detail

namespace rota::rt {

void context_waiter::wake() {
    const runtime_entry inside;
    open_for_good(word);
}

bool is_ended_outside(const detail::context_node* n) {
    const std::uint64_t here = current_bubble();
    return here != 0 && n != nullptr && n->canceler != nullptr && n->canceler->made_in != here;
}

context_waiter::outcome context_waiter::wait(wait_reason why, bool outside) {
    const runtime_entry inside;
    wait_for_opening(word, why, outside);
    return claimed.load(memory_order_relaxed);  // relaxed: the waking passes it on
}

}  // namespace rota::rt
