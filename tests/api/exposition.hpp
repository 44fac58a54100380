// Reads the text format of Prometheus, version 0.0.4, as strictly as its format is written: what a
// lenient reader lets through, another scraper refuses.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace rota_test {

class exposition {
  public:
    explicit exposition(const std::string& text) {
        if (!text.ends_with('\n')) complain("no end of the last line", "");
        std::istringstream lines(text);
        for (std::string line; complaint_.empty() && std::getline(lines, line);) read(line);
        end_family();
    }

    // What is wrong first, with its line; empty: nothing.
    const std::string& complaint() const { return complaint_; }
    // Name -> type.
    const std::map<std::string, std::string, std::less<>>& families() const { return families_; }

  private:
    void complain(std::string_view what, std::string_view line) {
        if (complaint_.empty()) complaint_.append(what).append(": ").append(line);
    }

    static bool is_name(std::string_view s) {
        return !s.empty() &&
               s.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
    }

    void read(const std::string& line) {
        if (line.starts_with("# HELP ")) return begin_family(line);
        if (line.starts_with("# TYPE ")) return read_type(line);
        if (line.empty() || line.starts_with("#"))
            return complain("neither comment nor sample", line);
        if (type_.empty()) return complain("a sample without a type", line);
        const std::size_t space = line.rfind(' ');
        double value = 0;
        if (space == line.npos || !is_number(line.substr(space + 1), value))
            return complain("no number", line);
        read_sample(line.substr(0, space), value, line);
    }

    void begin_family(const std::string& line) {
        end_family();
        const std::size_t end = line.find(' ', 7);
        if (end == line.npos || end + 1 == line.size()) return complain("no text", line);
        name_ = line.substr(7, end - 7);
        if (!is_name(name_)) complain("no name", line);
        if (families_.contains(name_)) complain("a second time", line);
    }

    void read_type(const std::string& line) {
        const std::string start = "# TYPE " + name_ + " ";
        if (name_.empty() || !type_.empty() || !line.starts_with(start))
            return complain("a type that does not follow its text", line);
        type_ = line.substr(start.size());
        if (type_ != "gauge" && type_ != "counter" && type_ != "histogram" && type_ != "summary")
            complain("no type", line);
        if ((type_ == "counter") != name_.ends_with("_total"))
            complain("counters, and nothing else, end in _total", line);
        families_[name_] = type_;
    }

    static bool is_number(const std::string& s, double& value) {
        if (s == "+Inf") {
            value = std::numeric_limits<double>::infinity();
            return true;
        }
        const auto r = std::from_chars(s.data(), s.data() + s.size(), value);
        return r.ec == std::errc() && r.ptr == s.data() + s.size() && std::isfinite(value);
    }

    // The value of the only label, which must have that name; false: it is not there.
    static bool read_label(std::string_view s, std::string_view name, std::string& value) {
        const std::string start = "{" + std::string(name) + "=\"";
        if (!s.starts_with(start) || !s.ends_with("\"}")) return false;
        value = s.substr(start.size(), s.size() - start.size() - 2);
        return value.find_first_of("\"\\") == value.npos;
    }

    void read_sample(const std::string& of, double value, const std::string& line) {
        ++samples_;
        std::string label;
        double bound = 0;
        if (value < 0) complain("less than nothing", line);
        if (type_ == "histogram" && of.starts_with(name_ + "_bucket")) {
            const std::string rest = of.substr(name_.size() + 7);
            if (!read_label(rest, "le", label) || !is_number(label, bound))
                return complain("no bucket", line);
            if (buckets_ > 0 && bound <= bound_) complain("bounds do not grow", line);
            if (buckets_ > 0 && value < in_bucket_) complain("buckets are not cumulative", line);
            ++buckets_;
            bound_ = bound;
            in_bucket_ = value;
        } else if (type_ == "histogram" || type_ == "summary") {
            if (of == name_ + "_count") count_ = value;
            else if (of == name_ + "_sum") has_sum_ = true;
            else if (type_ == "histogram" || !of.starts_with(name_) ||
                     !read_label(of.substr(name_.size()), "quantile", label) ||
                     !is_number(label, bound))
                complain("not of this family", line);
        } else if (of != name_ && !(of.starts_with(name_) &&
                                    read_label(of.substr(name_.size()), "version", label))) {
            complain("not of this family", line);
        }
    }

    void end_family() {
        if (!name_.empty() && samples_ == 0) complain("no sample", name_);
        const bool has_parts = type_ == "histogram" || type_ == "summary";
        if (has_parts && (!has_sum_ || count_ < 0)) complain("no sum, or no count", name_);
        if (type_ == "histogram" && (buckets_ == 0 || !std::isinf(bound_) || in_bucket_ != count_))
            complain("no bucket for everything, or another count", name_);
        name_.clear();
        type_.clear();
        samples_ = buckets_ = 0;
        has_sum_ = false;
        count_ = -1;
    }

    std::string complaint_;
    std::map<std::string, std::string, std::less<>> families_;
    // Of the family that is being read.
    std::string name_, type_;
    int samples_ = 0, buckets_ = 0;
    double bound_ = 0, in_bucket_ = 0, count_ = -1;
    bool has_sum_ = false;
};

}  // namespace rota_test
