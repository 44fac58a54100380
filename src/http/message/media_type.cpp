// Tells media types by two tables: extensions of names, and signatures of content.
#include "http/message/media_type.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "http/message/grammar.hpp"

namespace rota::http {

// --- by name -------------------------------------------------------------------------------------

namespace {

struct extension {
    std::string_view name, type;
};

// In order.
constexpr extension extensions[] = {
    {"7z", "application/x-7z-compressed"},
    {"aac", "audio/aac"},
    {"apng", "image/apng"},
    {"avif", "image/avif"},
    {"bin", "application/octet-stream"},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"c", "text/plain; charset=utf-8"},
    {"cpp", "text/plain; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"epub", "application/epub+zip"},
    {"flac", "audio/flac"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"h", "text/plain; charset=utf-8"},
    {"hpp", "text/plain; charset=utf-8"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/x-icon"},
    {"ics", "text/calendar; charset=utf-8"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"jsonld", "application/ld+json"},
    {"jxl", "image/jxl"},
    {"m4a", "audio/mp4"},
    {"m4v", "video/mp4"},
    {"map", "application/json"},
    {"md", "text/markdown; charset=utf-8"},
    {"mid", "audio/midi"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mkv", "video/x-matroska"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"mpeg", "video/mpeg"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"opus", "audio/ogg"},
    {"otf", "font/otf"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"ppt", "application/vnd.ms-powerpoint"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"rar", "application/vnd.rar"},
    {"rss", "application/rss+xml"},
    {"rtf", "application/rtf"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"ts", "video/mp2t"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"weba", "audio/webm"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xhtml", "application/xhtml+xml"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "text/xml; charset=utf-8"},
    {"xz", "application/x-xz"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
};
static_assert(std::is_sorted(std::begin(extensions), std::end(extensions),
                             [](const extension& a, const extension& b) {
                                 return a.name < b.name;
                             }));

}  // namespace

std::string_view media_type_of_name(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    char small[16];
    if (dot == name.npos || name.size() - dot - 1 > sizeof small) return {};
    const std::string_view end = name.substr(dot + 1);
    std::transform(end.begin(), end.end(), small, lower);
    const std::string_view wanted(small, end.size());
    const extension* const found =
        std::lower_bound(std::begin(extensions), std::end(extensions), wanted,
                         [](const extension& e, std::string_view w) { return e.name < w; });
    return found != std::end(extensions) && found->name == wanted ? found->type
                                                                  : std::string_view();
}

// --- by content ----------------------------------------------------------------------------------

namespace {

constexpr std::string_view html = "text/html; charset=utf-8", text = "text/plain; charset=utf-8";

// Tags at the beginning of a page; letters without regard to case, a space or > behind them.
constexpr std::string_view html_tags[] = {"<!DOCTYPE HTML",
                                          "<HTML",
                                          "<HEAD",
                                          "<SCRIPT",
                                          "<IFRAME",
                                          "<H1",
                                          "<DIV",
                                          "<FONT",
                                          "<TABLE",
                                          "<A",
                                          "<STYLE",
                                          "<TITLE",
                                          "<B",
                                          "<BODY",
                                          "<BR",
                                          "<P",
                                          "<!--"};

// With a literal's zeros.
template <std::size_t N>
constexpr std::string_view bytes_of(const char (&literal)[N]) {
    return {literal, N - 1};
}

struct signature {
    std::size_t skip;  // bytes of any value before it
    std::string_view begin, then, type;
    std::size_t gap = 0;  // bytes of any value between the two
};

constexpr signature before_mp4[] = {
    {0, "%PDF-", "", "application/pdf"},
    {0, "%!PS-Adobe-", "", "application/postscript"},
    {0, "\xFE\xFF", "", "text/plain; charset=utf-16be", 2},
    {0, "\xFF\xFE", "", "text/plain; charset=utf-16le", 2},
    {0, "\xEF\xBB\xBF", "", text, 1},
    {0, bytes_of("\0\0\1\0"), "", "image/x-icon"},
    {0, bytes_of("\0\0\2\0"), "", "image/x-icon"},
    {0, "BM", "", "image/bmp"},
    {0, "GIF87a", "", "image/gif"},
    {0, "GIF89a", "", "image/gif"},
    {0, "RIFF", "WEBPVP", "image/webp", 4},
    {0, "\x89PNG\r\n\x1A\n", "", "image/png"},
    {0, "\xFF\xD8\xFF", "", "image/jpeg"},
    {0, "FORM", "AIFF", "audio/aiff", 4},
    {0, "ID3", "", "audio/mpeg"},
    {0, bytes_of("OggS\0"), "", "application/ogg"},
    {0, bytes_of("MThd\0\0\0\6"), "", "audio/midi"},
    {0, "RIFF", "AVI ", "video/avi", 4},
    {0, "RIFF", "WAVE", "audio/wave", 4},
};
constexpr signature after_mp4[] = {
    {0, "\x1A\x45\xDF\xA3", "", "video/webm"},
    {34, "LP", "", "application/vnd.ms-fontobject"},
    {0, bytes_of("\0\1\0\0"), "", "font/ttf"},
    {0, "OTTO", "", "font/otf"},
    {0, "ttcf", "", "font/collection"},
    {0, "wOFF", "", "font/woff"},
    {0, "wOF2", "", "font/woff2"},
    {0, "\x1F\x8B\x08", "", "application/x-gzip"},
    {0, "PK\x03\x04", "", "application/zip"},
    {0, bytes_of("Rar!\x1A\7\0"), "", "application/x-rar-compressed"},
    {0, bytes_of("Rar!\x1A\7\1\0"), "", "application/x-rar-compressed"},
    {0, bytes_of("\0asm"), "", "application/wasm"},
};

bool fits(const signature& s, std::string_view data) {
    if (data.size() < s.skip + s.begin.size() + s.gap + s.then.size()) return false;
    data.remove_prefix(s.skip);
    return data.starts_with(s.begin) && data.substr(s.begin.size() + s.gap).starts_with(s.then);
}

bool begins_with_tag(std::string_view data, std::string_view tag) {
    if (data.size() < tag.size() + 1) return false;
    const auto same = [](char wanted, char c) {
        return wanted == (is_letter(wanted) ? static_cast<char>(c & 0xDF) : c);
    };
    return std::equal(tag.begin(), tag.end(), data.begin(), same) &&
           (data[tag.size()] == ' ' || data[tag.size()] == '>');
}

// The first box of the file lists, by fours, which formats it is of; the third four is a version.
bool is_mp4(std::string_view data) {
    if (data.size() < 12) return false;
    std::uint32_t size = 0;
    for (const char c : data.substr(0, 4)) size = size << 8 | static_cast<unsigned char>(c);
    if (data.size() < size || size % 4 != 0 || data.substr(4, 4) != "ftyp") return false;
    for (std::size_t at = 8; at < size; at += 4)
        if (at != 12 && data.substr(at, 3) == "mp4") return true;
    return false;
}

bool is_binary(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u <= 0x08 || u == 0x0B || (u >= 0x0E && u <= 0x1A) || (u >= 0x1C && u <= 0x1F);
}

}  // namespace

std::string_view media_type_of_content(std::string_view begin) {
    begin = begin.substr(0, sniffed_max);
    const std::size_t white = begin.find_first_not_of("\t\n\f\r ");
    const std::string_view visible = begin.substr(std::min(white, begin.size()));
    for (const std::string_view tag : html_tags)
        if (begins_with_tag(visible, tag)) return html;
    if (visible.starts_with("<?xml")) return "text/xml; charset=utf-8";
    for (const signature& s : before_mp4)
        if (fits(s, begin)) return s.type;
    if (is_mp4(begin)) return "video/mp4";
    for (const signature& s : after_mp4)
        if (fits(s, begin)) return s.type;
    return std::any_of(visible.begin(), visible.end(), is_binary) ? "application/octet-stream"
                                                                  : text;
}

}  // namespace rota::http
