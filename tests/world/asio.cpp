// Boost.Asio: an echo over a pair of sockets in an io_context of each worker, run by the worker.
//
// The second row's handler waits inside of `run`, which keeps a record of the thread that is in it:
// the goroutine must go on on the same thread, and no other may run there. A pin holds both. With
// the argument `unpinned` it is left out, and the program crashes or hangs.
#include "world.hpp"

#include <array>
#include <boost/asio.hpp>

namespace asio = boost::asio;

namespace {

enum class handler { quick, waits, waits_unpinned };

template <handler How>
class echo : public world::client {
  public:
    explicit echo(int index) : index_(index) { asio::local::connect_pair(here_, there_); }

    long op() override {
        const std::array<int, 2> sent{index_, ++next_};
        std::array<int, 2> got{};
        int handled = 0;
        asio::async_read(there_, asio::buffer(got), [&](const auto& error, std::size_t n) {
            if (error || n != sizeof got) return;
            if (How != handler::quick) rota::sleep_for(std::chrono::microseconds(200));
            ++handled;
        });
        asio::async_write(here_, asio::buffer(sent), [&](const auto& error, std::size_t) {
            if (!error) ++handled;
        });
        run();
        world::require(handled == 2, "a handler that did not run");
        world::require(got == sent, "the bytes of another worker");
        return 1;
    }

  private:
    void run() {
        io_.restart();
        if constexpr (How == handler::waits) {
            const rota::runtime::pin here;
            io_.run();
        } else {
            io_.run();
        }
    }

    asio::io_context io_;
    asio::local::stream_protocol::socket here_{io_}, there_{io_};
    const int index_;
    int next_ = 0;
};

}  // namespace

int main(int argc, char**) {
    if (argc > 1)
        return world::measure("Asio, unpinned", {.workers = 50, .announced = false},
                              world::each<echo<handler::waits_unpinned>>());
    const int quick =
        world::measure("Boost.Asio", {.workers = 100}, world::each<echo<handler::quick>>());
    return world::measure("Asio, handler waits", {.workers = 50, .announced = false},
                          world::each<echo<handler::waits>>()) |
           quick;
}
