// Cancels a context and every node, function and waiter that depends on it. Go: cancelCtx.cancel,
// propagateCancel, removeChild.
//
// A walk without recursion goes down into each list, with the locks of the path held, and up again
// when a list is empty. On the way it gathers the work that runs foreign code or destroys an
// object, and does that work when it holds no lock: the functions' goroutines, the callbacks of
// std::stop_token, and nodes that have lost their last reference.
#include <rota/context.hpp>

#include "base/check.hpp"
#include "base/fatal.hpp"
#include "context/cancel_node.hpp"
#include "context/waiter.hpp"
#include "sched/base/bubble.hpp"
#include "sched/goroutine/destroyed.hpp"

namespace rota::rt {

void hook_list::push(context_hook& h) {
    h.next = nullptr;
    h.prev = last_;
    if (last_ == nullptr) first_ = &h;
    else last_->next = &h;
    last_ = &h;
    h.listed = true;
}

void hook_list::remove(context_hook& h) {
    if (h.prev == nullptr) first_ = h.next;
    else h.prev->next = h.next;
    if (h.next == nullptr) last_ = h.prev;
    else h.next->prev = h.prev;
    h.listed = false;
}

context_hook* hook_list::pop() {
    context_hook* const h = first_;
    if (h != nullptr) remove(*h);
    return h;
}

namespace {

// Hooks that have been taken out of their lists, in order.
class hook_chain {
  public:
    void push(context_hook& h) {
        h.next = nullptr;
        *end_ = &h;
        end_ = &h.next;
    }
    template <class F>
    void drain(F each) {
        while (first_ != nullptr) {
            context_hook& h = *first_;
            first_ = h.next;
            each(h);
        }
    }

  private:
    context_hook* first_ = nullptr;
    context_hook** end_ = &first_;
};

struct aftermath {
    hook_chain nodes;  // with the references of their former lists
    hook_chain funcs;  // with the references of their former lists
};

void drop_listing(cancel_node& c) noexcept {
    // The last handle may have gone meanwhile: then the list's reference is the last.
    if (c.refs.fetch_sub(1, memory_order_acq_rel) != 1) return;  // pairs(context.refs)
    context_node* const parent = c.parent;
    c.destroy(&c);
    detail::context_release(parent);
}

// Takes c out of the list above it. Caller: has a reference, so the list's reference is not the
// last.
void leave_list(cancel_node& c) {
    if (c.above == nullptr) return;
    bool was = false;
    {
        const tree_guard guard(c.above->mu);
        was = c.listed;
        if (was) c.above->below.remove(c);
    }
    if (was) c.refs.fetch_sub(1, memory_order_release);  // pairs(context.refs)
}

void start(context_func& f) noexcept {
    try {
        f.start(&f);
    } catch (...) {
        fatal("no memory for the goroutine of a context's after_func", trace_scope::current);
    }
}

// Marks the nodes below `top`, cancels their waiters, and gathers the rest of the work in `out`.
// Caller: has locked and marked `top`. Releases its lock.
void walk_down(cancel_node& top, context_end why, std::error_code cause,
               aftermath& out) ROTA_NO_TSA {  // the locks of a path of any length
    cancel_node* at = &top;
    while (at != nullptr) {
        context_hook* const h = at->below.pop();
        if (h == nullptr) {
            cancel_node* const next = at == &top ? nullptr : at->above;
            at->mu.unlock();
            at = next;
        } else if (h->what == context_hook::kind::waiter) {
            static_cast<context_waiter*>(h)->cancel();
        } else if (h->what == context_hook::kind::func) {
            out.funcs.push(*h);
        } else {
            auto* const c = static_cast<cancel_node*>(h);
            out.nodes.push(*c);
            c->mu.lock();
            if (c->mark(why, cause)) at = c;
            else c->mu.unlock();
        }
    }
}

void request_stop_of(cancel_node& c) {
    stop_source source = no_stop_source();
    {
        const tree_guard guard(c.mu);
        source = c.stop;
    }
    request_stop(source);
}

void finish(aftermath& out) {
    out.funcs.drain([](context_hook& h) {
        auto& f = static_cast<context_func&>(h);
        if (!f.claimed.exchange(true, memory_order_relaxed)) start(f);  // relaxed: the first wins
        else detail::context_func_release(&f);
    });
    out.nodes.drain([](context_hook& h) {
        auto& c = static_cast<cancel_node&>(h);
        if (c.timed) forget_deadline(c);
        request_stop_of(c);
        drop_listing(c);
    });
}

}  // namespace

void cancel(cancel_node& top, context_end why,
            std::error_code cause) ROTA_NO_TSA {  // walk_down unlocks
    aftermath out;
    top.mu.lock();  // waits for another call that walks here
    if (!top.mark(why, cause)) return top.mu.unlock();
    // A token that is asked for later finds the end by itself.
    const bool has_token = top.stop.stop_possible();
    walk_down(top, why, top.cause, out);
    leave_list(top);
    if (top.timed) forget_deadline(top);
    if (has_token) request_stop_of(top);
    finish(out);
}

void enter_list(cancel_node& c) {
    if (c.above == nullptr) return;
    cancel_node& above = *c.above;
    {
        const tree_guard guard(above.mu);
        if (above.end() == context_end::live) {
            c.refs.fetch_add(1, memory_order_relaxed);  // relaxed: no other thread knows it
            above.below.push(c);
            return;
        }
    }
    const tree_guard guard(c.mu);
    c.mark(above.end(), above.cause);
}

bool enlist(context_node* n, context_waiter& w) {
    if (n == nullptr || n->canceler == nullptr) return true;
    cancel_node& c = *n->canceler;
    const tree_guard guard(c.mu);
    if (c.end() != context_end::live) return false;
    c.below.push(w);
    return true;
}

void unlist(context_node* n, context_waiter& w) {
    if (n == nullptr || n->canceler == nullptr) return;
    cancel_node& c = *n->canceler;
    const tree_guard guard(c.mu);
    if (w.listed) c.below.remove(w);
}

}  // namespace rota::rt

