// rota::defer and rota::panic: the effects at the end of a scope, for each way of leaving it.
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "anywhere.hpp"

static_assert(std::is_base_of_v<std::runtime_error, rota::panic_error>);
static_assert(!std::is_copy_constructible_v<rota::defer>);
static_assert(!std::is_move_constructible_v<rota::defer>);
static_assert(!std::is_constructible_v<rota::defer, int>);

TEST_ANYWHERE(defer, runs_in_reverse_order_when_the_scope_ends) {
    // Deferred functions could run in the order of their definition, or not at all. Then the record
    // would differ.
    std::string record;
    {
        const rota::defer first([&] { record += "1"; });
        const rota::defer second([&] { record += "2"; });
        record += "body ";
    }
    EXPECT_EQ(record, "body 21");
}

TEST_ANYWHERE(defer, runs_when_an_exception_passes) {
    // Only the ordinary exit could be served. Then the record would be empty in the catch block.
    std::string record;
    try {
        const rota::defer outer([&] { record += "outer"; });
        const rota::defer inner([&] { record += "inner "; });
        throw std::runtime_error("through");
    } catch (const std::runtime_error&) {
        record += " caught";
    }
    EXPECT_EQ(record, "inner outer caught");
}

TEST_ANYWHERE(defer, may_park_while_an_exception_passes) {
    // A park during unwinding could lose the exception in flight to another goroutine of the
    // thread. Then the catch clause would not be reached, or would get the wrong exception.
    auto ch = rota::make_chan<int>();
    std::string caught;
    try {
        const rota::defer parks([&] {
            rota::go([ch] {
                try {
                    throw 5;
                } catch (int n) {
                    ch.send(n);
                }
            });
            EXPECT_EQ(ch.recv(), 5);
        });
        throw std::runtime_error("mine");
    } catch (const std::exception& e) {
        caught = e.what();
    }
    EXPECT_EQ(caught, "mine");
}

TEST_ANYWHERE(defer, lets_its_own_exception_out) {
    // The destructor could be noexcept whatever the function is. Then std::terminate would end the
    // process.
    EXPECT_THROW(
        { const rota::defer d([] { throw std::logic_error("late"); }); }, std::logic_error);
}

TEST_ANYWHERE(defer, is_one_type_whatever_it_runs) {
    // As a template it could be neither a member nor the value of an optional.
    struct guarded {
        explicit guarded(std::string& to) : at_end([&to] { to += "member "; }) {}
        rota::defer at_end;
    };
    std::string record;
    {
        std::optional<rota::defer> maybe;
        const guarded object(record);
        maybe.emplace([&] { record += "early "; });
        maybe.reset();
        record += "body ";
    }
    EXPECT_EQ(record, "early body member ");
}

TEST_ANYWHERE(defer, keeps_what_is_captured_until_it_has_run_and_no_longer) {
    // Large captures lie in a different place than small captures: either could leak, die early, or
    // die twice.
    for (const bool throws : {false, true}) {
        auto small = std::make_shared<int>(1), large = std::make_shared<int>(2);
        std::array<long, 30> ballast{};
        ballast[29] = 40;
        long seen = 0;
        try {
            const rota::defer first([&seen, large, ballast] { seen += *large + ballast[29]; });
            const rota::defer second([&seen, small] { seen += *small; });
            EXPECT_EQ(small.use_count() + large.use_count(), 4);
            if (throws) throw 1;
        } catch (int) {
        }
        EXPECT_EQ(seen, 43);
        EXPECT_EQ(small.use_count(), 1);
        EXPECT_EQ(large.use_count(), 1);
    }
}

TEST_ANYWHERE(panic, is_an_exception_with_its_text_and_catch_recovers) {
    // The text could be changed, or the panic could pass a catch of the standard's types. Then a
    // handler would miss it.
    try {
        rota::panic("something broke");
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "something broke");
    }
    EXPECT_THROW(rota::panic(""), rota::panic_error);
    auto recovered = rota::async([] {
        try {
            rota::panic("inner");
        } catch (const rota::panic_error& e) {
            return std::string("recovered ") + e.what();
        }
    });
    EXPECT_EQ(recovered.get(), "recovered inner");
}
