// Checks the poller and its records on real descriptors: tags, kinds that cannot be polled,
// refusals of the kernel.
#include "netpoll/poller.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rota/go.hpp>

#include "netpoll/poll_desc.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sys/call/clock.hpp"
#include "sys/call/fault.hpp"

namespace {

using namespace rota::rt;
using state = poll_word::state;

struct pipe_ends {
    int reader = -1, writer = -1;
    pipe_ends() {
        int ends[2];
        if (::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) std::abort();
        reader = ends[0];
        writer = ends[1];
    }
    ~pipe_ends() {
        ::close(reader);
        ::close(writer);
    }
};

struct record {
    poll_desc* d = nullptr;
    record() {
        const runtime_entry inside;
        if (net_poller.start() != 0) std::abort();
        d = poll_desc_new();
    }
    ~record() {
        const runtime_entry inside;
        if (d != nullptr) poll_desc_free(*d);
    }
};

void look() {
    const runtime_entry inside;
    ready_list ready;
    net_poller.look(ready);
    EXPECT_EQ(ready.count, 0U);
}

// Other threads of the process poll as well; the changes reported to them are in the words.
state eventually(const poll_desc& d, poll_dir dir, state wanted) {
    const std::int64_t until = nanotime() + 5'000'000'000;
    const poll_word& word = d.word[static_cast<std::uint8_t>(dir)];
    while (word.look() != wanted && nanotime() < until) look();
    return word.look();
}

TEST(poller, tells_of_each_change_once) {
    pipe_ends pipe;
    record r;
    ASSERT_EQ(net_poller.add(pipe.reader, *r.d), 0);
    look();
    EXPECT_EQ((*r.d)[poll_dir::read].look(), state::none);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(::write(pipe.writer, "x", 1), 1);
        EXPECT_EQ(eventually(*r.d, poll_dir::read, state::ready), state::ready);
        EXPECT_EQ((*r.d)[poll_dir::read].take(), state::ready);
        EXPECT_EQ((*r.d)[poll_dir::read].take(), state::none);
        look();
        EXPECT_EQ((*r.d)[poll_dir::read].look(), state::none) << "told twice of one change";
    }
    EXPECT_FALSE(r.d->ended.load(memory_order_relaxed));
    ::close(pipe.writer);
    pipe.writer = -1;
    EXPECT_EQ(eventually(*r.d, poll_dir::read, state::ready), state::ready);
    EXPECT_TRUE(r.d->ended.load(memory_order_relaxed));
    net_poller.remove(pipe.reader, r.d->tag());
}

TEST(kb32_poller, drops_what_is_meant_for_an_earlier_use_of_the_record) {
    // The record has been given to another descriptor while an event for the old descriptor is on
    // its way. The kernel still knows the old descriptor, by the old tag.
    pipe_ends before;
    std::uint64_t old_tag = 0;
    const poll_desc* old_record = nullptr;
    {
        record r;
        old_tag = r.d->tag();
        old_record = r.d;
        ASSERT_EQ(net_poller.add(before.reader, *r.d), 0);
    }
    record again;
    ASSERT_EQ(again.d, old_record);
    EXPECT_NE(again.d->tag(), old_tag);
    EXPECT_EQ(poll_desc_of(old_tag), nullptr);
    EXPECT_EQ(poll_desc_of(again.d->tag()), again.d);
    ASSERT_EQ(::write(before.writer, "x", 1), 1);
    for (int i = 0; i < 100; ++i) look();
    EXPECT_EQ((*again.d)[poll_dir::read].look(), state::none);
    net_poller.remove(before.reader, old_tag);
}

TEST(poller, refuses_regular_files_with_eperm) {
    const int fd = ::memfd_create("a file", MFD_CLOEXEC);
    ASSERT_GE(fd, 0);
    record r;
    EXPECT_EQ(net_poller.add(fd, *r.d), EPERM);
    ::close(fd);
}

TEST(poller, records_are_used_again_and_stay_apart) {
    // A table that grows must keep the records where they are.
    const runtime_entry inside;
    std::vector<poll_desc*> all;
    for (int i = 0; i < 500; ++i) all.push_back(poll_desc_new());
    for (poll_desc* const d : all) EXPECT_EQ(poll_desc_of(d->tag()), d);
    std::vector<std::uint64_t> tags;
    for (poll_desc* const d : all) {
        tags.push_back(d->tag());
        poll_desc_free(*d);
    }
    for (const std::uint64_t tag : tags) EXPECT_EQ(poll_desc_of(tag), nullptr);
    EXPECT_EQ(poll_desc_of(~std::uint64_t{0}), nullptr);
}

