// Tests of GODEBUG=parkcheck: the parks that it reports, once for each place, and those that it
// ignores.
#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_parkcheck(const char* what, const char* godebug, bool has_hook = false) {
    environment env{{"GOMAXPROCS", "1"}, {"GODEBUG", godebug}};
    if (has_hook) env.emplace_back("LD_PRELOAD", ROTA_HOOK_LIBRARY);
    return run_program("parkcheck", {what}, env);
}

constexpr std::string_view any_parkcheck = "rota: parkcheck: ";
constexpr std::string_view waits_in_library =
    " waits [sleep] inside of a call of librota_test_callback.so: callback_call()\n";
constexpr std::string_view changes_in_library =
    " may go on on another thread inside of a call of librota_test_callback.so: callback_call()\n";

}  // namespace

TEST(parkcheck, a_park_inside_of_a_library_is_reported_once) {
    // The fourth park is in another goroutine, which has called the library from a different place.
    const outcome o = run_parkcheck("several_times", "parkcheck=librota_test_callback");
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.times_said(waits_in_library)) << o;
    EXPECT_EQ(1, o.lines_with("rota: parkcheck: goroutine 1 waits ")) << o;
    EXPECT_TRUE(o.says("\tkeep the thread around that call: rota::runtime::pin "
                       "(docs/libraries.md)\n\ngoroutine 1 [sleep]:\n"))
        << o;
    EXPECT_TRUE(o.says("wait_here(")) << o;
    EXPECT_FALSE(o.says("rota::rt::")) << o;
}

TEST(parkcheck, each_place_has_its_report) {
    const outcome o = run_parkcheck("two_places", "parkcheck=librota_test_callback");
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.times_said(waits_in_library)) << o;
    EXPECT_EQ(1, o.times_said(" waits [sync.WaitGroup.Wait] inside of a call of ")) << o;
}

TEST(parkcheck, a_yield_inside_of_a_library_is_reported) {
    const outcome o = run_parkcheck("yields", "parkcheck=librota_test_callback");
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.times_said(changes_in_library)) << o;
}

TEST(parkcheck, a_yield_on_the_way_out_of_another_is_the_same_place) {
    const outcome o = run_parkcheck("yields_often", "parkcheck=librota_test_callback,chaos=1");
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.times_said(changes_in_library)) << o;
}

TEST(parkcheck, a_library_that_is_all_headers_is_named_by_its_functions) {
    for (const char* const name : {"fake::asio::", "fake::", "fake::asio::run"}) {
        const outcome o = run_parkcheck("in_function", (std::string("parkcheck=") + name).c_str());
        EXPECT_TRUE(ended_with(o, 0));
        EXPECT_EQ(1, o.times_said(" waits [sleep] inside of a call of ")) << o;
        EXPECT_TRUE(o.says("fake::asio::run<")) << o;
    }
    for (const char* const other : {"asio::", "fake::asi", "librota_test", "run"}) {
        const outcome o = run_parkcheck("in_function", (std::string("parkcheck=") + other).c_str());
        EXPECT_TRUE(ended_with(o, 0));
        EXPECT_FALSE(o.says(any_parkcheck)) << o;
    }
}

TEST(parkcheck, names_of_libraries_end_where_their_words_do) {
    const outcome found = run_parkcheck("yields", "parkcheck=libz+librota_test");
    EXPECT_EQ(1, found.times_said(changes_in_library)) << found;
    const outcome other = run_parkcheck("yields", "parkcheck=libz+librota_test_call");
    EXPECT_FALSE(other.says(any_parkcheck)) << other;
}

TEST(parkcheck, a_park_with_a_mutex_is_reported_once) {
    const outcome o = run_parkcheck("with_mutex", "parkcheck=1", true);
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(2, o.lines_with(any_parkcheck)) << o;
    EXPECT_EQ(2, o.times_said(" waits [sleep] while it holds the pthread mutex 0x")) << o;
    EXPECT_TRUE(o.says("plain_mutex)\n\tlocked in ")) << o;
    EXPECT_TRUE(o.says("recursive_mutex)\n\tlocked in ")) << o;
    EXPECT_EQ(1, o.times_said("\tit belongs to its thread, ")) << o;
    EXPECT_EQ(1, o.times_said("\tgoroutines that lock it meanwhile block their threads\n")) << o;
}

