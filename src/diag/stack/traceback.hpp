// Prints goroutine traces in Go's layout. Go: traceback.
#pragma once

#include <string_view>

#include "core/g.hpp"
#include "diag/stack/running_stack.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/text/report.hpp"
#include "sched/preempt/scan.hpp"
#include "sched/record/creation.hpp"

namespace rota::rt {

struct noted_park;

struct trace_style {
    bool system = false;   // the runtime's frames as well, with addresses, and where the g is
    bool careful = false;  // the stack was interrupted: no malloc if that was inside the allocator
    // no malloc: names stay mangled, between marks (diag/symbol/frame_name)
    bool names_later = false;
    bool mangled = false;  // no malloc: names stay mangled
};

// The first frame of a trace that does not begin at the caller: in a signal handler.
struct trace_start {
    const void* pc = nullptr;        // of the first frame; null: behind the frames of the report
    const gobuf* context = nullptr;  // walk from here instead
};

// GODEBUG=tracebacklabels=0: labels are left out. At boot.
void show_labels_in_traces(bool shows);

// Prints traces. Large: static, or on the heap. Only the demangler allocates, and it is not called
// if `careful` or `names_later` forbid it.
class tracer {
  public:
    constexpr tracer() = default;

    void to(report& out, trace_style style) {
        out_ = &out;
        style_ = style;
        plain_ = style.mangled;
    }

    // The goroutine that runs here, or this thread if it runs none.
    void print_current(const trace_start& start = {});
    // The runtime's stack of this thread. Starts behind the report's frames, and ends at `end`,
    // where a signal has hit, if given. Always in the system style.
    ROTA_NOINLINE void print_runtime(const void* end = nullptr);
    // Every goroutine but the current one. Goroutines that do not run are held meanwhile: the
    // caller must not park.
    void print_others();
    // A goroutine that has no end; holds it as above.
    void print_one(const g& gp);
    // A goroutine that has left its thread, as it was at that moment.
    void print_noted(const noted_park& note);

    // The same in steps, for a program that goes on. take_some notes the goroutines of the next
    // slots, without the current one, while those that do not run are held. ask_some then asks the
    // running goroutines, and print_some prints the notes. Caller: lives with a label_reader until
    // all is printed; must not park, nor be stopped, during take_some. False: no slot is left.
    struct batch;
    bool take_some(slot_tour& tour, batch& into);
    void ask_some(batch& some);
    void print_some(const batch& some);

  private:
    struct frame {
        std::uintptr_t pc;
        std::uintptr_t sp;
        bool is_call;  // pc is a return address
    };
    // The state of a goroutine at one moment.
    struct about {
        const void* address;
        std::uint64_t goid, parent_goid;
        const void* created_at;
        creation_stack creation;
        bool is_main;
        bool is_locked;
        g_status status;
        wait_reason why;
        std::uint32_t wait_since;
        const m* mp;
        gobuf sched;
        const void* function;
        const label_set* labels;
        bool is_durable;          // only its bubble can wake it
        bool is_leaked;           // no goroutine can wake it
        std::uint64_t bubble_id;  // 0: none
        char name[129];
    };
    // As many frames as Go prints: the innermost and the outermost.
    static constexpr std::size_t half = 50;
    struct walk {
        frame inner[half];
        frame outer[half];
        std::size_t count = 0;
        bool begun = false;
        bool is_cut = false;  // there may be more
        void add(const frame& f) {
            const std::size_t i = count++;
            (i < half ? inner[i] : outer[(i - half) % half]) = f;
        }
        const frame& at(std::size_t i) const {
            return i < half ? inner[i] : outer[(i - half) % half];
        }
    };
    // The printed state and stack of another goroutine.
    struct other {
        about a;
        bool has_stack = false;
        walk w;
    };
    bool look_at_other(const g& gp, other& into);
    bool ask(other& into);
    static void take(const walked_stack& from, walk& to);
    static about look_at(const g& gp);
    static long long minutes_waited(const about& gp);
    static int visit(void* context, walk& w);
    static void backtrace(walk& w);
    static void walk_here(walk& w);
    static void walk_from(walk& w, const gobuf& context);
    std::size_t first_frame(const walk& w, const void* from);
    void print_frames(const walk& w, std::size_t first);
    void print_frames_at(const frame& f, std::uintptr_t fp);
    void print_frame(const frame& f, const code_place& p, std::uintptr_t fp);
    enum class name_use : std::uint8_t { creator, called, inlined };
    void print_name(const char* function, name_use use);
    void print_place(const source_line& s);
    void print_header(const about* gp, const char* state);
    void print_text(std::string_view text, std::string_view special);
    void print_labels(const label_set* labels);
    void print_origin(const about& gp) {
        print_creator(gp);
        print_ancestor(gp);
    }
    void print_creator(const about& gp);
    void print_function(const void* function);
    void print_ancestor(const about& gp);
    void print_other(const other& o);

    bool is_in_allocator(const walk& w);

    report* out_ = nullptr;
    trace_style style_;
    bool plain_ = false;  // names stay mangled: malloc may not be called
    stack_scan scan_;
    walked_stack stack_;
    patience patience_;
};

struct tracer::batch {
    std::size_t count = 0;
    bool is_complete = false;  // a missing stack cannot be had by asking
    other others[slot_tour::at_once];
};

}  // namespace rota::rt
