// Writes the batches and tables of a generation.
#include "diag/trace/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>

#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/symbolize.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/record/trace_events.hpp"
#include "trace/stacks.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t batch_max = 60'000;
constexpr std::size_t frames_max = 100'000;  // samples may lie at addresses without code
constexpr int new_places_max = 500;

void put_batch(trace_output& to, std::uint32_t generation, std::uint64_t thread, std::uint64_t time,
               const void* payload, std::size_t size) {
    std::uint8_t head[1 + 4 * uvarint_max];
    std::uint8_t* at = head;
    *at++ = static_cast<std::uint8_t>(trace_event::batch);
    at = put_uvarint(at, generation);
    at = put_uvarint(at, thread);
    at = put_uvarint(at, time);
    at = put_uvarint(at, size);
    to.put(head, static_cast<std::size_t>(at - head));
    to.put(payload, size);
}

void append(std::vector<std::uint8_t>& to, std::uint64_t v) {
    std::uint8_t bytes[uvarint_max];
    to.insert(to.end(), bytes, put_uvarint(bytes, v));
}

// A reader takes functions of this package for the runtime's own.
constexpr std::string_view own_package = "runtime.";

std::string shown_name(std::string_view name) {
    constexpr std::string_view ours = "rota::rt::";
    const bool is_own = name.starts_with(ours);
    std::string shown(is_own ? own_package : "");
    shown += is_own ? name.substr(ours.size()) : name;
    return shown.substr(0, trace_string_max);
}

// Functions that write to the trace are hidden too.
bool is_of_trace(const char* mangled) {
    return mangled != nullptr && std::strncmp(mangled, "_ZN4rota5trace", 14) == 0;
}

}  // namespace

const trace_format::frame& trace_format::frame_at(std::uintptr_t pc) {
    const auto [at, is_new] = frames_.try_emplace(pc);
    frame& f = at->second;
    if (!is_new) return f;
    const code_place place = place_of(reinterpret_cast<const void*>(pc - 1));
    f.is_ours = is_runtime_frame(place) || is_of_trace(place.function);
    const source_line& s = place.source;
    if (place.function != nullptr) {
        const frame_name name(place.function, false);
        f.function = shown_name({name.text, static_cast<std::size_t>(name.length)});
    } else {
        f.function = std::string(place.module) + "+" + std::to_string(place.offset);
    }
    if (s.file != nullptr) {
        if (s.directory != nullptr && *s.file != '/') f.file = std::string(s.directory) + "/";
        f.file += s.file;
        if (s.line != 0) f.line = s.line;
    } else {
        f.file = place.module;
    }
    f.file = f.file.substr(0, trace_string_max);
    return f;
}

// Events lie at a few hundred places. Samples may lie anywhere, and to look an address up may take
// a millisecond. So a generation looks up a limited number of new ones; the rest have no names in
// it.
const trace_format::frame& trace_format::sampled_frame_at(std::uintptr_t pc) {
    if (const auto known = frames_.find(pc); known != frames_.end()) return known->second;
    if (new_places_ == 0) return nameless_;
    --new_places_;
    return frame_at(pc);
}

std::uint32_t trace_format::number_of(const std::string& text) {
    if (text.empty()) return 0;
    const auto next = trace_string_symbols + static_cast<std::uint32_t>(texts_.size());
    const auto [at, is_new] = numbers_.try_emplace(text, next);
    if (is_new) texts_.push_back(&at->first);
    return at->second;
}

void trace_format::end_batch(trace_output& to) {
    if (batch_.size() > 1)
        put_batch(to, generation_, trace_no_thread, time_, batch_.data(), batch_.size());
    batch_.clear();
}

// Readers call a goroutine by the function at the end of its first stack. The text of
// go_options::name stands there in the function's place. Readers keep one function for each
// address, so the frame has an address of its own, where no code lies.
void trace_format::add_named(std::uint32_t id, const frame& f, std::string_view name) {
    begin_stack(id, 1);
    put_frame(trace_beginning::named - id, std::string(name), f);
}

// Hides the runtime's frames at both ends, unless the stack has no other frames.
void trace_format::add_stack(std::uint32_t id, const std::uintptr_t* pcs, std::uint32_t n) {
    if (const std::string_view name = trace_beginning::name_in(pcs, n); !name.empty()) {
        const frame& f = frame_at(pcs[0]);
        if (!f.function.starts_with(own_package)) return add_named(id, f, name);
        n = 1;
    }
    std::uint32_t from = 0, end = n;
    while (from < end && frame_at(pcs[from]).is_ours) ++from;
    while (end > from && frame_at(pcs[end - 1]).is_ours) --end;
    if (from == end) {
        from = n - 1;
        end = n;
    }
    add_frames(id, pcs + from, end - from, &trace_format::frame_at);
}

