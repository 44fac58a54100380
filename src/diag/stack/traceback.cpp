// Walks stacks and prints frames of goroutine traces.
#include "diag/stack/traceback.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include <unwind.h>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/stack/sample_stack.hpp"
#include "diag/stack/told_status.hpp"
#include "diag/symbol/frame_name.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/park_check.hpp"
#include "sched/record/creation.hpp"
#include "sched/record/labels.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

bool is_in(std::uintptr_t pc, void (*function)()) {
    return _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(pc)) ==
           reinterpret_cast<void*>(function);
}

template <class F>
code_place place(const F& f) {
    return place_of(reinterpret_cast<const void*>(f.is_call ? f.pc - 1 : f.pc));
}

constexpr std::size_t npos = std::string_view::npos;

constinit bool shows_labels = true;  // fixed at boot

unsigned long long number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

void show_labels_in_traces(bool shows) { shows_labels = shows; }

// For a goroutine that is held, or by its fields of the moment: a report may be slightly old.
ROTA_READS_RACING tracer::about tracer::look_at(const g& gp) {
    about a{&gp,
            gp.goid,
            gp.parent_goid,
            gp.created_at.address(),
            creation_of(gp),
            gp.main_of != nullptr,
            gp.locked_m != nullptr,
            readgstatus(gp),
            gp.why,
            gp.wait_since,
            gp.mp,
            gp.sched,
            function_of(gp),
            labels_of(gp),
            gp.in != nullptr && gp.durably_blocked,
            gp.is_leaked,
            gp.in != nullptr ? gp.in->id : 0,
            {}};
    const std::string_view name = name_of(gp);
    for (std::size_t i = 0; i + 1 < sizeof a.name && i < name.size(); ++i) a.name[i] = name[i];
    return a;
}

// As Go prints minutes: from one minute on, rounded down.
long long tracer::minutes_waited(const about& gp) {
    if (gp.status != g_status::waiting || gp.wait_since == 0) return 0;
    return (static_cast<long long>(whole_seconds(nanotime())) - gp.wait_since) / 60;
}

int tracer::visit(void* context, walk& w) {
    constexpr std::size_t frames_max = 10'000'000;  // limits a walk without end
    auto* const c = static_cast<_Unwind_Context*>(context);
    int before_instruction = 0;
    const std::uintptr_t pc = _Unwind_GetIPInfo(c, &before_instruction);
    if (pc == 0 || w.count == frames_max) return _URC_END_OF_STACK;
    if (!w.begun) {
        w.begun = _Unwind_GetRegionStart(c) == reinterpret_cast<std::uintptr_t>(&rota_on_context);
        return _URC_NO_REASON;
    }
    w.add({pc, _Unwind_GetCFA(c), before_instruction == 0});
    return _URC_NO_REASON;
}

void tracer::backtrace(walk& w) {
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* arg) {
            return static_cast<_Unwind_Reason_Code>(visit(context, *static_cast<walk*>(arg)));
        },
        &w);
}

void tracer::walk_here(walk& w) {
    w.begun = true;
    backtrace(w);
}

void tracer::walk_from(walk& w, const gobuf& context) {
    rota_on_context(
        &context,
        [](void* arg) {
            backtrace(*static_cast<walk*>(arg));
            asm volatile("");  // no tail call
        },
        &w);
}

// The first frame worth printing: the frame at `from`, or else the frame that called into a report.
std::size_t tracer::first_frame(const walk& w, const void* from) {
    constexpr std::size_t report_depth = 24;
    std::size_t first = 0;
    for (std::size_t i = 0; i < w.count && i < report_depth; ++i) {
        const frame& f = w.at(i);
        if (from != nullptr && f.pc == reinterpret_cast<std::uintptr_t>(from)) return i;
        const void* const pc = reinterpret_cast<const void*>(f.is_call ? f.pc - 1 : f.pc);
        if (from == nullptr && begins_report(pc, place(f).function)) first = i + 1;
    }
    return first;
}

// `called`: with the suffix of a call; `inlined`: without arguments.
void tracer::print_name(const char* function, name_use use) {
    if (!style_.names_later) {
        const frame_name name(function, plain_);
        if (use == name_use::inlined)
            return out_->print("%.*s%s", name.bare_length, name.text, inlined_arguments);
        return out_->print("%.*s%s", name.length, name.text,
                           use == name_use::called ? name.suffix : "");
    }
    constexpr std::size_t at_once = 900;  // see report::print
    out_->print("%c", name_begin);
    for (const char* at = function; *at != '\0';) {
        const std::size_t n = ::strnlen(at, at_once);
        out_->print("%.*s", static_cast<int>(n), at);
        at += n;
    }
    constexpr char ends[] = {name_end, called_name_end, inlined_name_end};
    out_->print("%c", ends[static_cast<std::size_t>(use)]);
}

