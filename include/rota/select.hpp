// Waiting on several channels at once. Go: select.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <rota/chan.hpp>
#include <rota/detail/select_engine.hpp>
#include <rota/detail/select_places.hpp>

namespace rota {

namespace detail {

struct do_nothing {
    void operator()() const {}
};

// --- cases ---------------------------------------------------------------------------------------
// Handle: a reference to the caller's channel, or the channel if the caller's was a temporary.

template <class T, class Handle, class F>
class recv_case {
  public:
    static constexpr bool is_default = false, needs_prepare = false;

    recv_case(Handle&& c, F&& f) : c_(std::forward<Handle>(c)), f_(std::move(f)) {}

    void describe(select_case& s) { s.set(engine_of(c_), place_.address(), false); }
    void prepare() {}
    void hand_over() {}
    void restore() {}
    void abandon(bool ok) {
        if (ok) (void)place_.take();
    }
    void finish(bool ok) {
        if constexpr (std::is_invocable_v<F&, std::optional<T>>) {
            f_(ok ? place_.take() : std::optional<T>());
        } else {
            abandon(ok);
            f_();
        }
    }
    void run() { finish(chan_recv(engine_of(c_), place_.address(), true) == chan_result::ok); }
    bool run_now() {
        const chan_result r = chan_try_recv(engine_of(c_), place_.address());
        if (r == chan_result::would_block) return false;
        finish(r == chan_result::ok);
        return true;
    }

  private:
    Handle c_;
    [[no_unique_address]] F f_;
    recv_place<T> place_;
};

template <class T, class Handle, class Value, class F>
class send_case {
  public:
    static constexpr bool is_default = false;
    using place_type = case_send_place<T, Value>;
    static constexpr bool needs_prepare = place_type::needs_prepare;

    template <class V>
    send_case(Handle&& c, V&& v, F&& f)
        : c_(std::forward<Handle>(c)), f_(std::move(f)), place_(std::forward<V>(v)) {}

    void describe(select_case& s) { s.set(engine_of(c_), place_.address(), true); }
    void prepare() { place_.prepare(); }
    void hand_over() {
        if constexpr (needs_prepare) place_.sent();
    }
    void restore() { place_.restore(); }
    void abandon(bool ok) {
        if (ok) place_.sent();
        else place_.restore();
    }
    place_type& place() { return place_; }
    void finish(bool ok) {
        abandon(ok);
        if (!ok) panic_send_on_closed();
        f_();
    }
    void run() {
        place_.prepare();
        finish(chan_send(engine_of(c_), place_.address(), true) == chan_result::ok);
    }
    bool run_now() {
        if (needs_prepare && !chan_is_sendable(engine_of(c_))) return false;
        place_.prepare();
        const chan_result r = chan_try_send(engine_of(c_), place_.address());
        if (r == chan_result::would_block) place_.restore();
        else finish(r == chan_result::ok);
        return r != chan_result::would_block;
    }

  private:
    Handle c_;
    [[no_unique_address]] F f_;
    place_type place_;
};

template <class F>
class default_case {
  public:
    static constexpr bool is_default = true, needs_prepare = false;

    explicit default_case(F&& f) : f_(std::move(f)) {}

    void describe(select_case& s) { s.set(nullptr, nullptr, false); }
    void prepare() {}
    void hand_over() {}
    void restore() {}
    void abandon(bool) {}
    void finish(bool) { f_(); }
    void run() { f_(); }
    bool run_now() { return false; }

