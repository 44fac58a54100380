// Twice the bytes cost at most 2.2 times: processor time for inputs of n, 2n, 4n and 8n bytes.
//
//     hostile_doubling [FILTER]
//
// A round measures the four sizes one after the other and has a ratio; the median of several rounds
// counts. The inputs are large enough for half a millisecond. Work that is quadratic has the
// ratio 4.
//
// Prints a line `row NAME<tab>BYTES<tab>MILLISECONDS<tab>RATIO` for each subject: the largest
// input, its time, and the factor for one doubling. Exit status 1 if a factor is above 2.2.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <malloc.h>
#include <rota/rota.hpp>

#include "served.hpp"
#include "subjects.hpp"

namespace rota_hostile {

std::string repeated(std::string_view piece, std::size_t bytes) {
    std::string all;
    all.reserve(bytes + 2 * piece.size());
    for (int number = 0; all.size() < bytes; ++number) {
        for (const char c : piece) {
            if (c == '#') all += std::to_string(number);
            else all += c;
        }
    }
    return all;
}

void require(bool holds, std::string_view words) {
    if (!holds) throw std::runtime_error(std::string(words));
}

namespace {

constexpr double ratio_max = 2.2;
constexpr std::size_t sizes = 4;
constexpr std::int64_t long_enough = 500'000;       // ns, for the smallest input
constexpr std::int64_t all_rounds = 4'000'000'000;  // ns: no further round begins then

// ns of processor time of the whole process.
std::int64_t processor_time() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t time_of(const subject& s, const std::string& input) {
    const std::int64_t began = processor_time();
    s.work(input);
    return processor_time() - began;
}

// The smallest size that takes at least `long_enough`, with room for the larger sizes.
std::size_t first_size(const subject& s) {
    const std::size_t largest = s.most >> (sizes - 1);
    std::size_t size = s.least < largest ? s.least : largest;
    while (size * 2 <= largest) {
        const std::string input = s.input(size);
        (void)time_of(s, input);  // the first run touches fresh memory
        if (time_of(s, input) >= long_enough) break;
        size *= 2;
    }
    return size;
}

struct figures {
    std::size_t bytes = 0;
    double ms = 0, ratio = 0;
};

// How much a size costs in proportion to half of it: the line of least squares through the
// logarithms of the four costs.
double ratio_of(const std::array<std::int64_t, sizes>& costs) {
    static_assert(sizes == 4);
    const auto log = [&](std::size_t i) { return std::log2(static_cast<double>(costs[i])); };
    return std::exp2((3 * (log(3) - log(0)) + (log(2) - log(1))) / 10);
}

double median_of(std::vector<double> v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
}

// The median of the rounds counts. Times of different rounds are not compared: other programs
// change the speed of the machine.
figures measure(const subject& s) {
    constexpr std::size_t rounds_least = 3, rounds_most = 16;
    std::array<std::string, sizes> inputs;
    const std::size_t first = first_size(s);
    for (std::size_t i = 0; i < sizes; ++i) inputs[i] = s.input(first << i);
    figures f;
    f.bytes = inputs.back().size();
    f.ms = std::numeric_limits<double>::max();
    std::vector<double> ratios;
    const std::int64_t began = processor_time();
    while (ratios.size() < rounds_most) {
        std::array<std::int64_t, sizes> costs;
        for (std::size_t i = 0; i < sizes; ++i) costs[i] = time_of(s, inputs[i]);
        f.ms = std::min(f.ms, static_cast<double>(costs.back()) / 1e6);
        ratios.push_back(ratio_of(costs));
        f.ratio = median_of(ratios);
        const bool is_long = processor_time() - began > all_rounds;
        if (is_long || (ratios.size() >= rounds_least && f.ratio <= ratio_max)) break;
    }
    return f;
}

// The number of subjects whose factor is above the limit.
int measure_all(std::string_view wanted) {
    const site served;
    subjects all;
    add_texts(all);
    add_requests(all);
    add_frames(all);
    add_answers(all);
    add_pages(all);
    int broken = 0;
    for (const subject& s : all) {
        if (std::string_view(s.name).find(wanted) == std::string_view::npos) continue;
        try {
            const figures f = measure(s);
            std::printf("row %s\t%zu\t%.2f\t%.2f\n", s.name, f.bytes, f.ms, f.ratio);
            if (f.ratio > ratio_max) ++broken;
        } catch (const std::exception& e) {
            std::printf("wrong %s: %s\n", s.name, e.what());
            ++broken;
        }
        std::fflush(stdout);
    }
    return broken;
}

}  // namespace
}  // namespace rota_hostile

int main(int argc, char** argv) {
    // Keeps malloc from taking large blocks from the kernel again and again: fresh pages cost more
    // than writing to them, and only large inputs would have them.
    ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    return rota::run([=] { return rota_hostile::measure_all(wanted) == 0 ? 0 : 1; });
}