void tracer::print_place(const source_line& s) {
    const bool whole = s.directory == nullptr || *s.file == '/';
    out_->print("\t%.400s%s%.400s:%u", whole ? "" : s.directory, whole ? "" : "/", s.file, s.line);
}

void tracer::print_frame(const frame& f, const code_place& p, std::uintptr_t fp) {
    if (p.function != nullptr) print_name(p.function, name_use::called);
    else out_->print("0x%llx", static_cast<unsigned long long>(f.pc));
    out_->print("\n");
    if (p.source.file == nullptr) out_->print("\t%.500s", p.module);
    else print_place(p.source);
    out_->print(" +0x%llx", static_cast<unsigned long long>(p.offset + (f.is_call ? 1 : 0)));
    if (style_.system) {
        out_->print(" fp=0x%llx sp=0x%llx pc=0x%llx", static_cast<unsigned long long>(fp),
                    static_cast<unsigned long long>(f.sp), static_cast<unsigned long long>(f.pc));
    }
    out_->print("\n");
}

// All functions that the frame belongs to. Those that were inlined have no offset, as in Go.
void tracer::print_frames_at(const frame& f, std::uintptr_t fp) {
    const code_frames all = frames_of(reinterpret_cast<const void*>(f.is_call ? f.pc - 1 : f.pc));
    for (std::size_t i = 0; i < all.count; ++i) {
        const code_frame& one = all.inlined[i];
        if (one.source.file == nullptr || !(style_.system || is_shown(all, one))) continue;
        print_name(one.function, name_use::inlined);
        out_->print("\n");
        print_place(one.source);
        out_->print("\n");
    }
    if (style_.system || !is_runtime_frame(all.place)) print_frame(f, all.place, fp);
}

void tracer::print_frames(const walk& w, std::size_t first) {
    const std::size_t skipped_from = half;
    const std::size_t skipped_to = w.count > 2 * half ? w.count - half : half;
    for (std::size_t i = first; i < w.count; ++i) {
        if (i == skipped_from && skipped_to > skipped_from) {
            out_->print("...%zu frames elided...\n", skipped_to - skipped_from);
            i = skipped_to;
        }
        const frame& f = w.at(i);
        if (is_in(f.pc - 1, rota_gostart) && !style_.system) break;
        print_frames_at(f, i + 1 < w.count ? w.at(i + 1).sp : 0);
    }
    if (w.is_cut) out_->print("...additional frames elided...\n");
}

// Prints the text as it is, or in quotes if it has a control character or a character of `special`:
// no text of the program's may look like a part of the report.
void tracer::print_text(std::string_view text, std::string_view special) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
    bool is_plain = true;
    for (const char c : text) is_plain = is_plain && !is_control(c) && special.find(c) == npos;
    if (is_plain) return out_->print("%.*s", static_cast<int>(text.size()), text.data());
    out_->print("\"");
    for (const char c : text) {
        if (c == '"' || c == '\\') out_->print("\\%c", c);
        else if (c == '\n') out_->print("\\n");
        else if (is_control(c)) out_->print("\\x%02x", static_cast<unsigned>(c));
        else out_->print("%c", c);
    }
    out_->print("\"");
}

// " {name: value, ...}". Caller: a label_reader lives, or they are the caller's own.
void tracer::print_labels(const label_set* labels) {
    if (labels == nullptr) return;
    bool is_first = true;
    for_each_label(labels, [&](auto name, auto value) {
        constexpr std::string_view special = ",:{}\"\\";
        out_->print("%s", is_first ? " {" : ", ");
        print_text(name, special);
        out_->print(": ");
        print_text(value, special);
        is_first = false;
    });
    if (!is_first) out_->print("}");
}

void tracer::print_header(const about* gp, const char* state) {
    if (!out_->is_empty()) out_->print("\n");
    if (gp == nullptr) {
        const m* const mp = style_.system ? getm_or_null() : nullptr;
        out_->print("goroutine 0");
        if (mp != nullptr) {
            out_->print(" gp=0x%llx m=%llu mp=0x%llx", number(mp->curg),
                        static_cast<unsigned long long>(mp->id), number(mp));
        } else if (style_.system) {
            out_->print(" gp=0x0 m=nil");  // a thread that does not know the runtime
        }
        out_->print(" [%s]:\n", state);
        return;
    }
    out_->print("goroutine %llu", static_cast<unsigned long long>(gp->goid));
    if (style_.system) {
        const m* const mp = gp->status == g_status::running ? gp->mp : nullptr;
        out_->print(" gp=0x%llx", number(gp->address));
        if (mp == nullptr) out_->print(" m=nil");
        else out_->print(" m=%llu mp=0x%llx", static_cast<unsigned long long>(mp->id), number(mp));
    }
    out_->print(" [%s", state);
    const bool waits = gp->status == g_status::waiting;
    if (waits && gp->is_leaked) out_->print(" (leaked)");
    if (waits && gp->is_durable) out_->print(" (durable)");
    const long long minutes = minutes_waited(*gp);
    if (minutes >= 1) out_->print(", %lld minutes", minutes);
    out_->print("%s", gp->is_locked ? ", locked to thread" : "");
    if (gp->bubble_id != 0)
        out_->print(", synctest bubble %llu", static_cast<unsigned long long>(gp->bubble_id));
    out_->print("]");
    if (shows_labels) print_labels(gp->labels);
    out_->print(":\n");
    if (gp->name[0] == '\0') return;
    out_->print("# name: ");
    print_text(gp->name, {});
    out_->print("\n");
}

