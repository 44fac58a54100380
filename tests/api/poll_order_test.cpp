// The order in which goroutines run that wait for descriptors, beside runnable goroutines.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include <sys/eventfd.h>
#include <unistd.h>

#include "../gomaxprocs_restored.hpp"
#include "anywhere.hpp"

namespace {

using namespace std::chrono_literals;

// Takes about as long as a request to a small server.
void work_a_little() {
    const auto until = std::chrono::steady_clock::now() + 3us;
    while (std::chrono::steady_clock::now() < until) {
    }
}

// How often a p has been taken away, or a turn has been ended.
std::uint64_t disturbances() {
    const rota::runtime::sched_stats s = rota::runtime::read_sched_stats();
    return s.handoffs + s.preemptions;
}

constexpr int readers = 900, others = 300, ring = 256;

struct outcome {
    int read_before_the_last = 0;  // readers before the last goroutine without a descriptor
    bool was_disturbed = false;    // before that moment
};

outcome play_a_round() {
    std::atomic<int> waiting{0}, have_read{0}, read_before_the_last{0}, left{others};
    std::atomic<std::uint64_t> before{0}, after{0};
    std::vector<rota::os::file> files;
    for (int i = 0; i < readers; ++i)
        files.push_back(rota::os::file::from_fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)));
    rota::wait_group all;
    for (const rota::os::file& f : files) {
        all.go([&] {
            std::array<std::byte, 8> count;
            ++waiting;
            (void)f.read(count);
            work_a_little();
            ++have_read;
        });
    }
    EXPECT_TRUE(rota_test::eventually([&] { return waiting == readers; })) << waiting;
    rota::wait_group made;
    made.go([&] {  // without a pause
        before = disturbances();
        for (int i = 0; i < others; ++i) {
            all.go([&] {
                work_a_little();
                if (--left != 0) return;
                read_before_the_last = have_read.load();
                after = disturbances();
            });
        }
        constexpr std::uint64_t one = 1;
        for (const rota::os::file& f : files)
            EXPECT_EQ(::write(f.fd(), &one, sizeof one), ssize_t{sizeof one});
    });
    all.wait();
    made.wait();
    return {read_before_the_last, before != after};
}

}  // namespace

TEST(kb10_poll_order, of_descriptors_does_not_put_those_behind_who_have_waited) {
    // More goroutines than fit into a p's ring are runnable; half of them are in the global queue.
    // If each look at the descriptors filled the ring anew, it would never be empty. These
    // goroutines would then wait until no descriptor is ready any more.
    rota::run([] {
        const rota_test::gomaxprocs_restored restored;
        rota::runtime::gomaxprocs(1);
        // The kernel may have no processor for the thread of `made`, and sysmon then takes its p.
        // Goroutines then run, and more come, before every descriptor is ready. Such a round
        // proves nothing.
        outcome round = play_a_round();
        for (int more = 19; round.was_disturbed && more > 0; --more) round = play_a_round();
        // The readers of one ring may come first. Readers that sysmon finds, more of them on a
        // slower machine, are urgent and take turns with the goroutines of the test, singly. They
        // are at most as many as those in the global queue, and at least half a ring of the rest is
        // not there.
        constexpr int in_the_global_queue = others - ring / 2;
        static_assert(ring + in_the_global_queue < readers);
        EXPECT_LE(round.read_before_the_last, ring + in_the_global_queue)
            << rota_test::scheduler_state();
    });
}
