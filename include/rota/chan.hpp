// Channels: typed pipes between goroutines. Go: chan T.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <rota/detail/chan_codec.hpp>
#include <rota/detail/chan_engine.hpp>
#include <rota/detail/time_engine.hpp>

namespace rota {

/// The outcome of an operation that does not wait, or waits for a limited time. `closed` is for
/// receiving: the channel is closed and drained. A send on a closed channel is a panic.
enum class chan_status { ok, would_block, closed, timeout };

/// A value without content, for chan<unit> where Go has chan struct{}.
struct unit {
    friend constexpr bool operator==(unit, unit) { return true; }
};

namespace detail {

// The common base of the handles: the reference to the channel.
class chan_handle {
  public:
    /// The number of buffered values; 0 for the nil channel. Does not block. If another thread uses
    /// the channel the answer may be outdated when the caller reads it; so may that of closed().
    /// Go: len(ch).
    std::size_t len() const { return chan_len(c_); }
    /// The capacity in values; 0 for the nil channel. Go: cap(ch).
    std::size_t cap() const { return chan_cap(c_); }
    /// Whether it has been closed; values may be left in it. Go has no such query: there, and
    /// mostly here, the program receives and checks the result.
    bool closed() const { return chan_closed(c_); }
    /// False for the nil channel. Go: ch != nil.
    explicit operator bool() const { return c_ != nullptr; }

  protected:
    chan_handle() noexcept = default;
    explicit chan_handle(hchan* c) noexcept : c_(c) {}
    chan_handle(const chan_handle& other) noexcept : c_(other.c_) {
        if (c_ != nullptr) chan_retain(c_);
    }
    chan_handle(chan_handle&& other) noexcept : c_(std::exchange(other.c_, nullptr)) {}
    chan_handle& operator=(const chan_handle& other) noexcept {
        if (other.c_ != nullptr) chan_retain(other.c_);
        if (hchan* const old = std::exchange(c_, other.c_)) chan_release(old);
        return *this;
    }
    chan_handle& operator=(chan_handle&& other) noexcept {
        hchan* const taken = std::exchange(other.c_, nullptr);
        if (hchan* const old = std::exchange(c_, taken)) chan_release(old);
        return *this;
    }
    ~chan_handle() {
        if (c_ != nullptr) chan_release(c_);
    }

    hchan* c_ = nullptr;
    friend hchan* engine_of(const chan_handle& h) noexcept;
};

inline hchan* engine_of(const chan_handle& h) noexcept { return h.c_; }

// The operations, written once for chan<T> and its one-way views.
template <class T>
struct chan_ops {
    static void send(hchan* c, T&& v) {
        if (codec_of<T>::send(c, std::move(v), without_limit()) == chan_result::closed)
            panic_send_on_closed();
    }
    template <class Limit>
    static chan_status send_within(hchan* c, T&& v, Limit limit, chan_status else_) {
        const chan_result r = codec_of<T>::send(c, std::move(v), limit);
        if (r == chan_result::closed) panic_send_on_closed();
        return r == chan_result::ok ? chan_status::ok : else_;
    }
    static std::optional<T> recv(hchan* c) {
        std::optional<T> out;
        recv_into(c, out);
        return out;
    }
    // Receives into an empty `out`: T need not be assignable.
    static void recv_into(hchan* c, std::optional<T>& out) {
        codec_of<T>::recv(c, without_limit(), [&](T&& v) { out.emplace(std::move(v)); });
    }
    template <class Limit>
    static chan_status recv_within(hchan* c, T& out, Limit limit, chan_status else_) {
        switch (codec_of<T>::recv(c, limit, [&](T&& v) { out = std::move(v); })) {
            case chan_result::ok: return chan_status::ok;
            case chan_result::closed: return chan_status::closed;
            default: return else_;
        }
    }
    static chan_status try_send(hchan* c, T&& v) {
        return send_within(c, std::move(v), not_at_all(), chan_status::would_block);
    }
    static chan_status try_recv(hchan* c, T& out) {
        return recv_within(c, out, not_at_all(), chan_status::would_block);
    }
    template <class D>
    static chan_status send_for(hchan* c, T&& v, D d) {
        return send_within(c, std::move(v), at_most{saturated_ns(d)}, chan_status::timeout);
    }
    template <class D>
    static chan_status recv_for(hchan* c, T& out, D d) {
        return recv_within(c, out, at_most{saturated_ns(d)}, chan_status::timeout);
    }
};

}  // namespace detail

/// Receives value after value until the channel is closed and drained: for (auto v : ch).
template <class T>
class chan_iterator {
  public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    chan_iterator() = default;
    explicit chan_iterator(detail::hchan* c) : c_(c), value_(detail::chan_ops<T>::recv(c)) {}
    /// An lvalue; but a value that cannot be copied is moved out, once, so that `for (auto v : ch)`
    /// can take it. (std::vector<std::unique_ptr<T>> claims to be copyable: write `auto&&` there.)
    decltype(auto) operator*() const {
        if constexpr (std::is_copy_constructible_v<T>) return (*value_);
        else return std::move(*value_);
    }
    chan_iterator& operator++() {
        value_.reset();
        detail::chan_ops<T>::recv_into(c_, value_);
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const chan_iterator& it, std::default_sentinel_t) {
        return !it.value_.has_value();
    }

