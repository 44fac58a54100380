// The parts of which files are served: dates, ranges, tags and types.
#include <ctime>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "http/message/conditions.hpp"
#include "http/message/date.hpp"
#include "http/message/grammar.hpp"
#include "http/message/media_type.hpp"
#include "http/message/ranges.hpp"

namespace {

namespace http = rota::http;
using http::byte_range;
using outcome = http::range_set::outcome;

// --- dates ---------------------------------------------------------------------------------------

TEST(http_date, is_understood_in_three_forms) {
    for (const char* const text : {"Sun, 06 Nov 1994 08:49:37 GMT",
                                   "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
        EXPECT_EQ(http::parse_date(text), 784111777) << text;
    EXPECT_EQ(http::parse_date("Thu, 29 Feb 2024 00:00:00 GMT"), 1709164800);
    EXPECT_EQ(http::parse_date("Thursday, 01-Jan-70 00:00:00 GMT"), 0);
}

TEST(http_date, is_refused_if_it_is_none) {
    for (const char* const text :
         {"", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT",
          "Sun, 31 Feb 1994 08:49:37 GMT", "Thu, 29 Feb 2023 00:00:00 GMT",
          "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 PST",
          "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Abc 1994 08:49:37 GMT"})
        EXPECT_FALSE(http::parse_date(text)) << text;
}

TEST(http_date, that_is_written_is_read_back) {
    for (std::int64_t t = 1; t < 8'000'000'000; t += 86'400 * 13 + 7'919) {
        char text[http::date_size];
        http::format_date(t, text);
        ASSERT_EQ(http::parse_date({text, sizeof text}), t);
    }
}

// --- ranges --------------------------------------------------------------------------------------

std::string shown(const http::range_set& set) {
    if (set.what == outcome::whole) return "whole";
    if (set.what == outcome::malformed) return "malformed";
    if (set.what == outcome::unsatisfiable) return "unsatisfiable";
    std::string text;
    for (const byte_range& r : set.ranges)
        text += (text.empty() ? "" : " ") + std::to_string(r.begin) + "+" + std::to_string(r.size);
    return text;
}

TEST(http_ranges, say_which_bytes_are_meant) {
    struct sample {
        const char* field;
        std::uint64_t size;
        const char* wanted;
    };
    for (const auto& [field, size, wanted] : {
             sample{"bytes=0-4", 10, "0+5"},
             sample{"Bytes=2-", 10, "2+8"},
             sample{"bytes=-3", 10, "7+3"},
             sample{"bytes=-30", 10, "0+10"},
             sample{"bytes=9-100", 10, "9+1"},
             sample{"bytes= 1 - 2 , 5-6", 10, "1+2 5+2"},
             sample{"bytes=1-2,,20-30", 10, "1+2"},
             sample{"bytes=0-99999999999999999999999", 10, "0+10"},
             sample{"bytes=10-", 10, "unsatisfiable"},
             sample{"bytes=-0", 10, "unsatisfiable"},
             sample{"bytes=99999999999999999999999-", 10, "unsatisfiable"},
             sample{"bytes=0-", 0, "whole"},
             sample{"bytes=", 10, "whole"},
             sample{"", 10, "whole"},
             sample{"lines=0-4", 10, "whole"},
             sample{"bytes", 10, "whole"},
             sample{"bytes=4-2", 10, "malformed"},
             sample{"bytes=-", 10, "malformed"},
             sample{"bytes=--1", 10, "malformed"},
             sample{"bytes=1-2-3", 10, "malformed"},
             sample{"bytes=a-b", 10, "malformed"},
             sample{"bytes=0-4;1-2", 10, "malformed"},
             sample{"bytes=+0-4", 10, "malformed"},
         })
        EXPECT_EQ(shown(http::parse_ranges(field, size)), wanted) << field;
}

TEST(http_ranges, that_ask_for_more_than_the_file_are_the_whole) {
    // A short request could have the server send a file many times, or cut it into crumbs.
    EXPECT_EQ(shown(http::parse_ranges("bytes=0-,0-", 10)), "whole");
    EXPECT_EQ(shown(http::parse_ranges("bytes=0-6,4-9", 10)), "whole");
    EXPECT_EQ(shown(http::parse_ranges("bytes=0-6,7-9", 10)), "0+7 7+3");
    std::string crumbs = "bytes=0-0";
    for (int i = 1; i < 100; ++i) crumbs += "," + std::to_string(i) + "-" + std::to_string(i);
    EXPECT_EQ(http::parse_ranges(crumbs, 1000).ranges.size(), 100u);
    EXPECT_EQ(shown(http::parse_ranges(crumbs + ",100-100", 1000)), "whole");
    const std::uint64_t huge = (std::uint64_t{1} << 63) - 1;  // the sum of these overflows
    EXPECT_EQ(shown(http::parse_ranges("bytes=0-,0-,0-", huge)), "whole");
}

// --- validators ----------------------------------------------------------------------------------

// Not std::time: that clock is up to a tick behind, and so would be another second now and then.
timespec precise_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return now;
}

struct ::stat file_of_age(std::int64_t seconds) {
    const timespec now = precise_now();
    struct ::stat s{};
    s.st_ino = 77;  // is in no tag: it would tell of the file system
    s.st_size = 5;
    s.st_mtim = {now.tv_sec - seconds, now.tv_nsec};
    return s;
}

TEST(http_validators, of_a_file_just_changed_are_weak) {
    // It may change again before the clock of files moves on.
    EXPECT_TRUE(http::validators_of(file_of_age(0)).tag.starts_with("W/\""));
    EXPECT_TRUE(http::validators_of(file_of_age(-3600)).tag.starts_with("W/\""));
    const http::validators old = http::validators_of(file_of_age(10));
    EXPECT_TRUE(old.tag.starts_with("\"5-")) << old.tag;
    EXPECT_TRUE(old.is_date_strong);
    EXPECT_FALSE(http::validators_of(file_of_age(0)).is_date_strong);
    // No date lies in the future, none before 1970.
    EXPECT_LE(http::validators_of(file_of_age(-3600)).modified, precise_now().tv_sec);
    EXPECT_FALSE(http::validators_of(file_of_age(precise_now().tv_sec + 10)).has_date);
}

TEST(http_validators, differ_once_the_file_has_settled) {
    struct ::stat s = file_of_age(0);
    const std::string fresh = http::validators_of(s).tag;
    s.st_mtim.tv_nsec = 0;
    s.st_mtim.tv_sec -= 5;
    EXPECT_NE(fresh.substr(2), http::validators_of(s).tag);
}

// --- conditions ----------------------------------------------------------------------------------

using fields = std::vector<std::pair<const char*, const char*>>;

http::header_map map_of(const fields& all) {
    http::header_map m;
    for (const auto& [name, value] : all) m.add(name, value);
    return m;
}

TEST(http_conditions, have_the_precedence_of_the_rfc) {
    using http::verdict;
    constexpr auto go_on = verdict::go_on, failed = verdict::failed, same = verdict::not_modified;
    const http::validators v{"\"a\"", 784111777, true, true};
    constexpr const char *then = "Sun, 06 Nov 1994 08:49:37 GMT",
                         *before = "Sun, 06 Nov 1994 08:49:36 GMT";
    struct sample {
        fields given;
        verdict wanted;
    };
    const sample samples[] = {
        {{}, go_on},
        {{{"If-Match", "\"a\""}}, go_on},
        {{{"If-Match", "\"b\", \"a\""}}, go_on},
        {{{"If-Match", "*"}}, go_on},
        {{{"If-Match", "W/\"a\""}}, failed},
        {{{"If-Match", "\"b\""}}, failed},
        {{{"If-Match", "rubbish"}}, failed},
        {{{"If-Match", "\"b\""}, {"If-Match", "\"a\""}}, go_on},
        {{{"If-Match", "\"a\""}, {"If-Unmodified-Since", before}}, go_on},
        {{{"If-Unmodified-Since", before}}, failed},
        {{{"If-Unmodified-Since", then}}, go_on},
        {{{"If-Unmodified-Since", "some day"}}, go_on},
        {{{"If-None-Match", "\"a\""}}, same},
        {{{"If-None-Match", "W/\"a\""}}, same},
        {{{"If-None-Match", "\"c\",W/\"b\", \"a\""}}, same},
        {{{"If-None-Match", "*"}}, same},
        {{{"If-None-Match", "\"b\""}}, go_on},
        {{{"If-None-Match", "\"b\""}, {"If-Modified-Since", then}}, go_on},
        {{{"If-None-Match", "\"a\""}, {"If-Modified-Since", before}}, same},
        {{{"If-Modified-Since", then}}, same},
        {{{"If-Modified-Since", before}}, go_on},
        {{{"If-Match", "\"b\""}, {"If-None-Match", "\"a\""}}, failed},
    };
    for (const sample& s : samples) {
        std::string shown;
        for (const auto& [name, value] : s.given) shown += std::string(name) + ": " + value + "; ";
        EXPECT_EQ(http::check_conditions(map_of(s.given), "GET", v), s.wanted) << shown;
    }
    EXPECT_EQ(http::check_conditions(map_of({{"If-None-Match", "\"a\""}}), "PUT", v), failed);
    EXPECT_EQ(http::check_conditions(map_of({{"If-Modified-Since", then}}), "PUT", v), go_on);
}

TEST(http_conditions, let_ranges_count_only_for_the_same_version) {
    http::validators v{"\"a\"", 784111777, true, true};
    const auto counts = [&](const char* value) {
        return http::range_counts(map_of({{"If-Range", value}}), v);
    };
    EXPECT_TRUE(http::range_counts(map_of({}), v));
    EXPECT_TRUE(counts("\"a\""));
    EXPECT_FALSE(counts("W/\"a\""));
    EXPECT_FALSE(counts("\"b\""));
    EXPECT_FALSE(counts("rubbish"));
    EXPECT_TRUE(counts("Sun, 06 Nov 1994 08:49:37 GMT"));
    EXPECT_FALSE(counts("Sun, 06 Nov 1994 08:49:38 GMT"));
    v.is_date_strong = false;
    EXPECT_FALSE(counts("Sun, 06 Nov 1994 08:49:37 GMT"));
    v.tag = "W/\"a\"";
    EXPECT_FALSE(counts("W/\"a\""));
}

// --- types ---------------------------------------------------------------------------------------

TEST(http_media_type, is_told_by_the_end_of_the_name) {
    EXPECT_EQ(http::media_type_of_name("a.html"), "text/html; charset=utf-8");
    EXPECT_EQ(http::media_type_of_name("a/b.tar.GZ"), "application/gzip");
    EXPECT_EQ(http::media_type_of_name("a.mjs"), "text/javascript; charset=utf-8");
    for (const char* const name : {"", "html", "a.", "a.unknown", "a.averyveryverylongextension"})
        EXPECT_EQ(http::media_type_of_name(name), "") << name;
}

TEST(http_media_type, is_told_by_the_content_as_go_does) {
    using std::string_view_literals::operator""sv;
    struct sample {
        std::string_view content, type;
    };
    for (const auto& [content, type] : {
             sample{"", "text/plain; charset=utf-8"},
             sample{"\x01\x02\x03", "application/octet-stream"},
             sample{"This is a test", "text/plain; charset=utf-8"},
             sample{"\r\n<!doctype HTML >\r\n", "text/html; charset=utf-8"},
             sample{"  <hTmL >", "text/html; charset=utf-8"},
             sample{"<p>hi", "text/html; charset=utf-8"},
             sample{"<pre>", "text/plain; charset=utf-8"},
             sample{"<html", "text/plain; charset=utf-8"},
             sample{"\n<?xml!", "text/xml; charset=utf-8"},
             sample{"%PDF-1.4", "application/pdf"},
             sample{"%!PS-Adobe-3.0", "application/postscript"},
             sample{"\xFE\xFF\0\x41"sv, "text/plain; charset=utf-16be"},
             sample{"\xFF\xFE\x41\0"sv, "text/plain; charset=utf-16le"},
             sample{"\xEF\xBB\xBF<", "text/plain; charset=utf-8"},
             sample{"\0\0\1\0"sv, "image/x-icon"},
             sample{"BM...", "image/bmp"},
             sample{"GIF89a...", "image/gif"},
             sample{"RIFF\xB5\x10\x00\x00WEBPVP8"sv, "image/webp"},
             sample{"\x89PNG\r\n\x1A\n", "image/png"},
             sample{"\xFF\xD8\xFF\xDB", "image/jpeg"},
             sample{"FORM\0\0\0\0AIFF"sv, "audio/aiff"},
             sample{"ID3\x03", "audio/mpeg"},
             sample{"OggS\0"sv, "application/ogg"},
             sample{"MThd\0\0\0\6\0\1"sv, "audio/midi"},
             sample{"RIFFb\xB8\x00\x00"
                    "AVI "sv,
                    "video/avi"},
             sample{"RIFFb\xB8\x00\x00WAVEfmt "sv, "audio/wave"},
             sample{"\0\0\0\x18"
                    "ftypmp42\0\0\0\0mp42isom"sv,
                    "video/mp4"},
             sample{"\0\0\0\x18"
                    "ftypisom\0\0\0\0avc1mp41"sv,
                    "video/mp4"},
             sample{"\0\0\0\x18"
                    "ftypisom\0\0\0\0avc1isom"sv,
                    "application/octet-stream"},
             sample{"\xff\xff\xff\xff"
                    "ftypmp42"sv,
                    "text/plain; charset=utf-8"},
             sample{"\x1A\x45\xDF\xA3", "video/webm"},
             sample{"\0\1\0\0"sv, "font/ttf"},
             sample{"OTTO\0"sv, "font/otf"},
             sample{"wOF2", "font/woff2"},
             sample{"\x1F\x8B\x08\x08", "application/x-gzip"},
             sample{"PK\3\4", "application/zip"},
             sample{"Rar!\x1A\7\1\0"sv, "application/x-rar-compressed"},
             sample{"\0asm\1"sv, "application/wasm"},
         })
        EXPECT_EQ(http::media_type_of_content(content), type) << content;
    std::string font(34, 'x');
    EXPECT_EQ(http::media_type_of_content(font + "LP"), "application/vnd.ms-fontobject");
    // Only so many bytes are looked at.
    std::string text(http::sniffed_max + 1, 'x');
    text.back() = '\1';
    EXPECT_EQ(http::media_type_of_content(text), "text/plain; charset=utf-8");
}

}  // namespace
