// Checks, from outside and thread by thread, that a process without work uses no processor time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "child.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

struct thread_look {
    std::string name;
    char state = '?';
    long ticks = 0;  // user and system time, in 10 ms
};

// The kernel's figures for every thread of the process at this moment, by thread id.
std::map<int, thread_look> threads_of(pid_t pid) {
    std::map<int, thread_look> all;
    const std::string dir = "/proc/" + std::to_string(pid) + "/task";
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(dir, gone)) {
        std::ifstream file(entry.path() / "stat");
        std::string text;
        std::getline(file, text);
        const std::size_t open = text.find('('), close = text.rfind(')');
        if (open == std::string::npos || close == std::string::npos) continue;
        thread_look look;
        look.name = text.substr(open + 1, close - open - 1);
        std::istringstream fields(text.substr(close + 2));
        std::string skipped;
        long user = 0, system = 0;
        fields >> look.state;
        for (int i = 0; i < 10; ++i) fields >> skipped;  // ppid .. cmajflt
        fields >> user >> system;
        look.ticks = user + system;
        all[std::stoi(entry.path().filename())] = look;
    }
    return all;
}

bool is_sysmon(const thread_look& t) { return t.name == "rota-sysmon"; }

// No thread runs: the state of every thread but sysmon's is "sleeping".
bool all_asleep(const std::map<int, thread_look>& threads) {
    for (const auto& [id, t] : threads) {
        if (!is_sysmon(t) && t.state != 'S') return false;
    }
    return !threads.empty();
}

// A child that idles, and the figures of its threads at the start of the measurement.
struct idler {
    child process;
    std::string name;
    std::map<int, thread_look> before{};

    explicit idler(const char* how) : process(program("idle", {how})), name(how) {}

    // A thread that is about to sleep, and waits for a processor, looks like a running thread. It
    // gets a moment; a thread that spins or polls still runs after it.
    void look(int sample) {
        const auto first = threads_of(process.pid());
        if (all_asleep(first)) return;
        std::this_thread::sleep_for(20ms);
        for (const auto& [id, t] : threads_of(process.pid())) {
            const auto was = first.find(id);
            EXPECT_TRUE(is_sysmon(t) || t.state == 'S' || was == first.end() ||
                        was->second.state == 'S')
                << name << ": " << t.name << " is in state " << t.state << " at sample " << sample;
        }
    }

    void judge() {
        const auto after = threads_of(process.pid());
        EXPECT_EQ(after.size(), before.size()) << name;
        long sysmon = -1;
        for (const auto& [id, t] : after) {
            const auto was = before.find(id);
            const long used = t.ticks - (was == before.end() ? 0 : was->second.ticks);
            if (is_sysmon(t)) sysmon = used;
            EXPECT_LE(used, is_sysmon(t) ? 1 : 0) << name << ": " << t.name;
        }
        std::printf("%s: sysmon used %ld ticks, the %zu other threads are quiet\n", name.c_str(),
                    sysmon, after.size() - 1);
        EXPECT_GE(sysmon, 0) << name << ": no thread is named rota-sysmon";
        EXPECT_EQ(process.kill_and_finish().err, "") << name;
    }
};

using idler_list = std::vector<std::unique_ptr<idler>>;

// sysmon and the spinning threads need a moment to see that there is no work. The thread that
// checks the first of the stopped timers needs a processor.
void settle(const idler_list& idlers) {
    const auto until = std::chrono::steady_clock::now() + 5s;
    for (int calm = 0; calm < 20 && std::chrono::steady_clock::now() < until;) {
        const bool quiet = std::all_of(idlers.begin(), idlers.end(), [](const auto& i) {
            return all_asleep(threads_of(i->process.pid()));
        });
        calm = quiet ? calm + 1 : 0;
        std::this_thread::sleep_for(20ms);
    }
}

}  // namespace

TEST(kb15_idle_process, uses_no_processor_time) {
    // Fails if a thread spins, polls, or wakes up without work: it has used a tick of 10 ms after 5
    // s, or is seen running. sysmon may use a tick. Cases: timers, no timers, stopped timers, after
    // run(), with system calls, with open sockets.
    constexpr std::chrono::milliseconds measured = 5s;
    constexpr int samples = 10;
    constexpr std::chrono::milliseconds first_stopped = 2s;  // of the timers in idle.cpp
    idler_list idlers;
    for (const char* how :
         {"asleep", "blocked", "stopped_timers", "after_run", "in_blocking", "sockets"}) {
        idlers.push_back(std::make_unique<idler>(how));
        child& process = idlers.back()->process;
        ASSERT_TRUE(process.says("ready\n")) << process.finish(0s);
    }
    std::this_thread::sleep_for(first_stopped);  // at that moment the poller checks once
    settle(idlers);
    for (const auto& i : idlers) {
        i->before = threads_of(i->process.pid());
        ASSERT_GE(i->before.size(), 2U);
    }
    for (int sample = 0; sample < samples; ++sample) {
        std::this_thread::sleep_for(measured / samples);
        for (const auto& i : idlers) i->look(sample);
    }
    for (const auto& i : idlers) i->judge();
}
