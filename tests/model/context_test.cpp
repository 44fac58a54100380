// Explores contexts that threads of the program's own use: cancelling against children, functions
// and waiters that come and go.
#include <cstdlib>
#include <system_error>

#include <gtest/gtest.h>
#include <rota/context.hpp>
#include <rota/sync/weighted_semaphore.hpp>

#include "context/waiter.hpp"
#include "rig.hpp"

namespace {

using namespace rota::rt;
using model::options;
using model::stranger;
using model::stranger_thread;
using rota::detail::context_end;
using rota::detail::context_func;
using rota::detail::context_node;

// Two threads and a node are a few hundred choices; a search must be complete.
options one_departure() { return model::departures(1); }

// A handle, as rota::context holds it.
class handle {
  public:
    explicit handle(context_node* n) : n_(n) {}
    ~handle() { rota::detail::context_release(n_); }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;
    context_node* get() const { return n_; }
    bool ended() const { return static_cast<bool>(rota::detail::context_err(n_)); }
    void cancel() const { rota::detail::context_cancel(n_, context_end::canceled, {}); }

  private:
    context_node* n_;
};

// A node with one handle; with_cancel has two.
context_node* lone(context_node* parent) {
    context_node* const n = rota::detail::context_make(parent);
    rota::detail::context_release(n);
    return n;
}

// Counts its start instead of running a goroutine, and releases the reference that it was started
// with.
struct counted : context_func {
    explicit counted(model::plain<int>& times)
        : context_func(
              [](context_func* f) {
                  auto* const self = static_cast<counted*>(f);
                  self->ran.set(self->ran.get() + 1);
                  rota::detail::context_func_release(f);
              },
              [](context_func* f) { delete static_cast<counted*>(f); }),
          ran(times) {}
    model::plain<int>& ran;
};

TEST(kb50_context, child_that_enters_while_the_parent_ends_is_ended) {
    // A child that entered behind the walk over the list would never hear of the end.
    model::expect_holds(one_departure(), [] {
        const stranger here;
        const handle parent(lone(nullptr));
        stranger_thread canceller("canceller", [&] { parent.cancel(); });
        const handle child(lone(parent.get()));
        canceller.join();
        MODEL_CHECK(child.ended());
    });
}

TEST(kb50_context, cancelled_from_both_ends_everything_below_is_ended) {
    // Parent and child are cancelled at once: neither cancel waits for ever for the other, and a
    // cancel that returns finds every node below ended.
    model::expect_holds(one_departure(), [] {
        const stranger here;
        const handle top(lone(nullptr));
        const handle middle(lone(top.get()));
        const handle leaf(lone(middle.get()));
        stranger_thread other("other", [&] {
            middle.cancel();
            MODEL_CHECK(leaf.ended());
        });
        top.cancel();
        MODEL_CHECK(middle.ended() && leaf.ended());
        other.join();
    });
}

TEST(kb50_context, last_handle_of_a_child_goes_while_the_parent_ends) {
    // The list's reference and the handle's are released at once: one release destroys the node.
    // The explorer reports a second destruction, an access behind it, or a leak.
    model::expect_holds(one_departure(), [] {
        const stranger here;
        const handle parent(lone(nullptr));
        auto* const child = new handle(lone(parent.get()));
        stranger_thread canceller("canceller", [&] { parent.cancel(); });
        delete child;
        canceller.join();
    });
}

TEST(kb50_context, function_is_started_or_stopped_and_never_both) {
    model::expect_holds(one_departure(), [] {
        const stranger here;
        model::plain<int> ran(0);
        bool stopped = false;
        {
            const handle ctx(lone(nullptr));
            auto* const f = new counted(ran);
            rota::detail::context_when_cancelled(ctx.get(), f);
            stranger_thread canceller("canceller", [&] { ctx.cancel(); });
            stopped = rota::detail::context_forget(ctx.get(), f);
            canceller.join();
            rota::detail::context_func_release(f);
        }
        MODEL_CHECK(ran.get() == (stopped ? 0 : 1));
    });
}

TEST(kb50_context, function_that_enters_while_the_context_ends_is_started) {
    model::expect_holds(one_departure(), [] {
        const stranger here;
        model::plain<int> ran(0);
        const handle ctx(lone(nullptr));
        auto* const f = new counted(ran);
        stranger_thread canceller("canceller", [&] { ctx.cancel(); });
        rota::detail::context_when_cancelled(ctx.get(), f);
        canceller.join();
        rota::detail::context_func_release(f);
        MODEL_CHECK(ran.get() == 1);
    });
}

TEST(kb48_context, waiter_is_woken_once_and_its_frame_is_free_behind_it) {
    // Cancelled and granted at once: the later of the two must not touch a frame that is gone.
    model::expect_holds(one_departure(), [] {
        const stranger here;
        const handle ctx(lone(nullptr));
        {
            context_waiter w;
            const bool entered = enlist(ctx.get(), w);
            MODEL_CHECK(entered);
            stranger_thread canceller("canceller", [&] { ctx.cancel(); });
            if (w.claim(context_waiter::outcome::granted)) {
                w.wake();
                (void)w.wait(wait_reason::semacquire, false);
                unlist(ctx.get(), w);
            } else {
                MODEL_CHECK(w.wait(wait_reason::semacquire, false) ==
                            context_waiter::outcome::cancelled);
            }
            canceller.join();
        }
    });
}

TEST(kb48_weighted_semaphore, cancellation_and_release_lose_no_token) {
    model::expect_holds(one_departure(), [] {
        const stranger here;
        rota::weighted_semaphore sem(1);
        MODEL_CHECK(sem.try_acquire());
        auto [ctx, cancel] = rota::with_cancel({});
        stranger_thread waiter("waiter", [&] {
            if (!sem.acquire(ctx)) sem.release();
        });
        stranger_thread canceller("canceller", [&] { cancel(); });
        sem.release();
        waiter.join();
        canceller.join();
        MODEL_CHECK(sem.try_acquire());
    });
}

}  // namespace
