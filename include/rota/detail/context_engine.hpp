// The untyped contexts under rota::context: reference-counted nodes of a tree that know no T.
//
// A node refers to its parent, so the parent lives as long as any handle can see it. A parent lists
// the descendants that it must notify of its end; a node that cannot be cancelled is in no list.
// The tree itself is in src/context.
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>
#include <utility>

#include <rota/detail/atomic.hpp>

namespace rota::detail {

struct cancel_node;  // a context_node that can be cancelled: src/context/cancel_node.hpp

// A null context_node pointer is the background. Each handle counts 2; see context_release.
struct context_node {
    // --- fixed ---------------------------------------------------------------------
    context_node* const parent;  // holds one reference
    cancel_node* canceler;       // the nearest cancellable node, this node included; or null
    const context_node* values;  // the nearest node with a value, this node included; or null
    std::int64_t deadline = 0;   // ns of detail::clock_now(); valid if `bounded`
    bool bounded = false;        // the node has a deadline
    const void* key = nullptr;   // of the value; null: this node has no value
    const void* value = nullptr;
    void (*const destroy)(context_node*) noexcept;  // called by the last release

    // --- anyone writes ----------------------------------------------------------------
    atomic<std::uint64_t> refs{2};  // the last release sees all earlier writes: pairs(context.refs)

    // Takes a reference on `above`.
    context_node(context_node* above, void (*destroyer)(context_node*) noexcept) noexcept;
};

inline void context_retain(context_node* n) noexcept {
    if (n != nullptr)
        n->refs.fetch_add(2u, std::memory_order_relaxed);  // relaxed: the caller holds one
}
// Gives up a reference. The last release destroys the node, and each ancestor that only it held.
void context_release(context_node* n) noexcept;

// Returns a cancellable node below `parent`, with two references: for a handle and for a
// cancel_func. It is cancelled already if the parent is.
context_node* context_make(context_node* parent);
// As context_make, but the node ends at the latest at `when` (ns of clock_now()), with that cause
// if it is not empty.
context_node* context_make_until(context_node* parent, std::int64_t when, std::error_code cause);
// Returns a node below `parent` that no ancestor cancels.
context_node* context_make_shielded(context_node* parent);

enum class context_end : std::uint8_t { live = 0, canceled = 1, deadline_exceeded = 2 };

// Cancels a node made by context_make, and its descendants. An empty cause stands for the error
// itself.
void context_cancel(context_node* n, context_end why, std::error_code cause);

std::error_code context_err(const context_node* n);
std::error_code context_cause(const context_node* n);
// Sleeps until `when` (ns of clock_now()), or until n ends; returns n's error in that case.
std::error_code context_sleep_until(context_node* n, std::int64_t when);

// An entry of a node's list: a child, a function or a waiter that the node notifies of its end.
struct context_hook {
    enum class kind : std::uint8_t { node, func, waiter };
    explicit context_hook(kind k) noexcept : what(k) {}

    // --- fixed ---------------------------------------------------------------------
    const kind what;

    // --- guarded by the lock of the node in whose list it is ------------------------------
    bool listed = false;
    context_hook* next = nullptr;
    context_hook* prev = nullptr;
};

// A function that a cancelled node starts in a new goroutine. It has two references: the first of
// the list or the goroutine, the second of the function that stops it.
struct context_func : context_hook {
    context_func(void (*starter)(context_func*), void (*destroyer)(context_func*)) noexcept
        : context_hook(kind::func), start(starter), destroy(destroyer) {}

    // --- fixed ---------------------------------------------------------------------
    void (*const start)(context_func*);  // takes over the list's reference
    void (*const destroy)(context_func*);

    // --- anyone writes ----------------------------------------------------------------
    atomic<bool> claimed{false};    // set by the first start or stop of it
    atomic<std::uint32_t> refs{2};  // the last release destroys it: pairs(context_func.refs)
};

void context_func_release(context_func* f) noexcept;
// Starts f when n is cancelled; at once if n is cancelled already.
void context_when_cancelled(context_node* n, context_func* f);
// True: this call prevents the start of f. n: the node that f was given to.
bool context_forget(context_node* n, context_func* f);

template <class F>
struct context_func_of : context_func {
    template <class G>
    explicit context_func_of(G&& g)
        : context_func(&start_goroutine, &destroy_this), f(std::forward<G>(g)) {}

    static void start_goroutine(context_func* self);
    static void destroy_this(context_func* self) { delete static_cast<context_func_of*>(self); }

    F f;
};

// Owns one reference on a context_func.
class context_func_ref {
  public:
    explicit context_func_ref(context_func* f) noexcept : f_(f) {}
    context_func_ref(const context_func_ref& other) noexcept : f_(other.f_) {
        if (f_ != nullptr)
            f_->refs.fetch_add(1u, std::memory_order_relaxed);  // relaxed: `other` holds one
    }
    context_func_ref(context_func_ref&& other) noexcept : f_(std::exchange(other.f_, nullptr)) {}
    ~context_func_ref() {
        if (f_ != nullptr) context_func_release(f_);
    }
    context_func_ref& operator=(const context_func_ref&) = delete;
    context_func* get() const noexcept { return f_; }
    context_func* release() noexcept { return std::exchange(f_, nullptr); }

  private:
    context_func* f_;
};

// The address that stands for the key type K.
template <class K>
struct context_key {
    static inline char id = 0;
};

template <class V>
struct context_value_node : context_node {
    template <class U>
    context_value_node(context_node* above, const void* k, U&& u)
        : context_node(above, &destroy_this), held(std::forward<U>(u)) {
        key = k;
        value = &held;
        values = this;
    }
    static void destroy_this(context_node* n) noexcept {
        delete static_cast<context_value_node*>(n);
    }

    V held;
};

inline const void* context_find(const context_node* n, const void* key) noexcept {
    for (n = n != nullptr ? n->values : nullptr; n != nullptr; n = n->parent->values) {
        if (n->key == key) return n->value;
        if (n->parent == nullptr) break;
    }
    return nullptr;
}

}  // namespace rota::detail
