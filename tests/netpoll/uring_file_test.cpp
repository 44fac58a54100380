// Checks calls on files by the ring, each with a poller of its own: their results, the moment from
// which the caller owns the bytes again, and a ring with too little room.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "netpoll/file_request.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/call/clock.hpp"
#include "sys/proc/thread_list.hpp"
#include "sys/thread/thread.hpp"

#include "../refusing.hpp"
#include "rings.hpp"

namespace {

using namespace rota::rt;
using act = io_file_call::act;

using rota_test::ring;
using rota_test::tiny_ring;

// A file that is removed at the end.
struct file_of_ring {
    char path[32] = "/tmp/rota-test-ring-XXXXXX";
    int number = ::mkostemp(path, O_CLOEXEC);
    file_of_ring() {
        if (number < 0) std::abort();
    }
    ~file_of_ring() {
        ::close(number);
        ::unlink(path);
    }
    file_of_ring(const file_of_ring&) = delete;
    file_of_ring& operator=(const file_of_ring&) = delete;
};

// A call, and the record to which its end is reported.
struct asked_call {
    poll_desc* place = nullptr;
    file_request request;

    asked_call() {
        const runtime_entry inside;
        place = poll_desc_new();
    }
    ~asked_call() {
        const runtime_entry inside;
        poll_desc_free(*place);
    }
    asked_call(const asked_call&) = delete;
    asked_call& operator=(const asked_call&) = delete;

    void ask(uring_backend& b, const io_file_call& call) {
        request.tag = place->tag();
        request.call = call;
        b.ask(request);
    }
    bool is_done() const { return request.is_done.load(memory_order_acquire); }
};

constexpr std::int64_t end_by_ns = 20'000'000'000;

// Looks until the end is reported; true if the call is done by then.
bool is_told(uring_backend& b, const asked_call& call) {
    const runtime_entry inside;
    const std::int64_t until = nanotime() + end_by_ns;
    while (nanotime() < until) {
        poll_event events[poll_events_max];
        const int n = b.wait(1'000'000, events);
        for (int i = 0; i < n; ++i) {
            if (events[i].tag == call.request.tag) return events[i].read && call.is_done();
        }
    }
    return false;
}

std::int64_t result_of(uring_backend& b, const io_file_call& call) {
    asked_call one;
    one.ask(b, call);
    EXPECT_TRUE(is_told(b, one));
    return one.request.result;
}

std::int64_t write_at(uring_backend& b, int fd, std::string text, std::int64_t offset) {
    return result_of(b, {act::write, true, fd, text.data(), text.size(), offset});
}

std::string read_at(uring_backend& b, int fd, std::size_t size, std::int64_t offset, bool worker) {
    std::string text(size, '?');
    const std::int64_t n = result_of(b, {act::read, worker, fd, text.data(), size, offset});
    if (n < 0) return "error " + std::to_string(-n);
    text.resize(static_cast<std::size_t>(n));
    return text;
}

TEST(uring_file, is_read_and_written_as_by_the_calls_themselves) {
    // The call could use other bytes, another place or another position.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    for (const bool worker : {false, true}) {
        const file_of_ring f;
        EXPECT_EQ(write_at(*b, f.number, "hello, world", 0), 12);
        EXPECT_EQ(::lseek(f.number, 0, SEEK_CUR), 0) << "a place of its own moves no position";
        EXPECT_EQ(read_at(*b, f.number, 5, 7, worker), "world");
        EXPECT_EQ(read_at(*b, f.number, 100, 7, worker), "world") << "up to the end";
        EXPECT_EQ(read_at(*b, f.number, 100, 12, worker), "");
        EXPECT_EQ(read_at(*b, f.number, 5, -1, worker), "hello");
        EXPECT_EQ(::lseek(f.number, 0, SEEK_CUR), 5);
        EXPECT_EQ(write_at(*b, f.number, "!!", -1), 2);
        EXPECT_EQ(::lseek(f.number, 0, SEEK_CUR), 7);
        EXPECT_EQ(read_at(*b, f.number, 100, 0, worker), "hello!!world");
        EXPECT_EQ(result_of(*b, {act::sync, true, f.number, nullptr, 0, 0}), 0);
        ASSERT_EQ(::fcntl(f.number, F_SETFL, O_APPEND), 0);
        EXPECT_EQ(write_at(*b, f.number, "?", 0), 1) << "as pwrite does there";
        EXPECT_EQ(write_at(*b, f.number, "?", -1), 1);
        EXPECT_EQ(read_at(*b, f.number, 100, 12, worker), "??");
    }
}

