// A reverse proxy: it forwards each request to one of several servers, and returns the server's
// answer.
//
//     reverse_proxy                   starts three servers and itself, and sends requests
//     reverse_proxy ADDRESS URL...    serves at ADDRESS (":8080") the answers of the servers at the
//                                     URLs, in turn, until it is killed
//
// Go: httputil.ReverseProxy. A handler that is also a client. Five properties make it more than a
// copy:
//
//   * It collects nothing. Both bodies pass through as they come, at the same time: the proxy reads
//     a piece when the other side has taken the preceding piece, and the trailers follow. So a body
//     of any length takes no more memory than a piece. The server decides about
//     `Expect: 100-continue`.
//   * It does not pass on fields that belong to a connection, and not to the message: Connection
//     and every field that it names, Transfer-Encoding, Upgrade, ...
//   * The request's context goes with the request: if the client leaves, no server works for it.
//   * It signs each message in the field CDN-Loop (RFC 8586), with a pseudonym that no other proxy
//     has. A request with that signature goes in a circle, which would continue until no
//     descriptors are left: the proxy answers 508 Loop Detected. The field Via could do the same,
//     but it makes servers take their client for an old one: nginx then compresses nothing.
//   * It has one http::client for every request, which keeps and reuses its connections.
//
// What to see: 8 MiB go to a server, which sends them back while they come. Then 6 clients send 60
// requests, distributed over 3 servers; one of these fails, and its requests get the answer 502.
// Last line: 60 answers: 20 of server 0, 20 of server 1, 20 bad gateways
#include <rota/http.hpp>
#include <rota/rota.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

namespace http = rota::http;

// A server in a goroutine, which runs until the end of the scope.
class running {
  public:
    explicit running(http::handler h)
        : server_(std::move(h)), listener_(rota::net::listen("tcp", "127.0.0.1:0")) {
        serving_.go([this] { server_.serve(listener_); });
    }
    ~running() {
        server_.shutdown(rota::background());
        serving_.wait();
    }
    std::string url() const { return "http://" + listener_.addr().to_string(); }

  private:
    const http::server server_;
    const rota::net::listener listener_;
    rota::wait_group serving_;
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

struct before_without_case {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                            [](char x, char y) { return lower(x) < lower(y); });
    }
};
using names = std::set<std::string, before_without_case>;

// The names of the fields that belong to the connection of a message. RFC 9110, 7.6.1. Built once
// for a message: Connection may name thousands of fields, and the message may have as many.
names hop_by_hop_of(const http::header_map& fields) {
    names all{"Connection",          "Proxy-Connection",
              "Keep-Alive",          "Proxy-Authenticate",
              "Proxy-Authorization", "TE",
              "Transfer-Encoding",   "Upgrade"};
    for (std::string list : fields.values("Connection")) {
        for (char& c : list) c = c == ',' || c == '\t' ? ' ' : c;
        for (std::size_t at = 0, end = 0; at < list.size(); at = end + 1) {
            end = std::min(list.find(' ', at), list.size());
            all.insert(list.substr(at, end - at));
        }
    }
    all.erase("CDN-Loop");  // a client that names it would keep the loop alive
    return all;
}

// Removes the scheme and the host, which a client may send to a known proxy: the client must not
// decide to which server the request goes.
std::string_view path_of(std::string_view target) {
    if (target.starts_with('/')) return target;
    const std::size_t scheme = target.find("://");
    if (scheme == target.npos) return "/";
    const std::size_t path = target.find('/', scheme + 3);
    return path == target.npos ? "/" : target.substr(path);
}

// A name that no other proxy has, for the field CDN-Loop. It does not reveal where the proxy runs.
std::string make_pseudonym() {
    std::random_device any;
    std::array<char, 32> text{};
    const unsigned first = any(), second = any();
    const int size = std::snprintf(text.data(), text.size(), "rota-%08x%08x", first, second);
    return {text.data(), static_cast<std::size_t>(size)};
}

class reverse_proxy {
  public:
    explicit reverse_proxy(std::vector<std::string> servers)
        : servers_(std::move(servers)),
          pseudonym_(make_pseudonym()),
          client_({.dial_timeout = std::chrono::seconds{5},
                   .max_idle_per_host = 16,
                   .max_redirects = 0,  // the client follows redirects
                   .proxy_from_environment = false}) {}

    void operator()(http::response_writer& w, http::request& r) {
        if (has_passed(r)) return w.write_header(508);
        const std::string& server = servers_[next_++ % servers_.size()];
        http::request onward(r.method(), server + std::string(path_of(r.target())));
        names left_out = hop_by_hop_of(r.headers());
        left_out.insert("Host");
        for (const auto& [name, value] : r.headers())
            if (!left_out.contains(name)) onward.headers().add(name, value);
        onward.headers().add("X-Forwarded-For", r.remote_addr().host());
        onward.headers().add("CDN-Loop", pseudonym_);
        if (r.content_length() != 0) {
            // client_ reads the request's body while the handler writes the answer.
            w.enable_full_duplex();
            onward.set_body(
                [&](std::span<std::byte> to, const rota::context& wanted) {
                    const std::size_t n = r.read(wanted, to);
                    if (n == 0) onward.trailers() = r.trailers();
                    return n;
                },
                r.content_length());
        }
        std::error_code error;
        http::response_stream answer = client_.open(r.ctx(), onward, error);
        if (error) return w.write_header(502);
        const names not_passed_on = hop_by_hop_of(answer.headers());
        for (const auto& [name, value] : answer.headers())
            if (!not_passed_on.contains(name)) w.header().add(name, value);
        w.write_header(answer.status());
        pass_on(answer, w);
    }

