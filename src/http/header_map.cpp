// header_map: fields as views of one text. Fields that a client has sent are views of the input. An
// added field is copied behind the text; without room, it goes with the fields in use into a larger
// text.
#include <algorithm>
#include <stdexcept>

#include <rota/http.hpp>

#include "http/grammar.hpp"

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
}

header_map::header_map(header_map&& other) noexcept
    : fields_(std::move(other.fields_)), text_(std::move(other.text_)) {
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
    other.clear();
    return *this;
}

header_map::~header_map() = default;

void header_map::clear() noexcept {
    fields_.clear();
    text_.clear();
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

std::string_view header_map::get(std::string_view name) const noexcept {
    for (const value_type& f : fields_)
        if (equal_without_case(f.first, name)) return f.second;
    return {};
}

bool header_map::contains(std::string_view name) const noexcept {
    return std::any_of(fields_.begin(), fields_.end(),
                       [name](const value_type& f) { return equal_without_case(f.first, name); });
}

std::vector<std::string> header_map::values(std::string_view name) const {
    std::vector<std::string> all;
    for (const value_type& f : fields_)
        if (equal_without_case(f.first, name)) all.emplace_back(f.second);
    return all;
}

void header_map::add(std::string_view name, std::string_view value) {
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

void header_map::set(std::string_view name, std::string_view value) {
    add(name, value);
    const value_type added = fields_.back();
    fields_.pop_back();
    const auto is_it = [&](const value_type& f) {
        return equal_without_case(f.first, added.first);
    };
    const auto first = std::find_if(fields_.begin(), fields_.end(), is_it);
    if (first == fields_.end()) {
        fields_.push_back(added);  // cannot allocate: pop_back has just made room
        return;
    }
    *first = added;
    fields_.erase(std::remove_if(first + 1, fields_.end(), is_it), fields_.end());
}

void header_map::del(std::string_view name) noexcept {
    // `name` may be a view of the text, which stays as it is.
    const auto from = std::remove_if(fields_.begin(), fields_.end(), [name](const value_type& f) {
        return equal_without_case(f.first, name);
    });
    fields_.erase(from, fields_.end());
}

}  // namespace rota::http
