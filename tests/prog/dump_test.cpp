// A dump of 100,000 goroutines, which prog/dump.cpp makes.
//
// Fails if the dump omits goroutines or shows them twice, or if the program stops until every stack
// is written.
#include "child.hpp"

using namespace rota_test;

TEST(dump, of_a_hundred_thousand_shows_each_and_the_program_goes_on) {
    const std::string many = plain_build ? "100000" : std::to_string(many_goroutines);
    const outcome o = run_program("dump", {"of_many"}, {{"GOMAXPROCS", "2"}, {"GOROUTINES", many}});
    EXPECT_TRUE(went_well(o));
    std::printf("%s", o.out.c_str());
}
