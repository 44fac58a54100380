// Looking strings up, and writing them down.
#include "trace/strings.hpp"

#include <cstring>

#include "mem/mapped.hpp"

namespace rota::rt {

void trace_string_table::write(std::uint32_t id, std::string_view text) {
    const std::size_t need = 1 + 2 * uvarint_max + text.size();
    if (out_.chunk == nullptr || out_.chunk->used + need > sizeof out_.chunk->data) {
        if (!trace_chunks.renew(out_, static_cast<std::uint64_t>(nanotime()))) return;
        out_.chunk->data[out_.chunk->used++] = static_cast<std::uint8_t>(trace_event::strings);
    }
    std::uint8_t* at = out_.chunk->data + out_.chunk->used;
    *at++ = static_cast<std::uint8_t>(trace_event::string);
    at = put_uvarint(at, id);
    at = put_uvarint(at, text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    out_.chunk->used = static_cast<std::uint64_t>(at - out_.chunk->data) + text.size();
}

std::uint32_t trace_string_table::once(std::string_view text) {
    text = text.substr(0, trace_string_max);
    if (text.empty()) return 0;
    const lock_guard guard(mu_);
    const std::uint32_t id = ++next_id_;
    write(id, text);
    return id;
}

std::uint32_t trace_string_table::often(std::string_view text, std::uint32_t generation) {
    text = text.substr(0, trace_string_max);
    if (text.empty()) return 0;
    std::uint64_t hash = text.size();
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3u;
    const lock_guard guard(mu_);
    if (buckets_ == nullptr) {
        buckets_ = static_cast<std::uint32_t*>(mapped_pages(bucket_count * sizeof(std::uint32_t)));
        entries_ = static_cast<entry*>(mapped_pages((entry_max + 1) * sizeof(entry)));
    }
    std::uint32_t& bucket = buckets_[(hash ^ hash >> 32) & (bucket_count - 1)];
    std::uint32_t at = bucket;
    while (at != 0 && std::string_view(entries_[at].text, entries_[at].size) != text)
        at = entries_[at].next;
    if (at == 0) {
        if (count_ == entry_max) {  // told anew each time
            const std::uint32_t id = ++next_id_;
            write(id, text);
            return id;
        }
        auto* const kept = static_cast<char*>(mapped_alloc(text.size()));
        std::memcpy(kept, text.data(), text.size());
        at = ++count_;
        entries_[at] = {kept, static_cast<std::uint32_t>(text.size()), ++next_id_, 0, bucket};
        bucket = at;
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
}

}  // namespace rota::rt
