// The untyped contexts under rota::context: nodes of a tree, counted, that know no T.
//
// A node refers to its parent, so what a handle can see lives as long as the handle. A parent lists
// those of its descendants that must hear of its end; what cannot be cancelled is in no list. The
// tree itself is src/context.
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>
#include <utility>

#include <rota/detail/atomic.hpp>

namespace rota::detail {

struct cancel_node;  // a context_node that can be cancelled: src/context/cancel_node.hpp

// Null is the background. Each handle counts 2; see context_release.
struct context_node {
    // --- fixed ---------------------------------------------------------------------
    context_node* const parent;  // this node's own reference
    cancel_node* canceler;       // the nearest that can be cancelled, itself included; or null
    const context_node* values;  // the nearest with a value, itself included; or null
    std::int64_t deadline = 0;   // of detail::clock_now(), if `bounded`
    bool bounded = false;        // there is a deadline
    const void* key = nullptr;   // of the value; null: this node has none
    const void* value = nullptr;
    void (*const destroy)(context_node*) noexcept;  // called when the last reference has gone

    // --- anyone writes ----------------------------------------------------------------
    atomic<std::uint64_t> refs{
        2};  // the last one out sees what the others did: pairs(context.refs)

    // Takes a reference on `above`.
    context_node(context_node* above, void (*destroyer)(context_node*) noexcept) noexcept;
};

inline void context_retain(context_node* n) noexcept {
    if (n != nullptr)
        n->refs.fetch_add(2u, std::memory_order_relaxed);  // relaxed: the caller has one
}
// Gives up a reference; the last one destroys the node, and its parents if it was their last.
void context_release(context_node* n) noexcept;

// A node below `parent` that can be cancelled, with two references: a handle's and a cancel_func's.
// It is cancelled already if the parent is.
context_node* context_make(context_node* parent);
// The same, and it ends at `when`, of clock_now(), at the latest; with that cause then, or none.
context_node* context_make_until(context_node* parent, std::int64_t when, std::error_code cause);
// A node below `parent` that no ancestor cancels.
context_node* context_make_shielded(context_node* parent);

enum class context_end : std::uint8_t { live = 0, canceled = 1, deadline_exceeded = 2 };

// Cancels a node made by context_make, and its descendants; an empty cause is the error itself.
void context_cancel(context_node* n, context_end why, std::error_code cause);

std::error_code context_err(const context_node* n);
std::error_code context_cause(const context_node* n);
// Sleeps until `when`, of clock_now(), or the end of n: its error then.
std::error_code context_sleep_until(context_node* n, std::int64_t when);

// What stands in a node's list: who must hear of its end.
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

// What a node, once cancelled, starts in a goroutine of its own. Two references: the list's or the
// goroutine's, and that of the function that stops it.
struct context_func : context_hook {
    context_func(void (*starter)(context_func*), void (*destroyer)(context_func*)) noexcept
        : context_hook(kind::func), start(starter), destroy(destroyer) {}

    // --- fixed ---------------------------------------------------------------------
    void (*const start)(context_func*);  // takes over the list's reference
    void (*const destroy)(context_func*);

    // --- anyone writes ----------------------------------------------------------------
    atomic<bool> claimed{false};    // it is started or stopped, whoever comes first
    atomic<std::uint32_t> refs{2};  // the last one out destroys: pairs(context_func.refs)
};

void context_func_release(context_func* f) noexcept;
// Starts f when n is cancelled, now if it is.
void context_when_cancelled(context_node* n, context_func* f);
// True if f will not be started, because of this call. n: the node it was given to.
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

// One reference on a context_func.
class context_func_ref {
  public:
    explicit context_func_ref(context_func* f) noexcept : f_(f) {}
    context_func_ref(const context_func_ref& other) noexcept : f_(other.f_) {
        if (f_ != nullptr) f_->refs.fetch_add(1u, std::memory_order_relaxed);  // relaxed: has one
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
