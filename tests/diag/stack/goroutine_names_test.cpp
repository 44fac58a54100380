// How goroutines are called where the function that they run is all that is known: in traces, in
// lists of their stacks, in dumps before they begin.
//
// What could go wrong: a reader sees the template that calls the function, the type of a pointer to
// it, or nothing of the name that the program gave.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include <gtest/gtest.h>
#include <rota/rota.hpp>
#include <rota/trace.hpp>

#include "diag/profile/text.hpp"
#include "diag/stack/goroutine_list.hpp"
#include "diag/trace/reader.hpp"
#include "trace/stacks.hpp"
#include "trace/wire.hpp"

#include "../../gomaxprocs_restored.hpp"

namespace named_in_traces {

void plain(const rota::chan<int>& gate) { gate.recv(); }
void of_group() {}
int twice(int n) { return 2 * n; }
void with_argument(const rota::chan<int>& gate, int) { gate.recv(); }

struct functor {
    rota::chan<int> gate;
    void operator()() const { gate.recv(); }
};

struct object {
    explicit object(const rota::chan<int>& g) : gate(g) {}
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    rota::chan<int> gate;
    virtual ~object() = default;
    void member() const { gate.recv(); }
    virtual void virtual_member() const { gate.recv(); }
};

struct large {
    std::array<char, 2'000> bytes{};
};

// Goroutines of every kind, which wait at the gate. Returns how many.
int start_all(const rota::chan<int>& gate, const object& o) {
    rota::go(plain, gate);
    rota::go(&with_argument, gate, 1);
    rota::go(functor{gate});
    rota::go(&object::member, &o);
    rota::go(&object::virtual_member, &o);
    rota::go([gate] { gate.recv(); });
    rota::go([](const rota::chan<int>& g, int) { g.recv(); }, gate, 2);
    rota::go([gate](const large&) { gate.recv(); }, large{});
    rota::go({.name = "the name"}, plain, gate);
    rota::go({.name = std::string_view("cut\0here", 8)}, plain, gate);
    return 10;
}

}  // namespace named_in_traces

// Not in a namespace of the runtime, whose functions are shown as its own.
namespace {

using namespace rota::rt;
using names = std::set<std::string, std::less<>>;

// The outermost function of the first stack of each goroutine that the file tells of.
names goroutine_names(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    names all;
    EXPECT_TRUE(read_trace(
        file,
        [](const read_generation& g, void* arg) {
            for (const read_event& e : g.events) {
                const auto kind = static_cast<trace_event>(e.kind);
                std::uint64_t stack = 0;
                if (kind == trace_event::go_create) stack = e.argument[1];
                if (kind == trace_event::go_status_stack) stack = e.argument[3];
                const auto found = g.stacks.find(stack);
                if (found == g.stacks.end() || found->second.empty()) continue;
                static_cast<names*>(arg)->emplace(g.text(found->second.back()));
            }
        },
        &all));
    return all;
}

class trace_path {
  public:
    ~trace_path() { std::remove(path_.c_str()); }
    const std::string& text() const { return path_; }

  private:
    const std::string path_ = "/tmp/rota_goroutine_names_" + std::to_string(::getpid());
};

// Runs f while a trace is written, and returns the names in it.
template <class F>
names names_traced_while(F f) {
    const trace_path path;
    rota::run([&] {
        rota::trace::start(path.text());
        f();
        rota::trace::stop();
    });
    return goroutine_names(path.text());
}

bool has(const names& all, std::string_view part) {
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& n) { return n.find(part) != n.npos; });
}

std::string text_of(const names& all) {
    std::string text;
    for (const std::string& n : all) text += n + "\n";
    return text;
}

