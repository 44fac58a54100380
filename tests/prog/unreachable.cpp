// Programs with the five usual leaks of goroutines, and the same programs without the leaks: they
// print the results of rota::leak::find_unreachable and of the profile goroutineleak. Each case
// runs in a process of its own, so that memory holds nothing of other tests.
//
// The first argument names the case. With "kept" as second argument, the program keeps the means to
// wake every goroutine; after the search it wakes them and waits for their ends. Any other second
// argument is a folder, to which the program writes every form of the profile.
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

// The program without the leak keeps a handle here; null in the program with the leak.
using keeper = std::vector<rota::chan<int>>*;

void keep(keeper kept, const rota::chan<int>& ch) {
    if (kept != nullptr) kept->push_back(ch);
}

// Main takes the first answer; no goroutine receives the rest.
[[gnu::noinline]] void forget_senders(keeper kept) {
    auto answers = rota::make_chan<int>();
    for (int i = 0; i < 3; ++i) rota::go({.name = "sender"}, [answers, i] { answers.send(i); });
    (void)answers.recv();
    keep(kept, answers);
}

// The consumers take every value, but the producer does not close the channel.
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

// The answer comes when no goroutine waits for it any more.
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

// The first worker leaves without unlocking, and the other workers wait for ever; so does the
// owner, which waits for the workers. Without the leak, a worker holds the lock as long as the
// program says.
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

// The inverted address of a channel: the search would find the pointer itself.
std::atomic<std::uintptr_t> turned_round;
std::atomic<bool> is_planted, is_over;

[[gnu::noinline]] void fill(std::uintptr_t (&words)[32], std::uintptr_t turned) {
    for (std::uintptr_t& w : words) w = ~turned;
    asm volatile("" : : "r"(words) : "memory");  // forces the words into memory
}

// Runs on the stack on which the main thread sleeps.
extern "C" void hold_old_words(int) {
    std::uintptr_t words[32], others[32];
    fill(words, turned_round);
    fill(others, 0);  // no register keeps the words
    is_planted = true;
    while (!is_over) ::sched_yield();
}

// While the main thread sleeps, the scheduler's frames on its stack hold old words: a goroutine
// that parked there has left them.
[[gnu::noinline]] void leave_old_words(keeper kept) {
    auto jobs = rota::make_chan<int>();
    rota::go({.name = "consumer"}, [jobs] {
        while (jobs.recv()) {
        }
    });
    // A goroutine that waits leaves the main thread, which then sleeps: another thread takes its
    // place.
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
    int left;            // number of goroutines left behind
    bool ends_by_close;  // the version without the leak: else by receives
    int holders = 0;     // goroutines that wait in the version without the leak as well
};

constexpr pattern patterns[] = {
    {"sender", forget_senders, 2, false}, {"close", forget_close, 2, true},
    {"answer", abandon_answer, 1, false}, {"nil", use_nil_channel, 1, true},
    {"lock", forget_unlock, 3, true, 1},  {"words", leave_old_words, 1, true},
};

// Waits until `wanted` goroutines wait for other goroutines, not for a time, and no further
// goroutine is left.
void await_waiters(int wanted) {
    await([wanted] {
        if (rota::runtime::num_goroutine() != wanted + 1) return false;
        int waiting = 0;
        for (const auto& g : rota::leak::find({.max_wait = 0ns}))
            waiting += g.state.starts_with("chan ") || g.state.starts_with("sync.");
        return waiting == wanted;
    });
}

// Searches until it has found as many as wanted, and the profile shows as many. The kernel may
// interrupt a thread on its way from a parked goroutine to the next. Its registers then hold true
// pointers, which prove nothing, and the next search tells more.
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

// Clears the holes of frames, in which words of earlier calls stay: here those of a call that
// waited in a channel.
[[gnu::noinline]] void wipe_below() {
    std::byte room[16384];
    std::memset(room, 0, sizeof room);
    asm volatile("" : : "r"(room) : "memory");  // forces the bytes into memory
}

// Writes the forms other than the text that show_found checks: those for tools, and dumps.
void write_forms(const std::string& folder, int wanted) {
    std::string profile;
    await([&] {
        std::ostringstream text;
        rota::pprof::write_profile("goroutineleak", text, 1);
        profile = text.str();
        return profile.find("total " + std::to_string(wanted) + "\n") != profile.npos;
    });
    std::ofstream(folder + "/leak.txt") << profile;
    // Searches again, since a single search may prove less by chance.
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
