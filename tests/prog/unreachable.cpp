// Programs with the five usual leaks of goroutines, and the same programs without: what
// rota::leak::find_unreachable and the profile goroutineleak say of them. Each case in a process of
// its own, so that nothing of other tests lies in memory.
//
// The first argument names the case; with "kept" as a second one the program keeps the means to let
// all go on, does so after the search, and waits for their ends. Any other second argument is a
// folder, where all forms of the profile are written.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <sstream>

#include <sched.h>
#include <signal.h>

#include <rota/leak.hpp>
#include <rota/pprof.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

// Where the program without the leak keeps a handle; null in the one with it.
using keeper = std::vector<rota::chan<int>>*;

void keep(keeper kept, const rota::chan<int>& ch) {
    if (kept != nullptr) kept->push_back(ch);
}

// The first answer is taken; nobody receives the others.
[[gnu::noinline]] void forget_senders(keeper kept) {
    auto answers = rota::make_chan<int>();
    for (int i = 0; i < 3; ++i) rota::go({.name = "sender"}, [answers, i] { answers.send(i); });
    (void)answers.recv();
    keep(kept, answers);
}

// What was produced is consumed, but nobody says that this was all.
[[gnu::noinline]] void forget_close(keeper kept) {
    auto jobs = rota::make_chan<int>(2);
    for (int i = 0; i < 2; ++i) {
        rota::go({.name = "consumer"}, [jobs] {
            while (jobs.recv()) {
            }
        });
    }
    for (int i = 0; i < 10; ++i) jobs.send(i);
    keep(kept, jobs);
}

// The answer comes when nobody waits for it any more.
[[gnu::noinline]] void abandon_answer(keeper kept) {
    auto answer = rota::make_chan<int>();
    static std::atomic<bool> is_given_up;
    rota::go({.name = "late"}, [answer] {
        await([] { return is_given_up.load(); });
        answer.send(42);
    });
    int got = 0;
    (void)answer.recv_for(got, 1us);
    is_given_up = true;
    keep(kept, answer);
}

// A channel that was never made.
[[gnu::noinline]] void use_nil_channel(keeper kept) {
    rota::chan<int> requests;
    if (kept != nullptr) requests = rota::make_chan<int>();
    rota::go({.name = "server"}, [requests] { (void)requests.recv(); });
    keep(kept, requests);
}

// Whoever comes first leaves without unlocking, and the others wait for ever; so does who waits for
// them. Without the leak, the lock is held for as long as the program says.
[[gnu::noinline]] void forget_unlock(keeper kept) {
    rota::chan<int> may_unlock;
    if (kept != nullptr) may_unlock = rota::make_chan<int>();
    rota::go({.name = "owner"}, [may_unlock] {
        rota::mutex mu;
        rota::wait_group all;
        all.add(3);
        for (int i = 0; i < 3; ++i) {
            rota::go({.name = "worker"}, [&mu, &all, &may_unlock] {
                mu.lock();
                if (may_unlock) {
                    (void)may_unlock.recv();
                    mu.unlock();
                }
                all.done();
            });
        }
        all.wait();
    });
    keep(kept, may_unlock);
}

// The address of a channel, not as a pointer: that would be found.
std::atomic<std::uintptr_t> turned_round;
std::atomic<bool> is_planted, is_over;

[[gnu::noinline]] void fill(std::uintptr_t (&words)[32], std::uintptr_t turned) {
    for (std::uintptr_t& w : words) w = ~turned;
    asm volatile("" : : "r"(words) : "memory");  // they are there
}

// Runs on the main thread's own stack, on which it sleeps.
extern "C" void hold_old_words(int) {
    std::uintptr_t words[32], others[32];
    fill(words, turned_round);
    fill(others, 0);  // in no register any more
    is_planted = true;
    while (!is_over) ::sched_yield();
}

// The scheduler's frames on the main thread's stack hold old words for as long as it sleeps: who
// parked there has left them.
[[gnu::noinline]] void leave_old_words(keeper kept) {
    auto jobs = rota::make_chan<int>();
    rota::go({.name = "consumer"}, [jobs] {
        while (jobs.recv()) {
        }
    });
    // Whoever waits leaves the main thread, which sleeps then: the others take its place.
    while (::gettid() == ::getpid()) jobs.send(1);
    await([] { return does_thread_sleep(::getpid(), std::to_string(::getpid())); });
    static_assert(sizeof jobs == sizeof(std::uintptr_t));
    std::uintptr_t address = 0;
    std::memcpy(&address, static_cast<const void*>(&jobs), sizeof address);
    turned_round = ~address;
    struct sigaction plant = {};
    plant.sa_handler = hold_old_words;
    sigaction(SIGUSR1, &plant, nullptr);
    ::tgkill(::getpid(), ::getpid(), SIGUSR1);
    await([] { return is_planted.load(); });
    keep(kept, jobs);
}

