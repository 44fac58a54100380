// Looks strings up, and writes them into the generation.
#include "trace/strings.hpp"

#include <cstring>

#include "mem/mapped.hpp"

namespace rota::rt {

void trace_string_table::write(std::uint32_t id, std::string_view text) {
    const std::size_t need = 1 + 2 * uvarint_max + text.size();
    if (!out_.has_room(need)) {
        if (!trace_chunks.renew(out_, trace_now())) return;
        *out_.at++ = static_cast<std::uint8_t>(trace_event::strings);
    }
    std::uint8_t* at = out_.at;
    *at++ = static_cast<std::uint8_t>(trace_event::string);
    at = put_uvarint(at, id);
    at = put_uvarint(at, text.size());
    std::memcpy(at, text.data(), text.size());
    out_.at = at + text.size();
}

std::uint32_t trace_string_table::write_once(std::string_view text) {
    if (next_once_ >= end_) {
        trace_chunks.drop(false);
        return 0;
    }
    const std::uint32_t id = next_once_++;
    write(id, text);
    return id;
}

std::uint32_t trace_string_table::once(std::string_view text) {
    text = text.substr(0, trace_string_max);
    if (text.empty()) return 0;
    const lock_guard guard(mu_);
    return write_once(text);
}

bool trace_string_table::has_tables() {
    if (buckets_ == nullptr)
        buckets_ = static_cast<std::uint32_t*>(
            mapped_pages_or_null(bucket_count * sizeof(std::uint32_t), mapped_for::traces));
    if (buckets_ != nullptr && entries_ == nullptr)
        entries_ = static_cast<entry*>(
            mapped_pages_or_null((entry_max + 1) * sizeof(entry), mapped_for::traces));
    return buckets_ != nullptr && entries_ != nullptr;
}

// Returns the string's place in the table; 0: there is no memory.
std::uint32_t trace_string_table::add(std::string_view text, std::uint32_t& bucket) {
    auto* const kept = static_cast<char*>(mapped_alloc_or_null(text.size()));
    if (kept == nullptr) return 0;
    std::memcpy(kept, text.data(), text.size());
    const std::uint32_t at = ++count_;
    entries_[at] = {kept, static_cast<std::uint32_t>(text.size()), trace_string_fixed + at, 0,
                    bucket};
    bucket = at;
    return at;
}

std::uint32_t trace_string_table::often(std::string_view text, std::uint32_t generation) {
    text = text.substr(0, trace_string_max);
    if (text.empty()) return 0;
    std::uint64_t hash = text.size();
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3u;
    const lock_guard guard(mu_);
    if (!has_tables()) {
        trace_chunks.drop(true);
        return 0;
    }
    std::uint32_t& bucket = buckets_[(hash ^ hash >> 32) & (bucket_count - 1)];
    std::uint32_t at = bucket;
    while (at != 0 && std::string_view(entries_[at].text, entries_[at].size) != text)
        at = entries_[at].next;
    if (at == 0 && count_ == entry_max) return write_once(text);
    if (at == 0) at = add(text, bucket);
    if (at == 0) {
        trace_chunks.drop(true);
        return 0;
    }
    entry& e = entries_[at];
    if (e.written_in != generation) {
        e.written_in = generation;
        write(e.id, text);
    }
    return e.id;
}

void trace_string_table::flush() {
    const lock_guard guard(mu_);
    trace_chunks.flush(out_);
    next_once_ = trace_string_often + 1;
}

}  // namespace rota::rt
