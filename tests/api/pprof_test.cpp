// rota::pprof: the texts of profiles, labels, and the times at which the runtime records.
#include <rota/pprof.hpp>

#include <atomic>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "anywhere.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

__attribute__((noinline)) void profiled_waits(const rota::chan<int>& ch) {
    ch.recv();
    asm volatile("" : : "i"(2) : "memory");  // no tail call, and not folded with an equal function
}

__attribute__((noinline)) void profiled_unlocks(rota::mutex& mu) {
    mu.unlock();
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

namespace {

std::string profile_text_of(std::string_view name, int debug = 1) {
    std::ostringstream out;
    rota::pprof::write_profile(name, out, debug);
    return out.str();
}

// The record that contains the word, from its line with an @ to the next empty line.
std::string record_with(const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word);
    if (at == text.npos) return "";
    const std::size_t head = text.rfind(" @ ", at);
    if (head == text.npos) return "";
    const std::size_t from = text.rfind('\n', head) + 1;
    return text.substr(from, text.find("\n\n", at) - from);
}

// Starts n goroutines that wait in the channel, one after the other: a goroutine that finds the
// lock of the channel taken comes by another way, and has another stack. Returns the profile.
std::string start_waiting(rota::wait_group& wg, const rota::chan<int>& ch, int n) {
    std::string text;
    for (int i = 1; i <= n; ++i) {
        wg.go([ch] { profiled_waits(ch); });
        const std::string count = std::to_string(i) + " @ 0x";
        EXPECT_TRUE(eventually([&] {
            text = profile_text_of("goroutine");
            return record_with(text, "\tprofiled_waits(").rfind(count, 0) == 0;
        })) << text;
    }
    return text;
}

bool goes_on(const std::string& line, std::size_t& at, const std::string& expected) {
    if (line.compare(at, expected.size(), expected) != 0) return false;
    at += expected.size();
    return true;
}

// "N @ 0x.. 0x..", then for each frame "#", address, name and offset, file and line, with tabs
// between. If the whole program is optimized at once, the compiler splits some functions into
// pieces, which have a beginning of their own, and no offset.
bool is_count_record(const std::string& record) {
    constexpr bool may_be_pieces = ROTA_WHOLE_PROGRAM != 0;
    std::istringstream lines(record);
    std::string line;
    if (!std::getline(lines, line) || line.find(" @ 0x") == line.npos) return false;
    bool has_names = false, has_offsets = false;
    while (std::getline(lines, line)) {
        std::size_t at = 0;
        if (goes_on(line, at, "# labels: {")) continue;
        if (!goes_on(line, at, "#\t0x")) return false;
        const std::size_t tab = line.find('\t', at);
        if (tab == line.npos) continue;
        has_names = true;
        const std::string_view rest = std::string_view(line).substr(tab);
        const bool has_offset = rest.find("+0x") != rest.npos;
        has_offsets = has_offsets || has_offset;
        if (!has_offset && !may_be_pieces) return false;
        if (!has_offset && rest.find(".cpp:") == rest.npos && rest.find(".hpp:") == rest.npos)
            return false;
    }
    return has_offsets || !has_names;
}

}  // namespace

TEST_ANYWHERE(pprof, goroutines_with_one_stack_are_one_record) {
    // The profile could list each goroutine alone, or put them together: its reader would count
    // wrongly.
    constexpr int waiting = 12;
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    const std::string text = start_waiting(wg, ch, waiting);
    const std::string record = record_with(text, "\tprofiled_waits(");
    EXPECT_EQ(text.rfind("goroutine profile: total ", 0), 0u) << text;
    EXPECT_TRUE(is_count_record(record)) << record;
    EXPECT_NE(record.find("pprof_test.cpp:"), record.npos) << record;
    EXPECT_EQ(record.find("gopark"), record.npos) << "the runtime's frames are hidden:\n" << record;
    ch.close();
    wg.wait();
}

TEST_ANYWHERE(pprof, the_most_frequent_stacks_come_first) {
    // Otherwise the important stacks would stand at the end of a long text.
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    const std::string text = start_waiting(wg, ch, 5);
    long last = 1'000'000;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" @") == line.npos || line[0] == '#') continue;
        const long n = std::stol(line);
        EXPECT_LE(n, last) << text;
        last = n;
    }
    ch.close();
    wg.wait();
}

TEST_ANYWHERE(pprof, a_dump_is_what_debug_2_gives) {
    // Go's pages ask for a dump in this way, and would get a profile.
    const std::string text = profile_text_of("goroutine", 2);
    EXPECT_EQ(text.rfind("goroutine ", 0), 0u) << text;
    EXPECT_NE(text.find(" [running]:\n"), text.npos) << text;
}

