// Implements rota/pprof.hpp: collects each profile and writes it as text or as a file.
#include <rota/pprof.hpp>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <rota/sync/mutex.hpp>

#include "diag/leak/unreachable.hpp"
#include "diag/metrics/scheduler_counters.hpp"
#include "diag/pages/profile_difference.hpp"
#include "diag/profile/cpu.hpp"
#include "diag/profile/own_memory.hpp"
#include "diag/profile/proto.hpp"
#include "diag/profile/text.hpp"
#include "diag/stack/goroutine_list.hpp"
#include "diag/stack/reading_stacks.hpp"
#include "diag/stack/stack_text.hpp"
#include "diag/symbol/frame_name.hpp"
#include "diag/text/append_format.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/record/labels.hpp"
#include "sched/thread/syscall.hpp"
#include "sys/call/clock.hpp"
#include "trace/contention.hpp"

namespace rota::pprof {

using namespace rota::rt;

namespace {

std::int64_t wall_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void write_text(std::ostream& out, const std::string& text) {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void write_file(std::ostream& out, profile_builder& b) { write_text(out, b.finish()); }

// --- goroutine
// -------------------------------------------------------------------------------------

struct equal_stacks {
    std::vector<std::uintptr_t> pcs;
    const label_set* labels;
    std::int64_t count = 0;
    std::string key;  // the stack and labels as text, as printed behind the count
};

// Joins goroutines with equal stacks and labels, the most frequent first.
std::vector<equal_stacks> grouped(std::vector<goroutine_state> all) {
    std::map<std::string, equal_stacks> by_key;
    for (goroutine_state& g : all) {
        std::string key;
        append_pcs(key, g.pcs);
        append_label_line(key, g.labels);
        equal_stacks& e = by_key[key];
        if (e.count++ == 0) {
            e.pcs = std::move(g.pcs);
            e.labels = g.labels;
            e.key = std::move(key);
        }
    }
    std::vector<equal_stacks> result;
    for (auto& [key, e] : by_key) result.push_back(std::move(e));
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return a.count != b.count ? a.count > b.count : a.key < b.key;
    });
    return result;
}

// Groups the goroutines for which shall_show(state) holds. Caller: has a label_reader.
template <class F>
std::vector<equal_stacks> groups_of(F shall_show) {
    std::vector<goroutine_state> all = list_goroutines();
    std::erase_if(all, [&](const goroutine_state& g) { return !shall_show(g); });
    return grouped(std::move(all));
}

template <class F>
void write_stacks(std::ostream& out, const char* name, F shall_show) {
    {
        const label_reader reading;
        const std::vector<equal_stacks> groups = groups_of(shall_show);
        std::int64_t total = 0;
        for (const equal_stacks& e : groups) total += e.count;
        std::string text;
        append_format(text, "%s profile: total %lld\n", name, static_cast<long long>(total));
        for (const equal_stacks& e : groups) {
            append_format(text, "%lld @", static_cast<long long>(e.count));
            text += e.key;
            append_frames(text, e.pcs);
        }
        write_text(out, text);
    }
    free_dropped_labels();
}

template <class F>
void add_stacks(profile_builder& b, F shall_show) {
    {
        const label_reader reading;
        for (const equal_stacks& e : groups_of(shall_show))
            b.add(e.pcs, std::span(&e.count, 1), e.labels);
    }
    free_dropped_labels();
}

bool is_any(const goroutine_state&) { return true; }

void write_goroutines(std::ostream& out, int debug) {
    if (debug >= 2) return write_text(out, stack_text(true));
    write_stacks(out, "goroutine", is_any);
}
void add_goroutines(profile_builder& b) { add_stacks(b, is_any); }

// Selects the goroutines that can never run again.
struct lost_ones {
    unreachable_goroutines found = find_unreachable_goroutines();
    lost_ones() { std::sort(found.goids.begin(), found.goids.end()); }
    bool operator()(const goroutine_state& g) const {
        return std::binary_search(found.goids.begin(), found.goids.end(), g.goid);
    }
};

// With debug=2 all goroutines, as Go: the state marks the leaked goroutines.
void write_leaks(std::ostream& out, int debug) {
    const lost_ones lost;
    if (debug >= 2) return write_text(out, stack_text(true));
    write_stacks(out, "goroutineleak", std::cref(lost));
    if (const char* const why = lost.found.unproven)
        write_text(out, std::string("\n# only waits for nothing at all: ") + why + "\n");
}
void add_leaks(profile_builder& b) {
    const lost_ones lost;
    add_stacks(b, std::cref(lost));
}

// --- block and mutex
// -------------------------------------------------------------------------------

struct contended {
    std::vector<std::uintptr_t> pcs;
    std::int64_t count, ns;
};

// Drops the frames that have recorded the event. Of the runtime's frames that lead to it, the last
// names the awaited operation. Go: the `skip` of saveblockevent.
std::span<const std::uintptr_t> from_the_wait(std::span<const std::uintptr_t> pcs) {
    const auto is_runtime = [](std::uintptr_t pc) {
        return pc > 1 && is_runtime_frame(place_of(reinterpret_cast<const void*>(pc - 1)));
    };
    while (pcs.size() > 1 && is_runtime(pcs[0]) && is_runtime(pcs[1])) pcs = pcs.subspan(1);
    return pcs;
}

// Returns the records, the longest wait first.
std::vector<contended> records_of(stack_table& table) {
    boot_runtime();
    stack_table::extent need{};
    {
        const runtime_entry inside;
        need = table.size();
    }
    std::vector<stack_table::copied> records(need.entries);
    std::vector<std::uintptr_t> pcs(need.pcs);
    {
        const runtime_entry inside;
        need.entries = table.copy(records.data(), need.entries, pcs.data(), need.pcs);
    }
    records.resize(need.entries);
    std::vector<contended> result;
    for (const stack_table::copied& r : records) {
        const auto stack = from_the_wait({pcs.data() + r.first, r.size});
        result.push_back({{stack.begin(), stack.end()},
                          static_cast<std::int64_t>(r.count + 0.5),
                          static_cast<std::int64_t>(r.ns)});
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return a.ns != b.ns ? a.ns > b.ns : a.pcs < b.pcs;
    });
    return result;
}

