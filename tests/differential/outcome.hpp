// The requests that a server has read from the bytes of a connection, as its answers show, and the
// difference between the answers of three servers.
//
// Each server answers a request that it has read to its end with the field `X-Read`, in one form
// (main.cpp for rota, server.go, server.js). An answer without the field and with another status
// than 2xx is a refusal.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace rota_differential {

// The parts of X-Read: 32-bit hashes; the length of the body stands in front of its hash.
struct reading {
    std::string method, target, host, body, fields;
    bool operator==(const reading&) const = default;
};

struct outcome {
    std::vector<reading> read;
    // How the connection ended behind the read requests: "4xx", "5xx" and so on for a refusal,
    // "shut" for an end without an answer, "hung", or "garbled" for bytes that are no answer.
    std::string end;
    int status = 0;        // of the refusal
    bool goes_on = false;  // there are answers behind the refusal
};

outcome read_answers(std::string_view bytes);

constexpr std::size_t server_count = 3;
inline constexpr std::string_view server_names[server_count] = {"rota", "go", "node"};

// "" if the three servers have read the same requests and have ended alike. Else the result of each
// server for the first request about which they differ, as "rota=4xx go=A node=A". Servers with the
// same letter have read the same request. Parts that differ between letters follow, as "rota=A go=B
// node=A host,body".
std::string difference(const std::array<outcome, server_count>& all);

// Whether rota's body differs from that of every other server that reads a body.
bool reads_another_body(std::string_view difference);

// Whether that holds, or rota reads a request that neither Go nor node reads.
bool is_laxest(std::string_view difference);

}  // namespace rota_differential