void trace_format::begin_stack(std::uint32_t id, std::uint32_t n) {
    constexpr std::size_t most = (2 + 4 * cpu_sample::pcs_max) * uvarint_max;
    static_assert(cpu_sample::pcs_max >= trace_depth_max);
    if (batch_.size() + most > batch_max) end_batch(*to_);
    if (batch_.empty()) batch_.push_back(static_cast<std::uint8_t>(trace_event::stacks));
    batch_.push_back(static_cast<std::uint8_t>(trace_event::stack));
    append(batch_, id);
    append(batch_, n);
}

void trace_format::put_frame(std::uintptr_t pc, const std::string& function, const frame& f) {
    append(batch_, pc);
    append(batch_, number_of(function));
    append(batch_, number_of(f.file));
    append(batch_, f.line);
}

void trace_format::add_frames(std::uint32_t id, const std::uintptr_t* pcs, std::uint32_t n,
                              frame_of look) {
    begin_stack(id, n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const frame& f = (this->*look)(pcs[i]);
        put_frame(pcs[i], f.function, f);
    }
}

// Returns the first number behind the numbers of the table.
std::uint32_t trace_format::write_stacks(trace_output& to) {
    std::uint32_t count = 0;
    {
        const runtime_entry inside;
        count = trace_stacks.size();
    }
    for (std::uint32_t id = 1; id <= count; ++id) {
        if (trace_stacks.is_used(id, generation_))
            add_stack(id, trace_stacks.frames(id), trace_stacks.depth(id));
    }
    end_batch(to);
    return count + 1;
}

// Keeps the runtime's frames, because samples show where time goes. Converts the samples' moments
// to the clock of the generation.
void trace_format::write_samples(const std::vector<traced_sample>& samples,
                                 std::uint32_t first_stack, const trace_generation& of,
                                 std::uint64_t offset) {
    constexpr std::size_t most = 1 + 5 * uvarint_max;
    std::map<std::vector<std::uintptr_t>, std::uint32_t> stacks;
    for (const traced_sample& s : samples) {
        const auto next = first_stack + static_cast<std::uint32_t>(stacks.size());
        if (s.pcs.empty() || !stacks.try_emplace(s.pcs, next).second) continue;
        add_frames(next, s.pcs.data(), static_cast<std::uint32_t>(s.pcs.size()),
                   &trace_format::sampled_frame_at);
    }
    end_batch(*to_);
    const auto stamps = static_cast<double>(of.ended.stamp - of.began.stamp);
    const auto ns = static_cast<double>(of.ended.mono - of.began.mono);
    const double stamps_per_ns = ns > 0 ? stamps / ns : 0;
    for (const traced_sample& s : samples) {
        const auto since = static_cast<double>(s.time - of.began.mono) * stamps_per_ns;
        if (batch_.size() + most > batch_max) end_batch(*to_);
        if (batch_.empty()) batch_.push_back(static_cast<std::uint8_t>(trace_event::samples));
        batch_.push_back(static_cast<std::uint8_t>(trace_event::sample));
        const auto stamp = of.began.stamp + static_cast<std::uint64_t>(std::llround(since));
        append(batch_, std::min(stamp, of.ended.stamp) + offset);
        append(batch_, s.thread);
        append(batch_, s.p);
        append(batch_, s.goroutine);
        append(batch_, s.pcs.empty() ? 0 : stacks.at(s.pcs));
    }
    end_batch(*to_);
}

void trace_format::write_strings(trace_output& to) {
    const auto add = [&](std::uint32_t id, std::string_view text) {
        if (batch_.size() + text.size() + 1 + 2 * uvarint_max > batch_max) end_batch(to);
        if (batch_.empty()) batch_.push_back(static_cast<std::uint8_t>(trace_event::strings));
        batch_.push_back(static_cast<std::uint8_t>(trace_event::string));
        append(batch_, id);
        append(batch_, text.size());
        batch_.insert(batch_.end(), text.begin(), text.end());
    };
    for (std::uint32_t id = 1; id <= trace_string_fixed; ++id) {
        if (const char* const text = trace_fixed_text(id)) add(id, text);
    }
    std::uint32_t id = trace_string_symbols;
    for (const std::string* text : texts_) add(id++, *text);
    end_batch(to);
}

void trace_format::write(const trace_generation& done, const std::vector<traced_sample>& samples,
                         trace_output& to) {
    to_ = &to;
    const trace_scale scale = trace_clock.scale(done.uses_ticks);
    generation_ = done.number;
    time_ = done.began.stamp + scale.offset;
    new_places_ = new_places_max;
    if (frames_.size() > frames_max) frames_.clear();
    numbers_.clear();
    texts_.clear();
    batch_.clear();
    batch_.push_back(static_cast<std::uint8_t>(trace_event::frequency));
    append(batch_, scale.frequency);
    end_batch(to);
    for (const trace_chunk* c = done.chunks.first; c != nullptr; c = c->next)
        put_batch(to, generation_, c->thread, c->time + scale.offset, c->data, c->used);
    write_samples(samples, write_stacks(to), done, scale.offset);
    write_strings(to);
}

}  // namespace rota::rt
