// The printed name of a function in a trace, and whether the trace shows it.
#pragma once

#include "diag/symbol/symbolize.hpp"

namespace rota::rt {

// Whether the frame belongs to the runtime, or to the templates that start a goroutine, so that
// traces hide it.
bool is_runtime_frame(const code_place& place);

// Whether a trace shows `inlined`, an inlined function at an address: if its source is the
// program's.
bool is_shown(const code_frames& all, const code_frame& inlined);

// Whether the function leads from a throw or a fatal error to its report: functions called from it
// belong to the report.
bool begins_report(const void* pc, const char* mangled);

// Marks around a mangled name in a text whose names are expanded later, where malloc may be called
// (expand_names). The second end means that the suffix below follows the name, the third that the
// function was inlined.
inline constexpr char name_begin = '\1', name_end = '\2', called_name_end = '\3',
                      inlined_name_end = '\4';

// Printed in place of the arguments of an inlined function.
inline constexpr const char* inlined_arguments = "(...)";

struct frame_name {
    // `plain`: the name stays mangled, and malloc is not called.
    frame_name(const char* mangled, bool plain);
    ~frame_name();
    frame_name(const frame_name&) = delete;
    frame_name& operator=(const frame_name&) = delete;

    const char* text = nullptr;
    int length = 0;
    const char* suffix = "";  // "()" where the name has no arguments
    int bare_length = 0;      // without the arguments that stand at its end
    bool is_piece = false;    // a piece that the compiler split off, with a beginning of its own

  private:
    char* owned_ = nullptr;
};

}  // namespace rota::rt
