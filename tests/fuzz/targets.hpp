// Parsers that are fed with arbitrary bytes. A target takes one input, and aborts if a property
// that must hold for every input does not hold.
//
// rota_unit feeds each target with the inputs of its folder in corpus/ (corpus_test.cpp). With
// -DROTA_FUZZ=ON each target also has a program rota_fuzz_NAME, in which libFuzzer makes inputs
// (engine.cpp, `./dev test fuzz`).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rota::net {
class conn;
}

namespace rota_fuzz {

void head(std::string_view input);          // the head of a request
void chunked(std::string_view input);       // chunked bodies
void connection(std::string_view input);    // the bytes of a client, to a server of files
void frames(std::string_view input);        // the frames of an HTTP/2 client
void answer(std::string_view input);        // the bytes of a server, to a client
void mux(std::string_view input);           // patterns and a path
void fields(std::string_view input);        // names, values, lists, hosts, paths
void address(std::string_view input);       // host:port, literals
void url(std::string_view input);           // URLs of clients, and references in them
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

// Ends the process with the message `what` if `holds` is false.
void require(bool holds, const char* what);

// The other side's whole answer to the input, on a connection that this side ends with the input.
// Requires that the other side ends it as well.
std::string answer_to(const rota::net::conn& c, std::string_view input);

// The part before the next `separator`; both are removed from the front of `rest`.
std::string_view take(std::string_view& rest, char separator);

}  // namespace rota_fuzz
