// Checks what /debug/sched says of queues, and that it is JSON for every goroutine name.
#include "diag/pages/sched_page.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <sys/socket.h>

#include <gtest/gtest.h>

#include <rota/net.hpp>
#include <rota/pprof.hpp>
#include <rota/rota.hpp>

#include "../../eventually.hpp"
#include "../../gomaxprocs_restored.hpp"
#include "../../json.hpp"
#include "diag/text/json_text.hpp"

namespace rota::rt {
namespace {

using rota_test::json;

json read_page() {
    const std::string text = sched_json();
    const std::optional<json> found = json::read(text);
    EXPECT_TRUE(found.has_value()) << text.substr(0, 20'000);
    return found.value_or(json{});
}

std::set<long long> numbers(const json& list) {
    std::set<long long> found;
    for (const json& one : list.elements) found.insert(one.number);
    return found;
}

std::set<long long> called(const json& page, const std::string& name) {
    std::set<long long> found;
    for (const json& one : page["goroutines"].elements) {
        if (one["name"].text == name) found.insert(one["id"].number);
    }
    return found;
}

std::string said(std::string_view text) {
    json_text out;
    out.open('{');
    out.text("t", text);
    out.close('}');
    return out.take();
}

// U+FFFD as the page writes it.
const std::string wrong = "\\ufffd";

}  // namespace

TEST(json_text, bytes_that_are_no_utf8_are_replaced) {
    // A label cut in half would make the whole page unreadable; or valid text would be lost.
    const std::string whole = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x81\xed\x9f\xbf\xf4\x8f\xbf\xbf";
    EXPECT_EQ(said(whole), "{\"t\":\"" + whole + "\"}");
    const std::pair<std::string, std::string> cases[] = {
        {"\xff", wrong},
        {"\x80z", wrong + "z"},
        {"\xc3", wrong},                                      // cut
        {"\xe2\x82", wrong + wrong},                          // cut after the second byte
        {"\xc0\xaf", wrong + wrong},                          // a slash, in too many bytes
        {"\xe0\x9f\xbf", wrong + wrong + wrong},              // too many bytes, as above
        {"\xed\xa0\x80", wrong + wrong + wrong},              // a surrogate
        {"\xf4\x90\x80\x80", wrong + wrong + wrong + wrong},  // beyond U+10FFFF
        {"\xc3(", wrong + "("},
        {"\xe2\x82\xac\xe2(", "\xe2\x82\xac" + wrong + "("},
        {"\"\\\n\x01\x7f", "\\\"\\\\\\u000a\\u0001\x7f"},
        {std::string("a\0b", 3), "a\\u0000b"},
    };
    for (const auto& [given, expected] : cases) {
        EXPECT_EQ(said(given), "{\"t\":\"" + expected + "\"}");
        EXPECT_TRUE(json::read(said(given) + "\n").has_value()) << said(given);
    }
}

TEST(json_text, the_reader_of_these_tests_is_strict) {
    // With a lenient reader the tests below would accept any page.
    for (const char* const text : {"{\"a\":1}\n", "[]\n", "[1,-2,{\"b\":[true,false]}]\n"})
        EXPECT_TRUE(json::read(text).has_value()) << text;
    for (const char* const text :
         {"", "{\"a\":1}", "{\"a\":1,}\n", "[1,]\n", "[1 2]\n", "{\"a\":1,\"a\":2}\n", "[01]\n",
          "[\"\xff\"]\n", "[\"\xc0\xaf\"]\n", "[\"\xed\xa0\x80\"]\n", "[\"\n\"]\n", "[nan]\n",
          "[\"\\x\"]\n"})
        EXPECT_FALSE(json::read(text).has_value()) << text;
}

TEST(sched_page, goroutines_may_be_called_anything) {
    // One goroutine with a strange name would make the whole page unreadable.
    rota::run([] {
        auto ch = rota::make_chan<int>();
        rota::wait_group wg;
        wg.add(2);
        rota::pprof::do_labels({{"k\xff\"", "v\xe2\x82\n"}}, [&] {
            rota::go({.name = "n\xc3\"\\\x01"}, [&wg, ch] { ch.recv(), wg.done(); });
            // Characters of three bytes, and room for 128 bytes.
            std::string euros;
            for (int i = 0; i < 60; ++i) euros += "\xe2\x82\xac";
            rota::go({.name = euros}, [&wg, ch] { ch.recv(), wg.done(); });
        });
        const json page = read_page();
        const std::string instead = "\xef\xbf\xbd";
        int found = 0;
        for (const json& g : page["goroutines"].elements) {
            if (g["labels"].members.empty()) continue;
            EXPECT_EQ(g["labels"]["k" + instead + "\""].text, "v" + instead + instead + "\n");
            const std::string& name = g["name"].text;
            EXPECT_TRUE(name == "n" + instead + "\"\\\x01" ||
                        name.starts_with("\xe2\x82\xac\xe2\x82\xac"))
                << name;
            ++found;
        }
        EXPECT_EQ(found, 2);
        ch.close();
        wg.wait();
    });
}

TEST(sched_page, queues_have_their_members) {
    // A runnable goroutine that stands in no queue could not be explained. This goroutine holds the
    // only processor, so the goroutines that it starts stay queued, until a busy machine makes the
    // scheduler end its turn.
    const rota_test::gomaxprocs_restored after;
    rota::runtime::gomaxprocs(1);
    rota::run([] {
        EXPECT_TRUE(rota_test::eventually([] {
            constexpr std::size_t few = 5;
            rota::wait_group wg;
            wg.add(few);
            for (std::size_t i = 0; i < few; ++i)
                rota::go({.name = "queued"}, [&wg] { wg.done(); });
            const json page = read_page();
            wg.wait();
            const json& p = page["processors"].elements.at(0);
            std::set<long long> found = numbers(p["queue"]);
            const bool is_all_there =
                found.size() == few - 1 && p["runnext"].number != 0 && p["queued"].number == few;
            found.insert(p["runnext"].number);
            return is_all_there && found == called(page, "queued");
        }));
    });
}

TEST(sched_page, the_global_queue_has_its_members) {
    // Goroutines that a full ring moved to the global queue would be seen nowhere; or a queue of a
    // million would fill the page.
    const rota_test::gomaxprocs_restored after;
    rota::runtime::gomaxprocs(1);
    rota::run([] {
        EXPECT_TRUE(rota_test::eventually([] {
            // More than a ring and the limit of the page. They stay in the queue even if a busy
            // machine ends this goroutine's turn before the page is read.
            constexpr std::size_t many = 700;
            std::atomic<bool> is_told{false};
            rota::wait_group wg;
            wg.add(many);
            for (std::size_t i = 0; i < many; ++i)
                rota::go({.name = "spilled"}, [&] {
                    while (!is_told) rota::runtime::gosched();
                    wg.done();
                });
            const json page = read_page();
            is_told = true;
            wg.wait();
            const std::set<long long> all = called(page, "spilled");
            const json& global = page["global_queue"];
            const std::set<long long> shown = numbers(global["members"]["queued"]);
            EXPECT_LE(shown.size(), 256u);
            return global["queued"].number > 256 && shown.size() == 256 &&
                   std::ranges::includes(all, shown) && all.size() == many;
        }));
    });
}

TEST(sched_page, tells_who_waits_for_descriptors_and_how_many_timers_there_are) {
    // A server hangs: does it wait for the network, or for a timer that does not exist?
    rota::run([] {
        rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
        rota::wait_group wg;
        wg.add(2);
        rota::go({.name = "accepts"}, [&] {
            std::error_code ignored;
            (void)l.accept(ignored);
            wg.done();
        });
        rota::timer late(std::chrono::hours(1));
        rota::go({.name = "waits for it"}, [&] { late.c().recv(), wg.done(); });
        EXPECT_TRUE(rota_test::eventually([] {
            const json page = read_page();
            long long timers = 0;
            for (const json& p : page["processors"].elements) timers += p["timers"].number;
            const std::set<long long> waiting = numbers(page["netpoll"]["members"]);
            return timers >= 1 && page["netpoll"]["waiters"].number >= 1 &&
                   std::ranges::includes(waiting, called(page, "accepts"));
        }));
        l.close();
        late.reset(std::chrono::nanoseconds(1));
        wg.wait();
    });
}

}  // namespace rota::rt
