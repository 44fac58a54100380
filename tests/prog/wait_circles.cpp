// Goroutines that wait for each other through channels, or through channels and locks, and
// goroutines that only seem to. Each case runs in a process of its own, so that memory holds
// nothing of other tests.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <variant>
#include <vector>

#include <rota/debug.hpp>
#include <rota/metrics.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

using circles = std::vector<rota::debug::deadlock>;

[[noreturn]] void fail(const char* what, const circles& found) {
    std::fprintf(stderr, "failed: %s\n", what);
    for (const auto& d : found) {
        std::fprintf(stderr, "circle:\n");
        for (const auto& w : d.circle)
            std::fprintf(stderr, "%llu waits for the %s %p\n%s\n",
                         static_cast<unsigned long long>(w.id), w.is_channel ? "channel" : "mutex",
                         w.lock, w.trace.c_str());
    }
    ::_exit(1);
}

// Words of calls that have returned lie below this frame: the function writes over them.
[[gnu::noinline]] void clear_dead_frames() {
    volatile char room[16 * 1024];
    for (std::size_t i = 0; i < sizeof room; ++i) room[i] = 0;
}

circles await_circles(std::size_t n) {
    circles found;
    for (int i = 0; i < 500; ++i) {
        found.clear();  // `found` would count as a holder of the channels
        clear_dead_frames();
        found = rota::debug::find_all_deadlocks();
        if (found.size() == n) return found;
        rota::sleep_for(2ms);
    }
    fail("the number of circles", found);
}

[[gnu::noinline]] void passes_on(const rota::chan<int>& from, const rota::chan<int>& to) {
    const auto got = from.recv();
    to.send(got.value_or(0));
}

// Each goroutine passes on the value of its predecessor, and no goroutine begins. The handles lie
// on the stack: memory that was given back to malloc would still contain them.
[[gnu::noinline]] void make_ring(std::size_t n) {
    std::array<rota::chan<int>, 8> links;
    for (std::size_t i = 0; i < n; ++i) links[i] = rota::make_chan<int>();
    for (std::size_t i = 0; i < n; ++i)
        rota::go([from = links[i], to = links[(i + 1) % n]] { passes_on(from, to); });
}

// Runs f in another goroutine. The search does not read the stack of an ended goroutine. Its frame
// does not stay either: the next goroutine may have the stack to which it points.
template <class F>
[[gnu::noinline]] void in_another(F f) {
    rota::wait_group one;
    one.go(f);
    one.wait();
}

int of_channels_are_found() {
    return rota::run([] {
        for (const std::size_t n : {2, 3, 7}) in_another([n] { make_ring(n); });
        const circles found = await_circles(3);
        std::vector<std::size_t> sizes;
        for (const auto& d : found) {
            sizes.push_back(d.circle.size());
            for (const auto& w : d.circle) {
                if (!w.is_channel) fail("it waits for a channel", found);
                if (w.trace.find("passes_on") == std::string::npos) fail("its stack", found);
                for (const auto& other : d.circle) {
                    if (&other != &w && (other.id == w.id || other.lock == w.lock))
                        fail("one goroutine, or channel, is there twice", found);
                }
            }
        }
        std::sort(sizes.begin(), sizes.end());
        if (sizes != std::vector<std::size_t>{2, 3, 7}) fail("their sizes", found);
        return 0;
    });
}

// An earlier result that the program has dropped is no pointer to the channels.
int are_found_again() {
    return rota::run([] {
        for (const std::size_t n : {1, 2, 3}) {
            in_another([n] { make_ring(n + 1); });
            (void)await_circles(n);
            (void)await_circles(n);
        }
        return 0;
    });
}

struct shared_state {
    rota::mutex lock;
    int value = 0;
};

[[gnu::noinline]] void waits_with_the_lock(shared_state& state, const rota::chan<int>& answer,
                                           std::atomic<int>& have_it) {
    const std::lock_guard<rota::mutex> guard(state.lock);
    ++have_it;
    state.value = answer.recv().value_or(0);
}

[[gnu::noinline]] void answers_with_the_lock(shared_state& state, const rota::chan<int>& answer) {
    {
        const std::lock_guard<rota::mutex> guard(state.lock);
        ++state.value;
    }
    answer.send(1);
}