TEST(goroutine_names, in_a_trace_are_those_of_functions_or_the_programs_own) {
    const names all = names_traced_while([] {
        const auto gate = rota::make_chan<int>();
        const named_in_traces::object o(gate);
        const int count = named_in_traces::start_all(gate, o);
        rota::wait_group wg;
        wg.go([gate] { gate.recv(); });
        wg.go(named_in_traces::of_group);
        rota::error_group eg;
        eg.go([gate] { gate.recv(); });
        rota::future<int> later = rota::async([gate](int n) { return gate.recv(), n; }, 3);
        for (int i = 0; i < count + 3; ++i) gate.send(i);
        wg.wait();
        eg.wait();
        later.wait();
        rota::async(named_in_traces::twice, 4).wait();
    });
    SCOPED_TRACE(text_of(all));
    for (const char* const wanted :
         {"named_in_traces::plain(rota::chan<int> const&)",
          "named_in_traces::with_argument(rota::chan<int> const&, int)", "named_in_traces::functor",
          "named_in_traces::object::member() const", "named_in_traces::of_group()",
          "named_in_traces::twice(int)", "the name", "cut"})
        EXPECT_TRUE(all.contains(wanted)) << wanted;
    // A virtual function is known by its type alone.
    EXPECT_TRUE(has(all, "void (named_in_traces::object::*)()"));
    for (const char* const unwanted :
         {"enter<", "closure<", "main_call", "boxed", "wait_group::go", "task_group::spawn",
          "rota::async", "async_call", "(*)", "_ZN"})
        EXPECT_FALSE(has(all, unwanted)) << unwanted;
    // The trace's own goroutine stays one of the runtime's, whatever it is called in dumps.
    EXPECT_TRUE(has(all, "runtime.trace_session"));
    EXPECT_FALSE(all.contains("rota trace"));
}

// The table of stacks lives as long as the process: each name takes a place in it.
TEST(goroutine_names, that_differ_for_each_goroutine_leave_room_for_stacks) {
    constexpr int count = trace_stack_table::named_max + 100;
    const names all = names_traced_while([] {
        for (int i = 0; i < count; ++i) {
            rota::wait_group wg;
            wg.add(1);
            rota::go({.name = "number " + std::to_string(i)}, [&wg] { wg.done(); });
            wg.wait();
        }
    });
    EXPECT_TRUE(all.contains("number 1")) << text_of(all).substr(0, 2000) << all.size();
    EXPECT_FALSE(all.contains("number " + std::to_string(count - 1)));
    EXPECT_TRUE(has(all, "{lambda()#")) << all.size();
    EXPECT_EQ(trace_stacks.lost(), 0u);
}

TEST(goroutine_names, in_dumps_and_lists_of_stacks_are_those_of_functions) {
    const rota_test::gomaxprocs_restored restored;
    std::string dump, list;
    rota::run([&] {
        rota::runtime::gomaxprocs(1);
        const auto gate = rota::make_chan<int>();
        const named_in_traces::object o(gate);
        const int count = named_in_traces::start_all(gate, o);
        dump = rota::runtime::stack(true);  // none of them has begun
        for (const auto& d : rota::runtime::stack_depths()) list += d.function + "\n";
        for (int i = 0; i < count; ++i) gate.send(i);
    });
    for (const std::string* const text : {&dump, &list}) {
        SCOPED_TRACE(*text);
        for (const char* const wanted :
             {"named_in_traces::plain(rota::chan<int> const&)",
              "named_in_traces::with_argument(rota::chan<int> const&, int)",
              "named_in_traces::functor", "named_in_traces::object::member() const"})
            EXPECT_NE(text->find(wanted), text->npos) << wanted;
        for (const char* const unwanted : {"enter<", "closure<", "main_call", "boxed", "(*)"})
            EXPECT_EQ(text->find(unwanted), text->npos) << unwanted;
    }
}

// Once they run, the template that calls them is no frame of theirs.
TEST(goroutine_names, the_template_that_calls_them_is_in_no_dump) {
    std::string dump;
    rota::run([&] {
        const auto gate = rota::make_chan<int>();
        const named_in_traces::object o(gate);
        const int count = named_in_traces::start_all(gate, o);
        const auto waiting = [] {
            const auto all = list_goroutines(0);
            return std::count_if(all.begin(), all.end(), [](const goroutine_state& s) {
                return s.why == wait_reason::chan_receive && s.status == g_status::waiting;
            });
        };
        while (waiting() < count) rota::runtime::gosched();
        dump = rota::runtime::stack(true);
        for (int i = 0; i < count; ++i) gate.send(i);
    });
    SCOPED_TRACE(dump);
    EXPECT_NE(dump.find("named_in_traces::plain"), dump.npos);
    for (const char* const unwanted : {"enter<", "closure<"})
        EXPECT_EQ(dump.find(unwanted), dump.npos) << unwanted;
}

}  // namespace