void tracer::print_creator(const about& gp) {
    if (gp.created_at == nullptr || gp.is_main) return;
    const frame f{reinterpret_cast<std::uintptr_t>(gp.created_at), 0, true};
    const code_place p = place(f);
    out_->print("created by ");
    if (p.function != nullptr) print_name(p.function, name_use::creator);
    else out_->print("0x%llx", static_cast<unsigned long long>(f.pc));
    if (gp.parent_goid != 0)
        out_->print(" in goroutine %llu", static_cast<unsigned long long>(gp.parent_goid));
    out_->print("\n");
    if (p.source.file == nullptr) out_->print("\t%.500s", p.module);
    else print_place(p.source);
    out_->print(" +0x%llx\n", static_cast<unsigned long long>(p.offset + 1));
}

// The stack that has created the goroutine, if it was kept. Go: printAncestorTraceback.
void tracer::print_ancestor(const about& gp) {
    const creation_stack& from = gp.creation;
    if (from.count == 0 || gp.is_main) return;
    if (gp.parent_goid != 0)
        out_->print("[originating from goroutine %llu]:\n",
                    static_cast<unsigned long long>(gp.parent_goid));
    else out_->print("[originating from a thread]:\n");
    bool is_whole = false;
    for (std::uint32_t i = 0; i < from.count && !is_whole; ++i) {
        const frame f{from.pcs[i], 0, true};
        is_whole = is_in(f.pc - 1, rota_gostart);
        if (!is_whole) print_frames_at(f, 0);
    }
    if (!is_whole && from.is_cut) out_->print("...additional frames elided...\n");
}

// The interrupted function may hold the allocator's locks, and never release them.
bool tracer::is_in_allocator(const walk& w) {
    for (std::size_t i = 0; i < w.count && i < half; ++i) {
        const char* const name = place(w.at(i)).function;
        if (name == nullptr) continue;
        for (const char* const part : {"alloc", "memalign", "free", "fork", "_dl_"}) {
            if (std::strstr(name, part) != nullptr) return true;
        }
    }
    return false;
}

void tracer::print_current(const trace_start& start) {
    const g* const gp = current_goroutine();
    const about a = gp != nullptr ? look_at(*gp) : about{};
    // Not by the state: it says `syscall` also where the p was taken, and the goroutine runs.
    const bool in_syscall = gp != nullptr && getm().entry.load(memory_order_relaxed) ==
                                                 entry_state::in_syscall;  // relaxed: its own
    print_header(gp != nullptr ? &a : nullptr, in_syscall ? "syscall" : "running");
    out_->flush();  // a stack that has been overwritten may end the report here
    walk w;
    if (start.context != nullptr) walk_from(w, *start.context);
    else walk_here(w);
    plain_ = style_.careful && is_in_allocator(w);
    print_frames(w, start.context != nullptr ? 0 : first_frame(w, start.pc));
    if (gp != nullptr) print_origin(a);
}

void tracer::print_runtime(const void* end) {
    if (!out_->is_empty()) out_->print("\n");
    out_->print("runtime stack:\n");
    out_->flush();  // as above
    walk w;
    walk_here(w);
    plain_ = style_.careful && is_in_allocator(w);  // of the frames that the signal has hit as well
    std::size_t first = first_frame(w, nullptr);
    if (first == 0) first = first_frame(w, __builtin_return_address(0));
    for (std::size_t i = first; end != nullptr && i < w.count && i < half; ++i) {
        if (w.at(i).pc == reinterpret_cast<std::uintptr_t>(end)) w.count = i;
    }
    const bool was_system = std::exchange(style_.system, true);
    print_frames(w, first);
    style_.system = was_system;
}

// False: the slot has no goroutine. Reads the saved context only after the check whether the
// goroutine is held: before that, the slot may have had another goroutine.
ROTA_READS_RACING bool tracer::look_at_other(const g& gp, other& into) {
    into.a = look_at(gp);
    if (into.a.status == g_status::idle || into.a.status == g_status::dead) return false;
    into.has_stack = scan_.holds(gp);
    into.a.sched = gp.sched;
    into.w = walk{};
    // A goroutine that has not run yet has no frames.
    if (into.has_stack && into.a.sched.pc != reinterpret_cast<void*>(&rota_gostart))
        walk_from(into.w, into.a.sched);
    return true;
}

