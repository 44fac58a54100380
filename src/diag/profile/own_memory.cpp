// Counting stacks, and asking for the rest.
#include "diag/profile/own_memory.hpp"

#include <sys/resource.h>

#include "core/g.hpp"
#include "diag/text/append_format.hpp"
#include "mem/mapped.hpp"
#include "mem/stack.hpp"

namespace rota::rt {

namespace {

struct stack_counts {
    std::int64_t used[stack_class_count] = {};
    std::int64_t free[stack_class_count] = {};
};

// A goroutine's own stack is in use until it is dead; what it is at the moment is good enough.
void count_stack(const stack_slot& slot, void* arg) {
    auto& counts = *static_cast<stack_counts*>(arg);
    const g_status status = readgstatus(*header_of(slot));
    const bool is_free = status == g_status::dead || status == g_status::idle;
    ++(is_free ? counts.free : counts.used)[slot.cls];
}

void add_stacks(std::vector<memory_use>& uses, const std::int64_t (&counts)[stack_class_count],
                const char* kind) {
    for (std::uint8_t cls = 0; cls < stack_class_count; ++cls) {
        if (counts[cls] == 0) continue;
        const auto size = static_cast<std::int64_t>(stack_class_size(cls));
        uses.push_back(
            {std::string("rota: ") + kind + " of " + std::to_string(size / 1024) + " KiB",
             counts[cls], counts[cls] * size, size});
    }
}

}  // namespace

std::vector<memory_use> own_memory() {
    stack_counts counts;
    stack_for_each(count_stack, &counts);
    std::vector<memory_use> uses;
    add_stacks(uses, counts.used, "stacks of goroutines");
    add_stacks(uses, counts.free, "stacks kept for goroutines");
    uses.push_back(
        {"rota: the scheduler's tables", 1, static_cast<std::int64_t>(mapped_bytes()), 0});
    return uses;
}

std::string memory_text(const std::vector<memory_use>& uses) {
    std::int64_t objects = 0, bytes = 0;
    for (const memory_use& u : uses) {
        objects += u.objects;
        bytes += u.bytes;
    }
    const auto n = [](std::int64_t v) { return static_cast<long long>(v); };
    std::string text;
    append_format(text, "heap profile: %lld: %lld [%lld: %lld] @ heap/2\n", n(objects), n(bytes),
                  n(objects), n(bytes));
    for (const memory_use& u : uses)
        append_format(text, "%lld: %lld [%lld: %lld] @ 0x0\n#\t0x0\t%s\n\n", n(u.objects),
                      n(u.bytes), n(u.objects), n(u.bytes), u.name.c_str());
    rusage used{};
    (void)::getrusage(RUSAGE_SELF, &used);
    append_format(text, "\n# runtime.MemStats\n# Sys = %lld\n# MaxRSS = %ld\n", n(bytes),
                  used.ru_maxrss * 1024);
    return text;
}

}  // namespace rota::rt
