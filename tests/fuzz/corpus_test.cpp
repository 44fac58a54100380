// Runs each target on its inputs from corpus/ in turn, so that a fault found once stays found.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "targets.hpp"

namespace {

class fuzz_corpus : public testing::TestWithParam<rota_fuzz::target> {};

TEST_P(fuzz_corpus, breaks_nothing) {
    const std::filesystem::path folder = std::filesystem::path(ROTA_FUZZ_CORPUS) / GetParam().name;
    int inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        SCOPED_TRACE(entry.path());
        GetParam().run(text);
        // Each prefix is an input as well.
        for (std::size_t size = 0; size < text.size(); size += 1 + text.size() / 8)
            GetParam().run(std::string_view(text).substr(0, size));
        ++inputs;
    }
    EXPECT_GE(inputs, 3) << folder;
}

INSTANTIATE_TEST_SUITE_P(all, fuzz_corpus, testing::ValuesIn(rota_fuzz::targets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
