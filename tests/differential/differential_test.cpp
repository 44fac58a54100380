// Checks the comparison with Go and node without running them: which answers make a difference.
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "known.hpp"
#include "made_case.hpp"
#include "outcome.hpp"

namespace rota_differential {
namespace {

std::string read_answer(std::string_view body) {
    return "HTTP/1.1 200 OK\r\nX-Read: m1 t2 h3 b" + std::string(body) +
           " f5\r\nContent-Length: 0\r\n\r\n";
}
const std::string refusal =
    "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nConnection: close\r\n\r\n400";
const std::string go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";

std::string compared(std::string_view rota, std::string_view go, std::string_view node) {
    return difference({read_answers(rota), read_answers(go), read_answers(node)});
}

const std::string one = read_answer("1:a"), two = read_answer("2:b");

TEST(differential_outcome, tells_a_body_that_ends_elsewhere_from_one_that_is_alike) {
    // A comparison that sees nothing finds no smuggling in a million requests.
    EXPECT_EQ(compared(one + two, go_ahead + one + two, one + two), "");
    EXPECT_EQ(compared(one + refusal, one + refusal, one + refusal), "");
    EXPECT_EQ(compared(one, two, one), "rota=A go=B node=A body");
    EXPECT_EQ(compared(one + two, one, one), "rota=A go=shut node=shut");
    EXPECT_EQ(compared(one + refusal, one + two, one + refusal), "rota=4xx go=A node=4xx");
    EXPECT_EQ(compared(one + "HTTP/1.1 501 No\r\n\r\n", one + refusal, one + refusal),
              "rota=5xx go=4xx node=4xx");
    EXPECT_EQ(compared("", "", refusal), "rota=shut go=shut node=4xx");
}

TEST(differential_outcome, tells_what_is_executed_behind_a_refusal) {
    // A server must not read the bytes behind a request that it rejected: the list has no such end.
    EXPECT_EQ(compared(refusal + one, refusal, refusal), "rota=4xx-and-on go=4xx node=4xx");
    EXPECT_EQ(compared("junk", refusal, refusal), "rota=garbled go=4xx node=4xx");
}

TEST(differential_outcome, tells_what_rota_alone_reads) {
    EXPECT_TRUE(is_laxest("rota=A go=4xx node=4xx"));
    EXPECT_TRUE(is_laxest("rota=A go=B node=4xx body"));
    EXPECT_TRUE(is_laxest("rota=A go=B node=B host,body"));
    EXPECT_FALSE(is_laxest("rota=A go=4xx node=A"));
    EXPECT_FALSE(is_laxest("rota=A go=B node=A body"));
    EXPECT_FALSE(is_laxest("rota=4xx go=A node=B body"));
    EXPECT_TRUE(reads_another_body("rota=A go=B node=C body"));
    EXPECT_FALSE(reads_another_body("rota=A go=4xx node=4xx"));
}

TEST(differential_list, has_a_reason_for_each_and_knows_nothing_that_rota_alone_reads) {
    // An entry whose mutation was renamed would never match, and would hide nothing.
    std::ifstream file(ROTA_KNOWN_DIFFERENCES);
    ASSERT_TRUE(file);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const known_differences known(text);
    EXPECT_GT(known.size(), 100U);
    for (const std::string& each : known.classes()) EXPECT_FALSE(reads_another_body(each)) << each;
    EXPECT_THROW(known_differences("    both rota=4xx go=A node=4xx\n"), std::runtime_error);
    EXPECT_THROW(known_differences("why\n    no_such rota=A go=B node=A\n"), std::runtime_error);
    EXPECT_THROW(known_differences("why\n\n    both rota=4xx go=A node=4xx\n"), std::runtime_error);
}

TEST(differential_cases, are_the_same_for_a_seed_and_each_mutation_changes_its_request) {
    std::set<std::string_view> names;
    std::size_t unchanged = 0, changed = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        const made_case made = make_case(seed);
        ASSERT_EQ(made.text(), make_case(seed).text());
        for (const change& c : made.changes) names.insert(c.what->name);
        if (made.changes.size() != 1) continue;
        made_case plain = made;
        plain.changes.clear();
        ++(plain.text() == made.text() ? unchanged : changed);
    }
    std::size_t all = 0;
    for (const framing f : {framing::none, framing::length, framing::chunks})
        all += mutations_of(f).size();
    EXPECT_EQ(names.size(), all);
    // A mutation may by chance leave its part unchanged: a version, a method, a byte.
    EXPECT_LT(unchanged * 50, changed);
}

}  // namespace
}  // namespace rota_differential