TEST_ANYWHERE(pprof, labels_stay_with_the_goroutine_and_those_that_it_starts) {
    // Without labels a profile cannot separate the work of two tenants.
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    rota::pprof::do_labels({{"tenant", "blue"}, {"req", "7"}}, [&] {
        rota::pprof::do_labels({{"req", "8\"x"}}, [&] { wg.go([ch] { profiled_waits(ch); }); });
        wg.go([ch, &wg] { wg.go([ch] { profiled_waits(ch); }); });
    });
    wg.go([ch] { profiled_waits(ch); });
    std::string text;
    EXPECT_TRUE(eventually([&] {
        text = profile_text_of("goroutine");
        return text.find("# labels: {\"req\":\"7\", \"tenant\":\"blue\"}\n") != text.npos &&
               text.find("# labels: {\"req\":\"8\\\"x\", \"tenant\":\"blue\"}\n") != text.npos;
    })) << text;
    // Repeated as well: a dump may see the goroutine in between, which starts the second goroutine
    // in a slot that the dump has passed, and ends before the dump gets there.
    EXPECT_TRUE(eventually([&] {
        text = rota::runtime::stack(true);
        return text.find("] {req: 7, tenant: blue}:\n") != text.npos;
    })) << text;
    EXPECT_TRUE(eventually([&] {
        text = profile_text_of("goroutine");
        for (std::size_t at = 0, end = 0; end != text.npos; at = end + 2) {
            end = text.find("\n\n", at);
            const std::string record = text.substr(at, end - at);
            if (record.find("\tprofiled_waits(") != record.npos &&
                record.find("# labels:") == record.npos)
                return true;
        }
        return false;
    })) << text;
    ch.close();
    wg.wait();
}

TEST_ANYWHERE(pprof, texts_of_the_program_cannot_pass_for_a_part_of_a_dump) {
    // A name or label with a line break could add goroutines that do not exist.
    auto ch = rota::make_chan<int>();
    rota::wait_group wg;
    wg.add(1);
    rota::pprof::do_labels({{"tenant", "blue, green"}, {"a\nb", "c\"d"}, {"plain", "x y"}}, [&] {
        rota::go({.name = "one\n\ngoroutine 1 [running]:"}, [&] {
            ch.recv();
            wg.done();
        });
    });
    EXPECT_TRUE(eventually([&] {
        const std::string text = rota::runtime::stack(true);
        return text.find("[chan receive] {\"a\\nb\": \"c\\\"d\", plain: x y, "
                         "tenant: \"blue, green\"}:\n"
                         "# name: \"one\\n\\ngoroutine 1 [running]:\"\n") != text.npos;
    })) << rota::runtime::stack(true);
    ch.close();
    wg.wait();
}

