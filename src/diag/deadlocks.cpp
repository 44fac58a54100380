// rota::debug: goroutines that wait for each other's locks.
#include <memory>
#include <string_view>

#include <rota/debug.hpp>

#include "core/getg.hpp"
#include "diag/lock_cycles.hpp"
#include "diag/stack_text.hpp"
#include "sched/entry.hpp"
#include "sched/hooks.hpp"
#include "sync/lock_owners.hpp"

namespace rota::debug {

using namespace rota::rt;

namespace {

// As in diag/stack_text: nobody shall wait for a scan whose thread has been stopped.
struct inside_for_search {
    inside_for_search() { enter_runtime(); }
    ~inside_for_search() { getm().in_runtime.store(0, memory_order_release); }  // pairs(entry.left)
    inside_for_search(const inside_for_search&) = delete;
    inside_for_search& operator=(const inside_for_search&) = delete;
};

// The part of a dump that is about one goroutine.
std::string part_of_dump(std::string_view dump, std::uint64_t id) {
    const std::string header = "\n\ngoroutine " + std::to_string(id) + " [";
    const std::size_t from = dump.find(header);
    if (from == dump.npos) return {};
    const std::size_t begin = from + 2;
    const std::size_t end = dump.find("\n\n", begin);
    return std::string(dump.substr(begin, end == dump.npos ? end : end + 1 - begin));
}

}  // namespace

void watch_locks() {
    boot_runtime();
    const inside_for_search here;
    rt::watch_locks();
}

std::vector<deadlock> find_deadlocks() {
    boot_runtime();
    constexpr std::size_t usual = 256;
    const auto search = std::make_unique<lock_cycles>();
    std::vector<lock_wait> room(usual);
    std::uint32_t count = 0;
    for (;;) {
        {
            const inside_for_search here;
            count = search->find(room.data(), room.size());
        }
        if (search->size() <= room.size()) break;
        room.resize(search->size() + search->size() / 4);
    }
    std::vector<deadlock> found(count);
    if (count == 0) return found;
    const std::string dump = "\n\n" + stack_text(true);
    for (std::uint32_t cycle = 1; cycle <= count; ++cycle) {
        search->for_each(cycle, [&](const lock_wait& w) {
            if (w.thread != 0) found[cycle - 1].circle.push_back({0, w.wanted, {}, w.thread});
            else found[cycle - 1].circle.push_back({w.goid, w.wanted, part_of_dump(dump, w.goid)});
        });
    }
    return found;
}

}  // namespace rota::debug