  private:
    detail::hchan* c_ = nullptr;  // kept alive by the channel handle that is iterated over
    mutable std::optional<T> value_;
};

template <class T>
class chan;
template <class T>
class recv_chan;
template <class T>
class send_chan;
template <class T>
chan<T> make_chan(std::size_t capacity = 0);

/// The sending side of a channel. Copies share one channel. Go: chan<- T.
template <class T>
class send_chan : public detail::chan_handle {
  public:
    send_chan() noexcept = default;
    send_chan(chan<T> c) noexcept : detail::chan_handle(c) {}

    /// As chan::send, chan::try_send, chan::send_for, chan::close, chan::operator<<.
    void send(T v) const { detail::chan_ops<T>::send(c_, std::move(v)); }
    chan_status try_send(T v) const { return detail::chan_ops<T>::try_send(c_, std::move(v)); }
    template <class D>
    chan_status send_for(T v, D d) const {
        return detail::chan_ops<T>::send_for(c_, std::move(v), d);
    }
    void close() const { detail::chan_close(c_); }
    const send_chan& operator<<(T v) const {
        send(std::move(v));
        return *this;
    }
    friend bool operator==(const send_chan& a, const send_chan& b) { return a.c_ == b.c_; }
};

/// The receiving side of a channel. Copies share one channel. Go: <-chan T.
template <class T>
class recv_chan : public detail::chan_handle {
  public:
    recv_chan() noexcept = default;
    recv_chan(chan<T> c) noexcept : detail::chan_handle(c) {}

    /// As chan::recv, chan::try_recv, chan::recv_for, chan::begin.
    std::optional<T> recv() const { return detail::chan_ops<T>::recv(c_); }
    chan_status try_recv(T& out) const { return detail::chan_ops<T>::try_recv(c_, out); }
    template <class D>
    chan_status recv_for(T& out, D d) const {
        return detail::chan_ops<T>::recv_for(c_, out, d);
    }
    chan_iterator<T> begin() const { return chan_iterator<T>(c_); }
    std::default_sentinel_t end() const { return {}; }
    friend bool operator==(const recv_chan& a, const recv_chan& b) { return a.c_ == b.c_; }
};

/// A channel of T, buffered or not. A handle: copies share one channel. A default-constructed
/// handle is the nil channel, on which every operation blocks for ever. T need only be movable.
/// Waiters are served in order of arrival. Every operation may be called from any goroutine and any
/// thread. Go: chan T.
///
///     auto ch = rota::make_chan<int>();
///     rota::go([ch] { ch.send(42); ch.close(); });
///     for (int v : ch) use(v);
template <class T>
class chan : public detail::chan_handle {
  public:
    chan() noexcept = default;

    /// Sends v, waiting while the channel is full; on a nil channel, for ever.
    ///
    /// Blocks the goroutine, not the thread; the goroutine may continue on another thread. A send
    /// happens before the receive that takes its value completes; the n-th receive from a channel
    /// of capacity k happens before the n+k-th send completes. Throws panic_error "send on closed
    /// channel", also when the channel is closed while the send waits. Throws what T's move
    /// constructor throws: the value counts as not sent. Go: ch <- v.
    void send(T v) const { detail::chan_ops<T>::send(c_, std::move(v)); }

    /// Receives a value, waiting while there is none; nullopt once the channel is closed and
    /// drained. On a nil channel, for ever. Blocks as send. If T's move constructor throws, the
    /// value counts as received and lost. Go: v, ok := <-ch.
    std::optional<T> recv() const { return detail::chan_ops<T>::recv(c_); }

    /// Sends v if it can without waiting: ok or would_block; v is lost if it is not sent. Throws as
    /// send. Go: select with default.
    chan_status try_send(T v) const { return detail::chan_ops<T>::try_send(c_, std::move(v)); }

    /// Receives a value into `out` if there is one: ok, would_block, or closed once closed and
    /// drained.
    chan_status try_recv(T& out) const { return detail::chan_ops<T>::try_recv(c_, out); }

    /// Sends v as send does, waiting for at most d, a std::chrono::duration: ok, or timeout, and v
    /// is lost then. A d of zero or less expires at once; a d beyond the clock's range is no limit.
    /// Throws as send. Go: select with time.After.
    template <class D>
    chan_status send_for(T v, D d) const {
        return detail::chan_ops<T>::send_for(c_, std::move(v), d);
    }

    /// Receives a value into `out`, waiting for at most d: ok, timeout, or closed once closed and
    /// drained. d as for send_for.
    template <class D>
    chan_status recv_for(T& out, D d) const {
        return detail::chan_ops<T>::recv_for(c_, out, d);
    }

    /// Closes the channel: receivers get the buffered values, then nullopt; senders panic. Throws
    /// panic_error "close of closed channel" or "close of nil channel". Go: close(ch).
    void close() const { detail::chan_close(c_); }

    /// Sends; can be chained.
    const chan& operator<<(T v) const {
        send(std::move(v));
        return *this;
    }

    chan_iterator<T> begin() const { return chan_iterator<T>(c_); }
    std::default_sentinel_t end() const { return {}; }
    friend bool operator==(const chan& a, const chan& b) { return a.c_ == b.c_; }

  private:
    explicit chan(detail::hchan* c) noexcept : detail::chan_handle(c) {}
    friend chan make_chan<T>(std::size_t);
};

/// A new channel that buffers up to `capacity` values; 0: a send waits for its receiver. Throws
/// panic_error "makechan: size out of range" for an absurd capacity, std::bad_alloc. Go: make(chan
/// T, capacity).
template <class T>
chan<T> make_chan(std::size_t capacity) {
    return chan<T>(
        detail::chan_make(detail::codec_of<T>::size, capacity, detail::codec_of<T>::dropper));
}

}  // namespace rota
