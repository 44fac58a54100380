// Work that grows with its input: what doubling.cpp measures. A subject makes an input of about so
// many bytes, in the form that costs most, and lets the library read it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rota_hostile {

struct subject {
    const char* name;
    std::size_t least, most;  // bytes of the smallest input, and of the largest one
    std::function<std::string(std::size_t bytes)> input;
    std::function<void(const std::string& input)> work;  // throws where the answer is wrong
};

using subjects = std::vector<subject>;

void add_texts(subjects& all);     // parsers that are called as they are
void add_requests(subjects& all);  // a server of HTTP/1.1
void add_frames(subjects& all);    // a server of HTTP/2
void add_answers(subjects& all);   // a client
void add_pages(subjects& all);     // pages about the process

// `piece` again and again, up to about so many bytes; in each a # becomes its number.
std::string repeated(std::string_view piece, std::size_t bytes);

// Throws std::runtime_error with the words if it does not hold.
void require(bool holds, std::string_view words);

}  // namespace rota_hostile
