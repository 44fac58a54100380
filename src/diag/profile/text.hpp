// The texts that people read instead of profile.proto: the layout of Go's debug=1.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace rota::rt {

struct label_set;

// " 0x4f2 0x3a0 ..." behind the `@` of a record, and the end of its line.
void append_pcs(std::string& out, std::span<const std::uintptr_t> pcs);

// "# labels: {"name":"value", ...}" and the end of its line; nothing without labels.
void append_label_line(std::string& out, const label_set* labels);

// A line for each frame, with columns as Go's tab-aligner sets them, and an empty line. The
// runtime's frames at the top are left out, unless there is nothing else.
void append_frames(std::string& out, std::span<const std::uintptr_t> pcs);

}  // namespace rota::rt