void write_contention(std::ostream& out, stack_table& table, bool is_mutex) {
    // Go counts in processor cycles; rota counts nanoseconds.
    std::string text = is_mutex ? "--- mutex:\ncycles/second=1000000000\n"
                                : "--- contention:\ncycles/second=1000000000\n";
    if (is_mutex)
        append_format(text, "sampling period=%lld\n", static_cast<long long>(mutex_fraction()));
    for (const contended& r : records_of(table)) {
        append_format(text, "%lld %lld @", static_cast<long long>(r.ns),
                      static_cast<long long>(r.count));
        append_pcs(text, r.pcs);
        append_frames(text, r.pcs);
    }
    write_text(out, text);
}

void add_contention(profile_builder& b, stack_table& table) {
    for (const contended& r : records_of(table)) {
        const std::int64_t v[] = {r.count, r.ns};
        b.add(r.pcs, v, nullptr);
    }
}

void write_block(std::ostream& out, int) { write_contention(out, contention.blocked, false); }
void write_mutex(std::ostream& out, int) { write_contention(out, contention.held, true); }
void add_block(profile_builder& b) { add_contention(b, contention.blocked); }
void add_mutex(profile_builder& b) { add_contention(b, contention.held); }

// --- threads
// ---------------------------------------------------------------------------------------

struct thread_kind {
    std::string_view name;
    std::int64_t count;
};

std::vector<thread_kind> thread_kinds() {
    const auto own = static_cast<std::int64_t>(read_scheduler_counters().threads) - 1;
    // relaxed: a report
    const std::int64_t foreign = sched.foreign_count.load(memory_order_relaxed);
    return {{"rota: runs goroutines", own},
            {"rota: sysmon", 1},
            {"rota: a thread of the program's that uses rota", foreign}};
}

