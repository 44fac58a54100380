// Writing profile.proto by protozero. The numbers of the fields are those of the format.
#include "diag/profile/proto.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/modules.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/text/gzip.hpp"
#include "sched/record/labels.hpp"

namespace rota::rt {

namespace {

using protozero::pbf_writer;

namespace field {
// Of Profile.
constexpr protozero::pbf_tag_type sample_type = 1, sample = 2, mapping = 3, location = 4,
                                  function = 5, string_table = 6, time_nanos = 9,
                                  duration_nanos = 10, period_type = 11, period = 12, comment = 13,
                                  default_sample_type = 14;
}  // namespace field

std::string path_of(const source_line& s) {
    if (s.file == nullptr) return {};
    if (s.directory == nullptr || *s.file == '/') return s.file;
    return std::string(s.directory) + "/" + s.file;
}

}  // namespace

struct profile_builder::parts {
    std::string data;
    pbf_writer out{data};
    std::unordered_map<std::string, std::int64_t> string_index{{"", 0}};
    std::vector<std::string> strings{""};
    std::unordered_map<std::uintptr_t, std::uint64_t> locations;  // by address
    std::unordered_map<std::string, std::uint64_t> named;         // locations without an address
    std::unordered_map<std::string, std::uint64_t> functions;     // by name and file
    std::uint64_t location_count = 0;
    std::vector<code_mapping> mappings = code_mappings();

    std::int64_t text(std::string_view s) {
        const auto [at, is_new] = string_index.try_emplace(std::string(s), strings.size());
        if (is_new) strings.push_back(at->first);
        return at->second;
    }

    void put_type(protozero::pbf_tag_type tag, const value_type& v) {
        const std::int64_t type = text(v.type), unit = text(v.unit);
        pbf_writer w(out, tag);
        w.add_int64(1, type);
        w.add_int64(2, unit);
    }

    void put_mappings() {
        std::uint64_t id = 0;
        for (const code_mapping& m : mappings) {
            const std::int64_t file = text(m.file), build_id = text(m.build_id);
            pbf_writer w(out, field::mapping);
            w.add_uint64(1, ++id);
            w.add_uint64(2, m.start);
            w.add_uint64(3, m.limit);
            w.add_uint64(4, m.file_offset);
            w.add_int64(5, file);
            w.add_int64(6, build_id);
            // Functions, files and lines are in this file: tools need not look for them.
            for (const protozero::pbf_tag_type has : {7, 8, 9}) w.add_bool(has, true);
            if (has_inlined_calls(reinterpret_cast<const void*>(m.start))) w.add_bool(10, true);
        }
    }

    std::uint64_t mapping_of(std::uintptr_t address) const {
        for (std::size_t i = 0; i < mappings.size(); ++i) {
            if (address >= mappings[i].start && address < mappings[i].limit) return i + 1;
        }
        return 0;
    }

    std::uint64_t function(const std::string& name, std::string_view mangled,
                           const std::string& file, unsigned start_line) {
        std::string key = std::string(mangled) + '\n' + file;
        // Several functions, in different classes or namespaces, may share a bare name.
        if (!mangled.starts_with("_Z")) key += '\n' + std::to_string(start_line);
        const auto [at, is_new] = functions.try_emplace(std::move(key), functions.size() + 1);
        if (!is_new) return at->second;
        const std::int64_t shown = text(name), system = text(mangled), path = text(file);
        pbf_writer w(out, field::function);
        w.add_uint64(1, at->second);
        w.add_int64(2, shown);
        w.add_int64(3, system);
        w.add_int64(4, path);
        if (start_line > 0) w.add_int64(5, start_line);
        return at->second;
    }

    std::uint64_t function(const char* mangled, const source_line& source, unsigned start_line) {
        const frame_name name(mangled, false);
        return function({name.text, static_cast<std::size_t>(name.length)}, mangled,
                        path_of(source), start_line);
    }

    // A function and a line of it.
    struct line {
        std::uint64_t function_id;
        unsigned number;
    };

    void put_location(std::uint64_t id, std::uintptr_t address, std::span<const line> lines) {
        const std::uint64_t mapping = address != 0 ? mapping_of(address) : 0;
        pbf_writer w(out, field::location);
        w.add_uint64(1, id);
        if (mapping != 0) w.add_uint64(2, mapping);
        if (address != 0) w.add_uint64(3, address);
        for (const line& each : lines) {
            pbf_writer l(w, 4);
            l.add_uint64(1, each.function_id);
            l.add_int64(2, each.number);
        }
    }

