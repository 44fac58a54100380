// Reading the list, and looking a difference up in it.
#include "known.hpp"

#include <algorithm>
#include <stdexcept>

namespace rota_differential {

namespace {

constexpr std::string_view noise_name = "noise", noise_begin = "noise_";

// What a request means then depends on text that is drawn: with "noise_" in front of them, and
// these.
constexpr std::string_view of_noise[] = {"cut",         "head_end_cr", "head_end_missing",
                                         "length_less", "length_more", "length_name_underscore"};

bool is_noise(std::string_view name) {
    return name.starts_with(noise_begin) ||
           std::find(std::begin(of_noise), std::end(of_noise), name) != std::end(of_noise);
}

// "rota=4xx go=A node=4xx" as "rota=4xx go=* node=*".
std::string by_rota_alone(std::string_view difference) {
    return std::string(difference.substr(0, difference.find(' '))) + " go=* node=*";
}

bool is_mutation(std::string_view name) {
    if (name == "plain" || name == noise_name) return true;
    for (const framing needed : {framing::none, framing::length, framing::chunks})
        for (const mutation& m : mutations_of(needed))
            if (m.name == name) return true;
    return false;
}

bool are_mutations(std::string_view names) {
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find('+'));
        if (!is_mutation(name)) return false;
        names.remove_prefix(std::min(names.size(), name.size() + 1));
    }
    return true;
}

// Columns are separated by any number of spaces; in the class by one.
std::string with_single_spaces(std::string_view line) {
    std::string all;
    for (const char c : line)
        if (c != ' ' || (!all.empty() && all.back() != ' ')) all += c;
    while (all.ends_with(' ')) all.pop_back();
    return all;
}

}  // namespace

known_differences::known_differences(std::string_view text) {
    bool has_reason = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.empty() || line.starts_with('#')) {
            if (line.empty()) has_reason = false;
            continue;
        }
        if (!line.starts_with(' ')) {
            has_reason = true;
            continue;
        }
        const std::string entry = with_single_spaces(line);
        const std::string name = entry.substr(0, entry.find(' '));
        if (!has_reason) throw std::runtime_error("no reason stands above: " + entry);
        if (!are_mutations(name)) throw std::runtime_error("no mutation is named so: " + entry);
        if (!classes_.insert(entry).second) throw std::runtime_error("stands twice: " + entry);
    }
}

std::string known_differences::find(const made_case& made, std::string_view difference) const {
    const auto entry = [&](std::string_view name) {
        return std::string(name) + " " + std::string(difference);
    };
    const std::string wide = std::string(noise_name) + " " + by_rota_alone(difference);
    for (const change& c : made.changes) {
        const bool any_text = is_noise(c.what->name);
        const std::string one = entry(any_text ? noise_name : c.what->name);
        if (classes_.contains(one)) return one;
        if (any_text && classes_.contains(wide)) return wide;
    }
    const std::string all = entry(made.names());
    return classes_.contains(all) ? all : "";
}

}  // namespace rota_differential
