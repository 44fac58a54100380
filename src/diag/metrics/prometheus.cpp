// Implements rota::metrics::prometheus: prints all metrics in the text format 0.0.4.
#include <rota/metrics.hpp>

#include <charconv>
#include <cmath>

#include "sys/proc/process_figures.hpp"

namespace rota::metrics {

namespace {

using namespace std::string_view_literals;

// The build defines the version; a compile of this file alone does not know it.
#if defined(ROTA_VERSION)
constexpr std::string_view rota_version = ROTA_VERSION;
#else
constexpr std::string_view rota_version = "?";
#endif

// As Go's client prints a double: the shortest text that gives the same double.
void append(std::string& out, double v) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, v);
    out.append(text, end.ptr);
}

void append(std::string& out, std::uint64_t v) {
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, v);
    out.append(text, end.ptr);
}

// "/sched/goroutines-created:goroutines" is go_sched_goroutines_created_goroutines_total.
std::string name_of(const description& d, bool is_histogram) {
    constexpr std::string_view own = "/rota/";
    std::string name = d.name.starts_with(own) ? "rota/" : "go/";
    name += d.name.starts_with(own) ? d.name.substr(own.size()) : d.name.substr(1);
    for (char& c : name) {
        if (c == '/' || c == '-' || c == ':') c = '_';
    }
    if (d.cumulative && !is_histogram) name += "_total";
    return name;
}

void head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

template <class T>
void single(std::string& out, std::string_view name, std::string_view help, std::string_view type,
            T value) {
    head(out, name, help, type);
    out.append(name).append(" ");
    append(out, value);
    out.append("\n");
}

// Go's client merges the 162 buckets: steps of at least ten, and none above a second. The runtime's
// bounds are exclusive, Prometheus's are not: each is printed as the double below.
void append_histogram(std::string& out, std::string_view name, const histogram& h) {
    constexpr double bounds[] = {64e-9,     640e-9,      7168e-9,     81920e-9,
                                 917504e-9, 10485760e-9, 117440512e-9};
    std::uint64_t count = 0;
    std::size_t next = 0;
    const auto line = [&](auto print_bound) {
        out.append(name).append("_bucket{le=\"");
        print_bound();
        out.append("\"} ");
        append(out, count);
        out.append("\n");
    };
    for (const double bound : bounds) {
        constexpr double slack = 0.5e-9;  // the boundaries are whole nanoseconds
        while (next < h.counts.size() && h.buckets[next + 1] < bound + slack)
            count += h.counts[next++];
        line([&] { append(out, std::nextafter(bound, 0.0)); });
    }
    while (next < h.counts.size()) count += h.counts[next++];
    line([&] { out.append("+Inf"); });
    out.append(name).append("_sum ");
    append(out, h.sum);
    out.append("\n").append(name).append("_count ");
    append(out, count);
    out.append("\n");
}

void append_sample(std::string& out, const description& d, const sample& s) {
    const auto* const h = std::get_if<histogram>(&s.value);
    const std::string name = name_of(d, h != nullptr);
    std::string help(d.text);
    help.append(" Sourced from ").append(d.name).append(".");
    if (h != nullptr) {
        head(out, name, help, "histogram");
        append_histogram(out, name, *h);
        return;
    }
    const std::string_view type = d.cumulative ? "counter"sv : "gauge"sv;
    if (const auto* const v = std::get_if<double>(&s.value)) single(out, name, help, type, *v);
    else single(out, name, help, type, std::get<std::uint64_t>(s.value));
}

// The client's metrics of every process. Figures that the kernel does not tell are left out.
void append_process(std::string& out) {
    const rt::process_figures now = rt::read_process_figures();
    single(out, "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
           "counter", now.cpu_seconds);
    if (now.open_descriptors > 0)
        single(out, "process_open_fds", "Number of open file descriptors.", "gauge",
               now.open_descriptors);
    single(out, "process_max_fds", "Maximum number of open file descriptors.", "gauge",
           now.max_descriptors);
    if (now.resident_bytes > 0) {
        single(out, "process_resident_memory_bytes", "Resident memory size in bytes.", "gauge",
               now.resident_bytes);
        single(out, "process_virtual_memory_bytes", "Virtual memory size in bytes.", "gauge",
               now.virtual_bytes);
    }
    if (now.start_seconds > 0)
        single(out, "process_start_time_seconds",
               "Start time of the process since unix epoch in seconds.", "gauge",
               now.start_seconds);
}

