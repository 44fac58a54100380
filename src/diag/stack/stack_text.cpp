// Builds traces as text: allocates room, walks inside the runtime, then expands the names.
#include "diag/stack/stack_text.hpp"

#include <cstring>
#include <memory>
#include <string_view>

#include "diag/stack/no_yield_guard.hpp"
#include "diag/stack/reading_stacks.hpp"
#include "diag/stack/sample_stack.hpp"
#include "diag/stack/traceback.hpp"
#include "diag/symbol/frame_name.hpp"
#include "sched/record/labels.hpp"

namespace rota::rt {

namespace {

struct work {
    explicit work(std::string& to) : room(&to) {}

    std::string* room;     // does not grow
    std::size_t size = 0;  // that the text has, or would have
    report out{
        [](void* to, const char* more, std::size_t n) { static_cast<work*>(to)->add(more, n); },
        this};
    tracer trace;

    void add(const char* more, std::size_t n) {
        if (size + n <= room->size()) std::memcpy(room->data() + size, more, n);
        size += n;
    }
};

constexpr trace_style style{.system = false, .careful = false, .names_later = true};

// Fills `room` as far as it goes. Returns the bytes that the whole text takes.
std::size_t trace_into(std::string& room) {
    const auto w = std::make_unique<work>(room);
    const no_yield_guard here;
    w->trace.to(w->out, style);
    w->trace.print_current();
    w->out.flush();
    return w->size;
}

std::string current_text() {
    constexpr std::size_t usual = 16 * 1024;
    std::string room(usual, '\0');
    for (;;) {
        const std::size_t size = trace_into(room);
        if (size <= room.size()) return room.substr(0, size);
        room.assign(size + size / 4, '\0');
    }
}

// Writes about other goroutines outside the runtime: the program goes on meanwhile.
struct others {
    explicit others(std::string& to) : text(to) { trace.to(out, style); }
    // Leaves no pointer to stacks behind: the search for unreachable goroutines would take it for a
    // reference.
    ~others() { ::explicit_bzero(&batch, sizeof batch); }
    others(const others&) = delete;
    others& operator=(const others&) = delete;

    std::string& text;
    report out{[](void* to, const char* more, std::size_t n) {
                   static_cast<others*>(to)->text.append(more, n);
               },
               this};
    tracer trace;
    tracer::batch batch;

    bool take_some(slot_tour& tour) {
        const no_yield_guard here;
        return trace.take_some(tour, batch);
    }
};

void append_others(std::string& text) {
    const std::size_t before = text.size();
    {
        const reading_stacks reading;
        const label_reader reading_labels;
        look_at_tables();
        const auto w = std::make_unique<others>(text);
        for (slot_tour tour; w->take_some(tour);) {
            w->trace.ask_some(w->batch);
            if (text.size() == before && w->batch.count > 0) text += '\n';
            w->trace.print_some(w->batch);
        }
        w->out.flush();
    }
    free_dropped_labels();
}

// With the names as people read them.
std::string expand_names(std::string_view text) {
    constexpr char ends[] = {name_end, called_name_end, inlined_name_end};
    std::string result;
    result.reserve(text.size());
    for (;;) {
        const std::size_t from = text.find(name_begin);
        const std::size_t to = from == text.npos
                                   ? text.npos
                                   : text.find_first_of(std::string_view(ends, sizeof ends), from);
        if (to == text.npos) break;
        result += text.substr(0, from);
        const std::string mangled(text.substr(from + 1, to - from - 1));
        const frame_name name(mangled.c_str(), false);
        const bool is_inlined = text[to] == inlined_name_end;
        const int length = is_inlined ? name.bare_length : name.length;
        result.append(name.text, static_cast<std::size_t>(length));
        if (text[to] == called_name_end) result += name.suffix;
        if (is_inlined) result += inlined_arguments;
        text.remove_prefix(to + 1);
    }
    return result += text;
}

}  // namespace

std::string stack_text(bool all) {
    std::string text = current_text();
    if (all) append_others(text);
    return expand_names(text);
}

}  // namespace rota::rt
