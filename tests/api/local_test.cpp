// rota::local: a value for each goroutine, and for each thread.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "anywhere.hpp"

using rota_test::eventually;
using rota_test::scheduler_state;

namespace {

constinit rota::local<int> early;  // usable before any constructor runs

std::atomic<int> locals_alive{0};

struct one_each {
    int value = 0;
    one_each() { ++locals_alive; }
    ~one_each() { --locals_alive; }
    one_each(const one_each&) = delete;
    one_each& operator=(const one_each&) = delete;
};

}  // namespace

TEST_ANYWHERE(local, each_goroutine_and_thread_has_its_own) {
    // It could follow the thread: goroutines that take turns on a thread would share it.
    rota::local<int> number;
    constexpr int many = 50;
    const auto work = [&](int me) {
        EXPECT_EQ(*number, 0);
        *number = me;
        for (int i = 0; i < 20; ++i) {
            rota::runtime::gosched();
            ASSERT_EQ(number.get(), me);
            if (i % 5 == 0) rota::sleep_for(std::chrono::microseconds(50));
        }
    };
    rota::wait_group wg;
    for (int i = 1; i <= many; ++i) wg.go([&, i] { work(i); });
    std::thread other(work, -1);
    *number = -2;
    wg.wait();
    rota::blocking([&] { other.join(); });
    EXPECT_EQ(*number, -2);
    *early = 3;
    EXPECT_EQ(early.get(), 3);
    *early = 0;
}

TEST_ANYWHERE(local, stays_where_it_is) {
    rota::local<std::string> text;
    std::string& mine = *text;
    mine = "here";
    rota::local<std::string> more[40];
    for (auto& m : more) m->append("more");
    rota::runtime::gosched();
    EXPECT_EQ(&mine, &text.get());
    EXPECT_EQ(*text, "here");
}

TEST_ANYWHERE(local, is_destroyed_at_the_end_of_its_goroutine_or_thread) {
    rota::local<one_each> box;
    rota::wait_group wg;
    for (int i = 0; i < 10; ++i) {
        wg.go([&] {
            box->value = 1;
            EXPECT_GE(locals_alive, 1);
        });
    }
    wg.wait();
    EXPECT_TRUE(eventually([] { return locals_alive == 0; })) << scheduler_state();
    rota::blocking([&] { std::thread([&] { box->value = 1; }).join(); });
    EXPECT_TRUE(eventually([] { return locals_alive == 0; })) << locals_alive;
}

namespace {

struct ends_late {
    std::atomic<int>* ended = nullptr;
    ~ends_late() {
        if (ended == nullptr) return;
        rota::sleep_for(std::chrono::milliseconds(1));
        ++*ended;
    }
};

}  // namespace

TEST_ANYWHERE(local, is_destroyed_before_who_waits_for_the_goroutine_goes_on) {
    // Otherwise its destructor would use memory of the waiting block, which is gone.
    rota::local<ends_late> box;
    for (const bool exits : {false, true}) {
        std::atomic<int> ended{0};
        const auto body = [&] {
            box->ended = &ended;
            if (exits) rota::runtime::goexit();
        };
        rota::wait_group wg;
        wg.go(body);
        wg.wait();
        EXPECT_EQ(ended, 1);
        {
            rota::scope s;
            s.go(body);
        }
        EXPECT_EQ(ended, 2);
        rota::error_group group;
        group.go(body);
        group.wait();
        EXPECT_EQ(ended, 3);
        auto result = rota::async(body);
        result.wait();
        EXPECT_EQ(ended, 4);
        if (!exits) result.get();
    }
}

TEST_ANYWHERE(local, is_destroyed_on_goexit_too) {
    rota::local<one_each> box;
    rota::wait_group wg;
    wg.go([&] {
        box->value = 1;
        rota::runtime::goexit();
    });
    wg.wait();
    EXPECT_TRUE(eventually([] { return locals_alive == 0; })) << scheduler_state();
}

namespace {

struct ordered {
    std::vector<int>* log = nullptr;
    int id = 0;
    ~ordered() {
        if (log != nullptr) log->push_back(id);
    }
};

}  // namespace

TEST_ANYWHERE(local, those_made_last_go_first) {
    rota::local<ordered> a;
    rota::local<ordered> b;
    std::vector<int> log;
    rota::chan<rota::unit> ended = rota::make_chan<rota::unit>();
    rota::go([&] {
        // Made first, so destroyed last: reports that the other locals are gone.
        struct closes {
            rota::chan<rota::unit> c;
            ~closes() {
                if (c) c.close();
            }
        };
        static rota::local<closes> closer;
        closer->c = ended;
        a->log = &log;
        a->id = 1;
        b->log = &log;
        b->id = 2;
    });
    EXPECT_FALSE(ended.recv().has_value());
    EXPECT_EQ(log, (std::vector<int>{2, 1}));
}

namespace {

rota::local<int> steps;
std::atomic<int> steps_seen{0};

struct busy_end {
    rota::chan<int> out;
    ~busy_end() {
        if (!out) return;
        // Uses rota: parks; and uses a local that is gone already, or never existed.
        rota::runtime::gosched();
        ++*steps;
        steps_seen += *steps;
        out.send(*steps);
    }
};

}  // namespace

TEST_ANYWHERE(local, destructor_may_park_and_use_other_locals) {
    rota::local<busy_end> last;
    rota::chan<int> out = rota::make_chan<int>();
    rota::go([&] {
        last->out = out;
        *steps = 5;
    });
    EXPECT_EQ(out.recv(), 1) << "made anew";
    rota::go([&] {
        *steps = 5;
        last->out = out;
    });
    EXPECT_EQ(out.recv(), 6);
    EXPECT_TRUE(rota_test::eventually_alone());
    std::thread thread([&] {
        *steps = 7;
        last->out = out;
    });
    EXPECT_EQ(out.recv(), 8);
    rota::blocking([&] { thread.join(); });
}

TEST_ANYWHERE(local, may_come_and_go_in_a_goroutine_that_stays) {
    // A new local could take the place, and the value, of a destroyed local.
    for (int i = 0; i < 1000; ++i) {
        auto one = std::make_unique<rota::local<int>>();
        ASSERT_EQ(one->get(), 0);
        one->get() = i + 1;
    }
}
