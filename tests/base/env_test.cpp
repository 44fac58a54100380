// Checks the environment variables: which values the runtime accepts, and which it refuses with a
// message.
#include "base/env.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

// Sets a variable for the life of the object.
class with_variable {
  public:
    with_variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) before_ = old;
        ::setenv(name, value, 1);
    }
    ~with_variable() {
        if (before_.empty()) ::unsetenv(name_);
        else ::setenv(name_, before_.c_str(), 1);
    }
    with_variable(const with_variable&) = delete;
    with_variable& operator=(const with_variable&) = delete;

  private:
    const char* name_;
    std::string before_;
};

int parsed(const char* text) {
    int n = -1;
    return parse_int(text, text + std::strlen(text), 1, 1000, n) ? n : -1;
}

TEST(parse_int, takes_whole_numbers_of_the_range_and_nothing_else) {
    // A lenient parser would take "4x" for 4. A strict parser refuses each line but the first two.
    EXPECT_EQ(parsed("1"), 1);
    EXPECT_EQ(parsed("1000"), 1000);
    for (const char* bad :
         {"", "0", "1001", "-1", "+1", " 1", "1 ", "4x", "1.0", "99999999999999999999"}) {
        EXPECT_EQ(parsed(bad), -1) << bad;
    }
}

TEST(environment, takes_gomaxprocs_of_the_range_that_is_served) {
    // A value above the limit must not overrun the table of ps.
    const std::pair<const char*, int> values[] = {
        {"7", 7}, {"1024", 1024}, {"1025", 0}, {"5000", 0}, {"99999999999", 0}};
    for (const auto& [text, n] : values) {
        const with_variable v("GOMAXPROCS", text);
        EXPECT_EQ(read_environment().gomaxprocs, n) << text;
    }
}

TEST(environment, complains_of_a_value_once) {
    // The runtime reads the variable again whenever it needs the default: repeating the line tells
    // nothing.
    const with_variable v("GOMAXPROCS", "several");
    testing::internal::CaptureStderr();
    (void)read_environment();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(environment_gomaxprocs(), 0);
    const with_variable other("GOMAXPROCS", "plenty");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(environment_gomaxprocs(), 0);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
    EXPECT_NE(said.find("several"), std::string::npos) << said;
    EXPECT_NE(said.find("plenty"), std::string::npos) << said;
}

TEST(environment, knows_the_settings_of_a_collector) {
    // rota has no collector. A typing error would first be found on the day it has one.
    const struct {
        const char *variable, *value;
        bool good;
    } cases[] = {{"GOGC", "100", true},
                 {"GOGC", "off", true},
                 {"GOGC", "", true},
                 {"GOGC", "0", true},
                 {"GOGC", "-1", false},
                 {"GOGC", "50%", false},
                 {"GOMEMLIMIT", "1048576", true},
                 {"GOMEMLIMIT", "512B", true},
                 {"GOMEMLIMIT", "64KiB", true},
                 {"GOMEMLIMIT", "4GiB", true},
                 {"GOMEMLIMIT", "8388607TiB", true},
                 {"GOMEMLIMIT", "8388608TiB", false},
                 {"GOMEMLIMIT", "off", true},
                 {"GOMEMLIMIT", "4GB", false},
                 {"GOMEMLIMIT", "4 GiB", false},
                 {"GOMEMLIMIT", "-1", false},
                 {"GOMEMLIMIT", "MiB", false},
                 {"GODEBUG", "gctrace=0", true},
                 {"GODEBUG", "gctrace=yes", false}};
    for (const auto& c : cases) {
        const with_variable v(c.variable, c.value);
        testing::internal::CaptureStderr();
        (void)read_environment();
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(said.empty(), c.good) << c.variable << "=" << c.value << ": " << said;
        if (!c.good) {
            EXPECT_NE(said.find(c.variable), std::string::npos) << said;
        }
    }
}

TEST(environment, says_that_there_is_no_collector_to_trace) {
    // Without the line nothing is printed, and the user looks for the reason elsewhere.
    const with_variable v("GODEBUG", "gctrace=1");
    testing::internal::CaptureStderr();
    (void)read_environment();
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "rota: GODEBUG gctrace=1: there is no collector, so there are no lines\n");
}

TEST(environment, names_variable_value_and_form_of_what_it_refuses) {
    // A bad value that is silently ignored leaves the user to wonder; one line must name the three
    // parts.
    const with_variable v("GOMAXPROCS", "many");
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_environment().gomaxprocs, 0);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("GOMAXPROCS"), std::string::npos) << said;
    EXPECT_NE(said.find("many"), std::string::npos) << said;
    EXPECT_NE(said.find("whole number"), std::string::npos) << said;
}

TEST(environment, reads_godebug_entry_by_entry) {
    // One bad entry must not hide the good ones beside it.
    const with_variable v("GODEBUG", "unknown=1,schedtrace=250,,nonsense");
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_environment().schedtrace_ms, 250);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("nonsense"), std::string::npos) << said;
    EXPECT_NE(said.find("unknown"), std::string::npos) << said;
}

