// Parsers that are fed with whatever comes. A target takes one input, and aborts if something that
// must hold of every input does not.
//
// rota_unit feeds all targets with the inputs in corpus/, a folder for each (corpus_test.cpp); with
// -DROTA_FUZZ=ON there is a program rota_fuzz_NAME for each, in which libFuzzer makes up inputs
// (engine.cpp, `./dev test fuzz`).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rota::net {
class conn;
}

namespace rota_fuzz {

void head(std::string_view input);          // of a request
void chunked(std::string_view input);       // bodies
void connection(std::string_view input);    // all that a client sends, to a server of files
void frames(std::string_view input);        // what a client of HTTP/2 sends
void answer(std::string_view input);        // all that a server sends, to a client
void mux(std::string_view input);           // patterns, and a path
void fields(std::string_view input);        // names, values, lists, hosts, paths
void address(std::string_view input);       // host:port, literals
void url(std::string_view input);           // of clients, and references in them
void proxy(std::string_view input);         // HTTP_PROXY, HTTPS_PROXY, NO_PROXY, and a URL
void certificates(std::string_view input);  // PEM texts and names for TLS
void files(std::string_view input);         // ranges, dates, conditions, types
void environment(std::string_view input);   // GOMAXPROCS, GODEBUG, GOTRACEBACK
void cgroup(std::string_view input);        // the files of control groups

struct target {
    const char* name;
    void (*run)(std::string_view);
};
inline constexpr target targets[] = {
    {"head", head},
    {"chunked", chunked},
    {"connection", connection},
    {"frames", frames},
    {"answer", answer},
    {"mux", mux},
    {"fields", fields},
    {"address", address},
    {"url", url},
    {"proxy", proxy},
    {"certificates", certificates},
    {"files", files},
    {"environment", environment},
    {"cgroup", cgroup},
};

// Ends the process with the place if it does not hold.
void require(bool holds, const char* what);

// All that comes back for the input on a connection that ends where the input does. Requires that
// the other side ends it as well.
std::string answer_to(const rota::net::conn& c, std::string_view input);

// The part before the next `separator`, which is taken off the front of `rest`.
std::string_view take(std::string_view& rest, char separator);

}  // namespace rota_fuzz
