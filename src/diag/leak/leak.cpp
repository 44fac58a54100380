// Implements rota::leak: looks at all goroutines until the goroutines that should end have ended.
#include <rota/leak.hpp>

#include <algorithm>
#include <string_view>

#include <rota/panic.hpp>
#include <rota/scope.hpp>
#include <rota/time.hpp>

#include "core/getg.hpp"
#include "diag/leak/unreachable.hpp"
#include "diag/stack/goroutine_list.hpp"
#include "diag/stack/reading_stacks.hpp"
#include "diag/stack/stack_text.hpp"
#include "sched/base/bubble.hpp"
#include "sched/record/labels.hpp"
#include "sched/world/keep_creations.hpp"
#include "sys/call/clock.hpp"

namespace rota::leak {

using namespace rota::rt;

namespace {

using label_values = std::vector<std::pair<std::string, std::string>>;

// The names of rota's own goroutines: it delivers signals for as long as the process lives, waits
// for a process that the program has abandoned, or reads a trace.
constexpr std::string_view names_of_own[] = {"os/signal", "os/command", "rota trace"};

bool is_rota_s_own(std::string_view name) {
    return std::find(std::begin(names_of_own), std::end(names_of_own), name) !=
           std::end(names_of_own);
}

label_values labels_of_state(const goroutine_state& g) {
    label_values all;
    for_each_label(g.labels, [&](auto name, auto value) { all.emplace_back(name, value); });
    return all;
}

bool has_all(const label_values& all, const label_values& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& w) {
        return std::find(all.begin(), all.end(), w) != all.end();
    });
}

// Null: the caller is in no bubble.
const void* own_bubble() {
    const g* const gp = current_goroutine();
    return gp != nullptr ? gp->in : nullptr;
}

// Selects goroutines by fields that need no stack.
std::vector<goroutine_info> candidates(const options& how) {
    std::vector<goroutine_info> result;
    const void* const bubble = own_bubble();
    {
        const label_reader reading;
        for (const goroutine_state& g : list_goroutines(0)) {
            if (g.is_caller || g.is_main || is_rota_s_own(g.name)) continue;
            if (std::find(how.ignore.begin(), how.ignore.end(), g.goid) != how.ignore.end())
                continue;
            if (how.own_bubble && g.in_bubble != bubble) continue;
            goroutine_info one;
            one.labels = labels_of_state(g);
            if (!has_all(one.labels, how.labels)) continue;
            one.id = g.goid;
            one.parent_id = g.parent_goid;
            one.state = state_text(g);
            one.name = g.name;
            one.waited = std::chrono::seconds(g.waited_s);
            result.push_back(std::move(one));
        }
    }
    free_dropped_labels();
    return result;
}

// The part of a dump that describes one goroutine; empty if it has ended since.
std::string trace_in(const std::string& dump, std::uint64_t id) {
    const std::string header = "goroutine " + std::to_string(id) + " [";
    std::size_t from = 0;
    if (dump.compare(0, header.size(), header) != 0) {
        from = dump.find("\n\n" + header);
        if (from == dump.npos) return {};
        from += 2;
    }
    const std::size_t end = dump.find("\n\n", from);
    return end == dump.npos ? dump.substr(from) : dump.substr(from, end + 1 - from);
}

bool is_let_be(const std::string& trace, const options& how) {
    const auto stands_there = [&](std::string_view text) { return trace.find(text) != trace.npos; };
    return trace.empty() ||
           std::any_of(how.ignore_functions.begin(), how.ignore_functions.end(), stands_there);
}

void add_traces(std::vector<goroutine_info>& found) {
    const std::string dump = stack_text(true);
    for (goroutine_info& g : found) g.trace = trace_in(dump, g.id);
}

std::vector<goroutine_info> look_once(const options& how) {
    std::vector<goroutine_info> found = candidates(how);
    if (found.empty()) return found;
    add_traces(found);
    std::erase_if(found, [&](const goroutine_info& g) { return is_let_be(g.trace, how); });
    return found;
}

std::string text_of(const std::vector<goroutine_info>& found) {
    std::string text = std::to_string(found.size()) + " goroutines were left behind:";
    for (const goroutine_info& g : found) text += "\n\n" + g.trace;
    return text;
}

}  // namespace

leak_error::leak_error(std::vector<goroutine_info> found)
    : std::runtime_error(text_of(found)), found_(std::move(found)) {}

options ignore_current() {
    options how;
    const label_reader reading;
    for (const goroutine_state& g : list_goroutines(0)) how.ignore.push_back(g.goid);
    return how;
}

void keep_creation_stacks(bool on) { keep_creations(on); }

std::vector<goroutine_info> find(const options& how) {
    if (how.own_bubble && own_bubble() == nullptr)
        panic("rota: leak::find: not in a synctest bubble");
    constexpr std::chrono::nanoseconds first_nap = std::chrono::microseconds(100);
    // A bubble's time passes at once.
    const std::chrono::nanoseconds longest_nap =
        how.own_bubble ? how.max_wait : std::chrono::milliseconds(20);
    const auto now = [&] { return how.own_bubble ? current_now() : nanotime(); };
    const std::int64_t until = now() + how.max_wait.count();
    for (std::chrono::nanoseconds nap = first_nap;; nap = std::min(2 * nap, longest_nap)) {
        std::vector<goroutine_info> found = look_once(how);
        if (found.empty() || now() >= until) return found;
        sleep_for(std::min(nap, std::chrono::nanoseconds(until - now())));
    }
}

std::vector<goroutine_info> find(const scope& s, const options& how) {
    const std::uint64_t number = rota::detail::number_of(s);
    if (number == 0)
        panic("rota: leak::find of a scope that began before leak::keep_creation_stacks");
    options own = how;
    own.labels.emplace_back(scope_label(number).text(), scope_label::value);
    return find(own);
}

namespace {

ROTA_NOINLINE std::vector<goroutine_info> search_and_describe() {
    std::vector<std::uint64_t> ids = find_unreachable_goroutines().goids;
    if (ids.empty()) return {};
    std::sort(ids.begin(), ids.end());
    // They stay where they are, so that everything else can be found out afterwards.
    std::vector<goroutine_info> found = candidates({});
    std::erase_if(found, [&](const goroutine_info& g) {
        return !std::binary_search(ids.begin(), ids.end(), g.id);
    });
    add_traces(found);
    return found;
}

}  // namespace

std::vector<goroutine_info> find_unreachable() {
    clear_dead_frames();
    return search_and_describe();
}

void verify_none(const options& how) {
    std::vector<goroutine_info> found = find(how);
    if (!found.empty()) throw leak_error(std::move(found));
}

void verify_none(const scope& s, const options& how) {
    std::vector<goroutine_info> found = find(s, how);
    if (!found.empty()) throw leak_error(std::move(found));
}

}  // namespace rota::leak
