// From what a generation consists of to the bytes of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "diag/trace_samples.hpp"
#include "sched/trace_world.hpp"

namespace rota::rt {

// Where bytes go. What is put may be kept until the end.
class trace_output {
  public:
    virtual ~trace_output() = default;
    virtual void put(const void* from, std::size_t size) = 0;
};

// Writes generations. Remembers what it has found out about addresses. In user code, on a stack
// that the demangler can do with.
class trace_format {
  public:
    // The generation as batches: its times' unit, its events, its tables, and the samples. The rate
    // of the ticks must be known (trace_clock).
    void write(const trace_generation& done, const std::vector<traced_sample>& samples,
               trace_output& to);
    // Forgets about addresses: it may have been interrupted by an exception.
    void forget() { frames_.clear(); }

  private:
    struct frame {
        bool is_ours = false;  // the runtime's, of no interest at either end of a stack
        std::string function;  // as a trace shows it
        std::string file;
        unsigned line = 1;  // from 1 on: readers refuse 0
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
