// The wire format of Go's execution traces, version 2, as far as rota writes it.
//
//     file   = "go 1.23 trace" 00 00 00, then batches
//     batch  = 01 generation thread time size payload[size]   every number uvarint, size <= 65536
//     event  = type dt argument...                            a byte, then uvarints
//
// The first byte of a payload gives its kind: 02 stacks, 04 strings, 08 the frequency. Any other
// payload holds the events of that thread. Numbers of strings and stacks are valid in a single
// generation. Every reader since Go 1.23 accepts this version; later versions move the description
// of the clocks to another batch, and add nothing useful here.
// Go: internal/trace/tracev2, runtime/traceevent.go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/annotations.hpp"

namespace rota::rt {

enum class trace_event : std::uint8_t {
    batch = 1,
    stacks = 2,
    stack = 3,
    strings = 4,
    string = 5,
    samples = 6,
    sample = 7,
    frequency = 8,
    procs_change = 9,
    proc_start = 10,
    proc_stop = 11,
    proc_steal = 12,
    proc_status = 13,
    go_create = 14,
    go_create_syscall = 15,
    go_start = 16,
    go_destroy = 17,
    go_stop = 19,
    go_block = 20,
    go_unblock = 21,
    go_syscall_begin = 22,
    go_syscall_end = 23,
    go_syscall_end_blocked = 24,
    go_status = 25,
    stw_begin = 26,
    stw_end = 27,
    go_label = 39,
    task_begin = 40,
    task_end = 41,
    region_begin = 42,
    region_end = 43,
    log = 44,
    go_status_stack = 48,
};

inline constexpr char trace_header[16] = {'g', 'o', ' ', '1', '.', '2', '3', ' ',
                                          't', 'r', 'a', 'c', 'e', 0,   0,   0};
inline constexpr std::uint64_t trace_no_thread = ~std::uint64_t{0};
inline constexpr std::size_t trace_string_max = 1024;
inline constexpr std::size_t uvarint_max = 10;

// The states of goroutines and processors, as the reader numbers them.
enum class traced_g : std::uint8_t { none, runnable, running, syscall, waiting };
enum class traced_p : std::uint8_t { none, running, idle, syscall };
// Writes a number. A short number, the usual case, takes no loop: numbers of the same kind mostly
// have the same length, so the branches are predicted, and the bytes do not depend on each other.
ROTA_ALWAYS_INLINE std::uint8_t* put_uvarint(std::uint8_t* at, std::uint64_t v) {
    if (ROTA_LIKELY(v < 0x80)) {
        at[0] = static_cast<std::uint8_t>(v);
        return at + 1;
    }
    at[0] = static_cast<std::uint8_t>(v | 0x80);
    if (v < 1u << 14) {
        at[1] = static_cast<std::uint8_t>(v >> 7);
        return at + 2;
    }
    at[1] = static_cast<std::uint8_t>(v >> 7 | 0x80);
    if (v < 1u << 21) {
        at[2] = static_cast<std::uint8_t>(v >> 14);
        return at + 3;
    }
    at += 2;
    v >>= 14;
    while (v >= 0x80) {
        *at++ = static_cast<std::uint8_t>(v | 0x80);
        v >>= 7;
    }
    *at++ = static_cast<std::uint8_t>(v);
    return at;
}

}  // namespace rota::rt
