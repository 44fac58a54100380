// Lists goroutines: allocates room, notes them inside the runtime, then builds the objects.
#include "diag/stack/goroutine_list.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "core/getg.hpp"
#include "core/sched.hpp"
#include "diag/stack/context_walk.hpp"
#include "diag/stack/no_yield_guard.hpp"
#include "diag/stack/reading_stacks.hpp"
#include "diag/stack/running_stack.hpp"
#include "diag/stack/sample_stack.hpp"
#include "diag/stack/told_status.hpp"
#include "sched/base/hooks.hpp"
#include "sched/preempt/scan.hpp"
#include "sched/record/labels.hpp"
#include "sys/call/clock.hpp"
#include "trace/own_stack.hpp"

namespace rota::rt {

namespace {

// The notes of one goroutine, in front of its pcs and its name.
struct noted : goroutine_facts {
    std::size_t name_size = 0, pc_count = 0;
};
static_assert(std::has_unique_object_representations_v<noted>);

// Fills a buffer that does not grow.
struct listing {
    listing() = default;
    // Clears the addresses of the scan and of pending goroutines before malloc reuses the memory: a
    // search would take them for references.
    ~listing() { ::explicit_bzero(this, sizeof *this); }
    listing(const listing&) = delete;
    listing& operator=(const listing&) = delete;

    std::byte* room;
    std::size_t capacity;
    std::size_t pcs_max;
    std::size_t size = 0;  // bytes of the whole list, written or not
    slot_tour tour;
    stack_scan scan;
    struct on_thread {
        const g* gp;
        std::uint64_t goid;
    };
    on_thread pending[slot_tour::at_once] = {};
    std::size_t pending_count = 0;
    bool usable = false;  // the last scan was usable
    walked_stack stack;
    patience asked;

    void put(const void* from, std::size_t n) {
        const std::size_t rounded = (n + 7) / 8 * 8;
        if (size + rounded <= capacity && n > 0) std::memcpy(room + size, from, n);
        size += rounded;
    }

    // For a goroutine that is held, or by its fields of the moment.
    ROTA_READS_RACING noted look(const g& gp) const {
        noted n{};
        n.goid = gp.goid;
        n.parent_goid = gp.parent_goid;
        n.status = readgstatus(gp);
        n.in_bubble = gp.in;
        n.why = gp.why;
        const bool waits = n.status == g_status::waiting && gp.wait_since != 0;
        n.waited_s = waits ? std::int64_t{whole_seconds(nanotime())} - gp.wait_since : 0;
        const bool runs = n.status != g_status::waiting && n.status != g_status::runnable;
        const m* const mp = gp.mp;
        n.m_id = runs && mp != nullptr ? static_cast<std::int64_t>(mp->id) : -1;
        n.created_at = gp.created_at.address();
        n.entry = function_of(gp);
        n.address = concealed<const g>(&gp);
        n.is_main = gp.main_of != nullptr;
        n.is_locked = gp.locked_m != nullptr;
        n.is_caller = &gp == current_goroutine();
        return n;
    }

    // gp is held. Its saved context was written before the barriers of the scan, or before gp was
    // made runnable.
    ROTA_READS_RACING static bool has_begun(const g& gp) {
        return gp.sched.pc != reinterpret_cast<void*>(&rota_gostart);
    }

    // Within the scan.
    void add(const g& gp) {
        if (!tour.is_on_it(gp)) return;
        noted n = look(gp);
        if (n.status == g_status::idle || n.status == g_status::dead) return;
        if (walk(gp, n)) put_all(gp, n);
        else pending[pending_count++] = {&gp, n.goid};
    }

    // Adds the goroutines that were on a thread, after the scan has released the rest. They may
    // park meanwhile, and end.
    void add_pending() {
        const std::size_t count = std::exchange(pending_count, 0);
        for (std::size_t i = 0; i < count; ++i) {
            const auto [gp, goid] = pending[i];
            noted n = look(*gp);
            const auto look_again = [&, gp = gp, goid = goid](bool& held) {
                n = look(*gp);
                if (!is_alive(n, goid)) return g_status::dead;
                held = walk(*gp, n);
                return is_same(*gp, goid) ? n.status : g_status::dead;
            };
            found_stack found = found_stack::none;
            if (usable) found = find_stack(*gp, goid, stack, asked, scan, look_again);
            if (found == found_stack::gone || !is_alive(n, goid)) continue;
            n.has_stack = found != found_stack::none;
            if (!n.has_stack) keep_entry_alone(n);
            put_all(*gp, n);
        }
    }

