// The untyped channel under rota::chan<T>: it moves bytes, knows no T and runs no user code.
//
// A value that may be copied byte by byte travels as its bytes. Any other value travels as a
// pointer to a box. The sender makes the box and the receiver opens it, both outside the channel's
// lock, so that a move constructor may throw, park or use the channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rota/detail/exceptions.hpp>

namespace rota::detail {

struct hchan;

enum class chan_result : unsigned char { ok, would_block, closed };

// Destroys one buffered element that no receiver can reach any more; null: nothing to do.
using chan_drop = void (*)(void* elem);

// Returns a channel with one reference. Throws panic_error "makechan: size out of range".
hchan* chan_make(std::size_t elem_size, std::size_t capacity, chan_drop drop);
void chan_retain(hchan* c) noexcept;
void chan_release(hchan* c) noexcept;

// A null `c` is the nil channel: the call blocks for ever, or returns would_block.
chan_result chan_send(hchan* c, const void* elem, bool block);
chan_result chan_recv(hchan* c, void* elem, bool block);
// As chan_send and chan_recv with `block` false; cheaper when the channel is not ready.
chan_result chan_try_send(hchan* c, const void* elem);
chan_result chan_try_recv(hchan* c, void* elem);
// As chan_send and chan_recv with `block` true, but returns would_block once `ns` nanoseconds have
// passed; at once if ns <= 0. The largest value means no limit.
chan_result chan_send_for(hchan* c, const void* elem, std::int64_t ns);
chan_result chan_recv_for(hchan* c, void* elem, std::int64_t ns);
// False: at some moment during the call a send would have had to wait.
bool chan_is_sendable(const hchan* c);

// Throws panic_error "close of closed channel", "close of nil channel".
void chan_close(hchan* c);
[[noreturn]] void panic_send_on_closed();

std::size_t chan_len(const hchan* c) noexcept;
std::size_t chan_cap(const hchan* c) noexcept;
bool chan_closed(const hchan* c) noexcept;

}  // namespace rota::detail
