// Asks each room that maps memory for its bytes.
#include "diag/metrics/memory_figures.hpp"

#include "core/sched.hpp"
#include "mem/mapped.hpp"
#include "mem/stack.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/signal/signal.hpp"
#include "trace/contention.hpp"
#include "trace/counters.hpp"

namespace rota::rt {

memory_figures read_memory_figures() {
    memory_figures m{};
    const stack_memory stacks = stack_bytes();
    m.stacks_used = stacks.handed_out;
    m.stacks_free = stacks.not_handed_out;
    m.spans = stacks.tables;
    constexpr std::uint64_t cache = sizeof(p::blocks) + sizeof(p::gfree);
    const auto procs = static_cast<std::uint64_t>(proc_count());
    const auto made = static_cast<std::uint64_t>(made_count());
    m.caches_used = procs * cache;
    m.caches_free = made > procs ? (made - procs) * cache : 0;
    {
        const runtime_entry inside;
        m.profiles = contention.blocked.mapped() + contention.held.mapped();
    }
    m.traces = mapped_bytes(mapped_for::traces);
    const std::uint64_t known = m.profiles + m.caches_used + m.caches_free;
    const std::uint64_t all = mapped_bytes(mapped_for::tables);
    m.other_tables = all > known ? all - known : 0;
    // relaxed: a report
    m.kernel_stacks = shared_counts.stack_bytes.load(memory_order_relaxed) + signal_stack_bytes();
    return m;
}

}  // namespace rota::rt
