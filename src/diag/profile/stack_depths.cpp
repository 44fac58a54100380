// Collects stack depths by place, then joins them by function name.
#include "diag/profile/stack_depths.hpp"

#include <algorithm>
#include <tuple>

#include "core/sched.hpp"
#include "diag/stack/goroutine_list.hpp"
#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/text/append_format.hpp"
#include "mem/stack.hpp"
#include "sched/record/stack_depth.hpp"

namespace rota::rt {

namespace {

std::string name_of_code(const code_place& place) {
    if (place.function == nullptr) return "?";
    const frame_name name(place.function, false);
    return {name.text, static_cast<std::size_t>(name.length)};
}

std::string function_of(const void* entry) {
    return entry == nullptr ? "(others)" : name_of_code(place_of(entry));
}

// "main (server.cpp:12)". The address is that behind the call.
std::string creator_of(const void* created_at) {
    if (created_at == nullptr) return {};
    const code_place place = place_of(static_cast<const char*>(created_at) - 1);
    std::string text = name_of_code(place);
    if (place.source.file != nullptr)
        text.append(" (")
            .append(place.source.file)
            .append(":")
            .append(std::to_string(place.source.line) + ")");
    return text;
}

void note_ended(const depth_of_place& d, void* to) {
    static_cast<std::vector<depth_of_place>*>(to)->push_back(d);
}

// A goroutine may end between the list and the look at its stack, and another goroutine begin on
// that stack: its depth then counts for the ended goroutine.
void add_living(std::vector<depth_of_place>& places) {
    for (const goroutine_state& s : list_goroutines(0)) {
        const stack_slot slot = stack_find(s.address.get());
        if (!slot) continue;
        places.push_back({s.created_at, s.entry, 1, stack_depth(slot), slot.cls});
    }
}

auto key_of_place(const depth_of_place& d) { return std::tuple(d.created_at, d.cls); }

// Joins the entries of one place and one stack size.
void join(std::vector<depth_of_place>& places) {
    std::sort(places.begin(), places.end(),
              [](const auto& a, const auto& b) { return key_of_place(a) < key_of_place(b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (kept == 0 || key_of_place(places[kept - 1]) != key_of_place(places[i])) {
            places[kept++] = places[i];
            continue;
        }
        depth_of_place& into = places[kept - 1];
        into.goroutines += places[i].goroutines;
        into.deepest = std::max(into.deepest, places[i].deepest);
        if (into.entry == nullptr) into.entry = places[i].entry;
    }
    places.resize(kept);
}

}  // namespace

std::vector<depth_of_function> list_stack_depths() {
    std::vector<depth_of_place> places;
    for_each_stack_depth(note_ended, &places);
    add_living(places);
    join(places);
    std::sort(places.begin(), places.end(),
              [](const auto& a, const auto& b) { return a.deepest > b.deepest; });
    std::vector<depth_of_function> result;
    for (const depth_of_place& d : places) {
        result.push_back({function_of(d.entry), creator_of(d.created_at), d.goroutines, d.deepest,
                          stack_class_size(d.cls)});
    }
    return result;
}

std::string stack_depths_text() {
    std::string text = are_stack_depths_kept()
                           ? "# goroutines that live or have ended, by the place that made them\n"
                           : "# goroutines that live; with GODEBUG=stackdepth=1 also those that "
                             "have ended\n";
    append_format(text, "# %8s %8s %10s  %s\n", "deepest", "stack", "goroutines", "function");
    for (const depth_of_function& d : list_stack_depths()) {
        append_format(text, "%6zu KiB %4zu KiB %10llu  ", d.deepest / 1024, d.stack_size / 1024,
                      static_cast<unsigned long long>(d.goroutines));
        text.append(d.function);
        if (!d.created_by.empty()) text.append(", made by ").append(d.created_by);
        text += '\n';
    }
    return text;
}

}  // namespace rota::rt
