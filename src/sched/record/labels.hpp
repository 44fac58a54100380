// Door: keeps the labels of goroutines, by which profiles and dumps tell their work apart.
//
// A set of labels is made once, shared by a goroutine and the goroutines that it starts, and given
// back by the last of them. A reader holds no reference: a signal handler that interrupts a
// goroutine notes the pointer, and a profile walks goroutines that run on. So a set without an
// owner is freed only while no reader is there. Go: runtime/pprof's labels, which a collector
// frees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/annotations.hpp"
#include "core/g.hpp"

namespace rota::rt {

// Sorted by name; each name once.
struct label_set {
    atomic<std::uint32_t> refs{1};
    std::uint32_t count = 0;
    label_set* next = nullptr;  // in the list of sets to be freed
    // Behind it: name, 0, value, 0, and so on.

    const char* text() const { return reinterpret_cast<const char*>(this + 1); }
};

using label_list = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Calls f(name, value) for each label.
template <class F>
void for_each_label(const label_set* set, F f) {
    if (set == nullptr) return;
    const char* at = set->text();
    for (std::uint32_t i = 0; i < set->count; ++i) {
        const std::string_view name(at);
        at += name.size() + 1;
        const std::string_view value(at);
        at += value.size() + 1;
        f(name, value);
    }
}

// gp's labels. Caller: gp itself; for another goroutine only with a label_reader.
inline label_set* labels_of(const g& gp) {
    // Not one of rota's atomics: gp writes it, and a reader may see the set before. acquire: for
    // the contents of the set.
    return __atomic_load_n(&gp.labels, __ATOMIC_ACQUIRE);  // pairs(labels.read)
}

// Gives gp, which is being created, a share in its creator's labels. Caller: the creator has
// labels.
ROTA_COLD void inherit_labels(const g& creator, g& gp);

// Gives back gp's labels, at its end. Caller: gp itself, in user code.
ROTA_COLD void drop_labels(g& gp);

// While one lives, no set of labels is freed. Any thread, also in a signal handler.
class label_reader {
  public:
    label_reader();
    ~label_reader();
    label_reader(const label_reader&) = delete;
    label_reader& operator=(const label_reader&) = delete;
};

// Frees the sets without an owner, unless a reader is there. Caller: in user code.
void free_dropped_labels();

// The label by which leak::find tells the goroutines of a scope: "scope 7".
class scope_label {
  public:
    static constexpr std::string_view value = "member";
    explicit scope_label(std::uint64_t number);
    std::string_view text() const { return {text_, size_}; }

  private:
    char text_[32];
    std::size_t size_;
};
// Whether new scopes give their goroutines such a label: while creation stacks are kept.
bool are_scopes_told_apart();
std::uint64_t next_scope_number();

}  // namespace rota::rt
