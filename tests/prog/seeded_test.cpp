// Tests GODEBUG=schedseed=N: the same program takes the same steps, whatever the machine does.
#include <set>

#include "child.hpp"

using namespace rota_test;

namespace {

outcome run_seeded(const char* name, int seed, const char* procs = "4") {
    return run_program("seeded", {name},
                       {{"GODEBUG", "schedseed=" + std::to_string(seed)}, {"GOMAXPROCS", procs}});
}

// The number and hash of the steps, from the last line on stderr.
std::string hash(const outcome& o) {
    return first_group(o.err, "rota: schedseed=[0-9]+: ([0-9]+ steps, hash [0-9a-f]{16})\n");
}

}  // namespace

TEST(schedseed, repeats_every_step) {
    // Fails if an address, a clock or a thread decides a step: the hash then differs.
    for (const char* program : {"mix", "run_again"}) {
        for (const char* procs : {"1", "4"}) {
            const outcome once = run_seeded(program, 7, procs);
            EXPECT_TRUE(ended_with(once, 0));
            EXPECT_NE(hash(once), "") << once;
            for (int i = 0; i < 5; ++i) {
                const outcome again = run_seeded(program, 7, procs);
                EXPECT_EQ(hash(once), hash(again)) << once << again;
                EXPECT_EQ(once.out, again.out);
            }
        }
    }
}

TEST(schedseed, takes_other_steps_with_another_seed) {
    std::set<std::string> seen;
    for (int seed = 1; seed <= 10; ++seed) seen.insert(hash(run_seeded("mix", seed)));
    EXPECT_EQ(seen.size(), 10u);
}

TEST(schedseed, finds_a_race_and_finds_it_again) {
    int lost = 0;
    for (int seed = 1; seed <= 40; ++seed) {
        const outcome o = run_seeded("race", seed);
        if (!ended_with(o, 1)) continue;
        ++lost;
        for (int i = 0; i < 3; ++i)
            EXPECT_TRUE(ended_with(run_seeded("race", seed), 1)) << "seed " << seed;
    }
    EXPECT_GT(lost, 0);
    EXPECT_LT(lost, 40);
}

TEST(schedseed, reports_a_deadlock) {
    EXPECT_TRUE(
        reported(run_seeded("deadlock", 3), "fatal error: all goroutines are asleep - deadlock!"));
}

TEST(schedseed, ends_a_process_with_live_goroutines) {
    const outcome once = run_seeded("live_goroutines", 5);
    EXPECT_TRUE(ended_with(once, 0));
    EXPECT_EQ(hash(once), hash(run_seeded("live_goroutines", 5)));
}

TEST(schedseed, serves_threads_of_the_program) {
    // Such a run does not repeat, but nothing is lost either.
    for (int seed = 1; seed <= 5; ++seed) EXPECT_TRUE(ended_with(run_seeded("threads", seed), 0));
}

TEST(pool, lets_go_in_time_of_what_nobody_takes) {
    // Fails if no collection reaches the pool: it would keep for ever the memory of a single burst.
    const outcome o = run_seeded("pool", 3, "1");
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_EQ(o.out, "100 100 0\n") << o;
}

TEST(schedseed, refuses_a_bad_seed) {
    const outcome o = run_program("seeded", {"threads"}, {{"GODEBUG", "schedseed=-4"}});
    EXPECT_TRUE(ended_with(o, 0));
    EXPECT_NE(o.err.find("GODEBUG schedseed: bad value \"-4\""), std::string::npos) << o;
}
