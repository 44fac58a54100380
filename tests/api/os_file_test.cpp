// Files, pipes and terminals as programs see them: written bytes are read, waits end, and errors
// are correct.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <random>

#include <sys/stat.h>

#include "no_descriptors.hpp"
#include "os_support.hpp"

using namespace rota_test;
using namespace std::chrono_literals;
using rota::net::net_errc;

TEST_ANYWHERE(os_file, keeps_what_is_written) {
    // Bytes could be lost, or land in the wrong place.
    const scratch dir;
    const os::file f = os::file::open(dir / "a", O_RDWR | O_CREAT, 0600);
    EXPECT_TRUE(f);
    EXPECT_EQ(f.name(), dir / "a");
    EXPECT_EQ(f.write("hello, world"), 12U);
    EXPECT_EQ(f.size(), 12);
    EXPECT_EQ(f.seek(7, SEEK_SET), 7);
    EXPECT_EQ(read_some(f), "world");
    EXPECT_EQ(read_some(f), "");
    EXPECT_EQ(f.seek(-5, SEEK_END), 7);
    EXPECT_EQ(f.pwrite("W", 7), 1U);
    EXPECT_EQ(f.seek(0, SEEK_CUR), 7);
    char five[5];
    EXPECT_EQ(f.pread(std::as_writable_bytes(std::span(five)), 7), 5U);
    EXPECT_EQ(std::string_view(five, 5), "World");
    f.truncate(5);
    f.sync();
    struct stat status{};
    f.stat(status);
    EXPECT_EQ(status.st_size, 5);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    f.close();
    EXPECT_EQ(os::read_file(dir / "a"), "hello");
}

TEST_ANYWHERE(os_open_beneath, opens_what_lies_below_and_nothing_else) {
    // A name chosen by a stranger could lead to any file.
    const scratch dir;
    std::filesystem::create_directories(dir / "top/sub");
    os::write_file(dir / "secret", "no");
    os::write_file(dir / "top/sub/f", "yes");
    std::filesystem::create_symlink("../secret", dir / "top/out");
    std::filesystem::create_symlink("sub/f", dir / "top/in");
    const std::string top = dir / "top";
    for (const char* const path : {"sub/f", "in", "sub/../sub/f"})
        EXPECT_EQ(os::open_beneath(top, path).read_all(), "yes") << path;
    std::error_code error;
    for (const char* const path : {"../secret", "out", "sub/../../secret", "/etc/passwd"}) {
        EXPECT_FALSE(os::open_beneath(top, path, O_RDONLY, 0, error)) << path;
        EXPECT_EQ(error, std::errc::cross_device_link) << path << ": " << error.message();
        EXPECT_FALSE(os::open_beneath(top, path, O_WRONLY | O_TRUNC | O_CREAT, 0600, error))
            << path;
    }
    const os::file made = os::open_beneath(top, "sub/new", O_RDWR | O_CREAT | O_EXCL, 0640, error);
    ASSERT_FALSE(error) << error.message();
    struct stat status{};
    made.stat(status);
    EXPECT_EQ(status.st_mode & 0777, 0640U);
    EXPECT_EQ(os::read_file(dir / "secret"), "no");
    (void)os::open_beneath(top, "none", O_RDONLY, 0, error);
    EXPECT_EQ(error, std::errc::no_such_file_or_directory);
    (void)os::open_beneath(dir / "none", "f", O_RDONLY, 0, error);
    EXPECT_EQ(error, std::errc::no_such_file_or_directory);
    (void)os::open_beneath(top, std::string("sub/f\0x", 7), O_RDONLY, 0, error);
    EXPECT_EQ(error, std::errc::invalid_argument);
    try {
        (void)os::open_beneath(top, "../secret");
        ADD_FAILURE() << "opened";
    } catch (const std::system_error& e) {
        EXPECT_NE(std::string(e.what()).find("../secret"), std::string::npos) << e.what();
    }
    std::filesystem::remove_all(top);
}

