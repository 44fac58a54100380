// A user's first program: proves that headers, library and flags arrive by either way of using rota
// from outside.
//
// What could go wrong: a header is not installed, the export loses a PUBLIC flag or dependency, a
// symbol is missing. The build or the link then fails. A wrong sum or a hang would show that the
// program does not run the built library.
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/metrics.hpp>
#include <rota/os.hpp>
#include <rota/sync.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

// What could go wrong: the program's vectors, for example checked ones, have another layout than
// the library's.
static bool containers_pass() {
    rota::http::header_map fields;
    for (int i = 0; i < 100; ++i) fields.add("Name", std::to_string(i));
    const std::vector<std::string> values(fields.values("Name"));
    if (values.size() != 100 || values[99] != "99" || fields.size() != 100) return false;
    bool has_buckets = false;
    for (const auto& sample : rota::metrics::read()) {
        const auto* const h = std::get_if<rota::metrics::histogram>(&sample.value);
        if (h != nullptr) has_buckets = has_buckets || h->buckets.size() == h->counts.size() + 1;
    }
    const std::vector<std::string> words{"echo", "said"};
    return has_buckets && rota::os::command(words).output() == "said\n" &&
           rota::os::command({"env"}).env({"A=b"}).output() == "A=b\n";
}

int main() {
    constexpr int count = 1000;
    const int sum = rota::run([] {
        auto numbers = rota::make_chan<int>(1);
        rota::wait_group senders;
        senders.add(2);
        for (int first : {1, 2}) {
            rota::go([numbers, first, &senders] {
                for (int i = first; i <= count; i += 2) numbers.send(i);
                senders.done();
            });
        }
        rota::go([numbers, &senders] {
            senders.wait();
            numbers.close();
        });
        int total = 0;
        while (std::optional<int> n = numbers.recv()) total += *n;
        return total;
    });
    std::printf("sum %d\n", sum);
    // The library must also contain the code that a server needs.
    const rota::http::server server{rota::http::serve_mux()};
    server.close();
    server.listen_and_serve("127.0.0.1:0");
    if (!rota::run(containers_pass)) return 2;
    return sum == count * (count + 1) / 2 ? 0 : 1;
}
