// A user's first program: proves that headers, library and flags arrive by either way of using rota
// from outside.
//
// What could go wrong: a header is not installed, a PUBLIC flag or dependency is lost in the
// export, a symbol is missing. The build or the link then fails; a wrong sum, or a hang, would show
// a library that is not the one built.
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/sync.hpp>

#include <cstdio>
#include <optional>

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
    // What a server brings along must be in the library as well.
    const rota::http::server server{rota::http::serve_mux()};
    server.close();
    server.listen_and_serve("127.0.0.1:0");
    return sum == count * (count + 1) / 2 ? 0 : 1;
}