void write_threads(std::ostream& out, int) {
    const std::vector<thread_kind> kinds = thread_kinds();
    std::int64_t total = 0;
    for (const thread_kind& k : kinds) total += k.count;
    std::string text;
    append_format(text, "threadcreate profile: total %lld\n", static_cast<long long>(total));
    for (const thread_kind& k : kinds) {
        if (k.count > 0)
            append_format(text, "%lld @ 0x0\n#\t0x0\t%.*s\n\n", static_cast<long long>(k.count),
                          static_cast<int>(k.name.size()), k.name.data());
    }
    write_text(out, text);
}

void add_threads(profile_builder& b) {
    for (const thread_kind& k : thread_kinds()) {
        if (k.count > 0) b.add_named(k.name, std::span(&k.count, 1), 0);
    }
}

// --- heap
// ------------------------------------------------------------------------------------------

void write_memory(std::ostream& out, int) { write_text(out, memory_text(own_memory())); }

void add_memory(profile_builder& b) {
    for (const memory_use& u : own_memory()) {
        const std::int64_t v[] = {u.objects, u.bytes, u.objects, u.bytes};
        b.add_named(u.name, v, u.object_size);
    }
}

constexpr value_type goroutine_values[] = {{"goroutine", "count"}},
                     leak_values[] = {{"goroutineleak", "count"}},
                     contention_values[] = {{"contentions", "count"}, {"delay", "nanoseconds"}},
                     thread_values[] = {{"threadcreate", "count"}},
                     memory_values[] = {{"alloc_objects", "count"},
                                        {"alloc_space", "bytes"},
                                        {"inuse_objects", "count"},
                                        {"inuse_space", "bytes"}};

struct known_profile {
    std::string_view name;
    void (*write)(std::ostream& out, int debug);  // as text
    // As a file: the types of its values, the period between two samples, the type shown first.
    std::span<const value_type> values;
    value_type period;
    void (*add)(profile_builder& b);
    std::size_t (*count)();
    std::string_view shown_first = {};
    std::string_view remark = {};
};

constexpr std::string_view own_memory_only =
    "rota's own memory, as address space; the program's is not counted";

std::size_t records_in(stack_table& table) {
    const runtime_entry inside;
    return table.size().entries;
}

constexpr known_profile known_profiles[] = {
    {"allocs",
     write_memory,
     memory_values,
     {"space", "bytes"},
     add_memory,
     [] { return own_memory().size(); },
     "alloc_space",
     own_memory_only},
    {"block", write_block, contention_values, contention_values[0], add_block,
     [] { return records_in(contention.blocked); }},
    {"goroutine", write_goroutines, goroutine_values, goroutine_values[0], add_goroutines,
     [] { return std::size_t{read_scheduler_counters().goroutines}; }},
    {"goroutineleak", write_leaks, leak_values, leak_values[0], add_leaks,
     [] { return unreachable_when_last_looked(); }},
    {"heap",
     write_memory,
     memory_values,
     {"space", "bytes"},
     add_memory,
     [] { return own_memory().size(); },
     "inuse_space",
     own_memory_only},
    {"mutex", write_mutex, contention_values, contention_values[0], add_mutex,
     [] { return records_in(contention.held); }},
    {"threadcreate", write_threads, thread_values, thread_values[0], add_threads,
     [] {
         std::int64_t n = 0;
         for (const thread_kind& k : thread_kinds()) n += k.count;
         return static_cast<std::size_t>(n);
     }},
};

const known_profile& find_profile(std::string_view name) {
    for (const known_profile& k : known_profiles) {
        if (k.name == name) return k;
    }
    throw std::invalid_argument("rota::pprof: unknown profile \"" + std::string(name) + "\"");
}

void complete(profile_builder& b, std::string_view shown_first, std::string_view remark,
              std::int64_t lasted_ns) {
    b.set_times(wall_now(), lasted_ns);
    if (!shown_first.empty()) b.set_default(shown_first);
    if (!remark.empty()) b.comment(remark);
}

ROTA_NOINLINE void write_known(const known_profile& k, std::ostream& out, int debug) {
    if (debug > 0) return k.write(out, debug);
    profile_builder b(k.values, k.period, 1);
    k.add(b);
    complete(b, k.shown_first, k.remark, 0);
    write_file(out, b);
}

