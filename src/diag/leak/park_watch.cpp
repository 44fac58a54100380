// Decides which parks are faults for GODEBUG=parkcheck, and prints the reports.
#include "diag/leak/park_watch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/fatal.hpp"
#include "diag/stack/traceback.hpp"
#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/text/report.hpp"
#include "mem/mapped.hpp"
#include "sched/base/modes.hpp"
#include "sched/base/park_check.hpp"
#include "sched/m/m_thread.hpp"
#include "sys/thread/thread.hpp"

namespace rota::rt {

namespace {

constexpr std::size_t words_max = 16, word_size = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// Whether `name` begins with `word`, and `word` does not end within a word of the name. libpq does
// not match libpqxx; sqlite3_ matches sqlite3_step.
bool begins_with_word(std::string_view name, std::string_view word) {
    if (!name.starts_with(word)) return false;
    if (name.size() == word.size()) return true;
    const char last = word.back(), next = name[word.size()];
    return !(is_letter(last) && is_letter(next)) && !(is_digit(last) && is_digit(next));
}

// A name of GODEBUG=parkcheck, and the beginning of a mangled name with that prefix.
struct watched_word {
    char text[word_size] = {};
    char mangled[2 * word_size] = {};  // boost::asio:: is 5boost4asio
    std::size_t size = 0, mangled_size = 0;

    explicit watched_word(std::string_view name = {}) {
        size = std::min(name.size(), word_size - 1);
        std::copy_n(name.data(), size, text);
        for (std::size_t from = 0; from < size;) {
            const std::size_t colons = std::min(name.find("::", from), size);
            add_part(name.substr(from, colons - from));
            from = colons + 2;
        }
    }

    bool is_library(const char* path) const {
        const char* const slash = std::strrchr(path, '/');
        return begins_with_word(slash != nullptr ? slash + 1 : path, {text, size});
    }

    bool is_function(const char* function) const {
        std::string_view name = function;
        if (!name.starts_with("_Z")) return begins_with_word(name, {text, size});
        name.remove_prefix(2);
        // An entity within a function has the function's name first, behind a Z. Qualifiers of a
        // member follow the N.
        while (name.starts_with('Z')) name.remove_prefix(1);
        if (name.starts_with('N')) {
            name.remove_prefix(1);
            name.remove_prefix(std::min(name.find_first_not_of("rVKRO"), name.size()));
        }
        return mangled_size != 0 && name.starts_with(std::string_view(mangled, mangled_size));
    }

  private:
    void add_part(std::string_view part) {
        const std::size_t room = sizeof mangled - mangled_size;
        const int n = mangled_size == 0 && part == "std"
                          ? std::snprintf(mangled, room, "St")
                          : std::snprintf(mangled + mangled_size, room, "%zu%.*s", part.size(),
                                          static_cast<int>(part.size()), part.data());
        mangled_size = std::min(mangled_size + static_cast<std::size_t>(n), sizeof mangled - 1);
    }
};

// The frames of a stack that match a word.
struct found_frame {
    std::size_t inner;     // index; the innermost match: it has called the program's own code
    std::size_t frame;     // index; the outermost match: that call is the one to surround
    const char* function;  // of the match, mangled; null: no symbol
    const char* library;   // its file's name; null: the word names a function
};

constexpr std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15;
    return h ^ h >> 29;
}

// A set of seen numbers. A number without room counts as seen.
class number_set {
  public:
    bool add(std::uint64_t number) {
        number = std::max(number, std::uint64_t{1});
        for (std::size_t i = 0; i < probes; ++i) {
            std::uint64_t& place = numbers_[(number + i) % size];
            if (place == number) return false;
            if (place != 0) continue;
            place = number;
            return true;
        }
        return false;
    }

  private:
    static constexpr std::size_t size = 4096, probes = 64;
    std::uint64_t numbers_[size] = {};
};

class park_watch {
  public:
    explicit park_watch(park_watch_mode mode) : is_fatal_(mode.is_fatal) {
        for (std::string_view rest = mode.names; !rest.empty() && word_count_ < words_max;) {
            const std::size_t plus = std::min(rest.find('+'), rest.size());
            words_[word_count_++] = watched_word(rest.substr(0, plus));
            rest.remove_prefix(std::min(plus + 1, rest.size()));
        }
    }

    std::size_t word_count() const { return word_count_; }
    [[noreturn]] void watch();

