// cancel_node: a context that can be cancelled, and its place in the tree.
//
// Two trees lie in one. `parent` leads up through every context and keeps it alive. The lists of
// `below` lead down, past contexts without a cancellation of their own, to the nodes, functions and
// waiters that must hear of a node's end.
//
// Locks are taken downwards only: a node's, then the lock of a node in its list. The canceller
// holds the locks from the top to the node it works at (context/cancel.cpp). So a thread that finds
// a node cancelled under its lock finds everything below it cancelled too. The locks are
// rota::mutex: a tree may be large, and a goroutine that waits for a lock must not hold a thread.
//
// References are counted by 2; bit 0 says that the parent's list knows the node. A node with only
// that bit left is destroyed, unless its end may still be seen.
#pragma once

#include <cstdint>
#include <memory>
#include <system_error>
#include <version>

#include <rota/chan.hpp>
#include <rota/detail/context_engine.hpp>
#include <rota/sync/mutex.hpp>

#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif

#include "base/annotations.hpp"
#include "base/atomic.hpp"

namespace rota::rt {

using detail::cancel_node;
using detail::context_end;
using detail::context_func;
using detail::context_hook;
using detail::context_node;

// A mutex with clang's thread-safety annotations.
class ROTA_CAPABILITY("mutex") tree_lock {
  public:
    void lock() ROTA_ACQUIRE() ROTA_NO_TSA { mu_.lock(); }      // the capability is this object
    void unlock() ROTA_RELEASE() ROTA_NO_TSA { mu_.unlock(); }  // as above

  private:
    rota::mutex mu_;
};

class ROTA_SCOPED_CAPABILITY tree_guard {
  public:
    explicit tree_guard(tree_lock& l) ROTA_ACQUIRE(l) : l_(l) { l_.lock(); }
    ~tree_guard() ROTA_RELEASE() { l_.unlock(); }
    tree_guard(const tree_guard&) = delete;
    tree_guard& operator=(const tree_guard&) = delete;

  private:
    tree_lock& l_;
};

// Doubly linked, in order of arrival. Guarded by the lock of the node that owns the list.
class hook_list {
  public:
    bool empty() const { return first_ == nullptr; }
    void push(context_hook& h);
    void remove(context_hook& h);
    [[nodiscard]] context_hook* pop();  // null if there is none

  private:
    context_hook* first_ = nullptr;
    context_hook* last_ = nullptr;
};

// The state that a node's tokens share; empty if the C++ library has no std::stop_token.
#if defined(__cpp_lib_jthread)
using stop_source = std::stop_source;
inline stop_source no_stop_source() { return stop_source(std::nostopstate); }
#else
struct stop_source {
    bool stop_possible() const { return false; }
};
inline stop_source no_stop_source() { return {}; }
#endif

// The request of a std::stop_token that cancels a node: context/stop_token.cpp.
struct stop_link;
struct stop_link_deleter {
    void operator()(stop_link* link) const noexcept;
};

}  // namespace rota::rt

namespace rota::detail {

struct cancel_node : context_node, context_hook {
    explicit cancel_node(context_node* parent) noexcept;
    cancel_node(context_node* parent, void (*destroyer)(context_node*) noexcept) noexcept;
    ~cancel_node();

    // --- fixed ---------------------------------------------------------------------
    bool timed = false;  // it is a deadline_node
    // the node in whose list this node stands while it lives; null: in none
    cancel_node* const above;
    // The serial number of the bubble in which it and all above it that can be cancelled were made;
    // 0: something outside may end it. Written by its maker.
    std::uint64_t made_in;
    std::unique_ptr<rt::stop_link, rt::stop_link_deleter> link;  // or null

    // --- written under mu, read by anyone ----------------------------------------------
    // How it ended, and `closed_bit` once done has been closed: pairs(context.end)
    static constexpr std::uint8_t closed_bit = 4;
    rt::atomic<std::uint8_t> state{0};
    rt::atomic<bool> has_done{false};  // done is made: pairs(context.done)
    std::error_code cause;             // written before `state`, fixed afterwards
    chan<unit> done;                   // written before `has_done`, fixed afterwards

    // --- guarded by mu -------------------------------------------------------------------
    rt::tree_lock mu;
    rt::hook_list below ROTA_GUARDED_BY(mu);
    rt::stop_source stop ROTA_GUARDED_BY(mu) = rt::no_stop_source();  // of the first stop_token()

    context_end end() const {
        return static_cast<context_end>(
            state.load(std::memory_order_acquire) &  // pairs(context.end)
            ~closed_bit);
    }
    // True if it was alive: it has ended now, and `done` is closed.
    bool mark(context_end why, std::error_code its_cause) ROTA_REQUIRES(mu);
};

}  // namespace rota::detail

namespace rota::rt {

// Puts c, which no other thread knows, into the list of the node above it. If that node has ended,
// ends c as well.
void enter_list(cancel_node& c);

// Stops the timer of a timed node that has ended. Caller: has a reference to it. Never parks.
void forget_deadline(cancel_node& c);

// Requests the stop, if no call has done so; returns when the callbacks that this call runs have
// returned. The standard library identifies the requester by its thread, for callbacks that destroy
// themselves. So the request is made on a thread that runs no goroutine meanwhile. Caller: holds no
// lock of the tree. Parks.
void request_stop(stop_source& source);

// Ends `top` and everything below it. Caller: has a reference to it, and holds no lock of the tree.
// Parks.
void cancel(cancel_node& top, context_end why, std::error_code cause);

}  // namespace rota::rt
