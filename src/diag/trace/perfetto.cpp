// Converts Go's execution trace to Perfetto's: turns of goroutines become slices on tracks,
// wake-ups become flows. The numbers of the fields are those of perfetto_trace.proto.
//
// Each thread and each processor has a track with a slice for every turn of a goroutine. System
// calls lie within the thread's slices; samples of a CPU profile are instants on its track. Regions
// and logs are on tracks of their goroutines; each task has a track. An event that repeats a known
// state is skipped, so generations join without a seam.
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <protozero/pbf_writer.hpp>
#include <rota/trace.hpp>

#include "diag/trace/reader.hpp"
#include "trace/wire.hpp"

namespace rota::rt {

namespace {

using protozero::pbf_writer;

namespace perfetto {
constexpr protozero::pbf_tag_type trace_packet = 1;
// Of TracePacket.
constexpr protozero::pbf_tag_type clock_snapshot = 6, timestamp = 8, sequence = 10,
                                  track_event = 11, sequence_flags = 13, defaults = 59,
                                  track_descriptor = 60;
// Of TrackEvent.
constexpr protozero::pbf_tag_type annotation = 4, type = 9, track = 11, name = 23, flow = 47,
                                  flow_end = 48;
// Of TrackDescriptor.
constexpr protozero::pbf_tag_type uuid = 1, track_name = 2, process = 3, parent = 5,
                                  child_order = 11, rank = 12;
constexpr std::int32_t slice_begin = 1, slice_end = 2, instant = 3;
constexpr std::uint32_t monotonic = 3, boottime = 6;
}  // namespace perfetto

// Tracks by the kind of their subject; a number is below 2^56 in every real trace.
enum class track_kind : std::uint64_t { group = 1, processor, thread, goroutine, task };
enum class track_group : std::uint64_t {
    process = 1,
    processors,
    threads,
    goroutines,
    tasks,
    stops
};

constexpr std::uint64_t track_of(track_kind kind, std::uint64_t number) {
    return static_cast<std::uint64_t>(kind) << 56 | (number & ((std::uint64_t{1} << 56) - 1));
}
constexpr std::uint64_t track_of(track_group g) {
    return track_of(track_kind::group, static_cast<std::uint64_t>(g));
}

// Packets, in the order of time.
class packets {
  public:
    explicit packets(std::ostream& to) : to_(&to) {
        pbf_writer p(out_, perfetto::trace_packet);
        p.add_uint32(perfetto::sequence, 1);
        p.add_uint32(perfetto::sequence_flags, 1);  // a beginning
        {
            pbf_writer d(p, perfetto::defaults);
            d.add_uint32(58, perfetto::monotonic);  // the clock of all timestamps
        }
        pbf_writer snapshot(p, perfetto::clock_snapshot);
        for (const std::uint32_t clock : {perfetto::boottime, perfetto::monotonic}) {
            pbf_writer c(snapshot, 1);
            c.add_uint32(1, clock);
            c.add_uint64(2, 1'000'000'000);
        }
    }

    // Declares a track once; other tracks may name it from then on.
    void declare(std::uint64_t uuid, std::uint64_t parent, const std::string& name,
                 std::uint64_t rank) {
        if (!known_.insert(uuid).second) return;
        flush_if_full();
        pbf_writer p(out_, perfetto::trace_packet);
        p.add_uint32(perfetto::sequence, 1);
        pbf_writer d(p, perfetto::track_descriptor);
        d.add_uint64(perfetto::uuid, uuid);
        if (parent != 0) d.add_uint64(perfetto::parent, parent);
        d.add_string(perfetto::track_name, name);
        if (parent == 0) {
            pbf_writer process(d, perfetto::process);
            process.add_int32(1, 1);  // a number is asked for; the trace does not say which
            process.add_string(6, name);
        }
        d.add_int32(perfetto::child_order, 3);  // by rank
        d.add_int32(perfetto::rank, static_cast<std::int32_t>(rank & 0x7fffffff));
    }

    struct event {
        std::int32_t type;
        std::string_view name = {};
        std::uint64_t flow = 0, flow_end = 0;  // 0: none
        std::string_view key = {}, value = {};
    };

    void put(std::uint64_t time, std::uint64_t track, const event& e) {
        flush_if_full();
        pbf_writer p(out_, perfetto::trace_packet);
        p.add_uint64(perfetto::timestamp, time);
        p.add_uint32(perfetto::sequence, 1);
        pbf_writer t(p, perfetto::track_event);
        t.add_int32(perfetto::type, e.type);
        t.add_uint64(perfetto::track, track);
        if (!e.name.empty()) t.add_string(perfetto::name, e.name.data(), e.name.size());
        if (e.flow != 0) t.add_fixed64(perfetto::flow, e.flow);
        if (e.flow_end != 0) t.add_fixed64(perfetto::flow_end, e.flow_end);
        if (e.key.empty()) return;
        pbf_writer a(t, perfetto::annotation);
        a.add_string(10, e.key.data(), e.key.size());
        a.add_string(6, e.value.data(), e.value.size());
    }

    void flush() {
        to_->write(data_.data(), static_cast<std::streamsize>(data_.size()));
        data_.clear();
    }

  private:
    void flush_if_full() {
        constexpr std::size_t at_once = 1 << 20;
        if (data_.size() >= at_once) flush();
    }

    std::ostream* to_;
    std::string data_;
    pbf_writer out_{data_};
    std::set<std::uint64_t> known_;
};

// Replays the events far enough to know which goroutine runs where.
class converter {
  public:
    explicit converter(std::ostream& to) : out_(to) {
        const auto declare = [&](track_group g, track_group of, const char* name) {
            const bool is_top = g == track_group::process;
            out_.declare(track_of(g), is_top ? 0 : track_of(of), name,
                         static_cast<std::uint64_t>(g));
        };
        declare(track_group::process, {}, "rota");
        declare(track_group::processors, track_group::process, "Processors (P)");
        declare(track_group::threads, track_group::process, "Threads (M)");
        declare(track_group::goroutines, track_group::process, "Goroutines: regions and logs");
        declare(track_group::tasks, track_group::process, "Tasks");
        declare(track_group::stops, track_group::process, "Stops of the world");
    }

