// Makes goroutines: the typed half of rota::go over the untyped newproc.
//
// The closure is constructed right into the new goroutine's stack, below its header. Only a closure
// above closure_inline_max bytes is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace rota::detail {

struct spawn_slot {
    void* g = nullptr;        // the goroutine, not runnable yet
    void* closure = nullptr;  // the address for its closure
};

// Returns a dead goroutine with room for a closure. Throws std::system_error (ENOMEM) if there is
// no address space for a stack.
spawn_slot spawn_begin(std::size_t size, std::size_t align, std::size_t stack_size,
                       std::string_view name);
// Makes the goroutine runnable; it calls entry(closure).
void spawn_commit(spawn_slot slot, void (*entry)(void*));
// As spawn_commit, for a closure that begins with the address of the function that it calls.
// Reports name the goroutine by that function.
void spawn_commit_address(spawn_slot slot, void (*entry)(void*));
// Gives the goroutine back after the closure's constructor has thrown.
void spawn_abort(spawn_slot slot) noexcept;
[[noreturn]] void fatal_nil_func();

// Bytes. A larger closure is kept on the heap instead of the goroutine's stack.
inline constexpr std::size_t closure_inline_max = 1024;

template <class F, class... A>
struct closure {
    F f;
    std::tuple<A...> args;

    void call() { std::apply(std::move(f), std::move(args)); }
};

template <class F>
struct closure<F> {
    F f;

    void call() { std::move(f)(); }
};

// Whether an F begins with the address of the function that it calls. A pointer to a virtual member
// begins with a small number instead, which the runtime tells from an address.
template <class F>
inline constexpr bool is_address = std::is_pointer_v<F> || std::is_member_function_pointer_v<F>;

// The entry function of a goroutine: calls, and then destroys, the closure in its stack.
template <class C>
void enter(void* self) {
    struct keeper {
        C* c;
        ~keeper() { c->~C(); }
    } keep{static_cast<C*>(self)};
    keep.c->call();
}

// Whether f is a null pointer to a function, or an empty std::function or similar type.
template <class F>
constexpr bool is_nil(const F& f) {
    if constexpr (std::is_pointer_v<F> || std::is_member_pointer_v<F>) return f == nullptr;
    else if constexpr (requires { f.operator bool(); }) return !static_cast<bool>(f);
    else return false;
}

// spawn, spawn_as and spawn_any are inlined into the function that starts a goroutine, in builds
// without optimisation too. A trace names the function at the place of the start, and that must be
// the program's function.
template <class C, bool IsAddress, class... V>
[[gnu::always_inline]] inline void spawn(std::size_t stack_size, std::string_view name,
                                         V&&... values) {
    const spawn_slot slot = spawn_begin(sizeof(C), alignof(C), stack_size, name);
    if constexpr ((std::is_nothrow_constructible_v<std::decay_t<V>, V&&> && ...)) {
        new (slot.closure) C{std::forward<V>(values)...};
    } else {
        struct undo {
            spawn_slot slot;
            bool armed = true;
            ~undo() {
                if (armed) spawn_abort(slot);
            }
        } guard{slot};
        new (slot.closure) C{std::forward<V>(values)...};
        guard.armed = false;
    }
    if constexpr (IsAddress) spawn_commit_address(slot, &enter<C>);
    else spawn_commit(slot, &enter<C>);
}

// IsAddress: f begins with the address of the function that it calls.
template <bool IsAddress, class F, class... A>
[[gnu::always_inline]] inline void spawn_as(std::size_t stack_size, std::string_view name, F&& f,
                                            A&&... args) {
    if (is_nil(f)) fatal_nil_func();
    using plain = closure<std::decay_t<F>, std::decay_t<A>...>;
    if constexpr (sizeof(plain) > closure_inline_max) {
        struct boxed {
            std::unique_ptr<plain> p;
            void call() { p->call(); }
        };
        if constexpr (sizeof...(A) == 0) {
            spawn<boxed, false>(stack_size, name,
                                std::unique_ptr<plain>(new plain{std::forward<F>(f)}));
        } else {
            spawn<boxed, false>(
                stack_size, name,
                std::unique_ptr<plain>(new plain{
                    std::forward<F>(f), std::tuple<std::decay_t<A>...>(std::forward<A>(args)...)}));
        }
    } else if constexpr (sizeof...(A) == 0) {
        spawn<plain, IsAddress>(stack_size, name, std::forward<F>(f));
    } else {
        spawn<plain, IsAddress>(stack_size, name, std::forward<F>(f),
                                std::tuple<std::decay_t<A>...>(std::forward<A>(args)...));
    }
}

template <class F, class... A>
[[gnu::always_inline]] inline void spawn_any(std::size_t stack_size, std::string_view name, F&& f,
                                             A&&... args) {
    spawn_as<is_address<std::decay_t<F>>>(stack_size, name, std::forward<F>(f),
                                          std::forward<A>(args)...);
}

}  // namespace rota::detail