namespace rota::detail {

using namespace rota::rt;

void context_cancel(context_node* n, context_end why, std::error_code cause) {
    cancel(*n->canceler, why, cause);
}

void context_when_cancelled(context_node* n, context_func* f) {
    if (n == nullptr || n->canceler == nullptr) return context_func_release(f);
    {
        cancel_node& c = *n->canceler;
        const tree_guard guard(c.mu);
        if (c.end() == context_end::live) return c.below.push(*f);
    }
    if (!f->claimed.exchange(true, memory_order_relaxed)) start(*f);  // relaxed: the first wins
    else context_func_release(f);
}

bool context_forget(context_node* n, context_func* f) {
    if (f->claimed.exchange(true, memory_order_relaxed)) return false;  // relaxed: the first wins
    if (n == nullptr || n->canceler == nullptr) return true;
    bool was = false;
    {
        cancel_node& c = *n->canceler;
        const tree_guard guard(c.mu);
        was = f->listed;
        if (was) c.below.remove(*f);
    }
    if (was) context_func_release(f);
    return true;
}

context_node::context_node(context_node* above, void (*destroyer)(context_node*) noexcept) noexcept
    : parent(above),
      canceler(above != nullptr ? above->canceler : nullptr),
      values(above != nullptr ? above->values : nullptr),
      destroy(destroyer) {
    if (above == nullptr) return;
    deadline = above->deadline;
    bounded = above->bounded;
    context_retain(above);
}

cancel_node::cancel_node(context_node* its_parent) noexcept
    : cancel_node(its_parent,
                  [](context_node* n) noexcept { delete static_cast<cancel_node*>(n); }) {}

cancel_node::cancel_node(context_node* its_parent,
                         void (*destroyer)(context_node*) noexcept) noexcept
    : context_node(its_parent, destroyer),
      context_hook(kind::node),
      above(canceler),
      made_in(current_bubble()) {
    if (above != nullptr && above->made_in != made_in) made_in = 0;
    canceler = this;
}

// Only functions can be left below: a node, and the handle of a waiter, keeps the nodes above it.
cancel_node::~cancel_node() ROTA_NO_TSA {  // no other thread uses it
    while (context_hook* const h = below.pop()) {
        if (h->what == context_hook::kind::func)
            context_func_release(static_cast<context_func*>(h));
        else  // a waiter refers to a handle that is not its own and is gone
            report_destroyed("context", find_waiter(static_cast<context_waiter*>(h)->word),
                             held_by::value);
    }
}

bool cancel_node::mark(context_end why, std::error_code its_cause) {
    if (state.load(memory_order_relaxed) != 0) return false;  // relaxed: under mu
    const auto ended = static_cast<std::uint8_t>(why);
    cause = its_cause ? its_cause : make_error_code(static_cast<context_errc>(why));
    if (has_done.load(memory_order_relaxed)) {     // relaxed: under mu
        state.store(ended, memory_order_release);  // pairs(context.end)
        done.close();
    }
    state.store(ended | closed_bit, memory_order_release);  // pairs(context.end)
    return true;
}

context_node* context_make(context_node* parent) {
    auto* const c = new cancel_node(parent);
    c->refs.fetch_add(2, memory_order_relaxed);  // relaxed: no other thread knows it
    enter_list(*c);
    return c;
}

context_node* context_make_shielded(context_node* parent) {
    struct shielded final : context_node {
        explicit shielded(context_node* above) noexcept
            : context_node(above,
                           [](context_node* n) noexcept { delete static_cast<shielded*>(n); }) {
            canceler = nullptr;
            bounded = false;
        }
    };
    return new shielded(parent);
}

}  // namespace rota::detail