    void add(const read_generation& generation) {
        of_ = &generation;
        auto next = generation.samples.begin();
        const auto samples_until = [&](std::uint64_t time) {
            for (; next != generation.samples.end() && next->time < time; ++next) sample(*next);
        };
        for (const read_event& e : generation.events) {
            samples_until(e.time);
            if (now_ < e.time) now_ = e.time;
            event(e);
        }
        samples_until(~std::uint64_t{0});
    }

    // Ends what has not ended.
    void finish() {
        for (auto& [number, t] : threads_) leave_thread(number, {});
        for (auto& [number, p] : processors_) leave_processor(number);
        for (const auto& [track, depth] : nested_) {
            for (int i = 0; i < depth; ++i) end(track);
        }
        out_.flush();
    }

  private:
    static constexpr std::uint64_t nobody = ~std::uint64_t{0};
    struct thread {
        std::uint64_t g = nobody, p = nobody;
        bool in_call = false;  // with a slice of its own
    };
    struct processor {
        std::uint64_t g = nobody;  // the goroutine with the open slice
    };

    std::string name_of(std::uint64_t g) const {
        const auto found = names_.find(g);
        std::string name = "G" + std::to_string(g);
        if (found != names_.end() && !found->second.empty()) name += " " + found->second;
        return name;
    }
    void note_name(std::uint64_t g, std::uint64_t stack, bool is_entry) {
        const auto found = of_->stacks.find(stack);
        if (found == of_->stacks.end() || found->second.empty()) return;
        const auto& functions = found->second;
        names_.try_emplace(g, of_->text(is_entry ? functions.front() : functions.back()));
    }

    void begin(std::uint64_t track, std::string_view name, std::uint64_t flow_end = 0) {
        out_.put(now_, track, {perfetto::slice_begin, name, 0, flow_end});
    }
    void end(std::uint64_t track, std::string_view key = {}, std::string_view value = {}) {
        out_.put(now_, track, {perfetto::slice_end, {}, 0, 0, key, value});
    }

    std::uint64_t thread_track(std::uint64_t m) {
        const std::uint64_t track = track_of(track_kind::thread, m);
        out_.declare(track, track_of(track_group::threads),
                     m == nobody ? "outside" : "M " + std::to_string(m), m);
        return track;
    }
    std::uint64_t processor_track(std::uint64_t p) {
        const std::uint64_t track = track_of(track_kind::processor, p);
        out_.declare(track, track_of(track_group::processors), "P " + std::to_string(p), p);
        return track;
    }
    std::uint64_t goroutine_track(std::uint64_t g) {
        const std::uint64_t track = track_of(track_kind::goroutine, g);
        out_.declare(track, track_of(track_group::goroutines), name_of(g), g);
        return track;
    }