TEST_ANYWHERE(os_file, is_read_and_written_whole) {
    // A file longer than a piece could be cut; a file without a length (/proc) could look empty.
    const scratch dir;
    std::string text(3'000'017, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 >> 7);
    os::write_file(dir / "a", text);
    EXPECT_TRUE(os::read_file(dir / "a") == text);
    os::write_file(dir / "a", "short");
    EXPECT_EQ(os::read_file(std::filesystem::path(dir.path()) / "a"), "short");
    os::write_file(dir / "secret", "x", 0400);
    struct stat status{};
    os::file::open(dir / "secret").stat(status);
    EXPECT_EQ(status.st_mode & 0777, 0400U);
    EXPECT_NE(os::read_file("/proc/self/status").find("Name:"), std::string::npos);
}

TEST_ANYWHERE(os_file, does_as_a_string_would) {
    // In a random order of reads, writes, moves and cuts, each could take the wrong bytes, or leave
    // a wrong position to the next.
    const scratch dir;
    const os::file f = os::file::open(dir / "a", O_RDWR | O_CREAT, 0600);
    std::string model;
    std::size_t at = 0;
    std::minstd_rand draw(4711);
    const auto below = [&](std::size_t n) { return std::size_t{draw()} % n; };
    const auto put = [&](std::size_t place, const std::string& text) {
        model.resize(std::max(model.size(), place + text.size()));
        model.replace(place, text.size(), text);
    };
    std::string buffer;
    for (int i = 0; i < 2000; ++i) {
        const std::size_t size = below(4) == 0 ? below(200'000) : below(300);
        const std::size_t place = below(model.size() + 100);
        const std::string text(size, static_cast<char>('a' + i % 26));
        buffer.assign(size, '?');
        const auto room = std::as_writable_bytes(std::span(buffer));
        switch (below(6)) {
            case 0:
                ASSERT_EQ(f.write(text), size);
                if (size > 0) put(at, text);
                at += size;
                break;
            case 1:
                ASSERT_EQ(f.pwrite(text, static_cast<std::int64_t>(place)), size);
                if (size > 0) put(place, text);
                break;
            case 2:
                buffer.resize(f.read(room));
                ASSERT_TRUE(buffer == (at < model.size() ? model.substr(at, size) : "")) << i;
                at += buffer.size();
                break;
            case 3:
                buffer.resize(f.pread(room, static_cast<std::int64_t>(place)));
                ASSERT_TRUE(buffer == (place < model.size() ? model.substr(place, size) : "")) << i;
                break;
            case 4:
                ASSERT_EQ(f.seek(static_cast<std::int64_t>(place), SEEK_SET),
                          static_cast<std::int64_t>(place));
                at = place;
                break;
            default:
                if (model.size() < 500'000) break;
                f.truncate(static_cast<std::int64_t>(place));
                model.resize(place);
                break;
        }
        ASSERT_EQ(f.size(), static_cast<std::int64_t>(model.size())) << i;
    }
    f.sync();
    EXPECT_EQ(f.seek(0, SEEK_CUR), static_cast<std::int64_t>(at));
    EXPECT_TRUE(os::read_file(dir / "a") == model);
    std::error_code error;
    std::byte one[1];
    EXPECT_EQ(f.pread(one, -1, error), 0U);
    EXPECT_EQ(error, std::errc::invalid_argument);
    EXPECT_EQ(f.pwrite("x", -1, error), 0U);
    EXPECT_EQ(error, std::errc::invalid_argument);
}

TEST_ANYWHERE(os_file, is_read_and_written_by_many_at_once) {
    // At one position each takes bytes that no other goroutine has; at places of their own they do
    // not meet; appended blocks stay whole.
    const scratch dir;
    constexpr std::size_t block = 10'000, blocks = 300;
    std::string text;
    for (std::size_t i = 0; i < blocks; ++i) text.append(block, static_cast<char>(i % 251));
    os::write_file(dir / "a", text);
    const os::file from = os::file::open(dir / "a");
    const os::file to = os::file::open(dir / "b", O_WRONLY | O_CREAT, 0600);
    const os::file log = os::file::open(dir / "c", O_WRONLY | O_APPEND | O_CREAT, 0600);
    std::atomic<std::size_t> read{0};
    rota::wait_group all;
    for (int i = 0; i < 16; ++i) {
        all.go([&] {
            std::string mine(block, '?');
            for (;;) {
                const auto bytes = std::as_writable_bytes(std::span(mine));
                const std::size_t n = from.read(bytes);
                if (n == 0) return;
                if (n != block || mine.find_first_not_of(mine[0]) != std::string::npos) break;
                const std::size_t k = read++;
                to.pwrite(bytes, static_cast<std::int64_t>(k * block));
                log.write(mine);
            }
            ADD_FAILURE() << "a piece of two blocks";
        });
    }
    all.wait();
    EXPECT_EQ(read, blocks);
    for (const char* const name : {"b", "c"}) {
        const std::string got = os::read_file(dir / name);
        ASSERT_EQ(got.size(), text.size());
        std::array<int, 251> seen{};
        for (std::size_t i = 0; i < got.size(); i += block) {
            ++seen[static_cast<unsigned char>(got[i])];
            ASSERT_GE(got.find_first_not_of(got[i], i), i + block) << name;
        }
        for (std::size_t i = 0; i < seen.size(); ++i)
            EXPECT_EQ(seen[i], i < blocks - 251 ? 2 : 1) << name;
    }
}

TEST_ANYWHERE(os_file, that_is_not_there_says_so_by_its_name) {
    // The two forms of a call could report different errors.
    std::error_code error;
    EXPECT_FALSE(os::file::open("/nowhere/at/all", O_RDONLY, error));
    EXPECT_EQ(error, std::errc::no_such_file_or_directory);
    EXPECT_EQ(os::read_file("/nowhere/at/all", error), "");
    EXPECT_EQ(error, std::errc::no_such_file_or_directory);
    os::write_file("/nowhere/at/all", "x", error);
    EXPECT_EQ(error, std::errc::no_such_file_or_directory);
    try {
        os::file::open("/nowhere/at/all");
        ADD_FAILURE() << "it has been opened";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
        EXPECT_NE(std::string(e.what()).find("/nowhere/at/all"), std::string::npos) << e.what();
    }
    using namespace std::string_view_literals;
    EXPECT_FALSE(os::file::open("/dev/null\0x"sv, O_RDONLY, error));
    EXPECT_EQ(error, std::errc::invalid_argument);
    EXPECT_THROW(os::read_file("/tmp"), std::system_error);
    EXPECT_THROW(os::write_file("/dev/full", "x"), std::system_error);  // ENOSPC
    os::write_file("/dev/full", "x", error);
    EXPECT_EQ(error, std::errc::no_space_on_device);
}

TEST_ANYWHERE(os_file, that_is_closed_fails_every_call) {
    // A call on a number that has been reused would read or write another file.
    const os::file none;
    const os::file f = os::file::open("/dev/zero", O_RDWR);
    const os::file copy = f;
    EXPECT_EQ(copy, f);
    f.close();
    f.close();
    none.close();
    EXPECT_EQ(f.fd(), -1);
    for (const os::file& each : {none, f, copy}) {
        std::error_code error;
        std::byte buffer[4];
        EXPECT_EQ(each.read(buffer, error), 0U);
        EXPECT_EQ(error, net_errc::closed);
        EXPECT_EQ(each.write("x", error), 0U);
        EXPECT_EQ(error, net_errc::closed);
        (void)each.pread(buffer, 0, error);
        EXPECT_EQ(error, net_errc::closed);
        (void)each.pwrite("x", 0, error);
        EXPECT_EQ(error, net_errc::closed);
        (void)each.seek(0, SEEK_SET, error);
        EXPECT_EQ(error, net_errc::closed);
        (void)each.size(error);
        EXPECT_EQ(error, net_errc::closed);
        each.sync(error);
        EXPECT_EQ(error, net_errc::closed);
        each.truncate(0, error);
        EXPECT_EQ(error, net_errc::closed);
        each.set_deadline(rota::clock::now(), error);
        EXPECT_EQ(error, net_errc::closed);
    }
}

TEST_ANYWHERE(os_file, is_closed_by_its_last_handle_and_never_inherited) {
    // A descriptor could stay open for ever, or leak into other programs.
    const int before = open_descriptors();
    {
        const os::file f = os::file::open("/dev/null", O_RDWR);
        auto [reader, writer] = os::pipe();
        os::file copy = f;
        copy = reader;
        for (const os::file& each : {f, reader, writer}) {
            EXPECT_EQ(::fcntl(each.fd(), F_GETFD), FD_CLOEXEC);
        }
        EXPECT_EQ(open_descriptors(), before + 3);
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST_ANYWHERE(os_file, has_no_deadline_where_nobody_polls) {
    std::error_code error;
    const os::file f = os::file::open("/dev/null");
    f.set_deadline(rota::clock::now(), error);
    EXPECT_EQ(error, std::errc::operation_not_supported);
    EXPECT_THROW(f.set_read_deadline(rota::clock::now()), std::system_error);
}

TEST_ANYWHERE(os_pipe, carries_bytes_and_ends) {
    // A reader could miss the end, or a byte; a writer could stop after a part.
    auto [reader, writer] = os::pipe();
    EXPECT_EQ(writer.write("hello"), 5U);
    EXPECT_EQ(read_some(reader), "hello");
    static constexpr std::size_t size = 1 << 20;
    rota::wait_group write;
    write.go([w = std::move(writer)] {
        EXPECT_EQ(w.write(std::string(size, 'x')), size);
        w.close();
    });
    EXPECT_TRUE(reader.read_all() == std::string(size, 'x'));
    EXPECT_EQ(read_some(reader), "");
    write.wait();
}

TEST_ANYWHERE(os_pipe, whose_reader_is_gone_gives_an_error_and_no_signal) {
    // SIGPIPE would end this process.
    auto [reader, writer] = os::pipe();
    reader.close();
    std::error_code error;
    EXPECT_EQ(writer.write("x", error), 0U);
    EXPECT_EQ(error, std::errc::broken_pipe);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST_ANYWHERE(os_pipe, that_is_adopted_while_it_blocks_raises_no_signal_either) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const os::file reader = os::file::from_fd(ends[0]), writer = os::file::from_fd(ends[1], "w");
    EXPECT_EQ(writer.name(), "w");
    writer.write("hello");
    EXPECT_EQ(read_some(reader), "hello");
    EXPECT_EQ(::fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
    reader.close();
    std::error_code error;
    (void)writer.write("x", error);
    EXPECT_EQ(error, std::errc::broken_pipe);
    EXPECT_FALSE(os::file::from_fd(ends[0], "", error));
    EXPECT_EQ(error, std::errc::bad_file_descriptor);
}

TEST_ANYWHERE(kb34_os_pipe, close_wakes_who_waits_in_either_direction) {
    // A close could wait for a reader that is never woken, or free the number under it.
    auto [reader, writer] = os::pipe();
    auto [other_reader, full] = os::pipe();
    std::atomic<int> closed{0};
    rota::wait_group waiting;
    for (int i = 0; i < 3; ++i) {
        waiting.go([&, r = reader] { closed += read_error(r) == net_errc::closed ? 1 : 0; });
        waiting.go([&, w = full] {
            std::error_code error;
            (void)w.write(std::string(1 << 20, 'x'), error);
            closed += error == net_errc::closed ? 1 : 0;
        });
    }
    EXPECT_TRUE(eventually([] { return somebody_is_in("IO wait"); })) << scheduler_state();
    reader.close();
    full.close();
    waiting.wait();
    EXPECT_EQ(closed, 6);
}

TEST_ANYWHERE(os_pipe, deadline_ends_a_wait_and_can_be_taken_back) {
    auto [reader, writer] = os::pipe();
    reader.set_read_deadline(rota::clock::now() + 5ms);
    EXPECT_EQ(read_error(reader), std::errc::timed_out);
    EXPECT_EQ(read_error(reader), std::errc::timed_out);
    reader.set_deadline({});
    writer.write("x");
    EXPECT_EQ(read_some(reader), "x");
    writer.set_write_deadline(rota::clock::now() + 5ms);
    std::error_code error;
    (void)writer.write(std::string(1 << 20, 'x'), error);
    EXPECT_EQ(error, std::errc::timed_out);
}

TEST_ANYWHERE(os_fifo, opens_when_the_other_side_comes_and_keeps_nobody_waiting) {
    // An open that blocks could keep the processor: with one processor the other side would never
    // run.
    const scratch dir;
    ASSERT_EQ(::mkfifo((dir / "f").c_str(), 0600), 0);
    rota::wait_group other;
    other.go([&] {
        const os::file w = os::file::open(dir / "f", O_WRONLY);
        w.write("by name");
    });
    const os::file r = os::file::open(dir / "f", O_RDONLY);
    EXPECT_EQ(r.read_all(), "by name");
    other.wait();
    r.set_read_deadline(rota::clock::now() + 10s);  // works only if the file is polled
}

TEST_ANYWHERE(os_tty, waits_in_the_poller) {
    // A terminal that is read as a file would keep a thread, and could not be closed.
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) {
        std::puts("no terminals here: this test shows nothing");
        if (master >= 0) ::close(master);
        return;
    }
    const os::file tty = os::file::open(::ptsname(master), O_RDWR | O_NOCTTY);
    const os::file screen = os::file::from_fd(master);
    rota::wait_group reader;
    reader.go([&] { EXPECT_EQ(read_some(tty), "typed\n"); });
    screen.write("typed\n");
    reader.wait();
    reader.go([&] { EXPECT_EQ(read_error(tty), net_errc::closed); });
    EXPECT_TRUE(eventually([] { return somebody_is_in("IO wait"); }));
    tty.close();
    reader.wait();
}

TEST(os_file, that_blocks_lets_others_run) {
    // A read handed to the kernel must not keep the processor (kb07): with GOMAXPROCS=1 the writer
    // would never come.
    rota::run([] {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        const os::file reader = os::file::from_fd(ends[0]), writer = os::file::from_fd(ends[1]);
        rota::wait_group other;
        other.go([&] { writer.write("x"); });
        EXPECT_EQ(read_some(reader), "x");
        other.wait();
    });
}

TEST_ANYWHERE(kb36_os_file, without_descriptors_every_call_says_so_and_recovers) {
    // The last descriptor is gone: a call could spin, leak descriptors that it has, or end the
    // process.
    {
        const auto poller = os::pipe();
    }  // opens the poller's own descriptors
    const int in_use = open_descriptors();
    std::error_code error;
    {
        // Made before: UBSan opens a pipe to check whether it can read an object of a class new to
        // it.
        os::command c({"/bin/true"});
        const no_descriptors none;
        EXPECT_FALSE(os::file::open("/dev/null", O_RDONLY, error));
        EXPECT_EQ(error, std::errc::too_many_files_open);
        EXPECT_FALSE(os::pipe(error).first);
        EXPECT_EQ(error, std::errc::too_many_files_open);
        c.start(error);
        EXPECT_EQ(error, std::errc::too_many_files_open);
    }
    EXPECT_TRUE(os::file::open("/dev/null", O_RDONLY, error));
    EXPECT_FALSE(error);
    EXPECT_EQ(open_descriptors(), in_use);
}
