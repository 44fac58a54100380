// Sends random requests to three servers, rota's, Go's and node's, and compares the requests that
// each server has read.
//
//     rota_differential serve SOCKET
//     rota_differential drive ROTA GO NODE LIST SEED FIRST REQUESTS
//
// `serve` is rota's server; it ends when its standard input ends. `drive` sends cases
// (made_case.hpp) until they hold REQUESTS requests, each case on a connection of its own to each
// server, by Unix sockets. It shuts down its side of a connection, so that each server ends by
// itself, and reads to the end. Every difference is reduced to its cause and must be in LIST
// (known.hpp). A difference that is not in LIST fails the run, with the bytes that show it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include <unistd.h>
#include <rota/http.hpp>
#include <rota/rota.hpp>

#include "known.hpp"
#include "outcome.hpp"

namespace rota_differential {
namespace {

// --- rota's server -------------------------------------------------------------------------------

std::uint32_t hash(std::string_view text) {
    std::uint32_t h = 2166136261;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619;
    return h;
}

std::string fields_of(const rota::http::request& r) {
    constexpr std::string_view left_out[] = {"host",       "content-length", "transfer-encoding",
                                             "connection", "trailer",        "expect"};
    std::vector<std::string> all;
    for (const auto& [name, value] : r.headers()) {
        std::string lower(name);
        for (char& c : lower)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
        if (std::find(std::begin(left_out), std::end(left_out), lower) != std::end(left_out))
            continue;
        all.push_back(lower.append(":").append(value).append("\n"));
    }
    std::sort(all.begin(), all.end());
    std::string text;
    for (const std::string& each : all) text += each;
    return text;
}

void answer(rota::http::response_writer& w, rota::http::request& r) {
    const std::string body = r.body();
    char text[128];
    std::snprintf(text, sizeof text, "m%x t%x h%x b%zu:%x f%x", hash(r.method()), hash(r.target()),
                  hash(r.host()), body.size(), hash(body), hash(fields_of(r)));
    w.header().set("X-Read", text);
    w.header().set("Content-Length", "0");
}

int serve(const char* socket) {
    const rota::http::server server(answer);
    rota::go([server_socket = std::string(socket), &server] {
        server.serve(rota::net::listen("unix", server_socket));
    });
    std::puts("ready");
    std::fflush(stdout);
    char byte;
    rota::blocking([&] {
        while (::read(STDIN_FILENO, &byte, 1) > 0) {
        }
    });
    server.close();
    return 0;
}

// --- the driver ----------------------------------------------------------------------------------

constexpr std::size_t workers = 24, shown_max = 40;
constexpr std::chrono::seconds patience{30};

// The whole answer to the bytes; is_late: the server has not ended in time.
std::string ask(const std::string& socket, std::string_view bytes, bool& is_late) {
    const rota::net::conn c = rota::net::dial("unix", socket);
    std::error_code error;
    c.set_deadline(rota::clock::now() + patience, error);
    c.write(bytes, error);  // an error: the server may have closed already
    error.clear();
    c.close_write(error);
    error.clear();
    std::string all;
    std::byte part[4096];
    while (const std::size_t n = c.read(part, error))
        all.append(reinterpret_cast<const char*>(part), n);
    is_late = error == std::errc::timed_out;
    return all;
}

struct found {
    std::size_t count = 0;
    std::uint64_t index = 0;  // of the first case
    std::string bytes;        // reduced
};

class run {
  public:
    run(const char* const* sockets, const known_differences& known) : known_(known) {
        std::copy_n(sockets, server_count, sockets_);
    }
    void drive(std::uint64_t seed, std::uint64_t first, std::size_t requests);
    int report(double seconds) const;

  private:
    std::string compare(std::string_view bytes) const;
    void try_case(std::uint64_t index);
    made_case reduced(made_case made, const std::string& difference) const;
    bool has_known_causes(const made_case& made) const;
    std::string known_class(const made_case& made, const std::string& difference) const;