  private:
    [[no_unique_address]] F f_;
};

template <class C>
inline constexpr bool may_share = false;
template <class T, class Handle, class Value, class F>
inline constexpr bool may_share<send_case<T, Handle, Value, F>> =
    is_shared_place<case_send_place<T, Value>>;

template <class C>
inline constexpr bool is_case = false;
template <class T, class Handle, class F>
inline constexpr bool is_case<recv_case<T, Handle, F>> = true;
template <class T, class Handle, class Value, class F>
inline constexpr bool is_case<send_case<T, Handle, Value, F>> = true;
template <class F>
inline constexpr bool is_case<default_case<F>> = true;

// The element type of a channel, by the side from which it is used.
template <class C>
struct receivable {};
template <class C>
struct sendable {};
template <class T>
struct receivable<chan<T>> {
    using type = T;
};
template <class T>
struct receivable<recv_chan<T>> {
    using type = T;
};
template <class T>
struct sendable<chan<T>> {
    using type = T;
};
template <class T>
struct sendable<send_chan<T>> {
    using type = T;
};
template <class C>
using received_from = typename receivable<std::remove_cvref_t<C>>::type;
template <class C>
using sent_to = typename sendable<std::remove_cvref_t<C>>::type;

// --- running one of several ----------------------------------------------------------------------

template <bool HasDefault>
select_result select_now_or_wait(const select_frame& f) {
    if constexpr (HasDefault) return select_try(f);
    else return select_wait(f);
}

template <class A, class B>
void share_value(A& first, const select_case& of_first, B& later, select_case& of_later) {
    if constexpr (may_share<A> && may_share<B>) {
        if constexpr (std::is_same_v<typename A::place_type, typename B::place_type>) {
            if (later.place().share(first.place())) of_later.elem = of_first.elem;
        }
    }
}

// Finds the cases that offer the same object: of each pair, the later case uses the earlier's
// place.
template <std::size_t I, class First, class... C>
void share_values(select_case* list, First& first, C&... later) {
    std::size_t at = I;
    ((++at, share_value(first, list[I], later, list[at])), ...);
    if constexpr (sizeof...(C) > 1) share_values<I + 1>(list, later...);
}

// For values that must be prepared: as long as a case looks ready, the select prepares and tries
// only that case. If it has lost the race twice, it prepares every case, as for a wait.
template <bool HasDefault, std::size_t... I, class... C>
select_result select_prepared(const select_frame& f, std::index_sequence<I...>, C&... cases) {
    constexpr int attempts = 2;
    for (int n = 0; n < attempts; ++n) {
        const std::uint32_t i = HasDefault ? select_look(f) : select_guess(f);
        if (i == select_none && HasDefault) return {select_none, false};
        if (i == select_none) break;
        ((I == i ? cases.prepare() : void()), ...);
        const select_result r = select_try({f.cases + i, f.order, 1});
        if (r.index != select_none) return {i, r.ok};
    }
    (cases.prepare(), ...);
    return select_now_or_wait<HasDefault>(f);
}

template <bool HasDefault, std::size_t... I, class... C>
std::size_t select_of_many(std::index_sequence<I...> each, C&... cases) {
    select_case list[sizeof...(C)];
    hchan* order[sizeof...(C)];
    (cases.describe(list[I]), ...);
    const select_frame f{list, order, sizeof...(C)};
    select_result r{select_none, false};
    if constexpr ((C::needs_prepare || ...)) {
        if constexpr ((std::size_t{0} + ... + may_share<C>) > 1) share_values<0>(list, cases...);
        try {
            r = select_prepared<HasDefault>(f, each, cases...);
            // This comes first: other cases may share the place of the case that has run.
            ((I == r.index && r.ok ? cases.hand_over() : void()), ...);
            ((I != r.index ? cases.restore() : void()), ...);
        } catch (...) {
            ((I == r.index ? cases.abandon(r.ok) : cases.restore()), ...);
            throw;
        }
    } else {
        r = select_now_or_wait<HasDefault>(f);
    }
    if constexpr (HasDefault) {
        if (r.index == select_none)
            ((C::is_default ? void(r.index = static_cast<std::uint32_t>(I)) : void()), ...);
    }
    ((I == r.index ? cases.finish(r.ok) : void()), ...);
    return r.index;
}

template <class T>
struct set_recv : set_entry {
    set_recv(recv_chan<T> c, std::optional<T>& to)
        : set_entry{&ran_, &destroy_}, source(std::move(c)), out(&to) {}

    recv_chan<T> source;
    std::optional<T>* out;
    recv_place<T> place;

  private:
    static void ran_(set_entry* e, bool ok) {
        auto& me = *static_cast<set_recv*>(e);
        me.out->reset();
        if (!ok) return;
        std::optional<T> v = me.place.take();
        me.out->emplace(std::move(*v));
    }
    static void destroy_(set_entry* e) noexcept { delete static_cast<set_recv*>(e); }
};

// The value is always prepared: the set owns it.
template <class T>
struct set_send : set_entry {
    set_send(send_chan<T> c, T&& v)
        : set_entry{&ran_, &destroy_}, target(std::move(c)), place(std::move(v)) {
        place.prepare();
    }

    send_chan<T> target;
    send_place<T, T> place;

