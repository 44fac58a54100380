// Traces. Names come from the dynamic symbol table: link with -rdynamic to see those of an
// executable.
#include "diag/traceback.hpp"

#include <cstdlib>
#include <cstring>

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include "base/check.hpp"
#include "base/fatal.hpp"
#include "core/getg.hpp"
#include "core/sched.hpp"
#include "sys/clock.hpp"

namespace rota::rt {

namespace {

constexpr int frames_max = 100;  // as Go prints at most

struct walk {
    void* pcs[frames_max];
    int count = 0;
    bool more = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* arg) {
    walk& w = *static_cast<walk*>(arg);
    if (w.count == frames_max) {
        w.more = true;
        return _URC_END_OF_STACK;
    }
    int before_instruction = 0;
    const auto pc = _Unwind_GetIPInfo(context, &before_instruction);
    if (pc == 0) return _URC_END_OF_STACK;
    w.pcs[w.count++] = reinterpret_cast<void*>(before_instruction != 0 ? pc : pc - 1);
    return _URC_NO_REASON;
}

struct symbol {
    const char* name = nullptr;
    const char* file = "?";
    std::uintptr_t offset = 0;
    char* owned = nullptr;

    symbol(const void* pc, bool plain) {
        Dl_info info{};
        if (::dladdr(pc, &info) == 0) return;
        if (info.dli_fname != nullptr) file = info.dli_fname;
        const auto base = reinterpret_cast<std::uintptr_t>(
            info.dli_saddr != nullptr ? info.dli_saddr : info.dli_fbase);
        offset = reinterpret_cast<std::uintptr_t>(pc) - base;
        if (info.dli_sname == nullptr) return;
        name = info.dli_sname;
        if (plain) return;
        int status = 0;
        owned = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
        if (status == 0) name = owned;
    }
    ~symbol() { std::free(owned); }
    symbol(const symbol&) = delete;
    symbol& operator=(const symbol&) = delete;
};

// Whether pc lies in a function through which a report begins: the throwing half of the C++
// runtime, whose names are known because it is a shared library, or our own fatal errors. What
// stands above it in the stack is of no interest.
bool begins_report(void* pc, const char* name) {
    for (const char* known :
         {"__cxa_throw", "__cxa_rethrow", "_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow"}) {
        if (name != nullptr && std::strcmp(name, known) == 0) return true;
    }
    void* const function = _Unwind_FindEnclosingFunction(pc);
    return function == reinterpret_cast<void*>(&fatal) ||
           function == reinterpret_cast<void*>(&check_failed);
}

// The first frame worth printing: the one at `from`, or else the one that called into a report.
int first_frame(const walk& w, const void* from) {
    constexpr int report_depth = 16;
    int first = 0;
    for (int i = 0; i < w.count && i < report_depth; ++i) {
        if (from != nullptr && w.pcs[i] == from) return i;
        const symbol s(w.pcs[i], true);
        if (from == nullptr && begins_report(w.pcs[i], s.name)) first = i + 1;
    }
    return first;
}

bool is_first_of_goroutine(void* pc) {
    return _Unwind_FindEnclosingFunction(pc) == reinterpret_cast<void*>(&rota_gostart);
}

void print_frame(report& out, const void* pc, const symbol& s) {
    if (s.name != nullptr) out.print("%.900s\n", s.name);
    else out.print("%p\n", pc);
    out.print("\t%.900s +0x%llx\n", s.file, static_cast<unsigned long long>(s.offset));
}

}  // namespace

void print_goroutine_header(report& out, const g& gp) {
    const g_status status = readgstatus(gp);
    const char* what = status == g_status::waiting && gp.why != wait_reason::none
                           ? wait_reason_text(gp.why)
                           : g_status_text(status);
    out.print("\ngoroutine %llu [%s]:\n", static_cast<unsigned long long>(gp.goid), what);
    if (gp.name != nullptr) out.print("# name: %s\n", gp.name);
}

void print_current_stack(report& out, bool plain, const void* from) {
    walk w;
    _Unwind_Backtrace(visit, &w);
    for (int i = first_frame(w, from); i < w.count; ++i) {
        if (is_first_of_goroutine(w.pcs[i])) break;
        print_frame(out, w.pcs[i], symbol(w.pcs[i], plain));
    }
    if (w.more) out.print("...additional frames elided...\n");
}

void print_creator(report& out, const g& gp, bool plain) {
    if (gp.created_at == nullptr || gp.main_of != nullptr) return;
    const symbol s(static_cast<const char*>(gp.created_at) - 1, plain);
    if (s.name != nullptr) out.print("created by %.900s", s.name);
    else out.print("created by %p", gp.created_at);
    if (gp.parent_goid != 0)
        out.print(" in goroutine %llu", static_cast<unsigned long long>(gp.parent_goid));
    out.print("\n\t%.900s +0x%llx\n", s.file, static_cast<unsigned long long>(s.offset));
}

void print_current_goroutine(report& out) {
    const g* gp = current_goroutine();
    if (gp == nullptr) return;
    print_goroutine_header(out, *gp);
    print_current_stack(out);
    print_creator(out, *gp);
}

void print_other_goroutines(report& out) {
    stack_for_each(
        [](const stack_slot& slot, void* arg) {
            const g& gp = *header_of(slot);
            const g_status status = readgstatus(gp);
            if (status == g_status::idle || status == g_status::dead || &gp == current_goroutine())
                return;
            auto& to = *static_cast<report*>(arg);
            print_goroutine_header(to, gp);
            print_creator(to, gp);
        },
        &out);
}

}  // namespace rota::rt
