// Replaces the resolver by names that the test imagines.
#include "imagined_names.hpp"

#include <dlfcn.h>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>

#include <netdb.h>

namespace {

using namespace std::chrono_literals;
using rota::net::endpoint;

std::mutex mu;  // the lookups' threads are in system calls: they may wait for it
std::map<std::string, std::vector<endpoint>, std::less<>>& names() {
    static auto* const all = new std::map<std::string, std::vector<endpoint>, std::less<>>;
    return *all;
}

// One of a list of our own, and the address that it points to. The C library's freeaddrinfo gives
// back a whole list that has been allocated in such pieces; but that is its secret, so a mark tells
// ours from its own.
struct imagined {
    addrinfo info;
    endpoint at;
};
constexpr int mark = 1 << 30;  // in ai_flags

addrinfo* list_of(const std::vector<endpoint>& addresses, int family) {
    addrinfo* list = nullptr;
    for (auto i = addresses.rbegin(); i != addresses.rend(); ++i) {
        auto* const made = new imagined{{}, *i};
        sockaddr* const at = static_cast<sockaddr*>(made->at.data());
        if (family != AF_UNSPEC && at->sa_family != family) {
            delete made;
            continue;
        }
        made->info = {mark, at->sa_family, 0, 0, made->at.size(), at, nullptr, list};
        list = &made->info;
    }
    return list;
}

template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int wait_in_vain() {
    ++rota_test::silent_begun;
    ++rota_test::silent_asks;
    const auto until = std::chrono::steady_clock::now() + 60s;  // a test that failed ends, too
    while (!rota_test::answer_the_silent.load() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);  // between two looks
    --rota_test::silent_asks;
    return EAI_NONAME;
}

}  // namespace

void rota_test::imagine(const std::string& name, const std::vector<endpoint>& addresses) {
    const std::lock_guard guard(mu);
    names()[name] = addresses;
}

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints,
                           addrinfo** list) {
    if (host != nullptr && std::string_view(host).starts_with("silent-")) return wait_in_vain();
    if (host != nullptr) {
        const std::lock_guard guard(mu);
        const auto found = names().find(std::string_view(host));
        if (found != names().end()) {
            *list = list_of(found->second, hints->ai_family);
            return *list != nullptr ? 0 : EAI_NONAME;
        }
    }
    static const auto librarys = real<decltype(getaddrinfo)>("getaddrinfo");
    return librarys(host, service, hints, list);
}

extern "C" void freeaddrinfo(addrinfo* list) {
    if (list == nullptr || (list->ai_flags & mark) == 0) {
        static const auto librarys = real<decltype(freeaddrinfo)>("freeaddrinfo");
        return librarys(list);
    }
    while (list != nullptr) {
        auto* const one = reinterpret_cast<imagined*>(list);
        list = list->ai_next;
        delete one;
    }
}
