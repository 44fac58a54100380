// The places where a select keeps the values of its cases until it is decided which case runs.
//
// The engine moves bytes, so they must lie ready before it looks at the channels. Each type takes
// the first way below that its moves permit:
// - A trivially copyable value lies there as it is.
// - Any other trivially relocatable value is taken from the caller's object once its case has run,
// and leaves an empty value behind.
// - Any other value must be moved by its own constructor. It is prepared as late as possible, and
// moves back if another case runs.
// Cases that offer the same object of the caller share one prepared value, that of the first such
// case. If any of them runs, the value is sent. If none runs, the value moves back once.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <rota/detail/chan_codec.hpp>

namespace rota::detail {

// --- receiving -----------------------------------------------------------------------------------

template <class T, bool InPlace = is_trivially_relocatable<T>>
class recv_place;

template <class T>
class recv_place<T, true> {
  public:
    void* address() { return &slot_.value; }

    // Returns the received value; called once for each receive.
    std::optional<T> take() {
        struct keeper {
            T& value;
            ~keeper() { value.~T(); }
        } keep{slot_.value};
        return std::optional<T>(std::move(slot_.value));
    }

  private:
    typename chan_codec<T, true>::slot slot_;
};

template <class T>
class recv_place<T, false> {
  public:
    void* address() { return &box_; }

    std::optional<T> take() {
        const std::unique_ptr<T> box(box_);
        return std::optional<T>(std::move(*box));
    }

  private:
    T* box_ = nullptr;
};

// --- sending -------------------------------------------------------------------------------------

// Holds a value that the case owns, or refers to a value that the caller keeps.
template <class T>
class held_value {
  public:
    template <class V>
    explicit held_value(V&& v) : value_(std::forward<V>(v)) {}
    T& get() { return value_; }

  private:
    T value_;
};
template <class T>
class held_value<T&> {
  public:
    explicit held_value(T& v) : value_(&v) {}
    T& get() { return *value_; }

  private:
    T* value_;
};

// Moves a value back to its origin. A type with a throwing move is assigned if possible. If it is
// not assignable, a throw would leave no value that the caller could destroy, and ends the program.
template <class T>
void put_back(T& to, T&& from) noexcept(!std::is_move_assignable_v<T> ||
                                        std::is_nothrow_move_constructible_v<T>) {
    if constexpr (std::is_move_assignable_v<T> && !std::is_nothrow_move_constructible_v<T>) {
        to = std::move(from);
    } else {
        to.~T();
        new (static_cast<void*>(&to)) T(std::move(from));
    }
}

enum class send_way : unsigned char { copied, taken, slotted, boxed };

template <class T>
inline constexpr send_way send_way_of =
    !is_trivially_relocatable<T>                 ? send_way::boxed
    : std::is_trivially_copyable_v<T>            ? send_way::copied
    : std::is_nothrow_default_constructible_v<T> ? send_way::taken
                                                 : send_way::slotted;

// Value is T for a value that the case owns, T& for the caller's object. With needs_prepare,
// prepare() comes first, then sent() or restore(). A second call of either has no effect.
template <class T, class Value, send_way = send_way_of<T>>
class send_place {  // copied, taken
  public:
    static constexpr bool needs_prepare = false;

    template <class V>
    explicit send_place(V&& v) : from_(std::forward<V>(v)) {}

    void* address() { return &from_.get(); }
    void prepare() {}
    void restore() {}
    void sent() {
        if constexpr (!std::is_trivially_copyable_v<T>) new (address()) T();
    }

  private:
    held_value<Value> from_;
};

template <class T, class Value>
class send_place<T, Value, send_way::slotted> {
  public:
    static constexpr bool needs_prepare = true;

    template <class V>
    explicit send_place(V&& v) : from_(std::forward<V>(v)) {}
    send_place(const send_place&) = delete;
    send_place& operator=(const send_place&) = delete;
    ~send_place() { drop(); }

    void* address() { return &slot_.value; }
    const T* from() { return std::addressof(from_.get()); }
    void prepare() {
        if (is_prepared_) return;
        new (address()) T(std::move(from_.get()));
        is_prepared_ = true;
    }
    void restore() {
        if (!is_prepared_) return;
        put_back(from_.get(), std::move(slot_.value));
        drop();
    }
    void sent() { is_prepared_ = false; }

  private:
    void drop() {
        if (std::exchange(is_prepared_, false)) slot_.value.~T();
    }

    held_value<Value> from_;
    typename chan_codec<T, true>::slot slot_;
    bool is_prepared_ = false;
};

template <class T, class Value>
class send_place<T, Value, send_way::boxed> {
  public:
    static constexpr bool needs_prepare = true;

    template <class V>
    explicit send_place(V&& v) : from_(std::forward<V>(v)) {}
    send_place(const send_place&) = delete;
    send_place& operator=(const send_place&) = delete;
    ~send_place() { delete box_; }

    void* address() { return &box_; }
    const T* from() { return std::addressof(from_.get()); }
    void prepare() {
        if (box_ == nullptr) box_ = new T(std::move(from_.get()));
    }
    void restore() {
        if (box_ == nullptr) return;
        const std::unique_ptr<T> box(std::exchange(box_, nullptr));
        put_back(from_.get(), std::move(*box));
    }
    void sent() { box_ = nullptr; }

  private:
    held_value<Value> from_;
    T* box_ = nullptr;
};

// The place of a caller's object that must be prepared. A select may offer one object in several
// cases: they share the place of the first.
template <class T>
class shared_send_place {
  public:
    static constexpr bool needs_prepare = true;

    explicit shared_send_place(T& v) : own_(v) {}

    // Called before prepare(). True: both cases offer the same object, and this case uses the place
    // of `first` until sent() or restore().
    bool share(shared_send_place& first) {
        if (&first == this || first.own_.from() != own_.from() || shared_ != nullptr) return false;
        shared_ = &first.own_;
        return true;
    }

    void* address() { return used().address(); }
    void prepare() { used().prepare(); }
    void restore() { give_up().restore(); }
    void sent() { give_up().sent(); }

  private:
    using place = send_place<T, T&>;

    place& used() { return shared_ != nullptr ? *shared_ : own_; }
    place& give_up() {
        place* const p = std::exchange(shared_, nullptr);
        return p != nullptr ? *p : own_;
    }

    place own_;
    place* shared_ = nullptr;
};

template <class T, class Value>
using case_send_place =
    std::conditional_t<send_place<T, Value>::needs_prepare && std::is_reference_v<Value>,
                       shared_send_place<T>, send_place<T, Value>>;

template <class Place>
inline constexpr bool is_shared_place = false;
template <class T>
inline constexpr bool is_shared_place<shared_send_place<T>> = true;

}  // namespace rota::detail
