// How deep goroutines have used their stacks: rota::runtime::stack_depths and /debug/stacks.
#include <algorithm>

#include <rota/debug.hpp>

#include "program.hpp"

using namespace rota_test;

namespace {

constexpr std::size_t kib = 1024;

// Touches each page of so many bytes.
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

// Ended goroutines, each of which may have had the stack of a deeper one before; and one that
// lives.
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
        // A goroutine that has told of its end may not have ended yet.
        await([] { return rota::runtime::num_goroutine() == 2; });
        print_depths();
        over.close();
        return 0;
    });
}

int page() {
    return rota::run([] {
        rota::debug::server pages = rota::debug::serve("127.0.0.1:0");
        deep();
        const std::string url = "http://" + pages.addr().to_string() + "/debug/stacks";
        std::fputs(rota::http::client().get(url).body.c_str(), stdout);
        return 0;
    });
}

constexpr program_case cases[] = {{"all", all}, {"page", page}};

}  // namespace

int main(int argc, char** argv) { return run_case(argc, argv, cases); }
