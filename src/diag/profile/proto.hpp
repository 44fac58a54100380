// Writes profile.proto, the format that `go tool pprof` reads.
//
// Functions and lines are in the file, so no binary is needed to read it. The mappings tell tools
// that want a binary which it was. Samples share locations, and locations share functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rota::rt {

struct label_set;

struct value_type {
    std::string_view type, unit;
};

class profile_builder {
  public:
    // The types of each sample's values, and the period between two samples.
    profile_builder(std::span<const value_type> values, value_type period, std::int64_t every);
    ~profile_builder();
    profile_builder(const profile_builder&) = delete;
    profile_builder& operator=(const profile_builder&) = delete;

    // Values added after subtract(true) are subtracted: the profile is a difference of two moments.
    void subtract(bool on);

    // A stack of return addresses, the innermost first. Equal stacks with equal labels become one
    // sample.
    void add(std::span<const std::uintptr_t> pcs, std::span<const std::int64_t> values,
             const label_set* labels);
    // A value without a stack: a function of that name stands for it. `object_size`: 0, or a label.
    void add_named(std::string_view function, std::span<const std::int64_t> values,
                   std::int64_t object_size);

    void set_times(std::int64_t wall_ns, std::int64_t duration_ns);
    void set_default(std::string_view type);
    void comment(std::string_view text);

    // Returns the whole file, compressed. Call it once.
    std::string finish();

  private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace rota::rt
