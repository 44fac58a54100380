// Runs whole conversations of HTTP/1.1 between rota's servers and clients, over TCP in memory. The
// seed decides which side sends which bytes, when they arrive, and in which pieces. The same seed
// repeats the run, to the nanosecond of virtual time.
//
//     ROTA_SIM_HTTP_FIRST=N ROTA_SIM_HTTP_COUNT=M   seeds N ... N + M - 1 (default: 1 and 300)
#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rota/http.hpp>

#include "net_faults.hpp"
#include "sched/modes/seeded.hpp"
#include "tcp_in_memory.hpp"

namespace rota_sim {
namespace {

using namespace std::chrono_literals;
namespace http = rota::http;

// The events in their order. There is one thread.
struct record {
    std::string lines;
    int answers = 0, errors = 0;

    void add(int who, int what, int status, std::size_t size) {
        const auto now = rota::clock::now().time_since_epoch().count();
        for (const long long n : {static_cast<long long>(who), static_cast<long long>(what),
                                  static_cast<long long>(status), static_cast<long long>(size),
                                  static_cast<long long>(now)})
            lines.append(std::to_string(n)).append(" ");
        lines += '\n';
        ++(status >= 200 ? answers : errors);
    }
};

std::string text_of(int size) {
    return std::string(place(size), static_cast<char>('a' + size % 26));
}

void answer(http::response_writer& w, http::request& r) {
    if (r.path() == "/slow") (void)rota::sleep_for(r.ctx(), 300ms);
    if (r.path() == "/pieces") {
        for (int i = 1; i <= 5; ++i) {
            w.write(text_of(i * 100));
            w.flush();
        }
        w.trailer().set("X-Pieces", "5");
        return;
    }
    w.header().set("X-Method", r.method());
    w.write(r.body());
}

// Makes a random kind of request. A request without a limit gets its whole answer.
void ask(const http::client& c, const std::string& url, int who, dice& d, record& to) {
    const int what = d.in(0, 5);
    const std::string body = text_of(d.in(0, d.once_in(4) ? 20'000 : 500));
    std::error_code error;
    http::response got;
    if (what == 0) {
        got = c.get(url + "/pieces", error);
        SIM_CHECK(!error && got.body.size() == 1'500 && got.trailers.get("X-Pieces") == "5");
    } else if (what == 1) {
        got = c.post(url + "/echo", "text/plain", body, error);
        SIM_CHECK(!error && got.body == body);
    } else if (what == 2) {
        http::request r("PUT", url + "/echo");
        r.set_body(
            [&, at = std::size_t{0}](std::span<std::byte> room, const rota::context&) mutable {
                const std::size_t n = std::min({room.size(), body.size() - at, std::size_t{700}});
                std::memcpy(room.data(), body.data() + at, n);
                at += n;
                return n;
            });
        got = c.perform(r, error);
        SIM_CHECK(!error && got.body == body);
    } else if (what == 3) {
        const auto [ctx, stop] =
            rota::with_timeout(rota::background(), std::chrono::milliseconds(d.in(1, 600)));
        got = c.perform(ctx, http::request("POST", url + "/slow", body), error);
        SIM_CHECK(error ? error == std::errc::timed_out : got.body == body);
        stop();
    } else if (what == 4) {
        http::response_stream part = c.open(http::request("GET", url + "/pieces"), error);
        std::array<std::byte, 150> some;
        SIM_CHECK(!error && part.status() == 200 && part.read(some, error) > 0);
        got.status = part.status();  // and reads no more of it
    } else {
        got = c.head(url + "/echo", error);
        SIM_CHECK(!error && got.headers.get("X-Method") == "HEAD");
    }
    to.add(who, what, error ? 0 : got.status, got.body.size());
}

// Sends requests one behind the other in one write, and reads the answers until the end.
void ask_at_once(const std::string& address, int who, dice& d, record& to) {
    const int count = d.in(1, 5);
    std::string all;
    for (int i = 1; i <= count; ++i)
        all += "GET /echo HTTP/1.1\r\nHost: a\r\n" +
               std::string(i == count ? "Connection: close\r\n\r\n" : "\r\n");
    const rota::net::conn c = rota::net::dial("tcp", address);
    c.write(all);
    if (d.once_in(3)) c.close_write();
    std::string got;
    std::array<char, 300> part;
    while (const std::size_t n = c.read(std::as_writable_bytes(std::span(part))))
        got.append(part.data(), n);
    int seen = 0;
    for (std::size_t at = 0; (at = got.find("HTTP/1.1 200", at)) != got.npos; ++at) ++seen;
    SIM_CHECK(seen == count);
    to.add(who, count, 200, got.size());
}

void converse(dice d, record& to) {
    const http::server server(answer, {.read_header_timeout = 5s, .idle_timeout = 20s});
    const rota::net::listener l = rota::net::listen("tcp", d.once_in(2) ? "127.0.0.1:0" : ":0");
    const std::string address = "127.0.0.1:" + std::to_string(l.addr().port());
    rota::wait_group serving, clients;
    serving.go([&] { server.serve(l); });
    {
        const http::client shared({.max_idle_per_host = 3, .proxy_from_environment = false});
        const int count = d.in(2, 12);
        for (int who = 0; who < count; ++who) {
            clients.go([&, who, own = d.fork()]() mutable {
                for (int left = own.in(1, 6); left > 0; --left) {
                    if (own.once_in(5)) ask_at_once(address, who, own, to);
                    else ask(shared, "http://" + address, who, own, to);
                    noise(own);
                }
            });
        }
        clients.wait();
    }
    server.shutdown(rota::background());
    serving.wait();
}

struct course {
    record said;
    std::uint64_t steps, hash;
};

course run_conversation(std::uint64_t seed) {
    course all;
    now_running(seed, "conversation", "ROTA_SIM_HTTP");
    rota::rt::seeded_restart(seed);
    const tcp_in_memory tcp;
    const net_faults faults(dice(~seed), false);
    rota::run([&] {
        converse(dice(seed), all.said);
        wait_for_all_others();
    });
    all.steps = rota::rt::seeded.steps.load(std::memory_order_relaxed);
    all.hash = rota::rt::seeded.hash.load(std::memory_order_relaxed);
    return all;
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

// A choice that depends on an address, a map's order or the time of day would make the second run
// differ. A fault that the timing of packets exposes would show as a broken law.
TEST(sim_http, conversations_of_many_clients_keep_their_laws_and_repeat_themselves) {
    const std::uint64_t first = number_of("ROTA_SIM_HTTP_FIRST", 1);
    const std::uint64_t count = number_of("ROTA_SIM_HTTP_COUNT", 300);
    std::uint64_t steps = 0, ways = 0, before = 0;
    rota::run([] {});  // boots the runtime
    int answers = 0, errors = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const course once = run_conversation(seed), again = run_conversation(seed);
        ASSERT_EQ(once.said.lines, again.said.lines) << "seed " << seed << " is told in two ways";
        ASSERT_EQ(once.hash, again.hash) << "seed " << seed << " took two ways: " << once.steps
                                         << " and " << again.steps << " steps";
        steps += once.steps;
        answers += once.said.answers;
        errors += once.said.errors;
        ways += once.hash != std::exchange(before, once.hash) ? 1 : 0;
    }
    EXPECT_EQ(ways, count);  // each seed takes its own way
    EXPECT_GT(answers, errors);
    std::printf("%llu seeds from %llu, each twice alike: %llu steps, %d answers, %d ended early\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(steps), answers, errors);
}

}  // namespace
}  // namespace rota_sim