TEST(parkcheck, a_mutex_that_has_no_name_is_told_by_its_address) {
    const outcome o =
        run_parkcheck("with_mutex_on_the_heap", "parkcheck=1+librota_test_callback", true);
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(2, o.times_said(" waits [sleep] while it holds the pthread mutex 0x")) << o;
    EXPECT_EQ(1, o.times_said(waits_in_library)) << o;
}

TEST(parkcheck, a_plain_mutex_may_be_held_where_the_goroutine_only_yields) {
    const outcome o = run_parkcheck("yields_with_mutex", "parkcheck=1", true);
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.lines_with(any_parkcheck)) << o;
    EXPECT_EQ(1, o.times_said(" may go on on another thread while it holds the pthread mutex 0x"))
        << o;
    EXPECT_TRUE(o.says("recursive_mutex)\n")) << o;
}

TEST(parkcheck, mutexes_are_seen_where_no_call_is_hooked) {
    const outcome o = run_parkcheck("with_mutex", "parkcheck=1,hook=off", true);
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(2, o.lines_with(any_parkcheck)) << o;
}

TEST(parkcheck, whoever_keeps_its_thread_is_not_reported) {
    const outcome o = run_parkcheck("keeps_its_thread", "parkcheck=1+librota_test_callback", true);
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ("", o.err) << o;
}

TEST(parkcheck, neither_threads_nor_parks_elsewhere_are_reported) {
    const outcome o = run_parkcheck("is_outside", "parkcheck=1+librota_test_callback", true);
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ("", o.err) << o;
}

TEST(parkcheck, nothing_is_reported_unasked) {
    for (const char* const godebug : {"", "parkcheck=0"}) {
        for (const char* const what : {"several_times", "with_mutex"}) {
            const outcome o = run_parkcheck(what, godebug, true);
            EXPECT_TRUE(ended_with(o, 0));
            EXPECT_EQ("", o.err) << o;
        }
    }
}

TEST(parkcheck, what_is_known_comes_before_the_crash) {
    const outcome o = run_parkcheck("aborts", "parkcheck=librota_test_callback");
    EXPECT_EQ(SIGABRT, o.signal) << o;
    const std::size_t report = o.err.find(waits_in_library);
    EXPECT_NE(report, o.err.npos) << o;
    EXPECT_LT(report, o.err.find("SIGABRT: abort")) << o;
}

TEST(parkcheck, fatal_ends_the_process) {
    const outcome o = run_parkcheck("two_places", "parkcheck=fatal+librota_test_callback");
    EXPECT_EQ(2, o.status) << o;
    EXPECT_EQ(1, o.times_said(waits_in_library)) << o;
    EXPECT_TRUE(o.says("fatal error: rota: parkcheck: ")) << o;
}

TEST(parkcheck, without_the_library_of_hooks_it_says_that_no_mutex_is_seen) {
    const outcome o = run_parkcheck("with_mutex", "parkcheck=1");
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.lines_with("rota: GODEBUG parkcheck: librota_hook.so is not in this process"))
        << o;
    EXPECT_FALSE(o.says(any_parkcheck)) << o;
}

TEST(parkcheck, a_repeatable_run_says_that_it_has_no_effect) {
    const outcome o = run_parkcheck("several_times", "parkcheck=librota_test_callback,schedseed=1");
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(1, o.lines_with("rota: GODEBUG parkcheck: no effect in a repeatable run")) << o;
    EXPECT_FALSE(o.says(any_parkcheck)) << o;
}

TEST(parkcheck, words_that_it_does_not_know_are_refused) {
    for (const char* const value :
         {"", "2", "fatal", "1+", "1++libz", "libz+1", "lib z", "lib/z"}) {
        const outcome o =
            run_parkcheck("several_times", (std::string("parkcheck=") + value).c_str());
        EXPECT_TRUE(ended_with(o, 0));
        EXPECT_EQ(1, o.lines_with("rota: GODEBUG parkcheck: bad value \"")) << value << '\n' << o;
        EXPECT_FALSE(o.says(any_parkcheck)) << o;
    }
}