  private:
    void look_at(const noted_park& note);
    bool find(const noted_park& note, const watched_word& word, found_frame& found) const;
    void print_beginning(const noted_park& note);
    void print_function(const char* mangled);
    void print_caller(std::uintptr_t pc);
    void print_mutex(const noted_park& note, const held_mutex& held);
    void print_call(const noted_park& note, const found_frame& found);
    void tell_of_losses();

    bool is_fatal_;
    bool has_told_of_losses_ = false;
    std::size_t word_count_ = 0;
    watched_word words_[words_max];
    number_set places_;  // the places of earlier reports
    report out_;
    tracer trace_;
};

const void* at_call(std::uintptr_t pc) { return reinterpret_cast<const void*>(pc - 1); }

// Whether the place is in a function of rota's public interface that is no template, so that no
// code of the program is inlined into it. rota's names have no capital letters: an I begins
// template arguments.
bool is_library_function(const code_place& place) {
    const std::string_view name = place.function == nullptr ? "" : place.function;
    return (name.starts_with("_ZN4rota") || name.starts_with("_ZNK4rota")) &&
           name.find('I') == name.npos;
}

// Identifies the place of a park by the program's innermost frames below `end`. A function of
// rota's own counts as one frame wherever it leaves the thread: gosched may yield again on its way
// out.
std::uint64_t place_of_park(const noted_park& note, std::size_t end) {
    constexpr std::size_t frames = 8;
    std::uint64_t h = 0;
    for (std::size_t i = 0, n = 0; i < end && n < frames; ++i) {
        const code_place place = place_of(at_call(note.pcs[i]));
        if (is_runtime_frame(place)) continue;
        h = mixed(h, is_library_function(place) ? note.pcs[i] - place.offset : note.pcs[i]);
        ++n;
    }
    return h;
}

std::uint64_t number_of(const held_mutex& held) {
    // A mutex with a symbol is identified by itself. A mutex without is one of many, and is
    // identified by the call that locks it.
    const bool is_named = variable_at(held.mutex).name != nullptr;
    return reinterpret_cast<std::uintptr_t>(is_named ? held.mutex : held.locked_at);
}

bool park_watch::find(const noted_park& note, const watched_word& word, found_frame& found) const {
    bool is_there = false;
    for (std::size_t i = 0; i < note.pc_count; ++i) {
        const code_frames all = frames_of(at_call(note.pcs[i]));
        if (is_runtime_frame(all.place)) continue;
        const char* function = nullptr;
        const char* library = nullptr;
        if (word.is_library(all.place.module)) {
            const char* const slash = std::strrchr(all.place.module, '/');
            library = slash != nullptr ? slash + 1 : all.place.module;
            function = all.place.function;
        }
        for (std::size_t k = 0; library == nullptr && k < all.count; ++k) {
            const code_frame& one = all.inlined[k];
            if (one.is_mangled && word.is_function(one.function)) function = one.function;
        }
        if (library == nullptr && all.place.function != nullptr &&
            word.is_function(all.place.function))
            function = all.place.function;
        if (library == nullptr && function == nullptr) continue;
        found = {is_there ? found.inner : i, i, function, library};
        is_there = true;
    }
    return is_there;
}

void park_watch::print_beginning(const noted_park& note) {
    out_.print("rota: parkcheck: goroutine %llu ", static_cast<unsigned long long>(note.goid));
    if (note.waits) out_.print("waits [%s]", wait_reason_text(note.why));
    else out_.print("may go on on another thread");
}

void park_watch::print_function(const char* mangled) {
    const frame_name name(mangled, false);
    out_.print("%.*s%s", name.length, name.text, name.suffix);
}

// Prints the program's innermost function at that return address, and its line.
void park_watch::print_caller(std::uintptr_t pc) {
    const code_frames at = frames_of(at_call(pc));
    source_line source = at.place.source;
    std::size_t i = 0;
    while (i < at.count && !is_shown(at, at.inlined[i])) ++i;
    if (i < at.count) {
        const frame_name name(at.inlined[i].function, false);
        out_.print("%.*s%s", name.bare_length, name.text, inlined_arguments);
        source = at.inlined[i].source;
    } else if (at.place.function != nullptr) {
        print_function(at.place.function);
    } else {
        out_.print("%.500s", at.place.module);
    }
    if (source.file == nullptr) return;
    const bool is_whole = source.directory == nullptr || *source.file == '/';
    out_.print(", %.400s%s%.400s:%u", is_whole ? "" : source.directory, is_whole ? "" : "/",
               source.file, source.line);
}

void park_watch::print_mutex(const noted_park& note, const held_mutex& held) {
    print_beginning(note);
    out_.print(" while it holds the pthread mutex %p", held.mutex);
    const variable_place v = variable_at(held.mutex);
    if (v.name != nullptr) {
        const frame_name name(v.name, false);
        out_.print(" (%.*s", name.length, name.text);
        if (v.offset != 0) out_.print("+%zu", static_cast<std::size_t>(v.offset));
        out_.print(")");
    }
    out_.print("\n\tlocked in ");
    print_caller(reinterpret_cast<std::uintptr_t>(held.locked_at));
    out_.print("\n\t%s\n\tunlock it before, or keep the thread from the lock to the unlock: "
               "rota::runtime::pin (docs/libraries.md)\n",
               held.knows_owner
                   ? "it belongs to its thread, on which other goroutines run meanwhile"
                   : "goroutines that lock it meanwhile block their threads");
}

void park_watch::print_call(const noted_park& note, const found_frame& found) {
    print_beginning(note);
    out_.print(" inside of a call of ");
    if (found.library != nullptr) out_.print("%.200s: ", found.library);
    if (found.function != nullptr) print_function(found.function);
    else out_.print("0x%llx", static_cast<unsigned long long>(note.pcs[found.frame]));
    out_.print("\n\tother goroutines run on its thread meanwhile, and it may go on on another\n"
               "\tkeep the thread around that call: rota::runtime::pin (docs/libraries.md)\n");
}

void park_watch::look_at(const noted_park& note) {
    bool is_new = false;
    for (std::size_t i = 0; i < note.mutex_count; ++i) {
        const std::uint64_t place = place_of_park(note, note.pc_count);
        if (!places_.add(mixed(place, number_of(note.mutexes[i])))) continue;
        print_mutex(note, note.mutexes[i]);
        is_new = true;
    }
    for (std::size_t i = 0; i < word_count_; ++i) {
        found_frame found{};
        if (!find(note, words_[i], found)) continue;
        if (!places_.add(mixed(place_of_park(note, found.inner), i))) continue;
        print_call(note, found);
        is_new = true;
    }
    if (is_new) {
        trace_.to(out_, {});
        trace_.print_noted(note);
        out_.print("\n");
        out_.flush();
    }
    // Before the note counts as read: a thread may be waiting for that, to end the process with
    // another status.
    if (is_new && is_fatal_)
        fatal("rota: parkcheck: a goroutine has left its thread where it must not",
              trace_scope::none);
    // relaxed: a count
    (void)park_check.read_count.fetch_add(1, memory_order_relaxed);
}

void park_watch::tell_of_losses() {
    // relaxed: a count
    if (has_told_of_losses_ || park_check.lost_count.load(memory_order_relaxed) == 0) return;
    has_told_of_losses_ = true;
    print_error("rota: parkcheck: not every park is looked at: too many different stacks or held "
                "mutexes, or too little left of a stack\n");
}

void park_watch::watch() {
    for (;;) {
        // pairs(parkcheck.bell)
        const std::uint32_t seen = park_check.bell.load(memory_order_acquire);
        tell_of_losses();
        for (const noted_park* note = take_noted_parks(); note != nullptr;) {
            const noted_park* const next = note->next;
            look_at(*note);
            note = next;
        }
        wait_for_bell(seen);
    }
}

constinit atomic<int> watcher{0};  // thread id; relaxed: each reader compares it with its own id

void* watch_parks(void* arg) {
    thread_set_name("rota-parkcheck");
    thread_block_signals();
    watcher.store(current_thread_id(), memory_order_relaxed);  // relaxed: see watcher
    static_cast<park_watch*>(arg)->watch();
}

}  // namespace

void start_park_watch(park_watch_mode mode) {
    if (!mode.mutexes && mode.names.empty()) return;
    if (seeded.on) {
        print_error("rota: GODEBUG parkcheck: no effect in a repeatable run (schedseed)\n");
        return;
    }
    park_watch& watch = mapped_new<park_watch>(mode);
    park_check_begin(watch.word_count() != 0, mode.mutexes);
    constexpr std::size_t stack_size = 256 * 1024;
    start_thread(watch_parks, &watch, stack_size);
}

void finish_park_reports() {
    // relaxed: see watcher
    if (watcher.load(memory_order_relaxed) != current_thread_id()) wait_for_park_reports();
}

}  // namespace rota::rt
