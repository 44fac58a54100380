// Decides how a T travels through the untyped channel: as its own bytes, or as a pointer to a box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <rota/detail/chan_engine.hpp>

namespace rota {

/// Whether a T may be moved to another address byte by byte, without its move constructor. Such
/// values travel through a channel without an allocation. Specialise it for types of your own that
/// qualify.
template <class T>
inline constexpr bool is_trivially_relocatable =
    std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>;
template <class T>
inline constexpr bool is_trivially_relocatable<std::unique_ptr<T>> = true;
template <class T>
inline constexpr bool is_trivially_relocatable<std::shared_ptr<T>> = true;

namespace detail {

// How long an operation may wait: without limit, not at all, or at most `ns` nanoseconds.
struct without_limit {
    chan_result send(hchan* c, const void* elem) const { return chan_send(c, elem, true); }
    chan_result recv(hchan* c, void* elem) const { return chan_recv(c, elem, true); }
};
struct not_at_all {
    chan_result send(hchan* c, const void* elem) const { return chan_try_send(c, elem); }
    chan_result recv(hchan* c, void* elem) const { return chan_try_recv(c, elem); }
};
struct at_most {
    std::int64_t ns;
    chan_result send(hchan* c, const void* elem) const { return chan_send_for(c, elem, ns); }
    chan_result recv(hchan* c, void* elem) const { return chan_recv_for(c, elem, ns); }
};

// `send` passes on the value that was moved out of `v`. If it fails the value is lost, as the
// contract says.
template <class T, bool InPlace>
struct chan_codec;

template <class T>
struct chan_codec<T, true> {
    static constexpr std::size_t size = std::is_empty_v<T> ? 0 : sizeof(T);
    static void drop(void* elem) { static_cast<T*>(elem)->~T(); }
    static constexpr chan_drop dropper = std::is_trivially_destructible_v<T> ? nullptr : &drop;

    union slot {
        slot() : word(0) {}
        ~slot() {}
        T value;
        std::uint64_t word;  // room for the word that the engine copies at once, for every T
    };

    template <class Limit>
    static chan_result send(hchan* c, T&& v, Limit limit) {
        slot s;
        new (&s.value) T(std::move(v));
        const chan_result r = limit.send(c, &s.value);
        if (r != chan_result::ok) s.value.~T();
        return r;
    }
    template <class Limit, class Take>
    static chan_result recv(hchan* c, Limit limit, Take take) {
        slot s;
        const chan_result r = limit.recv(c, &s.value);
        if (r == chan_result::ok) {
            struct keeper {
                T& value;
                ~keeper() { value.~T(); }
            } keep{s.value};
            take(std::move(s.value));
        }
        return r;
    }
};

template <class T>
struct chan_codec<T, false> {
    static constexpr std::size_t size = sizeof(T*);
    static void drop(void* elem) { delete *static_cast<T**>(elem); }
    static constexpr chan_drop dropper = &drop;

    template <class Limit>
    static chan_result send(hchan* c, T&& v, Limit limit) {
        auto box = std::make_unique<T>(std::move(v));
        T* const p = box.get();
        const chan_result r = limit.send(c, &p);
        if (r == chan_result::ok) (void)box.release();
        return r;
    }
    template <class Limit, class Take>
    static chan_result recv(hchan* c, Limit limit, Take take) {
        T* p = nullptr;
        const chan_result r = limit.recv(c, &p);
        if (r == chan_result::ok) {
            const std::unique_ptr<T> box(p);
            take(std::move(*box));
        }
        return r;
    }
};

template <class T>
using codec_of = chan_codec<T, is_trivially_relocatable<T>>;

}  // namespace detail

}  // namespace rota
