// Makes, shares and frees sets of labels.
#include "sched/record/labels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <rota/detail/labels.hpp>

#include "core/getg.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/record/creation.hpp"

namespace rota::rt {

namespace {

constinit atomic<std::uint32_t> readers{0};
constinit atomic<label_set*> dropped{nullptr};

void store_labels(g& gp, label_set* set) {
    // A reader announces itself and then reads the pointer; this thread changes the pointer and
    // then looks for readers.
    __atomic_store_n(&gp.labels, set, __ATOMIC_SEQ_CST);  // pairs(labels.read)
}

void push_dropped(label_set* first, label_set* last) {
    label_set* head = dropped.load(memory_order_relaxed);  // relaxed: the exchange decides
    do {
        last->next = head;
    } while (!dropped.compare_exchange(head, first, memory_order_release,  // pairs(labels.dropped)
                                       memory_order_relaxed));  // relaxed: tried again
}

void release_labels(label_set* set) {
    if (set == nullptr) return;
    if (set->refs.fetch_sub(1, memory_order_release) != 1) return;  // pairs(labels.refs)
    (void)set->refs.load(memory_order_acquire);                     // pairs(labels.refs)
    push_dropped(set, set);
    free_dropped_labels();
}

using label = std::pair<std::string_view, std::string_view>;

void put_label(std::vector<label>& all, const label& l) {
    auto at = all.begin();
    while (at != all.end() && at->first < l.first) ++at;
    if (at != all.end() && at->first == l.first) at->second = l.second;
    else all.insert(at, l);
}

std::string_view until_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

label_set* make_labels(const label_set* before, label_list more) {
    std::vector<label> all;
    for_each_label(before, [&](auto name, auto value) { all.emplace_back(name, value); });
    for (const auto& [name, value] : more) put_label(all, {until_nul(name), until_nul(value)});
    std::string text;
    for (const auto& [name, value] : all) {
        text.append(name).push_back('\0');
        text.append(value).push_back('\0');
    }
    void* const memory = std::malloc(sizeof(label_set) + text.size());
    if (memory == nullptr) throw std::bad_alloc();
    auto* const set = new (memory) label_set;
    set->count = static_cast<std::uint32_t>(all.size());
    std::memcpy(static_cast<void*>(set + 1), text.data(), text.size());
    return set;
}

g& labelled() {
    if (getm_or_null() == nullptr) attach_thread();
    return *getm().curg;
}

}  // namespace

void inherit_labels(const g& creator, g& gp) {
    label_set* const set = labels_of(creator);
    set->refs.fetch_add(1, memory_order_relaxed);  // relaxed: the creator has one
    store_labels(gp, set);
}

void drop_labels(g& gp) {
    label_set* const set = labels_of(gp);
    store_labels(gp, nullptr);
    release_labels(set);
}

label_reader::label_reader() {
    readers.fetch_add(1, memory_order_seq_cst);  // pairs(labels.read)
    full_fence();  // goroutines are read behind it, pairs(labels.read)
}
label_reader::~label_reader() { readers.fetch_sub(1, memory_order_release); }  // pairs(labels.free)

void free_dropped_labels() {
    // Avoids walks over the list in vain. A reader of goroutines calls this function at its end.
    if (readers.load(memory_order_relaxed) != 0) return;  // relaxed: looked at again
    // pairs(labels.dropped)
    label_set* const all = dropped.exchange(nullptr, memory_order_acquire);
    if (all == nullptr) return;
    // A reader that comes from now on finds none of these sets in a goroutine.
    if (readers.load(memory_order_seq_cst) != 0) {  // pairs(labels.read, labels.free)
        label_set* last = all;
        while (last->next != nullptr) last = last->next;
        return push_dropped(all, last);
    }
    for (label_set* set = all; set != nullptr;) {
        label_set* const next = set->next;
        std::free(set);
        set = next;
    }
}

scope_label::scope_label(std::uint64_t number)
    : size_(static_cast<std::size_t>(std::snprintf(text_, sizeof text_, "scope %llu",
                                                   static_cast<unsigned long long>(number)))) {}

bool are_scopes_told_apart() { return are_creations_kept(); }

std::uint64_t next_scope_number() {
    static constinit atomic<std::uint64_t> last{0};
    return last.fetch_add(1, memory_order_relaxed) + 1;  // relaxed: the numbers need only differ
}

}  // namespace rota::rt

namespace rota::detail {

using namespace rota::rt;

label_scope::label_scope(label_list more) {
    g& gp = labelled();
    label_set* const set = make_labels(labels_of(gp), more);
    before_ = labels_of(gp);  // the scope keeps its reference
    store_labels(gp, set);
}

label_scope::~label_scope() {
    g& gp = labelled();
    label_set* const set = labels_of(gp);
    store_labels(gp, static_cast<label_set*>(before_));
    release_labels(set);
}

}  // namespace rota::detail