// --- the processors' time
// --------------------------------------------------------------------------

constinit mutex cpu_mu;                         // one thread starts or stops at a time
constinit std::ostream* cpu_out = nullptr;      // under cpu_mu; null: no profile is taken
constinit label_reader* cpu_reading = nullptr;  // under cpu_mu, likewise

struct cpu_lock {
    cpu_lock() { cpu_mu.lock(); }
    ~cpu_lock() { cpu_mu.unlock(); }
    cpu_lock(const cpu_lock&) = delete;
    cpu_lock& operator=(const cpu_lock&) = delete;
};

cpu_profile stop_in_blocking() {
    struct blocking_section {
        blocking_section() { entersyscall(); }
        ~blocking_section() { exitsyscall(); }
    } const section;
    return stop_sampling();
}

void write_cpu(std::ostream& out, const cpu_profile& profile) {
    const value_type values[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
    profile_builder b(values, values[1], cpu_period_ns);
    for (const cpu_stack& s : profile.stacks) {
        const auto n = static_cast<std::int64_t>(s.count);
        const std::int64_t v[] = {n, n * cpu_period_ns};
        b.add(s.pcs, v, s.labels);
    }
    b.set_times(profile.began_wall_ns, profile.lasted_ns);
    if (profile.lost > 0) b.comment(std::to_string(profile.lost) + " samples were lost");
    write_file(out, b);
}

}  // namespace

void write_profile(std::string_view name, std::ostream& out, int debug) {
    clear_dead_frames();  // for goroutineleak
    write_known(find_profile(name), out, debug);
}

}  // namespace rota::pprof

namespace rota::rt {

struct profile_difference::parts {
    void (*add)(profile_builder& b);
    std::string_view shown_first, remark;
    profile_builder builder;
    std::int64_t began = nanotime();
};

profile_difference::profile_difference(std::string_view name) {
    clear_dead_frames();
    const pprof::known_profile& k = pprof::find_profile(name);
    parts_.reset(new parts{k.add, k.shown_first, k.remark, {k.values, k.period, 1}});
    parts_->builder.subtract(true);
    k.add(parts_->builder);
}

profile_difference::~profile_difference() = default;

std::string profile_difference::finish() {
    clear_dead_frames();
    profile_builder& b = parts_->builder;
    b.subtract(false);
    parts_->add(b);
    pprof::complete(b, parts_->shown_first, parts_->remark, nanotime() - parts_->began);
    return b.finish();
}

}  // namespace rota::rt

namespace rota::pprof {

std::vector<profile_info> profiles() {
    boot_runtime();
    std::vector<profile_info> result;
    for (const known_profile& k : known_profiles) result.push_back({k.name, k.count()});
    return result;
}

void start_cpu_profile(std::ostream& out) {
    boot_runtime();
    const cpu_lock guard;
    if (cpu_out != nullptr) {
        throw std::system_error(std::make_error_code(std::errc::device_or_resource_busy),
                                "rota::pprof: a CPU profile is being taken already");
    }
    auto reading = std::make_unique<label_reader>();
    start_sampling();
    cpu_reading = reading.release();
    cpu_out = &out;
}

void stop_cpu_profile() {
    const cpu_lock guard;
    if (cpu_out == nullptr) return;
    std::ostream& out = *std::exchange(cpu_out, nullptr);
    struct end_reading {
        ~end_reading() {
            delete std::exchange(cpu_reading, nullptr);
            free_dropped_labels();
        }
    } const at_end;
    const cpu_profile profile = stop_in_blocking();
    write_cpu(out, profile);
}

void set_block_profile_rate(int ns) {
    __atomic_store_n(&contention.block_rate, ns > 0 ? ns : 0, __ATOMIC_RELAXED);
}

int set_mutex_profile_fraction(int n) {
    const auto before = static_cast<int>(mutex_fraction());
    if (n >= 0) __atomic_store_n(&contention.mutex_fraction, n, __ATOMIC_RELAXED);
    return before;
}

}  // namespace rota::pprof
