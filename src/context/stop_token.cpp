// Links contexts and std::stop_token, in both directions.
//
// The callbacks of a stop state belong to the standard library, which knows threads only. The
// removal of a running callback blocks the thread until the callback has returned. It does not wait
// on the thread that requests the stop, since there the callback must be removing itself. A
// goroutine may leave the thread in the middle of a callback, and the next goroutine on that thread
// would be taken for it. So a stop is requested, and a callback of rota that may be running is
// removed, by a thread that runs no goroutine meanwhile, and never from within that callback.
#include <rota/context.hpp>
#include <rota/detail/spawn.hpp>

#include "context/cancel_node.hpp"
#include "sched/thread/os_thread_call.hpp"
#include "sched/thread/syscall.hpp"

#if defined(__cpp_lib_jthread)

namespace rota::rt {

struct stop_link {
    struct request {
        cancel_node* c;
        void operator()() const noexcept;
    };
    stop_link(std::stop_token its_token, cancel_node* c)
        : token(std::move(its_token)), callback(token, request{c}) {}

    const std::stop_token token;
    std::stop_callback<request> callback;
};

namespace {

// Takes a reference, unless the last reference has gone and the node is about to be destroyed.
bool try_retain(context_node& n) {
    std::uint64_t seen = n.refs.load(memory_order_relaxed);  // relaxed: only the count matters
    while (seen != 0) {
        if (n.refs.compare_exchange(seen, seen + 2, memory_order_relaxed,  // relaxed: as above
                                    memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

}  // namespace

// Runs in the requester of the stop. The node cannot go before this returns. The last reference may
// be the one taken here: it is given up elsewhere, since the node's end waits for this call.
void stop_link::request::operator()() const noexcept {
    if (!try_retain(*c)) return;
    context held = context::adopt(c);
    detail::context_cancel(c, context_end::canceled, {});
    detail::spawn_any(0, {}, [held = std::move(held)] {});
}

void stop_link_deleter::operator()(stop_link* link) const noexcept {
    entersyscall();
    // Who requests the stop from here on is another thread, for this one is ours.
    const bool apart = link->token.stop_requested();
    if (!apart) delete link;
    exitsyscall();
    if (!apart) return;
    call_on_os_thread([](void* l) { delete static_cast<stop_link*>(l); }, link);
}

void request_stop(stop_source& source) {
    if (!source.stop_possible() || source.stop_requested()) return;
    call_on_os_thread([](void* s) { static_cast<stop_source*>(s)->request_stop(); }, &source);
}

}  // namespace rota::rt

namespace rota {

using namespace rota::rt;

std::pair<context, cancel_func> with_stop_token(context parent, std::stop_token token) {
    auto made = with_cancel(std::move(parent));
    if (token.stop_possible()) {
        auto* const c = static_cast<cancel_node*>(made.first.node());
        c->made_in = 0;  // any thread may request the stop
        c->link.reset(new stop_link(std::move(token), c));
    }
    return made;
}

std::stop_token context::stop_token() const {
    cancel_node* const c = n_ != nullptr ? n_->canceler : nullptr;
    if (c == nullptr) return {};
    stop_source source = no_stop_source();
    bool ended = false;
    {
        const tree_guard guard(c->mu);
        ended = c->end() != context_end::live;
        if (!c->stop.stop_possible()) {
            c->stop = stop_source();
            if (ended) c->stop.request_stop();  // nobody knows it: there is no callback to run
        }
        source = c->stop;
    }
    if (ended) request_stop(source);  // who cancels may not have come to it yet
    return source.get_token();
}

}  // namespace rota

#else  // the C++ library has no std::stop_token

namespace rota::rt {

void stop_link_deleter::operator()(stop_link*) const noexcept {}
void request_stop(stop_source&) {}

}  // namespace rota::rt

#endif