TEST_ANYWHERE(pprof, labels_end_with_their_function_also_by_an_exception) {
    // If a label stayed, later work would count as that tenant's.
    try {
        rota::pprof::do_labels({{"gone", "yes"}}, [] { throw std::runtime_error("out"); });
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(rota::pprof::do_labels({{"gone", "no"}}, [] { return 5; }), 5);
    rota::wait_group wg;
    auto ch = rota::make_chan<int>();
    wg.go([ch] { profiled_waits(ch); });
    std::string text;
    EXPECT_TRUE(eventually([&] {
        text = profile_text_of("goroutine");
        return text.find("\tprofiled_waits(") != text.npos;
    })) << text;
    EXPECT_EQ(text.find("\"gone\""), text.npos) << text;
    ch.close();
    wg.wait();
}

TEST(pprof, labels_of_a_million_short_goroutines_are_given_back) {
    // Sets of labels could pile up, or be freed under a profile that reads them.
    rota::run([] {
        std::atomic<bool> stop{false};
        rota::wait_group readers;
        readers.go([&] {
            while (!stop) {
                (void)profile_text_of("goroutine");
                rota::runtime::gosched();
            }
        });
        for (int i = 0; i < scaled(20'000); ++i) {
            rota::wait_group wg;
            rota::pprof::do_labels({{"n", std::to_string(i)}}, [&] { wg.go([] {}); });
            wg.wait();
        }
        stop = true;
        readers.wait();
    });
}

TEST_ANYWHERE(pprof, waits_are_recorded_when_that_is_asked_for_and_not_before) {
    // The profile could be empty, always on, or without the place of the wait.
    const auto wait_once = [] {
        auto ch = rota::make_chan<int>();
        rota::wait_group wg;
        wg.go([ch] { profiled_waits(ch); });
        rota::sleep_for(1ms);
        ch.send(1);
        wg.wait();
    };
    wait_once();
    const std::string before = record_with(profile_text_of("block"), "\tprofiled_waits(");
    rota::pprof::set_block_profile_rate(1);
    std::string text, record;
    EXPECT_TRUE(eventually([&] {
        wait_once();
        text = profile_text_of("block");
        record = record_with(text, "\tprofiled_waits(");
        return !record.empty() && record != before;
    })) << text;
    rota::pprof::set_block_profile_rate(0);
    EXPECT_EQ(text.rfind("--- contention:\ncycles/second=1000000000\n", 0), 0u) << text;
    std::istringstream head(record);
    long long ns = 0, count = 0;
    std::string at;
    head >> ns >> count >> at;
    EXPECT_GT(ns, 0) << record;
    EXPECT_GT(count, 0) << record;
    EXPECT_EQ(at, "@") << record;
    EXPECT_TRUE(eventually_alone());
    const std::string after = record_with(profile_text_of("block"), "\tprofiled_waits(");
    wait_once();
    EXPECT_EQ(record_with(profile_text_of("block"), "\tprofiled_waits("), after);
}

TEST(pprof, who_unlocks_is_charged_with_the_waits_for_the_lock) {
    // The profile could show the waiter, or be empty; the culprit would stay unseen.
    rota::run([] {
        EXPECT_EQ(rota::pprof::set_mutex_profile_fraction(1), 0);
        EXPECT_EQ(rota::pprof::set_mutex_profile_fraction(-1), 1);
        rota::mutex mu;
        std::string text;
        EXPECT_TRUE(eventually([&] {
            rota::wait_group wg;
            mu.lock();
            wg.go([&] {
                mu.lock();
                mu.unlock();
            });
            rota::sleep_for(1ms);
            profiled_unlocks(mu);
            wg.wait();
            text = profile_text_of("mutex");
            return text.find("\tprofiled_unlocks(") != text.npos;
        })) << text;
        EXPECT_EQ(rota::pprof::set_mutex_profile_fraction(0), 1);
        EXPECT_EQ(text.rfind("--- mutex:\ncycles/second=1000000000\nsampling period=1\n", 0), 0u)
            << text;
    });
}

TEST_ANYWHERE(pprof, threads_and_own_memory_have_profiles_too) {
    // Go's pages link to these profiles.
    const std::string threads = profile_text_of("threadcreate");
    EXPECT_EQ(threads.rfind("threadcreate profile: total ", 0), 0u) << threads;
    const std::string heap = profile_text_of("heap");
    EXPECT_EQ(heap.rfind("heap profile: ", 0), 0u) << heap;
    EXPECT_NE(heap.find(" @ heap/2\n"), heap.npos) << heap;
    EXPECT_NE(heap.find("rota: the scheduler's tables"), heap.npos) << heap;
    // The kernel's figure for the process goes up and down.
    const auto without_rss = [](std::string text) { return text.erase(text.find("# MaxRSS")); };
    EXPECT_EQ(without_rss(profile_text_of("allocs")), without_rss(heap));
}

TEST_ANYWHERE(pprof, an_unknown_name_is_refused) {
    // An empty file would look like a profile of nothing.
    std::ostringstream out;
    EXPECT_THROW(rota::pprof::write_profile("nothing", out), std::invalid_argument);
    EXPECT_TRUE(out.str().empty());
    for (const auto& p : rota::pprof::profiles()) {
        std::ostringstream file;
        rota::pprof::write_profile(p.name, file);
        EXPECT_GT(file.str().size(), 50u) << p.name;
    }
}

TEST_ANYWHERE(pprof, one_cpu_profile_is_taken_at_a_time) {
    // Two profiles would take each other's samples.
    std::ostringstream first, second;
    rota::pprof::start_cpu_profile(first);
    try {
        rota::pprof::start_cpu_profile(second);
        ADD_FAILURE() << "a second profile was begun";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::device_or_resource_busy);
    }
    rota::pprof::stop_cpu_profile();
    EXPECT_GT(first.str().size(), 50u);
    EXPECT_TRUE(second.str().empty());
    rota::pprof::stop_cpu_profile();  // does nothing
    rota::pprof::start_cpu_profile(second);
    rota::pprof::stop_cpu_profile();
    EXPECT_GT(second.str().size(), 50u);
}

TEST(pprof, a_cpu_profile_disturbs_nobody_who_switches) {
    // A sample in the middle of a switch of stacks could cause a crash, or a walk without end.
    rota::run([] {
        std::ostringstream out;
        rota::pprof::start_cpu_profile(out);
        rota::wait_group wg;
        for (int i = 0; i < 4; ++i) {
            auto ping = rota::make_chan<int>(), pong = rota::make_chan<int>();
            wg.go([=] {
                for (int k = 0; k < scaled(50'000); ++k) pong.send(*ping.recv());
            });
            wg.go([=] {
                for (int k = 0; k < scaled(50'000); ++k) {
                    ping.send(k);
                    pong.recv();
                }
            });
        }
        wg.wait();
        rota::pprof::stop_cpu_profile();
        EXPECT_GT(out.str().size(), 100u);
    });
}
