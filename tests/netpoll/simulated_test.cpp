// Checks the back end of repeatable runs: which events it reports, and which it keeps for later.
#include "netpoll/simulated.hpp"

#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/g.hpp"
#include "netpoll/poll_desc.hpp"
#include "sched/base/runtime_entry.hpp"

namespace {

using namespace rota::rt;

poll_desc* new_record() {
    const runtime_entry inside;
    return poll_desc_new();
}

// A socket is writable nearly always. If the back end reported that without a waiting writer, it
// would at once end each wait for events from outside.
TEST(simulated_poller, tells_of_nothing_that_nobody_waits_for) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    poll_desc* const d = new_record();
    simulated_backend backend;
    ASSERT_EQ(backend.start(), 0);
    ASSERT_EQ(backend.add(ends[0], d->tag()), 0);
    poll_event events[poll_events_max];
    const auto told = [&] {  // the back end reports an event at every second look, by chance
        for (int i = 0; i < 64; ++i) {
            if (backend.wait(0, events) != 0) return true;
        }
        return false;
    };
    EXPECT_FALSE(told());
    const auto reader = std::make_unique<g>();
    ASSERT_TRUE((*d)[poll_dir::read].arm(*reader));
    EXPECT_FALSE(told());
    ASSERT_EQ(::send(ends[1], "x", 1, 0), 1);
    EXPECT_TRUE(told());
    EXPECT_EQ((*d)[poll_dir::read].close(), reader.get());
    const auto writer = std::make_unique<g>();
    ASSERT_TRUE((*d)[poll_dir::write].arm(*writer));
    EXPECT_TRUE(told());
    EXPECT_EQ((*d)[poll_dir::write].close(), writer.get());
    EXPECT_EQ(backend.remove(ends[0], d->tag()), 0);
    const runtime_entry inside;
    poll_desc_free(*d);
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
