// Publish and subscribe: every message goes to every subscriber.
//
// Go: do not communicate by sharing memory, share memory by communicating. A single goroutine owns
// the list of subscribers. A caller that subscribes or publishes sends a message to it, and a
// select takes these messages in turn. There is no lock, because no other goroutine ever sees the
// list.
//
// A slow subscriber would delay every other subscriber. So each has a buffer; the hub drops a
// message that does not fit into a buffer, for that subscriber only, and counts it.
//
// What to see: three readers that keep up, and a reader that never reads.
// Last line: each of 3 readers got 100 messages; the sleeper missed 96
#include <rota/chan.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>
#include <rota/sync.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

class hub {
  public:
    using subscription = rota::chan<std::string>;

    hub() {
        owner_.go([this] { own(); });
    }
    ~hub() {
        over_.close();
        owner_.wait();
    }
    hub(const hub&) = delete;
    hub& operator=(const hub&) = delete;

    // Returns a channel with the messages published after this call; the end of the hub closes it.
    rota::recv_chan<std::string> subscribe(std::size_t buffer) {
        auto mine = rota::make_chan<std::string>(buffer);
        joining_.send(mine);
        return mine;
    }

    void publish(std::string message) { messages_.send(std::move(message)); }

    // The number of messages so far that did not fit into a buffer.
    int missed() {
        auto answer = rota::make_chan<int>();
        questions_.send(answer);
        return answer.recv().value();
    }

  private:
    // The body of the goroutine that owns the list.
    void own() {
        std::vector<subscription> all;
        int missed = 0;
        const auto publish_to_all = [&](std::optional<std::string> message) {
            for (const subscription& s : all)
                missed += s.try_send(*message) == rota::chan_status::ok ? 0 : 1;
        };
        for (bool open = true; open;) {
            rota::select(rota::on_recv(joining_, [&](auto s) { all.push_back(*std::move(s)); }),
                         rota::on_recv(messages_, publish_to_all),
                         rota::on_recv(questions_, [&](auto answer) { answer->send(missed); }),
                         rota::on_recv(over_, [&] { open = false; }));
        }
        for (const subscription& s : all) s.close();
    }

    rota::chan<subscription> joining_ = rota::make_chan<subscription>();
    rota::chan<std::string> messages_ = rota::make_chan<std::string>();
    rota::chan<rota::chan<int>> questions_ = rota::make_chan<rota::chan<int>>();
    rota::chan<rota::unit> over_ = rota::make_chan<rota::unit>();
    rota::wait_group owner_;  // last member: it runs before the constructor ends
};

int broadcast() {
    constexpr int readers = 3;
    constexpr int messages = 100;
    std::array<int, readers> got{};
    rota::wait_group reading;
    int missed = 0;
    {
        hub news;
        for (int& count : got) {
            reading.go([&count, mine = news.subscribe(messages)] {
                for ([[maybe_unused]] const std::string& message : mine) ++count;
            });
        }
        const auto sleeper = news.subscribe(4);
        for (int i = 0; i < messages; ++i) news.publish("message " + std::to_string(i));
        missed = news.missed();
        std::printf("the sleeper's oldest: %s\n", sleeper.recv().value().c_str());
    }  // the hub closes the channels of its subscribers
    reading.wait();

    const bool all = std::all_of(got.begin(), got.end(), [](int n) { return n == messages; });
    if (!all) return 1;
    std::printf("each of %d readers got %d messages; the sleeper missed %d\n", readers, messages,
                missed);
    return 0;
}

}  // namespace

int main() { return rota::run(broadcast); }