TEST(environment, reports_each_unknown_name_of_godebug_in_one_line) {
    // A typing error would look like a setting without effect.
    const std::string longest(3000, 'x');
    const with_variable v(
        "GODEBUG", ("shedtrace=1000,asyncpreemptof=1,deadlock=1,=," + longest + "=1").c_str());
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_environment().deadlock, 1);
    const std::string said = testing::internal::GetCapturedStderr();
    std::istringstream lines(said);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    ASSERT_EQ(all.size(), 4u) << said;
    EXPECT_EQ(all[0].find("rota: GODEBUG: unknown name \"shedtrace\" (accepted: schedtrace, "), 0u)
        << said;
    EXPECT_NE(all[1].find("\"asyncpreemptof\""), std::string::npos) << said;
    for (const std::string& line : all) {
        for (const char* const name : {"schedtrace", "asyncpreemptoff", "preemptsignal", "netpoll",
                                       "gctrace", "scheddetail"})
            EXPECT_NE(line.find(name), std::string::npos) << line;
        EXPECT_LT(line.size(), 600u);
    }
}

TEST(environment, reads_for_what_parks_are_checked) {
    // The list could lose its first name, or the words before the names could count as names.
    const struct {
        const char* value;
        bool mutexes, is_fatal;
        const char* names;
    } good[] = {{"0", false, false, ""},
                {"1", true, false, ""},
                {"fatal+1", true, true, ""},
                {"libgomp", false, false, "libgomp"},
                {"1+fatal+boost::asio::+libpython3.11", true, true, "boost::asio::+libpython3.11"}};
    for (const auto& c : good) {
        const with_variable v("GODEBUG", (std::string("parkcheck=") + c.value).c_str());
        const auto env = read_environment();
        EXPECT_EQ(env.parkcheck_mutexes, c.mutexes) << c.value;
        EXPECT_EQ(env.parkcheck_is_fatal, c.is_fatal) << c.value;
        EXPECT_EQ(env.parkcheck_names, c.names) << c.value;
    }
    std::string many = "a";
    for (int i = 0; i < 16; ++i) many += "+a";
    for (const std::string& value : {std::string("fatal"), std::string("1+"), std::string("libz+1"),
                                     std::string(64, 'x'), many}) {
        const with_variable v("GODEBUG", ("parkcheck=" + value).c_str());
        testing::internal::CaptureStderr();
        const auto env = read_environment();
        EXPECT_TRUE(env.parkcheck_names.empty() && !env.parkcheck_is_fatal) << value;
        EXPECT_EQ(testing::internal::GetCapturedStderr().find("rota: GODEBUG parkcheck: bad value"),
                  0u)
            << value;
    }
}

TEST(environment, reads_how_quotas_are_rounded) {
    // The key could be unknown, or the parser could take any number for yes.
    EXPECT_EQ(read_environment().cgroupceil, 0);
    {
        const with_variable v("GODEBUG", "cgroupceil=1");
        EXPECT_EQ(read_environment().cgroupceil, 1);
    }
    const with_variable v("GODEBUG", "cgroupceil=2");
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_environment().cgroupceil, 0);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("cgroupceil"), std::string::npos) << said;
    EXPECT_NE(said.find("1 for rounding quotas up"), std::string::npos) << said;
}

TEST(environment, knows_the_pollers) {
    // A typing error could choose a poller, or pass unnoticed.
    for (const char* const value : {"uring", "epoll"}) {
        const with_variable v("GODEBUG", (std::string("netpoll=") + value).c_str());
        EXPECT_EQ(read_environment().uring, std::strcmp(value, "uring") == 0);
    }
    const with_variable v("GODEBUG", "netpoll=kqueue");
    testing::internal::CaptureStderr();
    EXPECT_FALSE(read_environment().uring);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("netpoll"), std::string::npos) << said;
    EXPECT_NE(said.find("kqueue"), std::string::npos) << said;
    EXPECT_NE(said.find("epoll, uring"), std::string::npos) << said;
}

TEST(environment, knows_the_levels_of_gotraceback) {
    // Go's names and its old numbers mean the same; any other value keeps the default.
    const struct {
        const char* value;
        traceback_level level;
    } cases[] = {{"none", traceback_level::none},     {"0", traceback_level::none},
                 {"single", traceback_level::single}, {"all", traceback_level::all},
                 {"1", traceback_level::all},         {"system", traceback_level::system},
                 {"crash", traceback_level::crash}};
    for (const auto& c : cases) {
        const with_variable v("GOTRACEBACK", c.value);
        EXPECT_EQ(read_environment().traceback, c.level) << c.value;
    }
    const with_variable v("GOTRACEBACK", "loud");
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_environment().traceback, traceback_level::single);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("loud"), std::string::npos);
}

}  // namespace
}  // namespace rota::rt
