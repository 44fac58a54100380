// Checks the back end on io_uring, each with a poller of its own: the events that it reports, the
// moment at which it releases an open file, and refusals of the kernel.
#include "netpoll/uring.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/base/runtime_entry.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/fault.hpp"

#include "rings.hpp"

namespace {

using namespace rota::rt;

using rota_test::ring;
using rota_test::started;
using rota_test::tiny_ring;

struct descriptor_record {
    poll_desc* d = nullptr;
    descriptor_record() {
        const runtime_entry inside;
        d = poll_desc_new();
    }
    descriptor_record(const descriptor_record&) = delete;
    ~descriptor_record() {
        const runtime_entry inside;
        poll_desc_free(*d);
    }
};

struct socket_pair {
    int ends[2];
    explicit socket_pair(int type = SOCK_STREAM) {
        if (::socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    }
    socket_pair(const socket_pair&) = delete;
    ~socket_pair() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
};

// Looks until an event of this tag is reported, or for as long as a busy machine may need. Events
// of other tags go to `rest`.
bool is_told(uring_backend& b, std::uint64_t tag, poll_event& out,
             std::vector<poll_event>* rest = nullptr) {
    const runtime_entry inside;
    const std::int64_t until = nanotime() + 10'000'000'000;
    bool found = false;
    while (!found && nanotime() < until) {
        poll_event events[poll_events_max];
        const int n = b.wait(1'000'000, events);
        for (int i = 0; i < n; ++i) {
            if (events[i].tag == tag) {
                out = events[i];
                found = true;
            } else if (rest != nullptr) {
                rest->push_back(events[i]);
            }
        }
    }
    return found;
}

std::vector<poll_event> told_now(uring_backend& b) {
    const runtime_entry inside;
    poll_event events[poll_events_max];
    const int n = b.wait(0, events);
    return {events, events + n};
}

TEST(uring, tells_of_what_can_be_read_and_of_the_end) {
    // A change that is not reported leaves a goroutine waiting for ever.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    socket_pair s;
    const descriptor_record r;
    ASSERT_EQ(b->add(s.ends[0], r.d->tag()), 0);
    poll_event e;
    ASSERT_TRUE(is_told(*b, r.d->tag(), e)) << "that it can be written";
    EXPECT_TRUE(e.write && !e.read && !e.ended);
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(::write(s.ends[1], "x", 1), 1);
        ASSERT_TRUE(is_told(*b, r.d->tag(), e)) << "byte " << i;
        EXPECT_TRUE(e.read && !e.ended);
        EXPECT_TRUE(told_now(*b).empty()) << "told twice of one change";
    }
    ::shutdown(s.ends[1], SHUT_WR);
    ASSERT_TRUE(is_told(*b, r.d->tag(), e));
    EXPECT_TRUE(e.read && e.ended);
    EXPECT_EQ(b->remove(s.ends[0], r.d->tag()), 0);
}

TEST(uring, watches_whatever_epoll_does_and_refuses_what_it_does_not) {
    // The ring cannot watch an eventfd; no back end can watch a regular file.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    const descriptor_record r;
    const int counter = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    ASSERT_EQ(b->add(counter, r.d->tag()), 0);
    poll_event e;
    ASSERT_TRUE(is_told(*b, r.d->tag(), e));
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(::eventfd_write(counter, 1), 0);
        ASSERT_TRUE(is_told(*b, r.d->tag(), e)) << "change " << i;
        EXPECT_TRUE(e.read);
    }
    EXPECT_EQ(b->remove(counter, r.d->tag()), 0);
    ::close(counter);
    const int file = ::memfd_create("a file", MFD_CLOEXEC);
    EXPECT_EQ(b->add(file, r.d->tag()), -EPERM);
    ::close(file);
}

TEST(kb34_uring, removed_descriptor_is_let_go_of) {
    // The ring keeps the open file: a close that comes too early would not reach the peer.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    for (int i = 0; i < 300; ++i) {
        const descriptor_record r;
        socket_pair s;
        ASSERT_EQ(b->add(s.ends[0], r.d->tag()), 0);
        ASSERT_EQ(::write(s.ends[1], "x", 1), 1);
        if (i % 3 == 0) {
            poll_event e;
            ASSERT_TRUE(is_told(*b, r.d->tag(), e));
        }
        ASSERT_EQ(b->remove(s.ends[0], r.d->tag()), 0) << "round " << i;
        ::close(s.ends[0]);
        char byte;
        const auto n = ::recv(s.ends[1], &byte, 1, MSG_DONTWAIT);
        // Bytes that the closed end had not read cause a reset.
        ASSERT_TRUE(n < 0 && errno == ECONNRESET) << "round " << i << ": still open";
        s.ends[0] = ::dup(s.ends[1]);
    }
}

