// Names of functions.
#include "diag/frame_name.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include <cxxabi.h>
#include <unwind.h>

#include "arch/context.hpp"
#include "base/check.hpp"
#include "base/fatal.hpp"

namespace rota::rt {

namespace {

// ...{lambda()#1}, or ...$_0 as clang has it.
bool is_lambda(std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789");
    return name.ends_with('}') ||
           (digits != name.npos && digits > 0 && name.substr(digits - 1, 2) == "$_");
}

// What a compiler makes of one function, or of a part of it, is that function still:
// NAME(ARGUMENTS) [clone .isra.0] [clone .lto_priv.1], or C_NAME.isra.0.lto_priv.1
std::string_view without_clones(std::string_view name) {
    while (name.ends_with(']')) {
        const std::size_t begin = name.rfind(" [clone ");
        if (begin == name.npos) break;
        name = name.substr(0, begin);
    }
    if (name.starts_with("_Z") || name.find('(') != name.npos) return name;
    for (const char* const kind :
         {".cold", ".constprop.", ".isra.", ".llvm.", ".localalias", ".lto_priv.", ".part."})
        name = name.substr(0, std::max<std::size_t>(name.find(kind), 1));
    return name;
}

// A goroutine's function is often inlined into the template that calls it, whose name then wraps
// its own: void rota::detail::enter<rota::detail::closure<NAME> >(void*), or
// rota::run<NAME>(NAME&&)::main_closure::entry(void*).
std::string_view without_wrapping(std::string_view name) {
    constexpr std::string_view enter = "void rota::detail::enter<rota::detail::closure<";
    constexpr std::string_view run = "rota::run<";
    const bool of_run = name.starts_with(run) && name.ends_with("::main_closure::entry(void*)");
    if (!of_run && !(name.starts_with(enter) && name.ends_with(">(void*)"))) return name;
    const std::size_t from = of_run ? run.size() : enter.size();
    // Up to the bracket that closes it; a lambda's name has none of its own that do not match.
    int depth = 0;
    for (std::size_t i = from; i < name.size(); ++i) {
        if (name[i] == '<') ++depth;
        if (name[i] == '>' && depth-- == 0) {
            const std::string_view inner = name.substr(from, i - from);
            return is_lambda(inner) ? inner : name;
        }
    }
    return name;
}

// NAME(ARGUMENTS), or NAME(ARGUMENTS) const.
std::string_view without_arguments(std::string_view name) {
    constexpr std::string_view qualifier = " const";
    std::string_view rest = name;
    if (rest.ends_with(qualifier)) rest.remove_suffix(qualifier.size());
    if (!rest.ends_with(')')) return name;
    int depth = 0;
    for (std::size_t i = rest.size(); i-- > 1;) {
        if (rest[i] == ')') ++depth;
        if (rest[i] != '(' || --depth > 0) continue;
        const std::string_view bare = rest.substr(0, i);
        return bare.ends_with("operator") ? name : bare;  // operator() itself
    }
    return name;
}

bool is_entry(std::string_view mangled) { return mangled.starts_with("_ZN4rota6detail5enterI"); }

}  // namespace

bool is_runtime_frame(const code_place& place) {
    if (place.function == nullptr) return false;
    const std::string_view name = place.function;
    // Where the program's function has been inlined into it, this is the only trace of that.
    if (is_entry(name)) {
        return name.find("main_call") != name.npos ||
               (place.source.directory != nullptr &&
                std::strstr(place.source.directory, "rota/detail") != nullptr);
    }
    for (const char* const own :
         {"_ZN4rota2rt", "_ZNK4rota2rt", "_ZN4rota6detail", "_ZNK4rota6detail", "_ZZN4rota6detail",
          "_ZZN4rota2rt", "_ZSt13__invoke_impl", "_ZSt8__invoke", "_ZSt12__apply_impl",
          "_ZSt5apply", "_ZN4rota7runtime5stackB", "_ZN4rota5panicE", "rota_goroutine_main",
          "rota_gostart"}) {
        if (name.starts_with(own)) return true;
    }
    return false;
}

bool is_shown(const code_frames& all, const code_frame& inlined) {
    if (inlined.source.file == nullptr || !is_programs_own(inlined.source)) return false;
    // A bare name does not say whose it is: as that of the function that was compiled.
    code_place place = all.place;
    if (inlined.is_mangled) place.function = inlined.function;
    place.source = inlined.source;
    return !is_runtime_frame(place);
}

bool begins_report(const void* pc, const char* mangled) {
    for (const char* const known :
         {"__cxa_throw", "__cxa_rethrow", "_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow",
          "__cxa_call_terminate", "_ZSt9terminatev", "__gxx_personality_v0", "abort", "raise"}) {
        if (mangled != nullptr && std::strcmp(mangled, known) == 0) return true;
    }
    void* const function = _Unwind_FindEnclosingFunction(const_cast<void*>(pc));
    return function == reinterpret_cast<void*>(&fatal) ||
           function == reinterpret_cast<void*>(&check_failed);
}

frame_name::frame_name(const char* mangled, bool plain) : text(mangled) {
    if (mangled == nullptr) return;
    // Names beyond this size are of no help, and the demangler wants a stack in proportion.
    constexpr std::size_t demangled_max = 2000;
    int status = -1;
    // Of what is no name, but could be the code of a type, the demangler would make that type.
    const bool is_mangled = std::strncmp(mangled, "_Z", 2) == 0;
    if (!plain && is_mangled && std::strlen(mangled) < demangled_max)
        owned_ = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    std::string_view name = status == 0 ? owned_ : mangled;
    const std::string_view whole = name, function = without_clones(whole);
    name = without_wrapping(function);
    is_piece = function.size() < whole.size();
    if (name.find('(') == name.npos || is_lambda(name)) suffix = "()";
    text = name.data();
    constexpr std::size_t shown_max = 900;
    length = static_cast<int>(std::min(name.size(), shown_max));
    bare_length = static_cast<int>(std::min(without_arguments(name).size(), shown_max));
}

frame_name::~frame_name() { std::free(owned_); }

}  // namespace rota::rt
