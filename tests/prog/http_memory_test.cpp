// Servers without memory.
#include "child.hpp"

using namespace rota_test;

TEST(kb36_http_memory, each_allocation_that_fails_ends_its_connection_at_most) {
    // An exception that nobody expects leaves a goroutine, and the process ends; or a connection
    // stays, with nobody behind it.
    const outcome o = run_program("http_memory", {}, {});
    EXPECT_EQ(o.status, 0) << o;
    EXPECT_NE(o.out.find("closed\n"), o.out.npos) << o;
    std::printf("%s", o.out.c_str());
}
