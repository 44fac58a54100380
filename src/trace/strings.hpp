// Numbers for the strings that events name: the program's (tasks, regions, logs) and rota's, which
// are fixed.
//
// The program's strings are written in the generation that names them. A frequent string has one
// number in every generation; the text of a log has a number of its own in its generation.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/annotations.hpp"
#include "sys/thread/lock.hpp"
#include "trace/stream.hpp"

namespace rota::rt {

// Numbers up to this limit are fixed: sched/record/trace_events has the list.
// Numbers from there up to this limit belong to frequent strings.
inline constexpr std::uint32_t trace_string_fixed = 64;
// Up to here they are those of what is named often.
inline constexpr std::uint32_t trace_string_often = trace_string_fixed + 16'384;
// Numbers from here on belong to functions and files; the writer of the tables gives them.
inline constexpr std::uint32_t trace_string_symbols = 1u << 30;

class trace_string_table {
  public:
    // `end`: every number is below it.
    constexpr explicit trace_string_table(std::uint32_t end = trace_string_symbols) : end_(end) {}

    // Returns the number of a frequent string, and writes the string in the generation. 0: no
    // number or memory is left, and the generation is incomplete.
    std::uint32_t often(std::string_view text, std::uint32_t generation);
    // Returns the number of a string that comes once; 0 as for often().
    std::uint32_t once(std::string_view text);
    // Moves the strings written so far to the list of chunks, and ends a generation. Caller: no
    // thread writes meanwhile.
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
