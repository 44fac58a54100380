// Reads a trace's batches, tables and events. It checks every length before it uses it.
#include "diag/trace/reader.hpp"

#include <algorithm>
#include <iterator>

#include "trace/wire.hpp"

namespace rota::rt {

namespace {

// The number of arguments of each event; 255: no event has that number. The reader skips the events
// that rota does not write.
constexpr std::uint8_t no_event = 255;
constexpr std::uint8_t argument_counts[] = {
    no_event, no_event, no_event, no_event, no_event, no_event, no_event, no_event, no_event,
    2,                 // procs change
    2, 0, 3, 2,        // proc start, stop, steal, status
    3, 1, 2,           // go create, create in a system call, start
    0, 0, 2,           // go destroy, destroy in a system call, stop
    2, 3, 2,           // go block, unblock, system call begin.
    0, 0, 3,           // its end, its end blocked, go status
    2, 0,              // stop of the world
    1, 2, 1, 1, 1, 2,  // collector: active, begin, end; sweep:
                       // active, begin, end
    1, 1, 0,           // mark assist: active, begin, end
    1, 1,              // heap
    1,                 // label
    4, 2, 3, 3, 4,     // task begin and end, region begin and end, log
    2, 2, 3,           // coroutines: switch, switch at the end, create blocked
    4,                 // go status with a stack
};
static_assert(std::size(argument_counts) ==
              static_cast<std::size_t>(trace_event::go_status_stack) + 1);

// Reads bytes from the front. A read beyond the end sets has_failed() for good.
class bytes_reader {
  public:
    explicit bytes_reader(std::string_view of) : left_(of) {}

    bool is_at_end() const { return left_.empty(); }
    bool has_failed() const { return failed_; }

    std::uint8_t byte() {
        if (left_.empty()) {
            failed_ = true;
            return 0;
        }
        const auto b = static_cast<std::uint8_t>(left_.front());
        left_.remove_prefix(1);
        return b;
    }

    std::uint64_t number() {
        std::uint64_t v = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t b = byte();
            v |= std::uint64_t{b & 0x7fu} << shift;
            if (b < 0x80) return v;
        }
        failed_ = true;
        return 0;
    }

    std::string_view take(std::uint64_t n) {
        if (n > left_.size()) {
            failed_ = true;
            n = left_.size();
        }
        const std::string_view taken = left_.substr(0, n);
        left_.remove_prefix(n);
        return taken;
    }

  private:
    std::string_view left_;
    bool failed_ = false;
};

struct generation_builder {
    read_generation now;
    std::uint64_t number = 0;  // of the generation; 0: no batch has been read
    std::uint64_t frequency = 1'000'000'000;

    bool add_strings(bytes_reader& b) {
        while (!b.is_at_end()) {
            if (b.byte() != static_cast<std::uint8_t>(trace_event::string)) return false;
            const std::uint64_t id = b.number(), size = b.number();
            now.strings[id] = b.take(size);
        }
        return !b.has_failed();
    }

    bool add_stacks(bytes_reader& b) {
        constexpr std::uint64_t depth_max = 1024;
        while (!b.is_at_end()) {
            if (b.byte() != static_cast<std::uint8_t>(trace_event::stack)) return false;
            const std::uint64_t id = b.number(), depth = b.number();
            if (depth > depth_max) return false;
            std::vector<std::uint64_t>& functions = now.stacks[id];
            functions.clear();
            for (std::uint64_t i = 0; i < depth; ++i) {
                b.number();  // the address
                functions.push_back(b.number());
                b.number();  // the file
                b.number();  // the line
            }
        }
        return !b.has_failed();
    }

    bool add_events(bytes_reader& b, std::uint64_t thread, std::uint64_t time) {
        while (!b.is_at_end()) {
            read_event e{};
            e.kind = b.byte();
            if (e.kind >= std::size(argument_counts) || argument_counts[e.kind] == no_event)
                return false;
            time += b.number();
            e.time = time;
            e.thread = thread;
            e.place = now.events.size();
            for (std::size_t i = 0; i < argument_counts[e.kind]; ++i) e.argument[i] = b.number();
            if (!b.has_failed()) now.events.push_back(e);
        }
        return !b.has_failed();
    }

    bool add_samples(bytes_reader& b) {
        while (!b.is_at_end()) {
            if (b.byte() != static_cast<std::uint8_t>(trace_event::sample)) return false;
            read_sample s{};
            for (std::uint64_t* const field : {&s.time, &s.thread, &s.p, &s.goroutine, &s.stack})
                *field = b.number();
            now.samples.push_back(s);
        }
        return !b.has_failed();
    }

    bool add(std::string_view payload, std::uint64_t thread, std::uint64_t time) {
        if (payload.empty()) return false;
        bytes_reader b(payload);
        switch (static_cast<trace_event>(payload.front())) {
            case trace_event::stacks: b.byte(); return add_stacks(b);
            case trace_event::strings: b.byte(); return add_strings(b);
            case trace_event::samples: b.byte(); return add_samples(b);
            case trace_event::frequency:
                b.byte();
                frequency = b.number();
                return frequency != 0 && !b.has_failed();
            default: return add_events(b, thread, time);
        }
    }

    // Delivers the generation: every batch of it has been read.
    void deliver(void (*take)(const read_generation&, void*), void* arg) {
        const double ns = 1e9 / static_cast<double>(frequency);
        if (frequency != 1'000'000'000) {
            const auto in_ns = [&](std::uint64_t& time) {
                time = static_cast<std::uint64_t>(static_cast<double>(time) * ns);
            };
            for (read_event& e : now.events) in_ns(e.time);
            for (read_sample& s : now.samples) in_ns(s.time);
        }
        std::sort(now.samples.begin(), now.samples.end(),
                  [](const read_sample& a, const read_sample& b) { return a.time < b.time; });
        std::sort(now.events.begin(), now.events.end(),
                  [](const read_event& a, const read_event& b) {
                      return a.time != b.time ? a.time < b.time : a.place < b.place;
                  });
        take(now, arg);
        now = {};
    }
};

}  // namespace

bool read_trace(std::string_view file, void (*take)(const read_generation&, void*), void* arg) {
    const std::string_view header(trace_header, sizeof trace_header);
    constexpr std::size_t version_at = 6;
    if (file.size() < header.size() || file.substr(0, version_at) != header.substr(0, version_at) ||
        (file[version_at] != '2' && file[version_at] != '3') ||
        file.substr(version_at + 1, header.size() - version_at - 1) !=
            header.substr(version_at + 1))
        return false;
    bytes_reader b(file.substr(header.size()));
    generation_builder builder;
    while (!b.is_at_end()) {
        const bool is_batch = b.byte() == static_cast<std::uint8_t>(trace_event::batch);
        const std::uint64_t number = b.number(), thread = b.number(), time = b.number();
        const std::string_view payload = b.take(b.number());
        if (b.has_failed()) return builder.number != 0;  // cut off: the process died
        if (!is_batch || number == 0) return false;
        if (builder.number != 0 && number != builder.number) builder.deliver(take, arg);
        builder.number = number;
        if (!builder.add(payload, thread, time)) return false;
    }
    if (builder.number != 0) builder.deliver(take, arg);
    return builder.number != 0;
}

}  // namespace rota::rt
