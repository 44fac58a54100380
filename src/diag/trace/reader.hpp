// Reads the execution traces that rota::trace writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rota::rt {

// One event. Its arguments are those of Go's format, in its order (trace/wire.hpp).
struct read_event {
    static constexpr std::size_t arguments_max = 4;
    std::uint64_t time;    // ns
    std::uint64_t thread;  // trace_no_thread: none
    std::uint64_t argument[arguments_max];
    std::size_t place;  // index among the events of its generation
    std::uint8_t kind;  // of trace_event
};

// The place of a thread at a moment.
struct read_sample {
    std::uint64_t time;  // ns
    std::uint64_t thread;
    std::uint64_t p;          // trace_no_thread: none
    std::uint64_t goroutine;  // 0: none
    std::uint64_t stack;
};

// A generation: its events in the order of time, the events of a thread in their written order.
struct read_generation {
    std::map<std::uint64_t, std::string_view> strings;
    // The functions of a stack, as strings' numbers, the innermost first.
    std::map<std::uint64_t, std::vector<std::uint64_t>> stacks;
    std::vector<read_event> events;
    std::vector<read_sample> samples;  // in the order of time

    std::string_view text(std::uint64_t number) const {
        const auto found = strings.find(number);
        return found == strings.end() ? std::string_view() : found->second;
    }
};

// Calls take for each generation of a file's bytes, which it may keep views of. A file that ends in
// the middle of a batch is read up to the generation before. False: the bytes are no trace of
// version 2 as Go 1.22 to 1.24 write it, or break its rules. Throws what `take` does, and
// std::bad_alloc.
bool read_trace(std::string_view file, void (*take)(const read_generation&, void*), void* arg);

}  // namespace rota::rt