    static bool is_alive(const noted& n, std::uint64_t goid) {
        return n.goid == goid && n.status != g_status::idle && n.status != g_status::dead;
    }

    void keep_entry_alone(const noted& n) {
        stack.pcs[0] = reinterpret_cast<std::uintptr_t>(n.entry) + 1;
        stack.count = 1;
    }

    // False: it is on a thread.
    bool walk(const g& gp, noted& n) {
        stack.count = 0;
        if (pcs_max == 0) return true;
        if (n.is_caller) {
            stack.count = own_stack(stack.pcs, walked_stack::pcs_max);
        } else if (scan.holds(gp)) {
            context_walk w{stack.pcs, pcs_max};
            if (has_begun(gp)) w.walk(gp.sched);
            stack.count = w.count;
            if (!has_begun(gp)) keep_entry_alone(n);
        } else {
            return false;
        }
        return n.has_stack = true;
    }

    void put_all(const g& gp, noted& n) {
        n.status = told_status(gp, n.status);
        n.labels = labels_of(gp);
        n.pc_count = std::min(stack.count, pcs_max);
        char name[129];
        n.name_size = copy_name(gp, name);
        put(&n, sizeof n);
        put(stack.pcs, n.pc_count * sizeof *stack.pcs);
        put(name, n.name_size);
    }

    ROTA_READS_RACING static std::size_t copy_name(const g& gp, char (&to)[129]) {
        const std::string_view from = name_of(gp);
        std::size_t n = 0;
        while (n + 1 < sizeof to && n < from.size() && from[n] != '\0') {
            to[n] = from[n];
            ++n;
        }
        return n;
    }
};

// Lists the goroutines of the next slots. False: no slot is left.
bool list_some(listing& l) {
    l.size = 0;
    {
        const no_yield_guard here;
        if (!l.tour.find_next()) return false;
        l.scan.begin(l.tour.at(), slot_tour::at_once);
        l.tour.visit([](const stack_slot& slot,
                        void* arg) { static_cast<listing*>(arg)->add(*header_of(slot)); },
                     &l);
        l.usable = l.scan.is_usable();
        l.scan.end();
    }
    l.add_pending();
    return true;
}

goroutine_state state_of(const noted& n, const std::byte* behind) {
    goroutine_state s;
    static_cast<goroutine_facts&>(s) = n;
    s.pcs.resize(n.pc_count);
    if (n.pc_count != 0) std::memcpy(s.pcs.data(), behind, n.pc_count * sizeof(std::uintptr_t));
    s.name.assign(reinterpret_cast<const char*>(behind) + n.pc_count * sizeof(std::uintptr_t),
                  n.name_size);
    return s;
}

void append(std::vector<goroutine_state>& to, const std::byte* room, std::size_t size) {
    for (std::size_t i = 0; i < size;) {
        noted n;
        std::memcpy(&n, room + i, sizeof n);
        i += sizeof n;
        to.push_back(state_of(n, room + i));
        i += n.pc_count * sizeof(std::uintptr_t) + (n.name_size + 7) / 8 * 8;
    }
}

}  // namespace

std::vector<goroutine_state> list_goroutines(std::size_t pcs_max) {
    boot_runtime();
    std::optional<reading_stacks> reading;  // before what is noted, which goes first
    if (pcs_max > 0) reading.emplace();
    constexpr std::size_t usual = 64 * 1024;
    std::vector<std::byte> room(usual);
    const auto l = std::make_unique<listing>();
    l->pcs_max = std::min(pcs_max, walked_stack::pcs_max);
    if (pcs_max > 0) look_at_tables();
    std::vector<goroutine_state> result;
    for (;;) {
        l->room = room.data();
        l->capacity = room.size();
        const slot_tour before = l->tour;
        if (!list_some(*l)) return result;
        if (l->size <= room.size()) {
            append(result, room.data(), l->size);
            continue;
        }
        room.assign(l->size + l->size / 4, std::byte{});
        l->tour = before;
    }
}

const char* state_text(const goroutine_state& g) {
    return g.status == g_status::waiting && g.why != wait_reason::none ? wait_reason_text(g.why)
                                                                       : g_status_text(g.status);
}

}  // namespace rota::rt
