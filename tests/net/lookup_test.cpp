// Lookups that never end: a name server that says nothing is imagined in place of the C library.
#include <dlfcn.h>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <netdb.h>
#include <rota/go.hpp>
#include <rota/net.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

namespace {

using namespace std::chrono_literals;
namespace net = rota::net;

std::atomic<int> begun{0}, asks{0};
std::atomic<bool> answers{false};

template <class Condition>
bool eventually(Condition is_met) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!is_met() && std::chrono::steady_clock::now() < until) rota::sleep_for(1ms);
    return is_met();
}

}  // namespace

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints,
                           addrinfo** list) {
    if (host == nullptr || !std::string_view(host).starts_with("silent-")) {
        static const auto real =
            reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
        return real(host, service, hints, list);
    }
    ++begun;
    ++asks;
    const auto until = std::chrono::steady_clock::now() + 60s;  // a test that failed ends, too
    while (!answers.load() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);  // between two looks
    --asks;
    return EAI_NONAME;
}

TEST(net_lookup, of_names_that_nobody_answers_is_bounded_and_left_with_the_context) {
    // Each could hold a thread; those beyond the bound could wait for their turn when nobody wants
    // their answer any more, and leave a goroutine behind.
    rota::run([] {
        constexpr int bound = 64, more = 40;
        const int before = rota::runtime::num_goroutine();
        const auto [ctx, cancel] = rota::with_cancel(rota::background());
        rota::wait_group dialers;
        std::atomic<int> canceled{0};
        for (int i = 0; i < bound + more; ++i) {
            dialers.go([&, i, ctx = ctx] {
                std::error_code error;
                (void)net::dial(ctx, "tcp", "silent-" + std::to_string(i) + ":80", error);
                canceled += error == rota::context_errc::canceled ? 1 : 0;
            });
        }
        EXPECT_TRUE(eventually([] { return asks.load() == bound; })) << asks.load();
        cancel();
        dialers.wait();
        EXPECT_EQ(canceled.load(), bound + more);
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() <= before + bound; }))
            << rota::runtime::num_goroutine() << " goroutines, before: " << before;
        EXPECT_EQ(begun.load(), bound);
        answers = true;
        // Less, where one of an earlier test was about to end when they were counted.
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() <= before; }))
            << rota::runtime::num_goroutine() << " goroutines, before: " << before;
        std::error_code error;
        EXPECT_TRUE(net::lookup_host("silent-host", error).empty());
        EXPECT_EQ(error, net::net_errc::no_such_host);
        EXPECT_FALSE(net::lookup_host("localhost", error).empty()) << error.message();
    });
}
