// Pages about the process: what many goroutines, which clients can cause, make them cost.
#include <sstream>
#include <string>
#include <string_view>

#include <rota/pprof.hpp>
#include <rota/rota.hpp>

#include "diag/pages/sched_page.hpp"
#include "subjects.hpp"

namespace rota_hostile {

namespace {

// A goroutine for each byte, which waits until the page has been made.
template <class F>
void beside_goroutines(const std::string& bytes, F make_page) {
    const auto over = rota::make_chan<rota::unit>();
    rota::wait_group waiting;
    for (std::size_t i = 0; i < bytes.size(); ++i) waiting.go([&] { (void)over.recv(); });
    make_page();
    over.close();
    waiting.wait();
}

void profile(const std::string& bytes, int debug) {
    beside_goroutines(bytes, [=] {
        std::ostringstream page;
        rota::pprof::write_profile("goroutine", page, debug);
        require(page.tellp() > 0, "a page");
    });
}

}  // namespace

void add_pages(subjects& all) {
    constexpr std::size_t least = 500, most = 4000;
    const auto goroutines = [](std::size_t count) { return std::string(count, 'x'); };
    const auto add = [&](const char* name, auto work) {
        all.push_back({name, least, most, goroutines, work});
    };
    add("page: goroutines, grouped", [](const std::string& bytes) { profile(bytes, 1); });
    add("page: goroutines, each", [](const std::string& bytes) { profile(bytes, 2); });
    add("page: goroutines, profile", [](const std::string& bytes) { profile(bytes, 0); });
    add("page: scheduler", [](const std::string& bytes) {
        beside_goroutines(bytes, [] { require(!rota::rt::sched_json().empty(), "a page"); });
    });
}

}  // namespace rota_hostile