TEST(uring_file, refusals_are_those_of_the_calls) {
    uring_backend* const b = ring();
    if (b == nullptr) return;
    const int gone = ::dup(0);
    ::close(gone);
    char byte = 0;
    EXPECT_EQ(result_of(*b, {act::read, false, gone, &byte, 1, 0}), -EBADF);
    EXPECT_EQ(result_of(*b, {act::sync, true, gone, nullptr, 0, 0}), -EBADF);
    const int directory = ::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    EXPECT_EQ(result_of(*b, {act::read, false, directory, &byte, 1, 0}), -EISDIR);
    EXPECT_EQ(result_of(*b, {act::write, true, directory, &byte, 1, 0}), -EBADF);
    ::close(directory);
    const file_of_ring f;
    ASSERT_EQ(::pwrite(f.number, "x", 1, 0), 1);
    EXPECT_EQ(result_of(*b, {act::read, false, f.number, nullptr, 1, 0}), -EFAULT);
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(result_of(*b, {act::write, true, full, &byte, 1, 0}), -ENOSPC);
    ::close(full);
}

TEST(uring_file, is_not_done_before_the_bytes_are_there) {
    // A caller that goes on too early reads bytes that are not there, and gives away memory to
    // which the kernel still writes. A pipe stands for the slow disk.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    for (int i = 0; i < 50; ++i) {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        char bytes[4] = {};
        asked_call slow, quick;
        slow.ask(*b, {act::read, i % 2 == 0, ends[0], bytes, sizeof bytes, -1});
        const file_of_ring f;
        quick.ask(*b, {act::sync, true, f.number, nullptr, 0, 0});
        ASSERT_TRUE(is_told(*b, quick)) << "a slow one holds up the others";
        ASSERT_FALSE(slow.is_done());
        ASSERT_EQ(::write(ends[1], "abcd", 4), 4);
        ASSERT_TRUE(is_told(*b, slow));
        ASSERT_EQ(slow.request.result, 4);
        ASSERT_EQ(std::string(bytes, 4), "abcd");
        ::close(ends[0]);
        ::close(ends[1]);
    }
}

TEST(uring_file, with_too_little_room_makes_every_call) {
    // A full queue could lose a call, or its end, and its caller would wait for ever.
    uring_backend* const b = tiny_ring();
    if (b == nullptr) return;
    const file_of_ring f;
    constexpr std::size_t threads = 4, each = 100;
    std::vector<std::unique_ptr<asked_call>> calls;
    for (std::size_t i = 0; i < threads * each; ++i)
        calls.push_back(std::make_unique<asked_call>());
    std::vector<std::uint64_t> numbers(calls.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 0x9E3779B97F4A7C15;
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
            for (std::size_t i = t * each; i < (t + 1) * each; ++i)
                calls[i]->ask(*b, {act::write, i % 2 == 0, f.number, &numbers[i], sizeof numbers[i],
                                   static_cast<std::int64_t>(8 * i)});
        });
    }
    for (std::thread& t : all) t.join();
    // Takes the last letter too: its record will be used with another ring.
    const std::int64_t until = nanotime() + end_by_ns;
    std::set<std::uint64_t> missing;
    for (const auto& c : calls) missing.insert(c->request.tag);
    while (!missing.empty() && nanotime() < until) {
        const runtime_entry inside;
        poll_event events[poll_events_max];
        const int n = b->wait(1'000'000, events);
        for (int i = 0; i < n; ++i) missing.erase(events[i].tag);
    }
    ASSERT_EQ(missing.size(), 0U);
    for (const auto& c : calls) {
        EXPECT_TRUE(c->is_done());
        EXPECT_EQ(c->request.result, 8);
    }
    std::vector<std::uint64_t> got(numbers.size());
    ASSERT_EQ(::pread(f.number, got.data(), 8 * got.size(), 0),
              static_cast<ssize_t>(8 * got.size()));
    EXPECT_EQ(got, numbers);
}

TEST(kb38_uring_file, workers_of_the_kernel_are_told_from_threads_of_the_program) {
    // The kernel's workers stay when their work is done. A thread that the runtime does not know
    // hides every deadlock, and cannot be held.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    const file_of_ring f;
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(result_of(*b, {act::sync, true, f.number, nullptr, 0, 0}), 0);
    int workers = 0;
    ASSERT_TRUE(for_each_thread([&](int tid) {
        workers += is_worker_of_ring(tid) ? 1 : 0;
        return true;
    }));
    EXPECT_GT(workers, 0);
    EXPECT_FALSE(is_worker_of_ring(current_thread_id()));
    EXPECT_FALSE(is_worker_of_ring(b->watcher()));
}

#if defined(ROTA_DEBUG_CHECKS)

TEST(uring_file, refusals_can_be_planted) {
    // fd/regular_test needs answers that the kernel hardly ever gives, so a test must be able to
    // plant them.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    const file_of_ring f;
    {
        const rota_test::refusing now(sys_call::ring_file, ECANCELED);
        EXPECT_EQ(write_at(*b, f.number, "abc", 0), -ECANCELED);
    }
    const rota_test::refusing now(sys_call::ring_file, -2);
    EXPECT_EQ(write_at(*b, f.number, "abc", 0), 2);
}

#endif

}  // namespace
