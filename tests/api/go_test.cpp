// rota::go and go_options: what is started, with which arguments, on which stack.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "anywhere.hpp"

using rota_test::eventually;
using rota_test::scheduler_state;

namespace {

// Counts the lives and copies of its instances.
struct argument {
    static inline std::atomic<int> alive{0};
    static inline std::atomic<int> copies{0};
    static void reset() { alive = copies = 0; }

    argument() { ++alive; }
    argument(const argument&) {
        ++alive;
        ++copies;
    }
    argument(argument&&) noexcept { ++alive; }
    ~argument() { --alive; }
};

void plain_function(std::atomic<int>* calls) { ++*calls; }

struct object {
    std::atomic<int> sum{0};
    void add(int n) { sum += n; }
};

}  // namespace

TEST_ANYWHERE(go, runs_each_function_exactly_once) {
    // A goroutine could be lost between two queues, or be run twice.
    // Then the sum or a single count would be off.
    constexpr int many = rota_test::live_goroutines_max;
    std::vector<std::atomic<unsigned char>> runs(many);
    rota::wait_group wg;
    wg.add(many);
    for (int i = 0; i < many; ++i) {
        rota::go([&runs, &wg, i] {
            ++runs[static_cast<std::size_t>(i)];
            wg.done();
        });
    }
    wg.wait();
    int wrong = 0;
    for (const auto& n : runs) wrong += n != 1;
    EXPECT_EQ(wrong, 0) << scheduler_state();
}

TEST_ANYWHERE(go, copies_its_arguments_as_std_thread_does) {
    // The goroutine could see the caller's variable instead of a copy of it.
    // Then it would read the value stored after go returned, or change the original.
    std::string text = "before";
    std::string seen;
    rota::wait_group wg;
    wg.add(1);
    rota::go(
        [&](std::string copy) {
            copy += "!";
            seen = copy;
            wg.done();
        },
        text);
    text = "after";
    wg.wait();
    EXPECT_EQ(seen, "before!");
    EXPECT_EQ(text, "after");
}

TEST_ANYWHERE(go, decays_arrays_and_string_literals) {
    // A literal could be kept as a reference to an array of the caller's frame, or fail to compile.
    // Then the text would be gone when the goroutine reads it.
    rota::chan<std::string> got = rota::make_chan<std::string>(1);
    {
        char local[] = "local";
        rota::go([got](std::string a, std::string b) { got.send(a + b); }, std::string(local),
                 " literal");
        local[0] = '?';
    }
    EXPECT_EQ(got.recv(), "local literal");
}

TEST_ANYWHERE(go, passes_references_made_by_std_ref) {
    // std::ref could be copied through to a value.
    // Then the caller's counter would stay 0.
    std::atomic<int> n{0};
    rota::wait_group wg;
    wg.add(1);
    rota::go(
        [&wg](std::atomic<int>& counter, int by) {
            counter += by;
            wg.done();
        },
        std::ref(n), 7);
    wg.wait();
    EXPECT_EQ(n, 7);
}

TEST_ANYWHERE(go, takes_move_only_functions_and_arguments) {
    // A copy could be asked for somewhere on the way, which would not compile, or the pointer be
    // lost. Then the sum of the two values would not arrive.
    auto held = std::make_unique<int>(40);
    auto ch = rota::make_chan<int>();
    rota::go([held = std::move(held), ch](std::unique_ptr<int> arg) { ch.send(*held + *arg); },
             std::make_unique<int>(2));
    EXPECT_EQ(ch.recv(), 42);
}

TEST_ANYWHERE(go, calls_function_pointers_and_members) {
    // Only lambdas could be callable.
    // Then this would not compile, or the counts would stay 0.
    std::atomic<int> calls{0};
    object o;
    rota::go(plain_function, &calls);
    rota::go(&plain_function, &calls);
    rota::go(&object::add, &o, 5);
    rota::go(std::function<void()>([&calls] { ++calls; }));
    EXPECT_TRUE(eventually([&] { return calls == 3 && o.sum == 5; }))
        << "calls " << calls << ", sum " << o.sum << "; " << scheduler_state();
}