    std::uint64_t location(std::uintptr_t pc) {
        const std::uintptr_t address = pc - 1;  // within the call
        const auto [at, is_new] = locations.try_emplace(address, location_count + 1);
        if (!is_new) return at->second;
        ++location_count;
        const code_frames all = frames_of(reinterpret_cast<const void*>(address));
        std::vector<line> lines;
        for (std::size_t i = 0; i < all.count; ++i) {
            const code_frame& f = all.inlined[i];
            lines.push_back({function(f.function, f.source, f.start_line), f.source.line});
        }
        const code_place& p = all.place;
        if (p.function != nullptr)
            lines.push_back({function(p.function, p.source, all.start_line), p.source.line});
        put_location(at->second, address, lines);
        return at->second;
    }

    std::uint64_t named_location(std::string_view name) {
        const auto [at, is_new] = named.try_emplace(std::string(name), location_count + 1);
        if (!is_new) return at->second;
        ++location_count;
        const line only{function(at->first, name, {}, 0), 0};
        put_location(at->second, 0, std::span(&only, 1));
        return at->second;
    }

    struct sample_label {
        std::int64_t name, value, number;
    };
    struct sample {
        std::vector<std::uint64_t> ids;
        std::vector<sample_label> labels;
        std::vector<std::int64_t> values;
    };
    std::vector<sample> samples;                                // in the order of arrival
    std::unordered_map<std::string, std::size_t> sample_index;  // by ids and labels
    std::int64_t sign = 1;

    void add_sample(std::vector<std::uint64_t> ids, std::span<const std::int64_t> values,
                    std::vector<sample_label> labels) {
        std::string key;
        const auto append = [&key](const auto& all) {
            key.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]);
        };
        append(std::array{labels.size()});  // where they end and ids begin
        append(labels);
        append(ids);
        const auto [at, is_new] = sample_index.try_emplace(std::move(key), samples.size());
        if (is_new) {
            samples.push_back(
                {std::move(ids), std::move(labels), std::vector<std::int64_t>(values.size(), 0)});
        }
        sample& s = samples[at->second];
        for (std::size_t i = 0; i < values.size(); ++i) s.values[i] += sign * values[i];
    }

    void put_samples() {
        for (const sample& s : samples) {
            // In a difference: a sample that has not changed.
            if (std::all_of(s.values.begin(), s.values.end(), [](auto v) { return v == 0; }))
                continue;
            pbf_writer w(out, field::sample);
            w.add_packed_uint64(1, s.ids.begin(), s.ids.end());
            w.add_packed_int64(2, s.values.begin(), s.values.end());
            for (const sample_label& l : s.labels) {
                pbf_writer label(w, 3);
                label.add_int64(1, l.name);
                if (l.value != 0) label.add_int64(2, l.value);
                else label.add_int64(3, l.number);
            }
        }
    }
};

profile_builder::profile_builder(std::span<const value_type> values, value_type period,
                                 std::int64_t every)
    : parts_(std::make_unique<parts>()) {
    for (const value_type& v : values) parts_->put_type(field::sample_type, v);
    parts_->put_type(field::period_type, period);
    parts_->out.add_int64(field::period, every);
    parts_->put_mappings();
}

profile_builder::~profile_builder() = default;

void profile_builder::add(std::span<const std::uintptr_t> pcs, std::span<const std::int64_t> values,
                          const label_set* labels) {
    std::vector<std::uint64_t> ids;
    for (const std::uintptr_t pc : pcs) {
        if (pc > 1) ids.push_back(parts_->location(pc));
    }
    std::vector<parts::sample_label> all;
    for_each_label(labels, [&](auto name, auto value) {
        const std::int64_t key = parts_->text(name);
        all.push_back({key, parts_->text(value), 0});
    });
    parts_->add_sample(std::move(ids), values, std::move(all));
}

void profile_builder::add_named(std::string_view function, std::span<const std::int64_t> values,
                                std::int64_t object_size) {
    std::vector<parts::sample_label> size;
    if (object_size > 0) size.push_back({parts_->text("bytes"), 0, object_size});
    parts_->add_sample({parts_->named_location(function)}, values, std::move(size));
}

void profile_builder::subtract(bool on) { parts_->sign = on ? -1 : 1; }

void profile_builder::set_times(std::int64_t wall_ns, std::int64_t duration_ns) {
    parts_->out.add_int64(field::time_nanos, wall_ns);
    if (duration_ns > 0) parts_->out.add_int64(field::duration_nanos, duration_ns);
}

void profile_builder::set_default(std::string_view type) {
    parts_->out.add_int64(field::default_sample_type, parts_->text(type));
}

void profile_builder::comment(std::string_view text) {
    parts_->out.add_int64(field::comment, parts_->text(text));
}

std::string profile_builder::finish() {
    parts_->put_samples();
    for (const std::string& s : parts_->strings) parts_->out.add_string(field::string_table, s);
    return gzip(parts_->data);
}

}  // namespace rota::rt