// The first goroutine holds the lock while it waits for the second, which needs the lock before it
// answers.
[[gnu::noinline]] void make_mixed(std::atomic<int>& have_it) {
    auto state = std::make_shared<shared_state>();
    // The first lock of a mutex made before watch_locks() is not recorded.
    state->lock.lock();
    state->lock.unlock();
    auto answer = rota::make_chan<int>();
    rota::go([state, answer, &have_it] { waits_with_the_lock(*state, answer, have_it); });
    await([&] { return have_it.load() == 1; });
    rota::go([state, answer] { answers_with_the_lock(*state, answer); });
}

int of_channels_and_locks_are_found() {
    return rota::run([] {
        rota::debug::watch_locks();
        static std::atomic<int> have_it{0};
        in_another([] { make_mixed(have_it); });
        const circles found = await_circles(1);
        const auto& circle = found[0].circle;
        if (circle.size() != 2) fail("two are in it", found);
        if (circle[0].is_channel == circle[1].is_channel) fail("a lock and a channel", found);
        const auto& receiver = circle[circle[0].is_channel ? 0 : 1];
        const auto& locker = circle[circle[0].is_channel ? 1 : 0];
        if (receiver.trace.find("waits_with_the_lock") == std::string::npos ||
            locker.trace.find("answers_with_the_lock") == std::string::npos)
            fail("who waits for what", found);
        return 0;
    });
}

[[gnu::noinline]] void receives(const rota::chan<int>& from) { (void)from.recv(); }

// Many goroutines wait for a channel that no goroutine serves: lost, but no circle.
[[gnu::noinline]] void abandon_many() {
    auto jobs = rota::make_chan<int>();
    for (int i = 0; i < 20; ++i) rota::go([jobs] { receives(jobs); });
}

// A ring; a living goroutine still holds one of its channels.
[[gnu::noinline]] rota::chan<int> make_ring_with_a_way_in() {
    auto one = rota::make_chan<int>();
    auto other = rota::make_chan<int>();
    rota::go([one, other] { passes_on(one, other); });
    rota::go([one, other] { passes_on(other, one); });
    return one;
}

int that_are_none_are_not() {
    return rota::run([] {
        const rota::chan<int> way_in = make_ring_with_a_way_in();
        in_another(abandon_many);
        in_another([] { make_ring(2); });
        // A true circle, so that the search proves something.
        {
            const circles found = await_circles(1);
            if (found[0].circle.size() != 2) fail("the ring that is one", found);
        }
        for (int i = 0; i < 20; ++i) {
            const circles again = rota::debug::find_all_deadlocks();
            if (again.size() > 1) fail("what is no circle", again);
            rota::runtime::gosched();
        }
        way_in.send(1);
        const auto back = way_in.recv();
        return back == 1 ? 0 : 1;
    });
}

// Circles of both kinds, which GODEBUG=deadlock=1 reports; the program continues until the test
// ends it.
int are_left_alone() {
    return rota::run([] {
        static std::atomic<int> have_it{0};
        in_another([] { make_ring(2); });
        in_another([] { make_mixed(have_it); });
        for (;;) {
            clear_dead_frames();
            rota::sleep_for(5ms);
        }
        return 0;
    });
}

std::uint64_t world_stops() {
    for (const auto& s : rota::metrics::read()) {
        if (s.name != "/sched/pauses/total/other:seconds") continue;
        const auto& counts = std::get<rota::metrics::histogram>(s.value).counts;
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    }
    return 0;
}

// The same, and then no goroutine can continue any more.
int are_left_by_all() {
    return rota::run([] {
        in_another([] { make_ring(2); });
        // Waits until a thread of rota's own exists and has searched.
        await([] {
            clear_dead_frames();
            rota::sleep_for(5ms);
            return world_stops() != 0;
        });
        rota::make_chan<int>().recv();
        return 0;
    });
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"of_channels_are_found", of_channels_are_found},
                     {"are_found_again", are_found_again},
                     {"of_channels_and_locks_are_found", of_channels_and_locks_are_found},
                     {"are_left_alone", are_left_alone},
                     {"are_left_by_all", are_left_by_all},
                     {"that_are_none_are_not", that_are_none_are_not}});
}
