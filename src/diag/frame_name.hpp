// How a function is called in a trace, and whether it is shown.
#pragma once

#include "diag/symbolize.hpp"

namespace rota::rt {

// Whether the frame belongs to the runtime, or to the templates that start a goroutine, and is of
// no interest to the program's author.
bool is_runtime_frame(const code_place& place);

// Whether a trace shows a function that was inlined, of those at an address: one of the program's,
// by its source.
bool is_shown(const code_frames& all, const code_frame& inlined);

// Whether the function lies on the way from a throw, or a fatal error, to the report about it: what
// was called from it is the report's own.
bool begins_report(const void* pc, const char* mangled);

// For a text whose names are read later, where malloc may be called (expand_names): around a
// mangled one. The second end means that the suffix below belongs to it, the third that it was
// inlined.
inline constexpr char name_begin = '\1', name_end = '\2', called_name_end = '\3',
                      inlined_name_end = '\4';

// What stands for the arguments of a function that was inlined, in place of them.
inline constexpr const char* inlined_arguments = "(...)";

struct frame_name {
    // `plain`: the name stays mangled, and malloc is not called.
    frame_name(const char* mangled, bool plain);
    ~frame_name();
    frame_name(const frame_name&) = delete;
    frame_name& operator=(const frame_name&) = delete;

    const char* text = nullptr;
    int length = 0;
    const char* suffix = "";  // "()" where the name says nothing of arguments
    int bare_length = 0;      // without the arguments that stand at its end
    bool is_piece = false;    // made by the compiler of it, with a beginning of its own

  private:
    char* owned_ = nullptr;
};

}  // namespace rota::rt