    // g runs on thread m, and on its processor if it has one.
    void enter(std::uint64_t m, std::uint64_t g) {
        thread& t = threads_[m];
        const std::string name = name_of(g);
        std::uint64_t flow = 0;
        if (const auto woken = flows_.find(g); woken != flows_.end()) {
            flow = woken->second;
            flows_.erase(woken);
        }
        if (t.g != g) {
            leave_thread(m, {});
            t.g = g;
            begin(thread_track(m), name, flow);
        }
        enter_processor(m);
    }
    void enter_processor(std::uint64_t m) {
        const thread& t = threads_[m];
        if (t.p == nobody || t.g == nobody || processors_[t.p].g == t.g) return;
        leave_processor(t.p);
        processors_[t.p].g = t.g;
        begin(processor_track(t.p), name_of(t.g));
    }
    void leave_processor(std::uint64_t p, std::string_view why = {}) {
        processor& at = processors_[p];
        if (at.g == nobody) return;
        at.g = nobody;
        end(processor_track(p), why.empty() ? "" : "why", why);
    }
    void leave_thread(std::uint64_t m, std::string_view why) {
        thread& t = threads_[m];
        if (t.in_call) end(thread_track(m));
        if (t.g != nobody) end(thread_track(m), why.empty() ? "" : "why", why);
        t.in_call = false;
        t.g = nobody;
    }
    // The goroutine of thread m stops running here.
    void leave(std::uint64_t m, std::string_view why) {
        const thread t = threads_[m];
        if (t.p != nobody && processors_[t.p].g == t.g) leave_processor(t.p, why);
        leave_thread(m, why);
    }
    void begin_call(std::uint64_t m) {
        thread& t = threads_[m];
        if (t.g == nobody || t.in_call) return;
        t.in_call = true;
        begin(thread_track(m), "system call");
    }
    void end_call(std::uint64_t m) {
        thread& t = threads_[m];
        if (!t.in_call) return;
        t.in_call = false;
        end(thread_track(m));
    }

    void wake(std::uint64_t m, std::uint64_t g, const char* how) {
        const std::uint64_t flow = ++last_flow_;
        flows_[g] = flow;
        out_.put(now_, thread_track(m), {perfetto::instant, how + name_of(g), flow});
    }

    void give_up(std::uint64_t m, std::uint64_t p) {
        leave_processor(p);
        if (threads_[m].p == p) threads_[m].p = nobody;
    }

    void nest(std::uint64_t track, std::string_view name) {
        ++nested_[track];
        begin(track, name);
    }
    void unnest(std::uint64_t track) {
        if (nested_[track] == 0) return;  // it has begun before the trace
        --nested_[track];
        end(track);
    }

    void event(const read_event& e);
    void sample(const read_sample& s);
    void status_event(const read_event& e);
    void user_event(const read_event& e);

