// Rate limiter: at most a given number of requests in a time, with a small burst allowed.
//
// Go: a time.Ticker, and a buffered channel as the bucket that it fills. A request takes a token
// out, and waits if the bucket is empty. A ticker drops ticks that no goroutine receives, so the
// bucket never holds more than the burst.
//
// What to see: three requests at once, then a request every ten milliseconds.
// Last line: 10 requests, 3 of them in a burst, took at least 70 ms
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>
#include <rota/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

class rate_limiter {
  public:
    rate_limiter(milliseconds interval, std::size_t burst)
        : tokens_(rota::make_chan<rota::unit>(burst)) {
        for (std::size_t i = 0; i < burst; ++i) tokens_.send({});
        rota::go([tokens = tokens_, ticker = rota::ticker(interval), over = over_] {
            // a full bucket drops the token
            const auto fill = [&](auto) { (void)tokens.try_send({}); };
            while (rota::select(rota::on_recv(over), rota::on_recv(ticker.c(), fill)) == 1) {
            }
        });
    }
    ~rate_limiter() { over_.close(); }
    rate_limiter(const rate_limiter&) = delete;
    rate_limiter& operator=(const rate_limiter&) = delete;

    // Waits until the limit allows the next request.
    void wait() const { (void)tokens_.recv(); }

  private:
    rota::chan<rota::unit> tokens_;
    rota::chan<rota::unit> over_ = rota::make_chan<rota::unit>();
};

int send_requests() {
    constexpr int requests = 10;
    constexpr int burst = 3;
    constexpr milliseconds interval{10};
    const auto began = rota::clock::now();
    const auto elapsed = [&] { return duration_cast<milliseconds>(rota::clock::now() - began); };

    const rate_limiter limit(interval, burst);
    for (int i = 1; i <= requests; ++i) {
        limit.wait();
        std::printf("request %2d after %3lld ms\n", i, static_cast<long long>(elapsed().count()));
    }
    constexpr milliseconds least = interval * (requests - burst);
    if (elapsed() < least) {
        std::printf("too fast\n");
        return 1;
    }
    std::printf("%d requests, %d of them in a burst, took at least %lld ms\n", requests, burst,
                static_cast<long long>(least.count()));
    return 0;
}

}  // namespace

int main() { return rota::run(send_requests); }
