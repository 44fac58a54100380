// Input, output and programs, while signals come to every thread and threads come and go.
#include <array>
#include <atomic>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <unistd.h>
#include <rota/net.hpp>
#include <rota/os.hpp>

#include "../api/sockets.hpp"
#include "load.hpp"
#include "signal_storm.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

namespace os = rota::os;

// Back and forth, more than the kernel holds.
void echo_once(const ends& both, const std::string& text) {
    rota::wait_group writer;
    writer.go([&] { both.client.write(text); });
    EXPECT_TRUE(read_exactly(both.server, text.size()) == text);
    writer.wait();
    both.server.write("back");
    EXPECT_EQ(read_exactly(both.client, 4), "back");
}

void carry_once(const std::string& path, const std::string& text) {
    os::write_file(path, text);
    EXPECT_TRUE(os::read_file(path) == text);
    auto [reader, writer] = os::pipe();
    rota::wait_group write;
    write.go([&, w = std::move(writer)] { w.write(text); });
    EXPECT_TRUE(reader.read_all() == text);
    write.wait();
}

// Descriptors without O_CLOEXEC, and threads, that come and go.
struct restless {
    restless() {
        for (std::jthread& t : threads_) {
            t = std::jthread([](const std::stop_token& end) {
                while (!end.stop_requested()) {
                    const int leaky = ::open("/dev/null", O_RDONLY);
                    std::thread([] {}).join();
                    rota::run([] { rota::blocking([] {}); });
                    ::close(leaky);
                }
            });
        }
    }

  private:
    std::array<std::jthread, 2> threads_;
};

}  // namespace

TEST(kb42_io_signals, are_invisible_to_sockets_files_and_programs) {
    // A call that is interrupted could fail, end early, or be made twice: SIGURG and SIGCHLD come
    // to each thread every 100 us. strace interrupts each call in `./dev test faults`.
    const std::string text(300'000, 's');
    const std::string path = "/tmp/rota-test-storm-" + std::to_string(::getpid());
    std::atomic<int> echoed{0}, carried{0}, ran{0};
    {
        const signal_storm storm(100us);
        rota::run([&] {
            const time_box box;
            rota::wait_group all;
            for (const char* const network : {"tcp", "unix"}) {
                all.go([&, network] {
                    do {
                        echo_once(connected(network), text);
                        ++echoed;
                    } while (box.open());
                });
            }
            all.go([&] {
                do {
                    carry_once(path, text);
                    ++carried;
                } while (box.open());
            });
            all.go([&] {
                do {
                    EXPECT_EQ(os::command({"echo", "said"}).output(), "said\n");
                    ++ran;
                } while (box.open());
            });
            all.wait();
        });
    }
    ::unlink(path.c_str());
    std::printf("%d echoes, %d files and pipes, %d programs\n", echoed.load(), carried.load(),
                ran.load());
}

TEST(kb43_spawn_storm, children_have_three_descriptors_while_threads_start) {
    // A thread that is just being made could be copied half; a descriptor that another has opened
    // between fork and exec, or without O_CLOEXEC, could stay in the child; starting could wait for
    // a signal that never comes, or fail for want of a thread.
    constexpr int spawners = 4;
    const int least = scaled(100);
    if (least != 100)
        std::puts("a tenth of the children: a sanitizer's process takes long to copy");
    std::atomic<int> children{0};
    const restless others;
    rota::run([&] {
        const time_box box;
        rota::wait_group all;
        for (int i = 0; i < spawners; ++i) {
            all.go([&] {
                // The fourth is the directory that ls reads.
                while (children.fetch_add(1) < least || box.open())
                    EXPECT_EQ(os::command({"ls", "/proc/self/fd"}).output(), "0\n1\n2\n3\n");
            });
        }
        all.wait();
    });
    std::printf("%d children\n", children.load());
}
