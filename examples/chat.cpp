// A chat room: every client hears each message. Three goroutines meet for each client, and no lock.
//
//     chat                 opens a room, lets three clients talk in it, and closes it
//     chat ADDRESS         opens a room there (":7000") until it is killed: `nc localhost 7000`
//
// The room is a goroutine that owns the list of members; joining, leaving and speaking are messages
// to it. Each client has two goroutines. The first reads lines and sends them to the room; the
// second takes the room's texts for the client from a channel and writes them. That channel is the
// bound: a client that does not read fills its own channel, loses its place in the room, and delays
// no other client.
//
// What to see: every client hears every other client, also that a client has left.
// Last line: the room is empty: 3 came, 3 went
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <rota/rota.hpp>
#include <string>

namespace {

using rota::chan;
using rota::make_chan;
namespace net = rota::net;

using mailbox = chan<std::string>;  // texts for one member

struct event {
    enum kind { joins, says, leaves } what;
    mailbox from;
    std::string text;  // for `joins` the name of the new member
};

class room {
  public:
    room() : events_(make_chan<event>(64)) {}

    // Runs in the goroutine that owns the members, until the channel of events is closed.
    void keep() {
        std::map<std::string, mailbox> members;
        int came = 0, went = 0;
        const auto name_of = [&](const mailbox& m) {
            const auto found = std::find_if(members.begin(), members.end(),
                                            [&](const auto& each) { return each.second == m; });
            return found == members.end() ? std::string() : found->first;
        };
        const auto tell_all = [&](const std::string& text) {
            for (auto at = members.begin(); at != members.end();) {
                const bool keeps_up = at->second.try_send(text) == rota::chan_status::ok;
                if (!keeps_up) at->second.close(), ++went;
                at = keeps_up ? std::next(at) : members.erase(at);
            }
        };
        for (event e : events_) {
            std::string name = name_of(e.from);
            if (e.what == event::joins) {
                name = e.text;
                while (members.contains(name)) name += '_';
                members.emplace(name, e.from);
                ++came;
                tell_all(name + " has come\n");
            } else if (!name.empty() && e.what == event::says) {
                tell_all(name + ": " + e.text + "\n");
            } else if (!name.empty()) {
                members.erase(name);
                e.from.close();
                ++went;
                tell_all(name + " has gone\n");
            }
        }
        std::printf("the room is empty: %d came, %d went\n", came, went);
    }

    // Serves a client to its end: the first line is its name.
    void receive(const net::conn& c) const {
        const mailbox box = make_chan<std::string>(32);
        rota::wait_group writer;
        writer.go([&] {
            std::error_code error;
            for (const std::string& text : box) c.write(text, error);
            c.close(error);  // the room has dropped the client: its reader sees the close
        });
        auto what = event::joins;
        std::string line;
        std::array<std::byte, 512> part;
        std::error_code error;
        while (const std::size_t n = c.read(part, error)) {
            line.append(reinterpret_cast<const char*>(part.data()), n);
            for (std::size_t end; (end = line.find('\n')) != line.npos; line.erase(0, end + 1)) {
                events_.send({what, box, line.substr(0, end)});
                what = event::says;
            }
            if (line.size() > 4096) break;  // no line is that long
        }
        if (what == event::joins) box.close();
        else events_.send({event::leaves, box, ""});
        writer.wait();
    }

    void close() const { events_.close(); }

  private:
    chan<event> events_;
};

void serve(const net::listener& l, const room& r) {
    rota::wait_group clients;
    for (;;) {
        std::error_code error;
        const net::conn c = l.accept(error);
        if (error == net::net_errc::closed) break;
        // perhaps no descriptors are left
        if (error) rota::sleep_for(std::chrono::milliseconds(50));
        else clients.go([&r, c] { r.receive(c); });
    }
    clients.wait();
}

// Reads until the client has heard `wanted`.
void hear(const net::conn& c, std::string& heard, std::string_view wanted) {
    std::array<std::byte, 512> part;
    while (heard.find(wanted) == heard.npos) {
        const std::size_t n = c.read(part);
        if (n == 0) return;
        heard.append(reinterpret_cast<const char*>(part.data()), n);
    }
}

void demonstrate() {
    room r;
    const net::listener l = net::listen("tcp", "127.0.0.1:0");
    rota::wait_group keeper, server;
    keeper.go([&] { r.keep(); });
    server.go([&] { serve(l, r); });

    const auto join = [&](std::string_view name) {
        const net::conn c = net::dial("tcp", l.addr().to_string());
        c.write(std::string(name) + "\n");
        return c;
    };
    std::string by_ann, by_bob, by_cy;
    const net::conn ann = join("ann");
    hear(ann, by_ann, "ann has come");
    const net::conn bob = join("bob");
    hear(ann, by_ann, "bob has come");
    const net::conn cy = join("cy");
    hear(bob, by_bob, "cy has come");
    bob.write("hello, all\n");
    hear(cy, by_cy, "bob: hello, all\n");
    bob.close();
    hear(ann, by_ann, "bob has gone\n");
    std::printf("what ann has heard:\n%s", by_ann.c_str());
    ann.close();
    cy.close();
    l.close();
    server.wait();
    r.close();
    keeper.wait();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        rota::run([&] {
            if (argc < 2) return demonstrate();
            room r;
            const net::listener l = net::listen("tcp", argv[1]);
            std::printf("PORT %d\n", l.addr().port());
            std::fflush(stdout);
            rota::go([&] { r.keep(); });
            serve(l, r);
        });
    } catch (const std::exception& e) {
        std::fprintf(stderr, "chat: %s\n", e.what());
        return 1;
    }
    return 0;
}