struct pattern {
    const char* name;
    void (*run)(keeper kept);
    int left;            // so many goroutines are left behind
    bool ends_by_close;  // without the leak: else by receives
    int holders = 0;     // that wait as well without the leak
};

constexpr pattern patterns[] = {
    {"sender", forget_senders, 2, false}, {"close", forget_close, 2, true},
    {"answer", abandon_answer, 1, false}, {"nil", use_nil_channel, 1, true},
    {"lock", forget_unlock, 3, true, 1},  {"words", leave_old_words, 1, true},
};

// Until so many wait for others, not for the time, and nobody else is left.
void await_waiters(int wanted) {
    await([wanted] {
        if (rota::runtime::num_goroutine() != wanted + 1) return false;
        int waiting = 0;
        for (const auto& g : rota::leak::find({.max_wait = 0ns}))
            waiting += g.state.starts_with("chan ") || g.state.starts_with("sync.");
        return waiting == wanted;
    });
}

// Searches until so many are found, and the profile has as many. A thread that the kernel has
// interrupted on its way from a goroutine that has parked to the next has pointers in its registers
// that are true: nothing is proven then, and the next search says more.
void show_found(std::size_t wanted) {
    std::vector<std::string> names;
    await([&] {
        names.clear();
        for (const auto& g : rota::leak::find_unreachable()) names.push_back(g.name);
        return names.size() >= wanted;
    });
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) std::cout << "found " << name << '\n';
    std::string text;
    await([&] {
        std::ostringstream profile;
        rota::pprof::write_profile("goroutineleak", profile, 1);
        text = profile.str();
        return wanted == 0 || text.find("total 0\n") == text.npos;
    });
    std::cout << text.substr(0, text.find('\n')) << '\n';
    if (const auto why = text.find("# only"); why != text.npos) std::cerr << text.substr(why);
}

// Frames have holes, in which words of earlier calls stay: one that waited in a channel, here.
[[gnu::noinline]] void wipe_below() {
    std::byte room[16384];
    std::memset(room, 0, sizeof room);
    asm volatile("" : : "r"(room) : "memory");  // they are there
}

// The forms other than the text that show_found looks at: what tools read, and dumps.
void write_forms(const std::string& folder, int wanted) {
    std::string profile;
    await([&] {
        std::ostringstream text;
        rota::pprof::write_profile("goroutineleak", text, 1);
        profile = text.str();
        return profile.find("total " + std::to_string(wanted) + "\n") != profile.npos;
    });
    std::ofstream(folder + "/leak.txt") << profile;
    // One more search; it may prove less by chance.
    std::size_t lost = 0;
    await([&] {
        std::ofstream file(folder + "/leak.pb.gz");
        rota::pprof::write_profile("goroutineleak", file, 0);
        lost = rota::leak::find_unreachable().size();
        return lost >= static_cast<std::size_t>(wanted);
    });
    std::ofstream dump(folder + "/leak-2.txt");
    rota::pprof::write_profile("goroutine", dump, 2);
}

void leak(const pattern& p, const std::string& folder) {
    p.run(nullptr);
    await_waiters(p.left);
    wipe_below();
    show_found(static_cast<std::size_t>(p.left));
    if (!folder.empty()) write_forms(folder, p.left);
    is_over = true;
}

void wait_and_go_on(const pattern& p) {
    std::vector<rota::chan<int>> kept;
    p.run(&kept);
    await_waiters(p.left + p.holders);
    show_found(0);
    is_over = true;
    if (p.ends_by_close) kept.back().close();
    else
        for (int i = 0; i < p.left; ++i) (void)kept.back().recv();
    await([] { return rota::runtime::num_goroutine() == 1; });
    std::cout << "all have ended\n";
}

}  // namespace

int main(int argc, char** argv) {
    for (const pattern& p : patterns) {
        if (argc < 2 || std::strcmp(argv[1], p.name) != 0) continue;
        const std::string second = argc < 3 ? "" : argv[2];
        rota::run([&] { second == "kept" ? wait_and_go_on(p) : leak(p, second); });
        return 0;
    }
    std::cerr << argv[0] << ": no such case\n";
    return 64;
}