TEST_ANYWHERE(go, destroys_its_closure_once_and_copies_only_what_it_must) {
    // The closure could be copied needlessly, leaked with the dead goroutine's stack, or destroyed
    // twice. Then instances would be left, or there would be more copies than one per lvalue.
    argument::reset();
    {
        argument lvalue;
        rota::wait_group wg;
        wg.add(2);
        rota::go([&wg](const argument&) { wg.done(); }, lvalue);
        EXPECT_EQ(argument::copies, 1);
        rota::go([&wg](const argument&) { wg.done(); }, argument());
        EXPECT_EQ(argument::copies, 1);
        wg.wait();
    }
    EXPECT_TRUE(eventually([] { return argument::alive == 0; })) << argument::alive << " alive";
}

TEST_ANYWHERE(go, leaves_nothing_behind_when_a_copy_throws) {
    // The half-made goroutine could leak, be run, or take its stack out of use.
    // Then the exception would not arrive, a goroutine would be counted, or the next go would fail.
    struct refuses {
        refuses() = default;
        refuses(const refuses&) { throw std::domain_error("no copy"); }
        void operator()() const { std::abort(); }
    };
    const refuses f;
    const int before = rota::runtime::num_goroutine();
    for (int i = 0; i < 200; ++i) EXPECT_THROW(rota::go(f), std::domain_error);
    EXPECT_EQ(rota::runtime::num_goroutine(), before);
    auto ch = rota::make_chan<int>();
    rota::go([ch] { ch.send(1); });
    EXPECT_EQ(ch.recv(), 1);
}

TEST_ANYWHERE(go, keeps_closures_of_any_size_and_alignment) {
    // A closure larger than its place in the stack could overwrite the goroutine's header; one with
    // a strict alignment could be put anywhere. Then the contents or the address would be wrong.
    auto ch = rota::make_chan<bool>();
    std::array<int, 10'000> big{};
    big.front() = 11;
    big.back() = 22;
    rota::go([big, ch] { ch.send(big.front() == 11 && big.back() == 22); });
    EXPECT_EQ(ch.recv(), true);

    std::array<char, 1000> edge{};
    edge.back() = 'x';
    rota::go([edge, ch] { ch.send(edge.back() == 'x'); });
    EXPECT_EQ(ch.recv(), true);

    struct alignas(128) aligned {
        char bytes[128] = {};
        rota::chan<bool> ch;
        void operator()() const { ch.send(reinterpret_cast<std::uintptr_t>(this) % 128 == 0); }
    };
    for (int i = 0; i < 20; ++i) {
        aligned a;
        a.ch = ch;
        rota::go(a);
        EXPECT_EQ(ch.recv(), true);
    }
}

TEST_ANYWHERE(go, makes_visible_what_was_written_before) {
    // The queue could publish the goroutine before what its creator wrote.
    // Then a plain variable would be read old, and tsan would report a race.
    for (int i = 0; i < rota_test::scaled(2000); ++i) {
        int plain = 0;
        int back = 0;
        rota::wait_group wg;
        wg.add(1);
        plain = i;
        rota::go([&] {
            back = plain + 1;
            wg.done();
        });
        wg.wait();
        ASSERT_EQ(back, i + 1);
    }
}

TEST_ANYWHERE(go, starts_goroutines_from_goroutines) {
    // A child of a child could be queued on a p that nobody looks at any more.
    // Then the tree would not be complete.
    std::atomic<int> leaves{0};
    std::function<void(int)> grow = [&](int depth) {
        if (depth == 0) {
            ++leaves;
            return;
        }
        rota::go(grow, depth - 1);
        rota::go(grow, depth - 1);
    };
    grow(9);
    EXPECT_TRUE(eventually([&] { return leaves == 512; })) << leaves << "; " << scheduler_state();
    EXPECT_TRUE(rota_test::eventually_alone());
}

