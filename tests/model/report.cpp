// What a failing schedule looks like: a table of its events, and the string that repeats it.
#include <cstdio>
#include <cstring>

#include "engine.hpp"

namespace model {

namespace {

const char* text_of(event::kind what) {
    switch (what) {
        case event::kind::load: return "load";
        case event::kind::store: return "store";
        case event::kind::modify: return "modify";
        case event::kind::exchange_done: return "exchange";
        case event::kind::exchange_failed: return "exchange fails";
        case event::kind::fence: return "fence";
        case event::kind::barrier: return "membarrier";
        case event::kind::restart: return "starts over";
        case event::kind::late_store: return "store, late";
        case event::kind::commit: return "late store seen";
        case event::kind::sleep: return "futex sleep";
        case event::kind::woken: return "futex woken";
        case event::kind::timed_out: return "futex time-out";
        case event::kind::refused: return "futex refuses";
        case event::kind::wake: return "futex wake";
        case event::kind::spawn: return "starts";
        case event::kind::end: return "ends";
        case event::kind::note: return "";
    }
    return "?";
}

const char* text_of(std::uint8_t order) {
    switch (static_cast<std::memory_order>(order)) {
        case std::memory_order_relaxed: return "relaxed";
        case std::memory_order_consume: return "consume";
        case std::memory_order_acquire: return "acquire";
        case std::memory_order_release: return "release";
        case std::memory_order_acq_rel: return "acq_rel";
        case std::memory_order_seq_cst: return "seq_cst";
    }
    return "?";
}

bool has_order(event::kind what) {
    return what <= event::kind::fence || what == event::kind::commit;
}

void append(std::string& to, const char* format, auto... args) {
    char line[256];
    std::snprintf(line, sizeof line, format, args...);
    to += line;
}

// Small numbers as they are, addresses in hexadecimal.
std::string number(std::uint64_t v) {
    char text[32];
    if (v < 1'000'000'000 || static_cast<std::int64_t>(v) < 0)
        std::snprintf(text, sizeof text, "%lld", static_cast<long long>(v));
    else std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
    return text;
}

}  // namespace

void engine::name(const void* at, std::size_t size, const char* text) {
    if (names_.size() < names_.capacity())
        names_.push_back({static_cast<const char*>(at), size, text});
}

void engine::note(const char* text, std::uint64_t value) {
    record(event::kind::note, nullptr, value, std::memory_order_relaxed, 0, 0, text);
}

// The smallest named thing around an address.
std::string engine::name_of_address(const void* address) const {
    const auto* const at = static_cast<const char*>(address);
    const named* best = nullptr;
    for (const named& n : names_) {
        if (at < n.begin || at >= n.begin + n.size) continue;
        if (best == nullptr || n.size < best->size) best = &n;
    }
    if (best == nullptr) return number(reinterpret_cast<std::uintptr_t>(address));
    std::string text = best->text;
    if (at != best->begin) append(text, "+%ld", static_cast<long>(at - best->begin));
    return text;
}

std::string engine::table() {
    std::string out;
    append(out, "%6s %-10s %-15s %-24s %-10s %s\n", "step", "thread", "operation", "location",
           "order", "value");
    const unsigned begin = event_count_ > event_max ? event_count_ - event_max : 0;
    if (begin > 0) append(out, "       (%u events before these)\n", begin);
    for (unsigned i = begin; i < event_count_; ++i) {
        const event& e = events_[i % event_max];
        std::string where;
        if (e.location < location_max) where = name_of_address(memory_.at(e.location).address);
        std::string what = number(e.value);
        if (e.what == event::kind::modify || e.what == event::kind::exchange_done)
            what = number(e.before) + " -> " + what;
        if (e.what == event::kind::exchange_failed) what += ", not " + number(e.before);
        if (e.what == event::kind::refused) what += ", not " + number(e.before);
        if (e.what == event::kind::wake)
            where = name_of_address(reinterpret_cast<const void*>(e.before));
        if (e.what == event::kind::note && e.before != 0)
            where = name_of_address(reinterpret_cast<const void*>(e.before));
        if (e.what == event::kind::woken || e.what == event::kind::timed_out ||
            e.what == event::kind::end || e.what == event::kind::fence)
            what.clear();
        if (e.what == event::kind::spawn) what = e.text;
        if (e.lag > 0) append(what, "  (%u behind the newest)", e.lag);
        append(out, "%6u %-10s %-15s %-24s %-10s %s\n", e.step, threads_[e.thread].name,
               e.what == event::kind::note ? e.text : text_of(e.what), where.c_str(),
               has_order(e.what) ? text_of(e.order) : "", what.c_str());
    }
    return out;
}

std::string engine::threads() const {
    std::string out;
    for (unsigned i = 0; i < thread_count_; ++i) {
        const thread& t = threads_[i];
        append(out, "  %-10s ", t.name);
        switch (t.is) {
            case state::ready: out += i == current_ ? "runs" : "could run"; break;
            case state::asleep: out += "sleeps on " + name_of_address(t.futex); break;
            case state::joining: append(out, "waits for %s", threads_[t.waits_for].name); break;
            case state::quiet: out += "waits until all are quiet"; break;
            case state::ended: out += "has ended"; break;
            case state::unused: break;
        }
        out += "\n";
    }
    return out;
}

std::string engine::replay_string() const {
    std::string out;
    for (const departed& d : departures_) {
        if (!out.empty()) out += ',';
        append(out, "%u%c%u", d.step, letter_of(d.kind), unsigned{d.id});
    }
    return out.empty() ? "none" : out;
}

void engine::fail(const char* why) {
    on_failure_(*this, why);
    std::abort();  // on_failure ends the process
}

}  // namespace model
