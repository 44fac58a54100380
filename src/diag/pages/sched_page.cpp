// Writes the JSON of /debug/sched, piece by piece: nothing here reads JSON.
#include "diag/pages/sched_page.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sched.hpp"
#include "diag/metrics/scheduler_counters.hpp"
#include "diag/stack/goroutine_list.hpp"
#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/text/json_text.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/queue/run_queue.hpp"
#include "sched/record/labels.hpp"
#include "sys/call/clock.hpp"

namespace rota::rt {

namespace {

const char* text_of(p_status s) {
    switch (s) {
        case p_status::idle: return "idle";
        case p_status::running: return "running";
        case p_status::syscall: return "syscall";
        case p_status::gcstop: return "gcstop";
        case p_status::dead: return "dead";
    }
    return "?";
}

const char* text_of(entry_state s) {
    switch (s) {
        case entry_state::clear: return "clear";
        case entry_state::in_syscall: return "in_syscall";
        case entry_state::requested: return "requested";
        case entry_state::retaken: return "taken";
    }
    return "?";
}

struct m_figures {
    std::uint64_t id, goid;
    int tid;
    std::int32_t p_id;
    bool foreign, spinning, suspended, locked;
    entry_state entry;
};

// Reads fields that mp's thread writes meanwhile. ms and ps are never freed, and the headers of
// goroutines are never unmapped.
ROTA_READS_RACING m_figures look_at_m(const m& mp) {
    m_figures f{};
    f.id = mp.id;
    const g* const gp = mp.curg;
    f.goid = gp != nullptr && gp != &mp.g0 ? gp->goid : 0;
    f.tid = mp.tid.load(memory_order_relaxed);  // relaxed, each load: a report
    const p* const pp = mp.pp;
    f.p_id = pp != nullptr ? pp->id : -1;
    f.foreign = mp.foreign;
    f.spinning = mp.spinning;
    f.suspended = mp.suspended.load(memory_order_relaxed);
    f.locked = mp.locked_g.load(memory_order_relaxed) != nullptr;
    f.entry = mp.entry.load(memory_order_relaxed);
    return f;
}

// goroutines; the most that a queue's list shows, whatever its length.
constexpr std::uint32_t members_max = 256;

// Works also for a goroutine that has gone on, or ended, since it was seen in its queue.
ROTA_READS_RACING std::uint64_t number_of(const g* gp) { return gp != nullptr ? gp->goid : 0; }

void put_members(json_text& out, std::string_view name, std::span<const g* const> members) {
    out.open(name, '[');
    for (const g* const gp : members) {
        // 0: the goroutine has ended, and its stack has been given back.
        if (const std::uint64_t goid = number_of(gp)) out.number(static_cast<long long>(goid));
    }
    out.close(']');
}

void put_processors(json_text& out) {
    const g* ring[p::runq_size];
    out.open("processors", '[');
    for (std::int32_t i = 0; i < proc_count(); ++i) {
        const p& pp = *sched.allp[i];
        const m* const mp = pp.mp.load(memory_order_acquire);  // pairs(p.m)
        out.open('{');
        out.number("id", pp.id);
        // relaxed, each load: a report
        out.text("status", text_of(pp.status.load(memory_order_relaxed)));
        out.number("m", mp != nullptr ? static_cast<long long>(mp->id) : -1);
        out.number("sched_tick", pp.sched_tick.load(memory_order_relaxed));
        out.number("syscall_tick", pp.syscall_tick.load(memory_order_relaxed));
        out.number("queued", runq_length(pp));
        const std::int64_t when = pp.timers.earliest_hint();
        out.number("next_timer_ns", when == 0 ? -1 : when - nanotime());
        out.number("timers", pp.timers.size());
        const runq_look look = runq_members(pp, ring);
        out.number("runnext", static_cast<long long>(number_of(look.next)));
        put_members(out, "queue", {ring, look.count});
        out.close('}');
    }
    out.close(']');
}

void put_threads(json_text& out) {
    out.open("threads", '[');
    const m* mp = sched.allm.load(memory_order_acquire);  // pairs(m.list)
    for (; mp != nullptr; mp = mp->all_link) {
        const m_figures f = look_at_m(*mp);
        if (f.tid == 0) continue;
        out.open('{');
        out.number("id", static_cast<long long>(f.id));
        out.number("tid", f.tid);
        out.number("p", f.p_id);
        out.number("goroutine", static_cast<long long>(f.goid));
        out.text("entry", text_of(f.entry));
        out.flag("spinning", f.spinning);
        out.flag("suspended", f.suspended);
        out.flag("locked", f.locked);
        out.flag("foreign", f.foreign);
        out.close('}');
    }
    out.close(']');
}

std::string name_at(std::uintptr_t address) {
    const code_place p = place_of(reinterpret_cast<const void*>(address));
    if (p.function == nullptr) return {};
    const frame_name name(p.function, false);
    return {name.text, static_cast<std::size_t>(name.length)};
}

bool is_of_library(const code_place& place) {
    const std::string_view name = place.function != nullptr ? place.function : "";
    for (const char* const library :
         {"_ZN4rota", "_ZNK4rota", "_ZZN4rota", "_ZZNK4rota", "_ZSt", "_ZNSt", "_ZNKSt"}) {
        if (name.starts_with(library)) return true;
    }
    return false;
}

// Names the innermost function of the program; the compiler may have inlined functions of rota and
// of the standard library into it. For a goroutine that runs only these, it names the innermost
// function outside the runtime.
std::string where(const goroutine_state& g) {
    std::uintptr_t found = g.pcs.empty() ? 0 : g.pcs.front();
    bool is_public = false;
    for (const std::uintptr_t pc : g.pcs) {
        const code_place place = place_of(reinterpret_cast<const void*>(pc - 1));
        if (is_runtime_frame(place)) continue;
        if (!is_of_library(place)) return name_at(pc - 1);
        if (!is_public) found = pc;
        is_public = true;
    }
    return found == 0 ? std::string() : name_at(found - 1);
}

// Lists the goroutines that wait for descriptors, by the goroutines' own wait reasons.
void put_netpoll(json_text& out, const std::vector<goroutine_state>& all) {
    out.open("netpoll", '{');
    out.number("waiters", net_poller.waiter_count());
    out.open("members", '[');
    std::uint32_t left = members_max;
    for (const goroutine_state& g : all) {
        if (g.status != g_status::waiting || g.why != wait_reason::io_wait) continue;
        if (left-- == 0) break;
        out.number(static_cast<long long>(g.goid));
    }
    out.close(']');
    out.close('}');
}

void put_goroutines(json_text& out) {
    const label_reader reading;
    const std::vector<goroutine_state> all = list_goroutines();
    put_netpoll(out, all);
    out.open("goroutines", '[');
    for (const goroutine_state& g : all) {
        out.open('{');
        out.number("id", static_cast<long long>(g.goid));
        out.number("parent", static_cast<long long>(g.parent_goid));
        out.text("status", g_status_text(g.status));
        out.text("waits_for", g.status == g_status::waiting ? wait_reason_text(g.why) : "");
        out.number("waited_s", g.waited_s);
        out.number("m", g.m_id);
        out.flag("locked", g.is_locked);
        out.text("name", g.name);
        out.text("function", where(g));
        if (g.created_at != nullptr)
            out.text("created_by", name_at(reinterpret_cast<std::uintptr_t>(g.created_at) - 1));
        out.open("labels", '{');
        for_each_label(g.labels, [&](auto name, auto value) { out.text(name, value); });
        out.close('}');
        out.close('}');
    }
    out.close(']');
}

// A queue that sched.mu guards, as it stands at one moment.
struct queue_look {
    std::uint32_t size = 0, count = 0;
    const g* members[members_max];