void tracer::take(const walked_stack& from, walk& to) {
    to = walk{};
    for (std::size_t i = 0; i < from.count; ++i) to.add({from.pcs[i], 0, true});
    to.is_cut = from.count == walked_stack::pcs_max;
}

// Asks a goroutine that was on a thread when it was looked at. False: it has ended.
bool tracer::ask(other& into) {
    const g& gp = *static_cast<const g*>(into.a.address);
    const std::uint64_t goid = into.a.goid;
    const found_stack found = find_stack(gp, goid, stack_, patience_, scan_, [&](bool& held) {
        const bool lives = look_at_other(gp, into) && is_same(gp, goid) && into.a.goid == goid;
        held = into.has_stack;
        return lives ? into.a.status : g_status::dead;
    });
    if (found == found_stack::walked) {
        take(stack_, into.w);
        into.has_stack = true;
    }
    return found != found_stack::gone;
}

// For a goroutine that has not run yet.
void tracer::print_function(const void* function) {
    const frame f{reinterpret_cast<std::uintptr_t>(function), 0, false};
    print_frame(f, place(f), 0);
}

void tracer::print_other(const other& o) {
    const g& gp = *static_cast<const g*>(o.a.address);
    const char* state = g_status_text(told_status(gp, o.a.status));
    if (o.a.status == g_status::waiting && o.a.why != wait_reason::none)
        state = wait_reason_text(o.a.why);
    print_header(&o.a, state);
    if (!o.has_stack) out_->print("\tgoroutine running on other thread; stack unavailable\n");
    else if (o.w.count > 0) print_frames(o.w, 0);
    else print_function(o.a.function);
    print_origin(o.a);
}

void tracer::print_one(const g& gp) {
    const label_reader reading;
    other o;
    scan_.begin();
    const bool is_there = look_at_other(gp, o);
    scan_.end();
    if (is_there) print_other(o);  // which may wait for a slow reader of the output
}

void tracer::print_noted(const noted_park& note) {
    about a{};
    a.goid = note.goid;
    a.parent_goid = note.parent_goid;
    a.created_at = note.created_at.address();
    a.creation = creation_of(note.created_at);
    a.is_main = note.is_main;
    a.status = note.waits ? g_status::waiting : g_status::runnable;
    static_assert(sizeof note.name <= sizeof a.name);
    std::memcpy(a.name, note.name, sizeof note.name);
    print_header(&a, note.waits ? wait_reason_text(note.why) : g_status_text(a.status));
    walk w;
    for (std::size_t i = 0; i < note.pc_count; ++i) w.add({note.pcs[i], 0, true});
    w.is_cut = note.pc_count == noted_park::pcs_max;
    print_frames(w, 0);
    print_origin(a);
}

void tracer::print_others() {
    const label_reader reading;
    look_at_tables();
    scan_.begin();
    stack_for_each(
        [](const stack_slot& slot, void* arg) {
            const g& gp = *header_of(slot);
            other o;
            auto& self = *static_cast<tracer*>(arg);
            if (&gp == current_goroutine() || !self.look_at_other(gp, o)) return;
            if (!o.has_stack && (walk_stopped(gp, o.a.goid, self.stack_) ||
                                 walk_running(gp, o.a.goid, self.stack_, self.patience_))) {
                take(self.stack_, o.w);
                o.has_stack = true;
            }
            self.print_other(o);
        },
        this);
    scan_.end();
}

bool tracer::take_some(slot_tour& tour, batch& into) {
    into.count = 0;
    if (!tour.find_next()) return false;
    struct taking {
        tracer& self;
        const slot_tour& tour;
        batch& into;
    } t{*this, tour, into};
    scan_.begin(tour.at(), slot_tour::at_once);
    tour.visit(
        [](const stack_slot& slot, void* arg) {
            const g& gp = *header_of(slot);
            auto& [self, tour, into] = *static_cast<taking*>(arg);
            if (tour.is_on_it(gp) && &gp != current_goroutine() &&
                self.look_at_other(gp, into.others[into.count]))
                ++into.count;
        },
        &t);
    into.is_complete = !scan_.is_usable();
    scan_.end();
    return true;
}

void tracer::ask_some(batch& some) {
    if (some.is_complete) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < some.count; ++i) {
        other& o = some.others[i];
        if (!o.has_stack && !ask(o)) continue;
        if (kept != i) some.others[kept] = o;
        ++kept;
    }
    some.count = kept;
}

void tracer::print_some(const batch& some) {
    for (std::size_t i = 0; i < some.count; ++i) print_other(some.others[i]);
}

}  // namespace rota::rt
