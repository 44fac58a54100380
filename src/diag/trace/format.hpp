// Turns the data of a generation into the bytes of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "diag/trace/samples.hpp"
#include "sched/world/trace_world.hpp"

namespace rota::rt {

// A consumer of bytes. The implementation may keep them until the end.
class trace_output {
  public:
    virtual ~trace_output() = default;
    virtual void put(const void* from, std::size_t size) = 0;
};

// Writes generations, and caches the functions of addresses. Caller: in user code, on a stack that
// is large enough for the demangler.
class trace_format {
  public:
    // Writes the generation as batches: the unit of its times, its events, its tables, the samples.
    // Caller: the rate of the ticks is known (trace_clock).
    void write(const trace_generation& done, const std::vector<traced_sample>& samples,
               trace_output& to);
    // Empties the cache of addresses: an exception may have interrupted an entry.
    void forget() { frames_.clear(); }

  private:
    struct frame {
        bool is_ours = false;  // the runtime's: hidden at both ends of a stack
        std::string function;  // as a trace shows it
        std::string file;
        unsigned line = 1;  // at least 1: readers refuse 0
    };
    const frame& frame_at(std::uintptr_t pc);
    const frame& sampled_frame_at(std::uintptr_t pc);
    std::uint32_t number_of(const std::string& text);
    void add_stack(std::uint32_t id, const std::uintptr_t* pcs, std::uint32_t n);
    void add_named(std::uint32_t id, const frame& f, std::string_view name);
    void begin_stack(std::uint32_t id, std::uint32_t n);
    void put_frame(std::uintptr_t pc, const std::string& function, const frame& f);
    using frame_of = const frame& (trace_format::*)(std::uintptr_t pc);
    void add_frames(std::uint32_t id, const std::uintptr_t* pcs, std::uint32_t n, frame_of look);
    std::uint32_t write_stacks(trace_output& to);
    void write_samples(const std::vector<traced_sample>& samples, std::uint32_t first_stack,
                       const trace_generation& of, std::uint64_t offset);
    void write_strings(trace_output& to);
    void end_batch(trace_output& to);

    std::unordered_map<std::uintptr_t, frame> frames_;
    const frame nameless_;
    std::uint32_t generation_ = 0;
    std::uint64_t time_ = 0;
    int new_places_ = 0;  // of samples, that may still be looked for

    // Of the generation that is being written.
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<const std::string*> texts_;  // keys of numbers_, in their order
    std::vector<std::uint8_t> batch_;
    trace_output* to_ = nullptr;
};

}  // namespace rota::rt