    const known_differences& known_;
    std::string sockets_[server_count];
    std::uint64_t seed_ = 0;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::size_t> cases_{0}, requests_{0}, alike_{0};
    rota::mutex mu_;
    std::map<std::string, std::size_t> met_;  // guarded by mu_, as is `unknown_`
    std::map<std::string, found> unknown_;
};

std::string run::compare(std::string_view bytes) const {
    std::array<outcome, server_count> all;
    for (std::size_t s = 0; s < server_count; ++s) {
        bool is_late = false;
        all[s] = read_answers(ask(sockets_[s], bytes, is_late));
        if (is_late) all[s].end = "hung";
    }
    return difference(all);
}

// Removes mutations, then requests, as long as the difference stays the same.
made_case run::reduced(made_case made, const std::string& difference) const {
    for (std::size_t i = 0; i < made.changes.size();) {
        made_case less = made;
        less.changes.erase(less.changes.begin() + static_cast<std::ptrdiff_t>(i));
        if (compare(less.text()) == difference) made = less;
        else ++i;
    }
    for (std::size_t i = 0; made.requests.size() > 1 && i < made.requests.size();) {
        made_case less = made;
        less.requests.erase(less.requests.begin() + static_cast<std::ptrdiff_t>(i));
        std::erase_if(less.changes, [i](const change& c) { return c.request == i; });
        for (change& c : less.changes) c.request -= c.request > i ? 1 : 0;
        if (compare(less.text()) == difference) made = less;
        else ++i;
    }
    return made;
}

// Whether the case has several mutations, each of which alone makes no difference or a known one.
bool run::has_known_causes(const made_case& made) const {
    if (made.changes.size() < 2) return false;
    return std::all_of(made.changes.begin(), made.changes.end(), [&](const change& c) {
        made_case alone = made;
        alone.changes = {c};
        const std::string what = compare(alone.text());
        return what.empty() || !known_.find(alone, what).empty();
    });
}

// The known class of a reduced case; "" if there is none.
std::string run::known_class(const made_case& made, const std::string& difference) const {
    const std::string listed = known_.find(made, difference);
    if (!listed.empty() || reads_another_body(difference) || !has_known_causes(made)) return listed;
    return "several known causes at once";
}

void run::try_case(std::uint64_t index) {
    dice of_case(seed_ + index * 0x2545f4914f6cdd1d);
    const made_case made = make_case(of_case.next());
    ++cases_;
    requests_ += made.requests.size();
    const std::string bytes = made.text();
    const std::string what = compare(bytes);
    if (what.empty()) {
        ++alike_;
        return;
    }
    if (const std::string listed = known_.find(made, what); !listed.empty()) {
        const std::lock_guard guard(mu_);
        ++met_[listed];
        return;
    }
    const made_case small = reduced(made, what);
    const std::string small_bytes = small.text();
    const std::string listed = known_class(small, what);
    const std::lock_guard guard(mu_);
    if (!listed.empty()) {
        ++met_[listed];
        return;
    }
    found& f = unknown_[small.names() + " " + what];
    if (f.count++ == 0) {
        f.index = index;
        f.bytes = small_bytes;
    }
}

void run::drive(std::uint64_t seed, std::uint64_t first, std::size_t requests) {
    seed_ = seed;
    next_ = first;
    rota::wait_group all;
    for (std::size_t i = 0; i < workers; ++i) {
        all.go([&] {
            while (requests_ < requests) try_case(next_++);
        });
    }
    all.wait();
}

// Escapes the bytes as in a C string.
std::string escaped(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        char code[8];
        const auto u = static_cast<unsigned char>(c);
        if (c == '\r') text += "\\r";
        else if (c == '\n') text += "\\n";
        else if (c == '\\' || c == '"') text.append("\\").append(1, c);
        else if (u >= 0x20 && u < 0x7f) text += c;
        else
            text.append(code,
                        static_cast<std::size_t>(std::snprintf(code, sizeof code, "\\x%02x", u)));
    }
    return text;
}

int run::report(double seconds) const {
    std::size_t differing = 0;
    for (const auto& [name, count] : met_) {
        std::printf("known: %8zu %s\n", count, name.c_str());
        differing += count;
    }
    for (const std::string& name : known_.classes())
        if (!met_.contains(name)) std::printf("not met: %s\n", name.c_str());
    std::size_t shown = 0;
    for (const auto& [name, f] : unknown_) {
        if (++shown > shown_max && std::getenv("ROTA_DIFFERENTIAL_ALL") == nullptr) break;
        std::printf("UNKNOWN: %8zu %s%s\n    \"%s\"\n    to repeat it: tests/differential/"
                    "differential_test.py BUILD_DIR --seed %llu --first %llu --requests 1\n",
                    f.count, name.c_str(),
                    is_laxest(name.substr(name.find(' '))) ? "   (rota alone reads it so)" : "",
                    escaped(f.bytes).c_str(), static_cast<unsigned long long>(seed_),
                    static_cast<unsigned long long>(f.index));
    }
    std::printf("%zu requests in %zu cases, %.0f s: %zu alike, %zu differ in %zu known ways, "
                "%zu unknown ways\n",
                requests_.load(), cases_.load(), seconds, alike_.load(), differing, met_.size(),
                unknown_.size());
    return unknown_.empty() ? 0 : 1;
}

int drive(const char* const* arguments) {
    std::ifstream file(arguments[3]);
    if (!file) throw std::runtime_error(std::string("cannot read ") + arguments[3]);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const known_differences known(text);
    run all(arguments, known);
    const auto began = rota::clock::now();
    all.drive(std::strtoull(arguments[4], nullptr, 10), std::strtoull(arguments[5], nullptr, 10),
              std::strtoull(arguments[6], nullptr, 10));
    return all.report(std::chrono::duration<double>(rota::clock::now() - began).count());
}

}  // namespace
}  // namespace rota_differential

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "";
    return rota::run([&] {
        try {
            if (mode == "serve" && argc == 3) return rota_differential::serve(argv[2]);
            if (mode == "drive" && argc == 9) return rota_differential::drive(argv + 2);
            std::fputs("usage: rota_differential serve SOCKET | "
                       "drive ROTA GO NODE LIST SEED FIRST REQUESTS\n",
                       stderr);
        } catch (const std::exception& e) {
            std::fprintf(stderr, "rota_differential: %s\n", e.what());
        }
        return 2;
    });
}