  private:
    static void ran_(set_entry* e, bool) { static_cast<set_send*>(e)->place.sent(); }
    static void destroy_(set_entry* e) noexcept { delete static_cast<set_send*>(e); }
};

template <class A, class B>
std::size_t select_or_default(A& a, B& b) {
    if constexpr (A::is_default) {
        if (b.run_now()) return 1;
        a.run();
        return 0;
    } else {
        if (a.run_now()) return 0;
        b.run();
        return 1;
    }
}

}  // namespace detail

/// The case of a select that receives from c and then calls f(std::optional<T>), with nullopt if c
/// is closed and drained. An f without parameters is called without an argument.
///
/// f runs after the select is over: it may block, throw or use the same channels. The case refers
/// to a channel that outlives it, and keeps a temporary channel. Go: case v, ok := <-c.
template <class C, class F = detail::do_nothing>
auto on_recv(C&& c, F f = {}) -> detail::recv_case<detail::received_from<C>, C, F> {
    return {std::forward<C>(c), std::move(f)};
}

/// The case of a select that sends v to c and then calls f().
///
/// A v that is an rvalue is moved from only if the case runs, and must live until the select has
/// returned; any other v is copied into the case at once. If T is not trivially relocatable and
/// another case runs after a wait, v has been moved and moved back. If c is closed and this case
/// chosen, select throws panic_error "send on closed channel". f as for on_recv. Go: case c <- v.
template <class C, class F = detail::do_nothing>
auto on_send(C&& c, std::type_identity_t<detail::sent_to<C>>&& v, F f = {}) {
    using T = detail::sent_to<C>;
    using value = std::conditional_t<std::is_trivially_copyable_v<T>, T, T&>;
    return detail::send_case<T, C, value, F>(std::forward<C>(c), v, std::move(f));
}
template <class C, class F = detail::do_nothing>
auto on_send(C&& c, const std::type_identity_t<detail::sent_to<C>>& v, F f = {}) {
    using T = detail::sent_to<C>;
    static_assert(std::is_copy_constructible_v<T>,
                  "a value that cannot be copied is given to on_send by std::move");
    return detail::send_case<T, C, T, F>(std::forward<C>(c), v, std::move(f));
}

/// The case that runs f() if no other case can run at once. Go: default.
template <class F = detail::do_nothing>
auto on_default(F f = {}) {
    return detail::default_case<F>(std::move(f));
}

/// Runs one of the cases and returns its index among the arguments, from 0, on_default included.
///
/// The choice among the ready cases is uniform. If no case is ready, the on_default runs; without
/// on_default the caller waits until a case can run. Without any case, or with only nil channels,
/// it waits for ever. Blocks the goroutine, not the thread; the goroutine may continue on another
/// thread. For any number of cases, select allocates only the boxes of values that travel in boxes.
/// Throws what the chosen case's function throws, and panic_error "send on closed channel". Throws
/// what T's move constructor throws: the value counts as not sent, or as received and lost. Go:
/// select.
///
///     rota::select(rota::on_recv(results, [&](std::optional<int> v) { use(v); }),
///                  rota::on_send(work, next, [&] { ++sent; }),
///                  rota::on_recv(rota::after(1s), [&](auto) { give_up(); }));
template <class... Cases>
std::size_t select(Cases&&... cases) {
    static_assert((detail::is_case<std::remove_cvref_t<Cases>> && ...),
                  "the arguments of select are made by on_recv, on_send and on_default");
    constexpr std::size_t n = sizeof...(Cases);
    constexpr std::size_t defaults =
        (std::size_t{0} + ... + std::remove_cvref_t<Cases>::is_default);
    static_assert(defaults <= 1, "a select has at most one on_default");
    if constexpr (n == 0) {
        detail::select_for_ever();
    } else if constexpr (n == 1) {
        (cases.run(), ...);
        return 0;
    } else if constexpr (n == 2 && defaults == 1) {
        return detail::select_or_default(cases...);
    } else {
        return detail::select_of_many < defaults == 1 > (std::make_index_sequence<n>(), cases...);
    }
}

/// A select with any number of cases, added at run time. Only one goroutine or thread may use it at
/// a time. Go: reflect.Select.
///
///     rota::select_set set;
///     std::optional<int> v;
///     for (auto& ch : inputs) set.recv(ch, v);
///     const std::size_t from = set.wait();
class select_set {
  public:
    select_set() = default;
    select_set(select_set&&) noexcept = default;
    select_set& operator=(select_set&&) noexcept = default;

    /// Adds a case that receives from ch into `out`, or makes it nullopt if ch is closed and
    /// drained. `out` must live as long as the case; several cases may share it. Returns the case's
    /// index: the number of cases added before it. Throws std::bad_alloc.
    template <class C, class T = detail::received_from<C>>
    std::size_t recv(const C& ch, std::optional<T>& out) {
        auto* const e = new detail::set_recv<T>(ch, out);
        return list_.add(e, detail::engine_of(e->source), e->place.address(), false);
    }

    /// Adds a case that sends v to ch. It runs once: afterwards it is spent and never ready.
    /// Returns its index. Throws std::bad_alloc, and what T's move constructor throws.
    template <class C, class T = detail::sent_to<C>>
    std::size_t send(const C& ch, std::type_identity_t<T> v) {
        auto* const e = new detail::set_send<T>(ch, std::move(v));
        return list_.add(e, detail::engine_of(e->target), e->place.address(), true);
    }

    /// Adds the case that runs when no other case can run at once. Returns its index. Throws
    /// panic_error if there is one already. Go: default.
    std::size_t otherwise() { return list_.add_default(); }

    /// Runs one case, chosen as by select, and returns its index; may be repeated. Without
    /// otherwise(), blocks while no case is ready; for ever, if no case can become ready. Throws
    /// panic_error "send on closed channel" (the case is not spent), and what T's move constructor
    /// throws: the value is lost.
    std::size_t wait() { return list_.wait(); }

    /// Removes every case.
    void clear() noexcept { list_.clear(); }

  private:
    detail::select_list list_;
};

}  // namespace rota