    void look_at(const global_queue& q) {
        size = q.size();
        count = q.copy(members, members_max);
    }
    // The goroutines of threads that are stopped until they have a p.
    void look_at_line() ROTA_REQUIRES(sched.mu) {
        size = sched.suspended_count;
        for (const m* mp = sched.suspended_first; mp != nullptr && count < members_max;
             mp = mp->suspended_next)
            members[count++] = mp->curg;
    }
    std::span<const g* const> all() const { return {members, count}; }
};

void put_queues(json_text& out) {
    queue_look queued, urgent, put_off, suspended;
    std::int32_t idle_threads = 0;
    {
        // Copies pointers only, a few thousand bytes: a scan would hold the lock for longer.
        const runtime_entry inside;
        const lock_guard guard(sched.mu);
        queued.look_at(sched.runq);
        urgent.look_at(sched.urgent);
        put_off.look_at(sched.deferred_starts);
        suspended.look_at_line();
        idle_threads = sched.idle_m_count;
    }
    out.open("global_queue", '{');
    out.number("queued", queued.size);
    out.number("urgent", urgent.size);
    out.number("put_off", put_off.size);
    out.number("suspended", suspended.size);
    out.open("members", '{');
    put_members(out, "queued", queued.all());
    put_members(out, "urgent", urgent.all());
    put_members(out, "put_off", put_off.all());
    put_members(out, "suspended", suspended.all());
    out.close('}');
    out.close('}');
    out.number("idle_threads", idle_threads);
    // relaxed: a report
    out.number("idle_processors", sched.idle_p_count.load(memory_order_relaxed));
    // relaxed: as above
    out.number("spinning", sched.nmspinning.load(memory_order_relaxed));
}

}  // namespace

std::string sched_json() {
    const scheduler_counters f = read_scheduler_counters();
    json_text out;
    out.open('{');
    out.number("uptime_ns", nanotime() - sched.started_at);
    out.number("gomaxprocs", static_cast<long long>(f.gomaxprocs));
    out.text("poller", net_poller.backend_name());
    out.number("uring_errno", net_poller.refusal());
    out.number("goroutine_count", static_cast<long long>(f.goroutines));
    out.number("thread_count", static_cast<long long>(f.threads));
    put_queues(out);
    put_processors(out);
    put_threads(out);
    put_goroutines(out);
    out.close('}');
    free_dropped_labels();
    return out.take() + "\n";
}

}  // namespace rota::rt