TEST(poller, a_word_leads_to_what_lies_beside_its_record) {
    poll_desc* d = poll_desc_new();
    ASSERT_NE(d, nullptr);
    const int object = 0;
    d->prefetch_hint = &object;
    for (poll_word& w : d->word) EXPECT_EQ(beside_poll_word(&w), &object);
    poll_desc_free(*d);
    d = poll_desc_new();  // the same record: the last record given back comes first
    EXPECT_EQ(beside_poll_word(&d->word[0]), nullptr);
    poll_desc_free(*d);
}

// Starts a poller of the test's own: other threads may sleep in the process's poller.
int start(poller& own, poll_backend& watch) {
    own.use(watch);
    const runtime_entry inside;
    return own.start();
}

TEST(poller, a_break_ends_the_sleep_under_way_or_the_next) {
    epoll_backend watch;
    poller own;
    ASSERT_EQ(start(own, watch), 0);
    ready_list ready;
    own.sleep(no_deadline, ready);  // start() has left a break behind
    own.wake();
    own.wake();
    own.sleep(no_deadline, ready);
    const std::int64_t before = nanotime();
    own.sleep(before + 3'000'000, ready);
    EXPECT_GE(nanotime(), before + 3'000'000);
    EXPECT_EQ(ready.count, 0U);
}

TEST(poller, brings_few_at_a_look_and_loses_none_of_the_others) {
    epoll_backend watch;
    poller own;
    ASSERT_EQ(start(own, watch), 0);
    constexpr std::size_t n = 2 * poll_at_once + 3;
    const std::vector<pipe_ends> pipes(n);
    const std::vector<record> records(n);
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(own.add(pipes[i].reader, *records[i].d), 0);
        ASSERT_EQ(::write(pipes[i].writer, "x", 1), 1);
    }
    // How many further records have learnt that there are bytes to read.
    const auto told = [&] {
        std::size_t sum = 0;
        for (const record& r : records) sum += (*r.d)[poll_dir::read].take() == state::ready;
        return sum;
    };
    ready_list ready;
    own.look(ready);
    EXPECT_EQ(told(), poll_at_once);
    EXPECT_TRUE(ready.is_full);
    // ns: an event that is there ends the sleep at once
    constexpr std::int64_t long_enough = 10'000'000'000;
    own.sleep(nanotime() + long_enough, ready);
    EXPECT_EQ(told(), poll_at_once);
    EXPECT_TRUE(ready.is_full);
    own.look(ready);
    EXPECT_EQ(told(), n - 2 * poll_at_once);
    EXPECT_FALSE(ready.is_full);
    for (const pipe_ends& p : pipes) ASSERT_EQ(::write(p.writer, "x", 1), 1);
    own.look(ready, poll_events_max);
    EXPECT_EQ(told(), n);
    EXPECT_EQ(ready.count, 0U);  // no goroutine has waited
}

// A back end with one descriptor, which it reports at the first call of wait().
class imagined final : public poll_backend {
  public:
    int start() override { return 0; }
    int add(int, std::uint64_t tag) override {
        tag_ = tag;
        tells_ = true;
        return 0;
    }
    int remove(int, std::uint64_t) override { return 0; }
    int wait(std::int64_t, std::span<poll_event> events) override {
        if (!std::exchange(tells_, false)) return 0;
        events[0] = {tag_, true, false, true};
        return 1;
    }
    void wake() override {}
    const char* name() const override { return "imagined"; }

  private:
    std::uint64_t tag_ = 0;
    bool tells_ = false;
};

TEST(poller, works_with_any_back_end) {
    imagined watch;
    poller own;
    record r;
    ASSERT_EQ(start(own, watch), 0);
    ASSERT_EQ(own.add(0, *r.d), 0);
    ready_list ready;
    own.look(ready);
    EXPECT_EQ(ready.count, 0U);
    EXPECT_EQ((*r.d)[poll_dir::read].take(), state::ready);
    EXPECT_EQ((*r.d)[poll_dir::write].take(), state::none);
    EXPECT_TRUE(r.d->ended.load(memory_order_relaxed));
}

#if defined(ROTA_DEBUG_CHECKS)

int no_poller(sys_call call) { return call == sys_call::poll_create ? EMFILE : 0; }
int no_watch(sys_call call) { return call == sys_call::poll_add ? ENOMEM : 0; }

TEST(kb36_poller, that_cannot_be_made_says_so_and_is_made_later) {
    // The start fails without descriptors; no later call may find half a poller.
    epoll_backend watch;
    poller own;
    own.use(watch);
    const runtime_entry inside;
    plant_fault(no_poller);
    EXPECT_EQ(own.start(), EMFILE);
    plant_fault(no_watch);
    EXPECT_EQ(own.start(), ENOMEM);
    plant_fault(nullptr);
    EXPECT_EQ(own.start(), 0);
}

#endif

}  // namespace