TEST(go, may_be_called_from_many_threads_at_once) {
    // Threads without a p of their own share the global queue and the boot.
    // A lost update there would lose goroutines.
    constexpr int threads = 8, each = 500;
    std::atomic<int> ran{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < threads; ++t) {
        callers.emplace_back([&] {
            for (int i = 0; i < each; ++i) rota::go([&] { ++ran; });
        });
    }
    for (auto& t : callers) t.join();
    EXPECT_TRUE(eventually([&] { return ran == threads * each; }))
        << ran << "; " << scheduler_state();
}

TEST_ANYWHERE(go_options, stack_size_is_there_to_be_used) {
    // The size could be ignored or rounded down.
    // Then writing to most of the stack would run into its guard and end the process.
    for (const std::size_t size :
         {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{32} << 20}) {
        auto ch = rota::make_chan<int>();
        rota::go({.stack_size = size}, [ch, size] {
            // Volatile, touched page by page from the top down, as a deep call chain does.
            auto* const frame = static_cast<volatile char*>(__builtin_alloca(size / 2));
            for (std::size_t at = size / 2; at >= 4096; at -= 4096) frame[at - 1] = 1;
            ch.send(frame[4095]);
        });
        EXPECT_EQ(ch.recv(), 1) << size;
    }
}

TEST_ANYWHERE(go_options, odd_stack_sizes_are_rounded) {
    // A size that is no power of two, tiny or beyond the largest could be refused or break the
    // layout. Then the goroutine would not run.
    for (const std::size_t size : {std::size_t{1}, std::size_t{16'385}, std::size_t{100'000},
                                   (std::size_t{64} << 20) + 1, ~std::size_t{0}}) {
        auto ch = rota::make_chan<int>();
        rota::go({.stack_size = size}, [ch] { ch.send(3); });
        EXPECT_EQ(ch.recv(), 3) << size;
    }
}

TEST_ANYWHERE(go_options, name_is_copied_and_may_be_long) {
    // The name could be kept by reference, or overwrite the closure when it is long.
    // Then the closure's own text would be damaged, or asan would report the read.
    auto ch = rota::make_chan<std::string>();
    for (const std::size_t length : {0u, 1u, 15u, 16u, 127u, 128u, 129u, 5000u}) {
        const std::string closure_text(40, 'c');
        {
            const std::string name(length, 'n');
            rota::go({.name = name}, [ch, closure_text] { ch.send(closure_text); });
        }
        EXPECT_EQ(ch.recv(), closure_text) << length;
    }
}

TEST_ANYWHERE(goid, is_a_number_of_its_own_for_each_goroutine) {
    // Batches of numbers given to ps could overlap, or a number change on the way to another
    // thread. Then two goroutines would have the same number, or one would see two.
    constexpr int many = 1000;
    auto ch = rota::make_chan<std::uint64_t>(many);
    for (int i = 0; i < many; ++i) {
        rota::go([ch] {
            const std::uint64_t id = rota::runtime::goid();
            for (int k = 0; k < 3; ++k) {
                rota::runtime::gosched();
                if (rota::runtime::goid() != id) return ch.send(0);
            }
            ch.send(id);
        });
    }
    std::set<std::uint64_t> ids;
    for (int i = 0; i < many; ++i) ids.insert(*ch.recv());
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(many));
    EXPECT_EQ(ids.count(0), 0u);
    EXPECT_EQ(ids.count(rota::runtime::goid()), 0u) << "the caller's own number was given again";
}

TEST(goid, is_zero_outside_goroutines) {
    // A thread could be taken for the goroutine that ran on it last.
    // Then its number would not be 0.
    EXPECT_EQ(rota::runtime::goid(), 0u);
    const std::uint64_t inside = rota::run([] { return rota::runtime::goid(); });
    EXPECT_NE(inside, 0u);
    EXPECT_EQ(rota::runtime::goid(), 0u);
    rota_test::on_thread([] {
        EXPECT_EQ(rota::runtime::goid(), 0u);
        auto ch = rota::make_chan<int>(1);
        ch.send(1);
        EXPECT_EQ(rota::runtime::goid(), 0u);
    });
}
