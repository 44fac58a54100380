// Traces that are converted, and such as are written when the process ends badly. The second
// argument is the file.
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <rota/pprof.hpp>
#include <rota/trace.hpp>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

std::string target;

[[gnu::noinline]] void ping_pong(int rounds) {
    auto there = rota::make_chan<int>(), back = rota::make_chan<int>();
    rota::wait_group both;
    both.go([&] {
        for (int i = 0; i < rounds; ++i) {
            there.send(i);
            back.recv();
        }
    });
    both.go([&] {
        for (int i = 0; i < rounds; ++i) back.send(*there.recv());
    });
    both.wait();
}

void say_things() {
    const rota::trace::task all("request");
    const rota::trace::region here(all, "parse");
    const rota::trace::region inner("step");
    rota::trace::log(all, "phase", "half way");
    rota::sleep_for(1ms);
}

void everything() {
    rota::wait_group all;
    for (int i = 0; i < 3; ++i) {
        all.go([] { ping_pong(50); });
        all.go(say_things);
    }
    // The sleep is the load: a call from which the p is taken.
    all.go([] { rota::blocking([] { std::this_thread::sleep_for(20ms); }); });
    all.go([] { std::this_thread::sleep_for(15ms); });  // the load: blocks unannounced
    rota::sleep_for(1ms);
    rota::runtime::gomaxprocs(rota::runtime::gomaxprocs() + 1);
    all.wait();
}

// Two generations, and then for Perfetto.
int convert() {
    rota::run([] {
        auto early = rota::make_chan<int>();
        rota::wait_group waiting;
        for (int i = 0; i < 5; ++i) waiting.go([early] { early.recv(); });
        rota::trace::start(target);
        everything();
        rota::trace::flight_recorder second;  // begins a generation
        second.start();
        everything();
        early.close();
        waiting.wait();
        rota::trace::stop();
    });
    rota::trace::to_perfetto(target, target + ".pftrace");
    return 0;
}

// Until the thread has used the processor for so long.
[[gnu::noinline]] std::uint64_t works_here(std::int64_t ns) {
    const auto used = [] {
        timespec t{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return t.tv_sec * 1'000'000'000 + t.tv_nsec;
    };
    std::uint64_t sum = 0;
    for (const std::int64_t until = used() + ns; used() < until;) {
        for (std::uint64_t i = 0; i < 10'000; ++i) sum = sum * 31 + i;
    }
    return sum;
}

// Both a goroutine and a thread of the program's own work. The trace begins before the profile,
// the recorder behind it.
int samples() {
    constexpr std::int64_t enough = 400'000'000;
    std::atomic<std::uint64_t> sum{0};
    std::ostringstream profile;
    rota::run([&] {
        rota::trace::start(target);
        rota::pprof::start_cpu_profile(profile);
        rota::trace::flight_recorder box;
        box.start();
        std::thread other([&] { sum += works_here(enough); });
        rota::wait_group all;
        all.go([&] { sum += works_here(enough); });
        all.wait();
        rota::blocking([&] { other.join(); });
        box.write_to(target + ".box");
        rota::pprof::stop_cpu_profile();
        rota::trace::stop();
        // Of this one there are none.
        rota::trace::start(target + ".none");
        ping_pong(3);
        rota::trace::stop();
    });
    rota::trace::to_perfetto(target, target + ".pftrace");
    return profile.str().empty() || sum == 0;
}

int expect_error(const std::error_code& ec, std::errc wanted) {
    if (ec == wanted) return 0;
    std::fprintf(stderr, "error %d: %s\n", ec.value(), ec.message().c_str());
    return 1;
}

// What is no trace, and where nothing can be written.
int convert_others() {
    std::error_code ec;
    rota::trace::to_perfetto("/no/such/file", target, ec);
    int failed = expect_error(ec, std::errc::no_such_file_or_directory);
    rota::trace::to_perfetto("/proc/self/exe", target, ec);
    failed |= expect_error(ec, std::errc::bad_message);
    rota::run([] {
        rota::trace::start(target);
        ping_pong(3);
        rota::trace::stop();
    });
    rota::trace::to_perfetto(target, "/dev/full", ec);
    failed |= expect_error(ec, std::errc::io_error);
    rota::trace::to_perfetto(target, "/no/such/file", ec);
    failed |= expect_error(ec, std::errc::io_error);
    // Each beginning of a trace is read, or refused, without harm.
    std::string bytes;
    std::FILE* const file = std::fopen(target.c_str(), "rb");
    char part[4096];
    for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;)
        bytes.append(part, n);
    std::fclose(file);
    const std::string cut = target + ".cut";
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 16) {
        for (const int spoiled : {0, 1}) {
            std::string some = bytes.substr(0, size);
            if (spoiled != 0 && size > 0) some[size * 7 / 8] = static_cast<char>(size * 31);
            std::FILE* const to = std::fopen(cut.c_str(), "wb");
            std::fwrite(some.data(), 1, some.size(), to);
            std::fclose(to);
            rota::trace::to_perfetto(cut, cut + ".pftrace", ec);
            if (ec && ec != std::errc::bad_message) failed |= expect_error(ec, std::errc{});
        }
    }
    return failed;
}

// The recorder runs, something has happened, and then the process ends.
template <class F>
int end_by(F crash, std::chrono::milliseconds wait = 10s) {
    rota::run([&] {
        rota::trace::recorder_options how;
        how.crash_path = target;
        how.crash_wait = wait;
        rota::trace::flight_recorder box(how);
        box.start();
        everything();
        rota::wait_group other;
        other.go(crash);
        block_for_ever();
    });
    return 1;
}

int panic() {
    return end_by([] { throw std::runtime_error("as planned"); });
}

std::atomic<int*> no_address{nullptr};
[[gnu::noinline]] int reads_null() { return *no_address.load() + 1; }

int fault() {
    return end_by([] { std::exit(reads_null()); });
}

int fatal() {
    return end_by([] {
        rota::mutex m;
        m.unlock();
    });
}

int abort_it() {
    return end_by([] { std::abort(); });
}

// The file is a pipe that nobody reads.
int panic_in_vain() {
    return end_by([] { throw std::runtime_error("as planned"); }, 300ms);
}

// Stopped before: nothing is written.
int panic_later() {
    rota::run([] {
        rota::trace::recorder_options how;
        how.crash_path = target;
        {
            rota::trace::flight_recorder box(how);
            box.start();
            ping_pong(3);
        }
        rota::go([] { throw std::runtime_error("as planned"); });
        block_for_ever();
    });
    return 1;
}

int too_long_a_path() {
    std::error_code ec;
    rota::run([&] {
        rota::trace::recorder_options how;
        how.crash_path = std::string(5000, 'x');
        rota::trace::flight_recorder box(how);
        box.start(ec);
    });
    return expect_error(ec, std::errc::filename_too_long);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2) target = argv[2];
    constexpr program_case cases[] = {{"convert", convert},
                                      {"convert_others", convert_others},
                                      {"samples", samples},
                                      {"panic", panic},
                                      {"fault", fault},
                                      {"fatal", fatal},
                                      {"abort", abort_it},
                                      {"panic_in_vain", panic_in_vain},
                                      {"panic_later", panic_later},
                                      {"too_long_a_path", too_long_a_path}};
    return run_case(argc, argv, cases);
}
