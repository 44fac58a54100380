// Measures the depth to which goroutines have used their stacks: rota::runtime::stack_depths and
// /debug/stacks.
#include <algorithm>

#include <rota/debug.hpp>

#include "program.hpp"

using namespace rota_test;

namespace {

constexpr std::size_t kib = 1024;

// Touches each page of that many bytes.
[[gnu::noinline]] void use_stack(std::size_t bytes) {
    auto* const frame = static_cast<volatile char*>(__builtin_alloca(bytes));
    for (std::size_t at = bytes; at >= 4096; at -= 4096) frame[at - 1] = 'x';
}

[[gnu::noinline]] void shallow() {
    rota::wait_group all;
    for (int i = 0; i < 50; ++i) all.go([] { use_stack(4 * kib); });
    all.wait();
}

[[gnu::noinline]] void deep() {
    rota::wait_group all;
    for (int i = 0; i < 5; ++i) all.go([] { use_stack(100 * kib); });
    all.wait();
}

[[gnu::noinline]] void deep_in_large_stacks() {
    rota::chan<int> done = rota::make_chan<int>();
    rota::go({.stack_size = 1024 * kib}, [done] {
        use_stack(600 * kib);
        done.send(1);
    });
    done.recv();
}

void print_depths() {
    for (const rota::runtime::stack_depth& d : rota::runtime::stack_depths()) {
        std::printf("%s | %s | %llu | %zu | %zu\n", d.function.c_str(), d.created_by.c_str(),
                    static_cast<unsigned long long>(d.goroutines), d.deepest / kib,
                    d.stack_size / kib);
    }
}

// The number of goroutines created by functions with `creator` in their names.
std::uint64_t counted(const char* creator = "") {
    std::uint64_t n = 0;
    for (const rota::runtime::stack_depth& d : rota::runtime::stack_depths()) {
        if (d.created_by.find(creator) != d.created_by.npos) n += d.goroutines;
    }
    return n;
}

// Ended goroutines, each on a stack that a deeper goroutine may have used before, and a living
// goroutine.
int all() {
    return rota::run([] {
        deep();
        shallow();
        deep_in_large_stacks();
        rota::chan<int> over = rota::make_chan<int>(), ready = rota::make_chan<int>();
        rota::go([=] {
            use_stack(40 * kib);
            ready.send(1);
            over.recv();
        });
        ready.recv();
        // A goroutine that has announced its end may not have ended yet, and an ended goroutine may
        // not have been counted. Two live, 56 have ended.
        const char* const setting = std::getenv("GODEBUG");
        const bool are_ended_counted =
            setting != nullptr && std::strstr(setting, "stackdepth=1") != nullptr;
        await([&] { return counted() == (are_ended_counted ? 58U : 2U); });
        print_depths();
        over.close();
        return 0;
    });
}

int page() {
    return rota::run([] {
        rota::debug::server pages = rota::debug::serve("127.0.0.1:0");
        deep();
        await([] { return counted("::deep()") == 5; });
        const std::string url = "http://" + pages.addr().to_string() + "/debug/stacks";
        std::fputs(rota::http::client().get(url).body.c_str(), stdout);
        return 0;
    });
}

constexpr program_case cases[] = {{"all", all}, {"page", page}};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