  private:
    // A proxy on the way may have joined several such fields into one.
    bool has_passed(const http::request& r) const {
        const std::vector<std::string> all = r.headers().values("CDN-Loop");
        return std::any_of(all.begin(), all.end(), [this](const std::string& who) {
            return who.find(pseudonym_) != who.npos;
        });
    }

    // A body without a length may come slowly: its reader gets each piece at once. A truncated
    // answer must not look complete: the error leaves the handler, which ends the connection.
    static void pass_on(http::response_stream& from, http::response_writer& to) {
        std::array<char, 16 * 1024> piece;
        while (const std::size_t n = from.read(std::as_writable_bytes(std::span(piece)))) {
            to.write({piece.data(), n});
            if (from.content_length() < 0) to.flush();
        }
        to.trailer() = from.trailers();
    }

    const std::vector<std::string> servers_;
    const std::string pseudonym_;
    const http::client client_;
    std::atomic<std::size_t> next_{0};
};

// A server that sends back the bytes of a request while they come.
void send_back(http::response_writer& w, http::request& r) {
    std::array<char, 16 * 1024> piece;
    while (const std::size_t n = r.read(std::as_writable_bytes(std::span(piece)))) {
        w.write({piece.data(), n});
        w.flush();
    }
    w.trailer().set("X-Bytes", r.trailers().get("X-Bytes"));
}

void stream_both_ways() {
    const running behind(send_back);
    reverse_proxy proxy({behind.url()});
    const running front([&](auto& w, auto& r) { proxy(w, r); });
    const http::client client({.proxy_from_environment = false});
    http::request upload("POST", front.url());
    upload.trailers().set("X-Bytes", "");
    std::size_t sent = 0, received = 0;
    upload.set_body([&](std::span<std::byte> to, const rota::context&) -> std::size_t {
        constexpr std::size_t total = 8 << 20;
        const std::size_t n = std::min(to.size(), total - sent);
        std::fill_n(to.begin(), n, std::byte{'x'});
        sent += n;
        upload.trailers().set("X-Bytes", std::to_string(sent));
        return n;
    });
    http::response_stream answer = client.open(upload);
    std::array<std::byte, 16 * 1024> piece;
    while (const std::size_t n = answer.read(piece)) received += n;
    std::printf("sent %zu bytes, got %zu back, and behind them: %s\n", sent, received,
                std::string(answer.trailers().get("X-Bytes")).c_str());
}

void demonstrate() {
    stream_both_ways();
    const running zero([](auto& w, auto&) { w.write("0"); });
    const running one([](auto& w, auto&) { w.write("1"); });
    std::string nobody;
    {
        const running gone([](auto&, auto&) {});
        nobody = gone.url();
    }
    reverse_proxy proxy({zero.url(), one.url(), nobody});
    const running front([&](auto& w, auto& r) { proxy(w, r); });

    std::array<std::atomic<int>, 3> seen{};
    {
        const http::client client({.max_idle_per_host = 6, .proxy_from_environment = false});
        rota::wait_group clients;
        for (int c = 0; c < 6; ++c) {
            clients.go([&] {
                for (int i = 0; i < 10; ++i) {
                    const http::response r = client.get(front.url() + "/some/page?x=y");
                    ++seen[r.status == 502 ? 2 : r.body == "1" ? 1 : 0];
                }
            });
        }
        clients.wait();
    }
    std::printf("60 answers: %d of server 0, %d of server 1, %d bad gateways\n", seen[0].load(),
                seen[1].load(), seen[2].load());
}

// Serves until the program is killed.
void serve(const std::string& address, std::vector<std::string> servers) {
    reverse_proxy proxy(std::move(servers));
    const http::server front([&](auto& w, auto& r) { proxy(w, r); });
    const rota::net::listener l = rota::net::listen("tcp", address);
    std::printf("PORT %d\n", l.addr().port());
    std::fflush(stdout);
    front.serve(l);
}

// The fault of a server's URL, or an empty text. Removes a slash at the end: the paths of requests
// begin with a slash.
std::string complaint(std::string& url) {
    try {
        (void)http::request("GET", url);
    } catch (const std::system_error& e) {
        return std::string(e.code().message()) + "; write http://HOST[:PORT]";
    }
    if (url.find_first_of("?#") != url.npos)
        return "a query or a fragment would come before each request's path; leave it out";
    while (url.ends_with('/')) url.pop_back();
    return {};
}

int usage(std::FILE* to, int status) {
    std::fprintf(to, "usage: reverse_proxy [ADDRESS URL...]\n"
                     "  ADDRESS  where to listen: \":8080\", \"127.0.0.1:0\" (PORT is printed)\n"
                     "  URL      a server behind it: \"http://127.0.0.1:9000\"\n"
                     "Without arguments: a demonstration.\n");
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) return usage(stdout, 0);
    if (words.size() == 1) {
        std::fprintf(stderr, "reverse_proxy: no URL behind the address: which server answers?\n");
        return usage(stderr, 2);
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string given = words[i], wrong = complaint(words[i]);
        if (wrong.empty()) continue;
        std::fprintf(stderr, "reverse_proxy: \"%s\" is no server to ask: %s\n", given.c_str(),
                     wrong.c_str());
        return 2;
    }
    try {
        rota::run([&] {
            if (words.empty()) return demonstrate();
            serve(words[0], {words.begin() + 1, words.end()});
        });
    } catch (const std::exception& e) {
        std::fprintf(stderr, "reverse_proxy: cannot serve at \"%s\": %s\n",
                     words.empty() ? "127.0.0.1:0" : words[0].c_str(), e.what());
        return 1;
    }
    return 0;
}
