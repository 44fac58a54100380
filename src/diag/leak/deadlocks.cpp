// Implements the deadlock searches of rota::debug: goroutines that wait for each other's locks.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include <rota/debug.hpp>

#include "diag/leak/lock_cycles.hpp"
#include "diag/leak/unreachable.hpp"
#include "diag/stack/no_yield_guard.hpp"
#include "diag/stack/reading_stacks.hpp"
#include "diag/stack/stack_text.hpp"
#include "sched/base/hooks.hpp"
#include "sync/lock_owners.hpp"

namespace rota::debug {

using namespace rota::rt;

namespace {

// The part of a dump that describes one goroutine.
std::string part_of_dump(std::string_view dump, std::uint64_t id) {
    const std::string header = "\n\ngoroutine " + std::to_string(id) + " [";
    const std::size_t from = dump.find(header);
    if (from == dump.npos) return {};
    const std::size_t begin = from + 2;
    const std::size_t end = dump.find("\n\n", begin);
    return std::string(dump.substr(begin, end == dump.npos ? end : end + 1 - begin));
}

}  // namespace

lock_waiter::~lock_waiter() { ::explicit_bzero(&lock, sizeof lock); }

void watch_locks() {
    boot_runtime();
    const no_yield_guard here;
    rt::watch_locks();
}

namespace {

// Finds the cycles of locks, without traces.
std::vector<deadlock> cycles_of_locks() {
    constexpr std::size_t usual = 256;
    const auto search = std::make_unique<lock_cycles>();
    std::vector<lock_wait> room(usual);
    std::uint32_t count = 0;
    for (;;) {
        {
            const no_yield_guard here;
            count = search->find(room.data(), room.size());
        }
        if (search->size() <= room.size()) break;
        room.resize(search->size() + search->size() / 4);
    }
    std::vector<deadlock> found(count);
    for (std::uint32_t cycle = 1; cycle <= count; ++cycle) {
        search->for_each(cycle, [&](const lock_wait& w) {
            found[cycle - 1].circle.push_back({w.thread != 0 ? 0 : w.goid, w.wanted, {}, w.thread});
        });
    }
    return found;
}

void add_traces(std::vector<deadlock>& found) {
    if (found.empty()) return;
    const std::string dump = "\n\n" + stack_text(true);
    for (deadlock& d : found) {
        for (lock_waiter& w : d.circle) {
            if (w.id != 0) w.trace = part_of_dump(dump, w.id);
        }
    }
}

bool has(const std::vector<deadlock>& all, std::uint64_t id) {
    return std::any_of(all.begin(), all.end(), [id](const deadlock& d) {
        return std::any_of(d.circle.begin(), d.circle.end(),
                           [id](const lock_waiter& w) { return w.id == id; });
    });
}

}  // namespace

std::vector<deadlock> find_deadlocks() {
    boot_runtime();
    std::vector<deadlock> found = cycles_of_locks();
    add_traces(found);
    return found;
}

std::vector<deadlock> find_all_deadlocks() {
    boot_runtime();
    std::vector<deadlock> found = cycles_of_locks();
    clear_dead_frames();  // the search has read the stacks of waiting goroutines
    visit_wait_cycles(
        [](const wait_cycle& cycle, void* arg) {
            auto& found = *static_cast<std::vector<deadlock>*>(arg);
            deadlock d;
            bool is_known = false;
            for (const cycle_member& c : cycle) {
                is_known = is_known || has(found, c.goid);
                d.circle.push_back({c.goid, c.object, {}, 0, c.is_channel});
            }
            if (!is_known) found.push_back(std::move(d));
        },
        &found, true);
    add_traces(found);
    return found;
}

}  // namespace rota::debug