TEST(kb32_uring, removed_descriptor_is_told_of_no_more) {
    // The same number, and the same record, get a new user at once.
    uring_backend* const b = ring();
    if (b == nullptr) return;
    std::vector<std::uint64_t> over;
    for (int i = 0; i < 300; ++i) {
        socket_pair s;
        std::uint64_t tag = 0;
        {
            const descriptor_record r;
            tag = r.d->tag();
            ASSERT_EQ(b->add(s.ends[0], tag), 0);
            ASSERT_EQ(::write(s.ends[1], "x", 1), 1);
            ASSERT_EQ(b->remove(s.ends[0], tag), 0);
        }
        (void)told_now(*b);  // events that were on their way
        socket_pair t;
        const descriptor_record next;
        ASSERT_EQ(::dup2(t.ends[0], s.ends[0]), s.ends[0]);
        ASSERT_EQ(b->add(s.ends[0], next.d->tag()), 0);
        ASSERT_EQ(::send(s.ends[1], "y", 1, MSG_NOSIGNAL), -1);
        ASSERT_EQ(::write(t.ends[1], "z", 1), 1);
        poll_event e;
        std::vector<poll_event> rest;
        ASSERT_TRUE(is_told(*b, next.d->tag(), e, &rest));
        for (const poll_event& other : rest) EXPECT_NE(other.tag, tag) << "round " << i;
        ASSERT_EQ(b->remove(s.ends[0], next.d->tag()), 0);
        (void)told_now(*b);
    }
}

TEST(uring, with_too_little_room_tells_of_everything_all_the_same) {
    // Watches that end for lack of room must begin again, and miss nothing.
    uring_backend* const b = tiny_ring();
    if (b == nullptr) return;
    constexpr std::size_t count = 200;
    std::vector<std::unique_ptr<socket_pair>> pairs;
    std::vector<std::unique_ptr<descriptor_record>> records;
    for (std::size_t i = 0; i < count; ++i) {
        pairs.push_back(std::make_unique<socket_pair>());
        records.push_back(std::make_unique<descriptor_record>());
        ASSERT_EQ(b->add(pairs[i]->ends[0], records[i]->d->tag()), 0);
    }
    for (int round = 0; round < 5; ++round) {
        for (const auto& p : pairs) ASSERT_EQ(::write(p->ends[1], "x", 1), 1);
        std::vector<bool> seen(count);
        std::size_t left = count;
        const std::int64_t until = nanotime() + 20'000'000'000;
        while (left > 0 && nanotime() < until) {
            const runtime_entry inside;
            poll_event events[poll_events_max];
            const auto room = std::span(events).first(round % 2 == 0 ? 32 : poll_events_max);
            const int n = b->wait(1'000'000, room);
            ASSERT_LE(n, static_cast<int>(room.size()));
            for (int j = 0; j < n; ++j) {
                for (std::size_t i = 0; i < count; ++i) {
                    if (events[j].tag != records[i]->d->tag() || !events[j].read) continue;
                    char bytes[8];
                    if (::read(pairs[i]->ends[0], bytes, sizeof bytes) <= 0 || seen[i]) continue;
                    seen[i] = true;
                    --left;
                }
            }
        }
        ASSERT_EQ(left, 0U) << "round " << round;
    }
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(b->remove(pairs[i]->ends[0], records[i]->d->tag()), 0);
}

TEST(uring, break_ends_the_sleep_under_way_or_the_next) {
    uring_backend* const b = ring();
    if (b == nullptr) return;
    const runtime_entry inside;
    poll_event events[poll_events_max];
    while (b->wait(1, events) > 0) {
    }
    b->wake();
    b->wake();
    EXPECT_EQ(b->wait(0, events), 0);
    EXPECT_EQ(b->wait(-1, events), 0);  // hangs if the look has taken the token
    const std::int64_t before = nanotime();
    EXPECT_EQ(b->wait(3'000'000, events), 0);
    EXPECT_GE(nanotime(), before + 3'000'000);
}

#if defined(ROTA_DEBUG_CHECKS)

int no_ring(sys_call call) { return call == sys_call::ring_create ? EPERM : 0; }
int no_thread(sys_call call) { return call == sys_call::clone ? EAGAIN : 0; }
int no_descriptor(sys_call call) { return call == sys_call::poll_create ? EMFILE : 0; }

TEST(kb36_uring, that_is_forbidden_says_so_and_can_be_made_later) {
    static uring_backend watch;
    plant_fault(no_ring);
    EXPECT_EQ(watch.start(), -EPERM);
    plant_fault(no_thread);
    EXPECT_EQ(watch.start(), -EAGAIN);
    plant_fault(no_descriptor);
    EXPECT_EQ(watch.start(), -EMFILE);
    plant_fault(nullptr);
    (void)started(watch);
}

#endif

}  // namespace