    packets out_;
    const read_generation* of_ = nullptr;
    std::uint64_t now_ = 0;
    std::uint64_t last_flow_ = 0;
    std::map<std::uint64_t, thread> threads_;
    std::map<std::uint64_t, processor> processors_;
    std::map<std::uint64_t, std::string> names_;    // of goroutines
    std::map<std::uint64_t, std::uint64_t> flows_;  // to goroutines that are to run
    std::map<std::uint64_t, int> nested_;           // slices that are open, by track
};

// Handles the states that a generation reports at its beginning.
void converter::status_event(const read_event& e) {
    constexpr std::uint64_t running = 2, syscall = 3, p_running = 1, p_syscall = 3;
    if (static_cast<trace_event>(e.kind) == trace_event::proc_status) {
        const auto [p, status] = std::pair(e.argument[0], e.argument[1]);
        if ((status != p_running && status != p_syscall) || e.thread == trace_no_thread) return;
        threads_[e.thread].p = p;
        return enter_processor(e.thread);
    }
    const std::uint64_t g = e.argument[0], m = e.argument[1], status = e.argument[2];
    if (static_cast<trace_event>(e.kind) == trace_event::go_status_stack)
        note_name(g, e.argument[3], false);
    if ((status != running && status != syscall) || m == trace_no_thread) return;
    if (threads_[m].g != g) enter(m, g);
    if (status == syscall) begin_call(m);
}

void converter::user_event(const read_event& e) {
    const std::uint64_t* const a = e.argument;
    const std::uint64_t g = threads_[e.thread].g;
    switch (static_cast<trace_event>(e.kind)) {
        case trace_event::stw_begin: return nest(track_of(track_group::stops), of_->text(a[0]));
        case trace_event::stw_end: return unnest(track_of(track_group::stops));
        case trace_event::task_begin: {
            const std::uint64_t track = track_of(track_kind::task, a[0]);
            const std::string name(of_->text(a[2]));
            out_.declare(track, track_of(track_group::tasks), name + " " + std::to_string(a[0]),
                         a[0]);
            return nest(track, name);
        }
        case trace_event::task_end: {
            const std::uint64_t track = track_of(track_kind::task, a[0]);
            if (nested_.contains(track)) unnest(track);
            return;
        }
        case trace_event::region_begin: return nest(goroutine_track(g), of_->text(a[1]));
        case trace_event::region_end: return unnest(goroutine_track(g));
        case trace_event::log:
            return out_.put(
                now_, goroutine_track(g),
                {perfetto::instant, of_->text(a[2]), 0, 0, "category", of_->text(a[1])});
        default: return;
    }
}

// An instant of the thread, named by the innermost function of the stack. A sample older than the
// last event of the generation before is put behind that event.
void converter::sample(const read_sample& s) {
    const auto found = of_->stacks.find(s.stack);
    if (found == of_->stacks.end() || found->second.empty()) return;
    std::string name = "sample: ", stack;
    name += of_->text(found->second.front());
    for (const std::uint64_t f : found->second) {
        if (!stack.empty()) stack += '\n';
        stack += of_->text(f);
    }
    if (now_ < s.time) now_ = s.time;
    out_.put(now_, thread_track(s.thread), {perfetto::instant, name, 0, 0, "stack", stack});
}

void converter::event(const read_event& e) {
    const std::uint64_t m = e.thread;
    const std::uint64_t* const a = e.argument;
    switch (static_cast<trace_event>(e.kind)) {
        case trace_event::proc_start: threads_[m].p = a[0]; return enter_processor(m);
        case trace_event::proc_stop: return give_up(m, threads_[m].p);
        case trace_event::proc_steal: return give_up(a[2], a[0]);
        case trace_event::proc_status:
        case trace_event::go_status:
        case trace_event::go_status_stack: return status_event(e);
        case trace_event::go_create: note_name(a[0], a[1], true); return wake(m, a[0], "go ");
        case trace_event::go_create_syscall: enter(m, a[0]); return begin_call(m);
        case trace_event::go_start: return enter(m, a[0]);
        case trace_event::go_destroy: names_.erase(threads_[m].g); return leave(m, "end");
        case trace_event::go_stop:
        case trace_event::go_block: return leave(m, of_->text(a[0]));
        case trace_event::go_unblock: return wake(m, a[0], "wakes ");
        case trace_event::go_syscall_begin: return begin_call(m);
        case trace_event::go_syscall_end: return end_call(m);
        case trace_event::go_syscall_end_blocked: return leave(m, "system call");
        default: return user_event(e);
    }
}

}  // namespace

}  // namespace rota::rt

namespace rota::trace {

void to_perfetto(const std::filesystem::path& in, const std::filesystem::path& out,
                 std::error_code& ec) {
    ec.clear();
    std::ifstream from(in, std::ios::binary);
    if (!from) {
        ec = std::make_error_code(std::errc::no_such_file_or_directory);
        return;
    }
    const std::string bytes{std::istreambuf_iterator<char>(from), {}};
    std::ofstream to(out, std::ios::binary | std::ios::trunc);
    rt::converter convert(to);
    const bool is_trace = rt::read_trace(
        bytes,
        [](const rt::read_generation& g, void* c) { static_cast<rt::converter*>(c)->add(g); },
        &convert);
    convert.finish();
    to.close();
    if (!is_trace || from.bad()) ec = std::make_error_code(std::errc::bad_message);
    else if (!to) ec = std::make_error_code(std::errc::io_error);
}

void to_perfetto(const std::filesystem::path& in, const std::filesystem::path& out) {
    std::error_code ec;
    to_perfetto(in, out, ec);
    if (ec) throw std::system_error(ec, "rota::trace::to_perfetto");
}

}  // namespace rota::trace
