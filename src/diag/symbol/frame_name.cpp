// Demangles and shortens the names of functions for traces.
#include "diag/symbol/frame_name.hpp"

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

// The first argument of a template's argument list `name`, or of the rest of a list. Empty: it has
// no end.
std::string_view first_argument(std::string_view name) {
    constexpr std::string_view word = "operator", signs = "<>=-!";
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.substr(i).starts_with(word)) {  // its own signs are no brackets
            i += word.size();
            while (i < name.size() && signs.find(name[i]) != signs.npos) ++i;
            --i;
            continue;
        }
        const char c = name[i];
        if (depth == 0 && (c == '>' || c == ',')) {
            name = name.substr(0, i);
            return name.substr(0, name.find_last_not_of(' ') + 1);
        }
        if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
        if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    }
    return {};
}

std::string_view second_argument(std::string_view name) {
    constexpr std::string_view comma = ", ";
    const std::size_t first = first_argument(name).size();
    if (name.substr(first, comma.size()) != comma) return {};
    return first_argument(name.substr(first + comma.size()));
}

// Of a lambda, or object, of rota's own that calls a function of the program: that function.
// rota::wait_group::go<NAME>(NAME&&)::{lambda()#1}
std::string_view called_by(std::string_view name) {
    constexpr struct {
        std::string_view begins;
        bool is_second;  // argument of the template
    } callers[] = {{"rota::wait_group::go<", false},
                   {"rota::detail::task_group::spawn<", true},
                   {"rota::scope::async<", false},
                   {"rota::detail::async_call<", true}};
    for (const auto& c : callers) {
        if (!name.starts_with(c.begins)) continue;
        const std::string_view list = name.substr(c.begins.size());
        const std::string_view inner = c.is_second ? second_argument(list) : first_argument(list);
        // The type of a function that is called by its address has no name.
        if (!inner.empty() && !inner.ends_with(')')) return called_by(inner);
    }
    return name;
}

// A goroutine's function is often inlined into the template that calls it, and is the only name
// that a trace has before the goroutine has begun. The template's name wraps the function's own:
// void rota::detail::enter<rota::detail::closure<NAME, ARGUMENTS> >(void*), or
// rota::run<NAME>(NAME&&)::main_closure::entry(void*). A large closure is in a box:
// void rota::detail::enter<rota::detail::spawn_as<false, NAME, ARGUMENTS>(...)::boxed>(void*).
std::string_view without_wrapping(std::string_view name) {
    constexpr std::string_view closure = "void rota::detail::enter<rota::detail::closure<",
                               box = "void rota::detail::enter<rota::detail::spawn_as<",
                               run = "rota::run<";
    std::string_view inner;
    if (name.starts_with(closure) && name.ends_with(">(void*)"))
        inner = first_argument(name.substr(closure.size()));
    if (name.starts_with(box) && name.ends_with("::boxed>(void*)"))
        inner = second_argument(name.substr(box.size()));
    if (name.starts_with(run) && name.ends_with("::main_closure::entry(void*)"))
        inner = first_argument(name.substr(run.size()));
    while (inner.ends_with('&')) inner.remove_suffix(1);
    if (inner.ends_with(" const")) inner.remove_suffix(6);
    return inner.empty() ? name : called_by(inner);
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

constexpr std::string_view entry_prefix = "_ZN4rota6detail5enterI";
bool is_entry(std::string_view mangled) { return mangled.starts_with(entry_prefix); }

}  // namespace

bool is_runtime_frame(const code_place& place) {
    if (place.function == nullptr) return false;
    const std::string_view name = place.function;
    // Where the program's function has been inlined into it, this is the only trace of that.
    // A function that is called by its address has not been.
    if (is_entry(name)) {
        const std::string_view closure = name.substr(entry_prefix.size());
        for (const char* const by_address : {"NS0_7closureIP", "NS0_7closureIM"})
            if (closure.starts_with(by_address)) return true;
        if (name.find("main_call") != name.npos) return true;
        for (const char* const of_templates : {"rota/detail", "include/c++"})
            if (place.source.directory != nullptr &&
                std::strstr(place.source.directory, of_templates) != nullptr)
                return true;
        return false;
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
