// The regular expressions of the tests.
#include "pattern.hpp"

#include <regex>

namespace rota_test {

bool matches(const std::string& text, const std::string& pattern) {
    return std::regex_search(text, std::regex(pattern));
}

std::vector<std::string> first_groups(const std::string& text, const std::string& pattern) {
    const std::regex compiled(pattern);
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), compiled), end; at != end; ++at)
        found.push_back((*at)[1]);
    return found;
}

std::string first_group(const std::string& text, const std::string& pattern) {
    const std::vector<std::string> all = first_groups(text, pattern);
    return all.empty() ? "" : all.front();
}

}  // namespace rota_test
