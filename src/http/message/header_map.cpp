// Implements header_map, which keeps fields as views of one text. Fields that a client has sent are
// views of the input. An added field is copied behind the text. Without room for it, the fields in
// use and the new field are copied to a larger text.
//
// A search of a map of few fields goes from field to field. From 32 fields on, add and set keep a
// hash table, so that n names cost n steps. An entry is the number of the first field of a name,
// from 1 on, and a bit if more fields of that name follow; 0 is free. Functions that only read use
// the table if it covers every field, and do not change it: several goroutines may read one map.
// del drops the table. Without memory for a table, the map works without it.
#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

#include <sys/random.h>
#include <rota/http.hpp>

#include "http/message/grammar.hpp"

namespace rota::http {

namespace {

// A shorter text might live in the string object itself, and would move with it.
constexpr std::size_t least = 256;

bool has_room(const std::string& text, std::size_t more) {
    return text.capacity() >= least && text.capacity() - text.size() >= more;
}

void check(std::string_view name, std::string_view value) {
    if (!is_token(name)) throw std::invalid_argument("http: invalid header field name");
    if (!is_field_value(value)) throw std::invalid_argument("http: invalid header field value");
}

constexpr std::size_t many = 32;  // from so many fields on there is a table
constexpr std::uint32_t repeated = std::uint32_t{1} << 31;

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

std::uint64_t random_point() noexcept {
    std::uint64_t bits = 0;
    (void)::getrandom(&bits, sizeof bits, 0);  // the kernel always fills so small a buffer
    return bits % (prime - 1) + 1;
}

// A polynomial of the name's characters at a point that no peer knows, so that no peer can choose
// names that collide: two names of n characters do for n of the 2^61 points.
std::uint64_t hash_of(std::string_view name) noexcept {
    static const std::uint64_t point = random_point();
    std::uint64_t h = name.size();
    for (const char c : name) {
        const auto next =
            static_cast<unsigned __int128>(h) * point + static_cast<unsigned char>(lower(c));
        h = static_cast<std::uint64_t>(next & prime) + static_cast<std::uint64_t>(next >> 61);
        if (h >= prime) h -= prime;
    }
    return h;
}

}  // namespace

header_map::header_map(const header_map& other) {
    std::size_t size = 0;
    for (const auto& [name, value] : other.fields_) size += name.size() + value.size();
    text_.reserve(std::max(size, least));
    fields_.reserve(other.fields_.size());
    for (const auto& [name, value] : other.fields_) {
        const std::string_view own_name = keep(name);
        fields_.emplace_back(own_name, keep(value));
    }
    index();
}

header_map::header_map(header_map&& other) noexcept
    : fields_(std::move(other.fields_)),
      text_(std::move(other.text_)),
      table_(std::move(other.table_)),
      indexed_(other.indexed_) {
    other.clear();
}

header_map& header_map::operator=(const header_map& other) {
    if (this != &other) *this = header_map(other);
    return *this;
}

header_map& header_map::operator=(header_map&& other) noexcept {
    if (this == &other) return *this;
    fields_ = std::move(other.fields_);
    text_ = std::move(other.text_);
    table_ = std::move(other.table_);
    indexed_ = other.indexed_;
    other.clear();
    return *this;
}

header_map::~header_map() = default;

void header_map::clear() noexcept {
    fields_.clear();
    text_.clear();
    table_.clear();
    indexed_ = 0;
}

void header_map::borrow(std::string_view name, std::string_view value) {
    fields_.emplace_back(name, value);
}

// Caller: there is room.
std::string_view header_map::keep(std::string_view text) noexcept {
    const std::size_t at = text_.size();
    text_.append(text);
    return std::string_view(text_).substr(at);
}

// Copies the fields in use to a new text, with room for `more` bytes behind them.
void header_map::make_room(std::size_t more) {
    std::size_t size = more;
    for (const auto& [name, value] : fields_) size += name.size() + value.size();
    std::string larger;
    larger.reserve(std::max(size * 2, least));
    for (auto& [name, value] : fields_) {
        for (std::string_view* const each : {&name, &value}) {
            const std::size_t at = larger.size();
            larger.append(*each);
            *each = std::string_view(larger).substr(at);
        }
    }
    text_.swap(larger);
}

// Returns the entry of that name, or a free entry. Caller: the table is not empty.
std::size_t header_map::slot_of(std::string_view name) const noexcept {
    std::size_t at = hash_of(name) & (table_.size() - 1);
    while (table_[at] != 0 &&
           !equal_without_case(fields_[(table_[at] & ~repeated) - 1].first, name))
        at = (at + 1) & (table_.size() - 1);  // half of the entries are free
    return at;
}

// Makes the table cover every field, if there are many.
void header_map::index() noexcept {
    if (fields_.size() < many) return;
    if (table_.size() < 2 * fields_.size()) {
        indexed_ = 0;
        try {
            table_.assign(std::bit_ceil(4 * fields_.size()), 0);
        } catch (const std::bad_alloc&) {
            table_.clear();
            return;
        }
    }
    for (; indexed_ < fields_.size(); ++indexed_) {
        std::uint32_t& entry = table_[slot_of(fields_[indexed_].first)];
        entry = entry == 0 ? static_cast<std::uint32_t>(indexed_ + 1) : entry | repeated;
    }
}

header_map::place header_map::find(std::string_view name) const noexcept {
    if (!table_.empty() && indexed_ == fields_.size()) {
        const std::uint32_t entry = table_[slot_of(name)];
        if (entry == 0) return {fields_.size(), false};
        return {(entry & ~repeated) - 1, (entry & repeated) != 0};
    }
    std::size_t first = 0;
    while (first < fields_.size() && !equal_without_case(fields_[first].first, name)) ++first;
    return {first, first < fields_.size()};
}

std::string_view header_map::get(std::string_view name) const noexcept {
    const std::size_t first = find(name).first;
    return first < fields_.size() ? fields_[first].second : std::string_view();
}

bool header_map::contains(std::string_view name) const noexcept {
    return find(name).first < fields_.size();
}

std::vector<std::string> header_map::values(std::string_view name) const {
    std::vector<std::string> all;
    const auto [first, may_repeat] = find(name);
    if (first == fields_.size()) return all;
    all.emplace_back(fields_[first].second);
    for (std::size_t i = first + 1; may_repeat && i < fields_.size(); ++i)
        if (equal_without_case(fields_[i].first, name)) all.emplace_back(fields_[i].second);
    return all;
}

// Adds a field that the table does not cover.
void header_map::append(std::string_view name, std::string_view value) {
    check(name, value);
    if (fields_.size() == fields_.capacity())
        fields_.reserve(std::max<std::size_t>(8, fields_.size() * 2));
    if (!has_room(text_, name.size() + value.size())) {
        // The arguments may be views of the text that is about to go.
        const std::string own_name(name), own_value(value);
        make_room(name.size() + value.size());
        const std::string_view kept = keep(own_name);
        fields_.emplace_back(kept, keep(own_value));
        return;
    }
    const std::string_view kept = keep(name);
    fields_.emplace_back(kept, keep(value));
}

void header_map::add(std::string_view name, std::string_view value) {
    append(name, value);
    index();
}

void header_map::set(std::string_view name, std::string_view value) {
    append(name, value);
    const value_type added = fields_.back();
    fields_.pop_back();
    index();  // covers fields that came by borrow(), as in a request
    const auto [first, may_repeat] = find(added.first);
    if (first == fields_.size()) {
        fields_.push_back(added);  // cannot allocate: pop_back has just made room
        index();
        return;
    }
    fields_[first] = added;
    if (may_repeat) erase(added.first, first + 1);
}

void header_map::del(std::string_view name) noexcept {
    // `name` may be a view of the text, which stays as it is.
    erase(name, find(name).first);
}

// Removes the fields of that name from the number `first` on.
void header_map::erase(std::string_view name, std::size_t first) noexcept {
    const auto begin = fields_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto from = std::remove_if(begin, fields_.end(), [name](const value_type& f) {
        return equal_without_case(f.first, name);
    });
    if (from == fields_.end()) return;
    fields_.erase(from, fields_.end());
    table_.clear();
    indexed_ = 0;
}

}  // namespace rota::http