// A metric of Go's client that sums the runtime's memory, under the name that dashboards know.
struct memory_name {
    std::string_view name, help;
    std::string_view parts[4];
};

constexpr memory_name memory_names[] = {
    {"buck_hash_sys_bytes",
     "Bytes of the tables of the block and the mutex profile.",
     {"profiling/buckets"}},
    {"gc_sys_bytes", "Bytes of the scheduler's own tables.", {"metadata/other"}},
    {"heap_idle_bytes",
     "Bytes of address space for stacks to come.",
     {"heap/free", "heap/released"}},
    {"heap_released_bytes", "Bytes of those that are no memory.", {"heap/released"}},
    {"heap_sys_bytes",
     "Bytes of the runtime's heap and of address space for stacks to come.",
     {"heap/free", "heap/objects", "heap/released", "heap/unused"}},
    {"mcache_inuse_bytes",
     "Bytes of processors' lists of spare blocks.",
     {"metadata/mcache/inuse"}},
    {"mcache_sys_bytes",
     "Bytes of those lists, also of processors that were taken away.",
     {"metadata/mcache/free", "metadata/mcache/inuse"}},
    {"mspan_inuse_bytes", "Bytes of records of where stacks lie.", {"metadata/mspan/inuse"}},
    {"mspan_sys_bytes",
     "Bytes of those records and for more of them.",
     {"metadata/mspan/free", "metadata/mspan/inuse"}},
    {"other_sys_bytes", "Bytes of buffers of traces and CPU profiles.", {"other"}},
    {"stack_inuse_bytes", "Bytes of address space of goroutines' stacks.", {"heap/stacks"}},
    {"stack_sys_bytes",
     "Bytes of address space of the stacks of goroutines and threads.",
     {"heap/stacks", "os-stacks"}},
    {"sys_bytes", "Bytes that the runtime has from the kernel.", {"total"}},
};

std::uint64_t value_of(const std::vector<sample>& samples, std::string_view name) {
    for (const sample& s : samples) {
        if (s.name == name) return std::get<std::uint64_t>(s.value);
    }
    return 0;
}

void append_memory(std::string& out, const std::vector<sample>& samples) {
    for (const memory_name& m : memory_names) {
        std::uint64_t bytes = 0;
        for (const std::string_view part : m.parts) {
            std::string name("/memory/classes/");
            if (!part.empty()) bytes += value_of(samples, name.append(part).append(":bytes"));
        }
        single(out, std::string("go_memstats_").append(m.name), m.help, "gauge", bytes);
    }
}

// The client's further metrics. Of collections, which never come here, Go prints the same before
// its first collection.
void append_runtime(std::string& out, const std::vector<sample>& samples) {
    head(out, "go_gc_duration_seconds", "How long collections have stopped the world.", "summary");
    for (const char* const quantile : {"0", "0.25", "0.5", "0.75", "1"})
        out.append("go_gc_duration_seconds{quantile=\"").append(quantile).append("\"} 0\n");
    out.append("go_gc_duration_seconds_sum 0\ngo_gc_duration_seconds_count 0\n");
    single(out, "go_goroutines", "Number of goroutines that currently exist.", "gauge",
           value_of(samples, "/sched/goroutines:goroutines"));
    head(out, "go_info", "Information about the Go environment.", "gauge");
    out.append("go_info{version=\"rota ").append(rota_version).append("\"} 1\n");
    append_memory(out, samples);
    single(out, "go_memstats_last_gc_time_seconds",
           "When the last collection was, in seconds since 1970: 0, there has been none.", "gauge",
           std::uint64_t{0});
    single(out, "go_threads", "Number of OS threads created.", "gauge",
           value_of(samples, "/sched/threads/total:threads"));
}

}  // namespace

std::string prometheus() {
    const std::vector<sample> samples = read();
    const std::span<const description> known = all();
    std::string out;
    out.reserve(16 * 1024);
    append_runtime(out, samples);
    for (std::size_t i = 0; i < samples.size(); ++i) append_sample(out, known[i], samples[i]);
    append_process(out);
    return out;
}

}  // namespace rota::metrics
