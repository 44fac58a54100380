// What a server has made of the bytes of a connection, told by its answers, and in what the answers
// of three servers differ.
//
// Each server answers a request that it has read to its end with the field `X-Read`, in one form
// (main.cpp for rota, server.go, server.js). An answer without it, of another status than 2xx,
// is a refusal.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace rota_differential {

// The parts of X-Read: hashes of 32 bits, in front of that of the body its length.
struct reading {
    std::string method, target, host, body, fields;
    bool operator==(const reading&) const = default;
};

struct outcome {
    std::vector<reading> read;
    // How it ended behind these: "4xx", "5xx" and so on of a refusal, "shut" for an end without a
    // word, "hung", or "garbled" for bytes that are no answer.
    std::string end;
    int status = 0;        // of the refusal
    bool goes_on = false;  // there are answers behind the refusal
};

outcome read_answers(std::string_view bytes);

constexpr std::size_t server_count = 3;
inline constexpr std::string_view server_names[server_count] = {"rota", "go", "node"};

// "" if all have read the same requests and have ended alike. Else what each has made of the first
// request about which they differ, as "rota=4xx go=A node=A": servers with the same letter have
// read the same; with the parts that differ between letters, as "rota=A go=B node=A host,body".
std::string difference(const std::array<outcome, server_count>& all);

// Whether rota reads another body than each of the others that reads one at all.
bool reads_another_body(std::string_view difference);

// That, or rota reads what neither of the others reads.
bool is_laxest(std::string_view difference);

}  // namespace rota_differential
