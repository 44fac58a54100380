// Names as a test wants them: this program's getaddrinfo, which the runtime asks, knows them before
// the C library's does.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <rota/net.hpp>

namespace rota_test {

// From now on the name stands for these addresses, in this order. Their ports do not matter.
void imagine(const std::string& name, const std::vector<rota::net::endpoint>& addresses);

// A name "silent-..." is asked for in vain, by name servers that say nothing: the lookup blocks its
// thread until `answer_the_silent` is true, and no host is found then.
inline std::atomic<bool> answer_the_silent{false};
inline std::atomic<int> silent_begun{0};  // lookups of such names, in all
inline std::atomic<int> silent_asks{0};   // those under way

}  // namespace rota_test
