// Strings that events name: those of the program (tasks, regions, logs), and ours, which are fixed.
//
// The program's are written down in the generation in which they are named. What is named often has
// one number in all generations; a log's text has one that is its own in its generation.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "sys/lock.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

// Numbers up to this one are fixed: sched/trace_events has the list.
inline constexpr std::uint32_t trace_string_fixed = 64;
// Up to here they are those of what is named often.
inline constexpr std::uint32_t trace_string_often = trace_string_fixed + 16'384;
// From here on they are those of functions and files, given by who writes the tables.
inline constexpr std::uint32_t trace_string_symbols = 1u << 30;

class trace_string_table {
  public:
    // `end`: no number is as large.
    constexpr explicit trace_string_table(std::uint32_t end = trace_string_symbols) : end_(end) {}

    // The number of a text that comes often; it is written down in the generation. Where there is
    // no number, or memory, left: 0, and the generation is not whole.
    std::uint32_t often(std::string_view text, std::uint32_t generation);
    // The number of one that comes once; 0 likewise.
    std::uint32_t once(std::string_view text);
    // What has been written down goes to the list of chunks, and a generation ends. Caller: nobody
    // writes meanwhile.
    void flush();

  private:
    struct entry {
        const char* text;
        std::uint32_t size;
        std::uint32_t id;
        std::uint32_t written_in;
        std::uint32_t next;
    };
    static constexpr std::uint32_t entry_max = trace_string_often - trace_string_fixed,
                                   bucket_count = 4'096;

    bool has_tables() ROTA_REQUIRES(mu_);
    std::uint32_t add(std::string_view text, std::uint32_t& bucket) ROTA_REQUIRES(mu_);
    std::uint32_t write_once(std::string_view text) ROTA_REQUIRES(mu_);
    void write(std::uint32_t id, std::string_view text) ROTA_REQUIRES(mu_);

    lock mu_{lock_rank::trace_strings};
    entry* entries_ ROTA_GUARDED_BY(mu_) = nullptr;
    std::uint32_t* buckets_ ROTA_GUARDED_BY(mu_) = nullptr;
    std::uint32_t count_ ROTA_GUARDED_BY(mu_) = 0;
    std::uint32_t next_once_ ROTA_GUARDED_BY(mu_) = trace_string_often + 1;  // in this generation
    const std::uint32_t end_;
    trace_stream out_ ROTA_GUARDED_BY(mu_);
};
inline constinit trace_string_table trace_strings;

}  // namespace rota::rt
