// The walk of faults repeats everyday work of a server, and each time refuses one further call to
// the kernel. It refuses the first call from a site, then the second, until the work makes no
// further call from there. Then, for faults that must stay invisible, it refuses every call of the
// site.
//
// Each time the work must end, with success or with an error thrown to the caller. It must leave
// neither goroutine nor descriptor behind. The caller must not see interruptions, short reads and
// writes, or, where the work can wait for them, a lack of descriptors.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/time.hpp>

#include "sys/call/fault.hpp"

#include "../../open_descriptors.hpp"
#include "fault_work.hpp"

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using namespace rota::rt;
using namespace std::chrono_literals;

constexpr auto patience = 20s;
// limit for sites whose number of calls depends on how threads sleep
constexpr int places_max = 24;
constexpr int every_other = 0;  // stands in place of the number of a call

// --- what may be refused -------------------------------------------------------------------------

enum class must : unsigned char { be_absorbed, end };

struct fault {
    const char* site;
    int error;  // errno; or -n: the call handles at most n bytes
    must outcome = must::end;
};

// A site is the function that makes the call, or the name that this function gives.
constexpr fault faults[] = {
    {"io_socket", EMFILE},
    {"io_socket", ENFILE},
    {"io_socket", ENOMEM},
    {"io_socket", ENOBUFS},
    {"io_bind", EADDRINUSE},
    {"io_bind", ENOMEM},
    {"io_listen", EADDRINUSE},
    {"io_accept", EMFILE},
    {"io_accept", ENFILE},
    {"io_accept", ENOMEM},
    {"io_accept", ENOBUFS},
    {"io_accept", EINTR, must::be_absorbed},
    {"io_accept", ECONNABORTED, must::be_absorbed},
    {"io_connect", ECONNREFUSED},
    {"io_connect", ENOMEM},
    {"io_connect", EINTR, must::be_absorbed},
    {"io_epoll_add", ENOMEM},
    {"io_epoll_add", ENOSPC},
    {"uring_backend::add", ENOMEM},
    {"io_ring::enter", EINTR, must::be_absorbed},
    {"io_ring::enter", EAGAIN, must::be_absorbed},
    {"io_ring::enter", EBUSY, must::be_absorbed},
    {"io_poll_now", EINTR, must::be_absorbed},
    {"io_epoll_remove", ENOENT, must::be_absorbed},
    {"io_epoll_wait", EINTR, must::be_absorbed},
    {"io_event_add", EINTR, must::be_absorbed},
    {"io_event_take", EINTR, must::be_absorbed},
    {"io_receive", EINTR, must::be_absorbed},
    {"io_receive", ECONNRESET},
    {"io_receive", ENOMEM},
    {"fd::read", -1, must::be_absorbed},
    {"fd::read", -100, must::be_absorbed},
    {"fd::try_read", -1, must::be_absorbed},
    {"io_peek", EINTR, must::be_absorbed},
    {"io_peek", ECONNRESET},
    {"io_peek", -1, must::be_absorbed},
    {"io_send", EINTR, must::be_absorbed},
    {"io_send", EPIPE},
    {"io_send", ECONNRESET},
    {"io_send", ENOBUFS},
    {"io_send", -1, must::be_absorbed},
    {"io_send_parts", EINTR, must::be_absorbed},
    {"io_send_parts", EPIPE},
    {"io_send_parts", ECONNRESET},
    {"io_send_parts", ENOBUFS},
    {"io_send_parts", -1, must::be_absorbed},
    {"io_receive_from", EINTR, must::be_absorbed},
    {"io_receive_from", ENOMEM},
    {"io_send_to", EINTR, must::be_absorbed},
    {"io_send_to", ENOBUFS},
    {"io_send_to", ENETUNREACH},
    {"io_close", EINTR, must::be_absorbed},
    {"io_close", EIO, must::be_absorbed},
    {"io_shutdown", ENOTCONN},
    {"io_set_option", ENOMEM},
    {"io_get_option", ENOBUFS},
    {"io_local_address", ENOBUFS},
    {"io_remote_address", ENOBUFS},
    {"io_identity_of", EACCES, must::be_absorbed},
    {"io_unlink_if", EROFS, must::be_absorbed},
    {"getaddrinfo", EMFILE},
    {"getaddrinfo", ENOMEM},
    {"if_nametoindex", EMFILE},
    {"file_open", EMFILE},
    {"file_open", ENFILE},
    {"file_open", ENOMEM},
    {"file_open", EINTR, must::be_absorbed},
    {"file_open_at", EMFILE},
    {"file_open_at", EINTR, must::be_absorbed},
    {"file_open_beneath", EMFILE},
    {"file_open_beneath", EAGAIN, must::be_absorbed},
    {"file_open_beneath", EINTR, must::be_absorbed},
    {"file_open_beneath", ENOSYS, must::be_absorbed},
    {"file_read_link", EIO},
    {"file_pipe", EMFILE},
    {"file_pipe", ENFILE},
    {"file_copy", EMFILE},
    {"file_flags", EBADF},
    {"file_set_blocking", EPERM},
    {"file_pipe_size", EPERM, must::be_absorbed},
    {"file_read", EINTR, must::be_absorbed},
    {"file_read", EIO},
    {"file_read", ENOMEM},
    {"file_read", -1, must::be_absorbed},
    {"file_read_now", EINTR, must::be_absorbed},
    {"file_read_now", EAGAIN, must::be_absorbed},
    {"file_read_now", EOPNOTSUPP, must::be_absorbed},
    {"file_read_now", EIO},
    {"file_read_now", -1, must::be_absorbed},
    {"fault_of_file_call", EINTR, must::be_absorbed},
    {"fault_of_file_call", ECANCELED, must::be_absorbed},
    {"fault_of_file_call", EIO},
    {"fault_of_file_call", ENOSPC},
    {"fault_of_file_call", -1, must::be_absorbed},
    {"file_write", EINTR, must::be_absorbed},
    {"file_write", ENOSPC},
    {"file_write", -1, must::be_absorbed},
    {"file_write_quietly", EINTR, must::be_absorbed},
    {"file_write_quietly", EPIPE},
    {"file_write_quietly", -1, must::be_absorbed},
    {"file_read_at", EINTR, must::be_absorbed},
    {"file_read_at", EIO},
    {"file_read_at", -1, must::be_absorbed},
    {"file_write_at", EINTR, must::be_absorbed},
    {"file_write_at", ENOSPC},
    {"file_write_at", -1, must::be_absorbed},
    {"file_send", EINTR, must::be_absorbed},
    {"file_send", EIO},
    {"file_send", EPIPE},
    {"file_send", EINVAL, must::be_absorbed},
    {"file_send", -100, must::be_absorbed},
    {"file_seek", EOVERFLOW},
    {"file_stat", EOVERFLOW},
    {"file_truncate", EINTR, must::be_absorbed},
    {"file_truncate", EIO},
    {"file_sync", EINTR, must::be_absorbed},
    {"file_sync", EIO},
    {"file_close", EINTR, must::be_absorbed},
    {"file_close", EIO},
    {"file_is_program", EACCES},
    {"fdopendir", ENOMEM},
    {"readdir", EIO},
    {"process_start", EAGAIN},
    {"process_start", ENOMEM},
    {"process_start", ETXTBSY, must::be_absorbed},
    {"process_descriptor", EMFILE, must::be_absorbed},
    {"process_descriptor", ENOSYS, must::be_absorbed},
    {"process_wait", EINTR, must::be_absorbed},
    {"process_wait", ECHILD},
    {"process_signal", EPERM},
};

// Sites that any work may meet at any time, or that need a process of their own. Tests that `./dev
// test faults` names beside these refuse them.
constexpr const char* elsewhere[] = {"mmap_reserve",  "mmap_guard",      "mmap_guard_many",
                                     "thread_create", "io_epoll_create", "io_event_create",
                                     "io_ring::open"};

// --- one refusal ---------------------------------------------------------------------------------

std::atomic<const char*> refused_site{nullptr};
std::atomic<int> refused_with{0}, calls_until{0};
std::atomic<bool> refuses_every_other{false};
std::atomic<const char*> absent{nullptr};  // a call that this kernel does not have
// sites that were met; a site may stand here several times
std::array<std::atomic<const char*>, 100> seen{};

bool is_same(const char* a, const char* b) {
    return a == b || (a != nullptr && b != nullptr && std::strcmp(a, b) == 0);
}

// Runs in signal handlers and on g0: takes no lock and no memory.
void note(const char* site) {
    for (std::atomic<const char*>& place : seen) {
        const char* known = nullptr;
        if (place.compare_exchange_strong(known, site) || is_same(known, site)) return;
    }
}

int refuse_one(sys_call, const char* site) {
    note(site);
    if (is_same(site, absent)) return ENOSYS;
    if (!is_same(site, refused_site)) return 0;
    const int left = calls_until.fetch_sub(1);
    if (!refuses_every_other) return left == 1 ? refused_with.load() : 0;
    // A short count may come each time; an interruption comes every other time.
    return refused_with < 0 || left % 2 == 0 ? refused_with.load() : 0;
}

// While the object lives, only the nth call from this site fails; or every other call.
struct refusing_nth {
    refusing_nth(const char* site, int error, int n) {
        refused_site = site;
        refused_with = error;
        calls_until = n;
        refuses_every_other = n == every_other;
        plant_fault_by_site(refuse_one);
    }
    ~refusing_nth() { plant_fault_by_site(nullptr); }
    static bool has_come() { return calls_until.load() <= (refuses_every_other ? -1 : 0); }
};

// --- the walk ------------------------------------------------------------------------------------

struct work {
    const char* name;
    void (*run)();
    // The server waits at accept until there is a descriptor, or memory.
    bool waits_at_accept = false;
    // A part of a message would be another message: the kernel neither sends nor returns parts.
    bool has_messages = false;
    const char* absent = nullptr;

    must outcome_of(const fault& f) const {
        const bool waits = waits_at_accept && is_same(f.site, "io_accept");
        return waits ? must::be_absorbed : f.outcome;
    }
    bool may_meet(const fault& f) const {
        return !is_same(f.site, absent) && !(has_messages && f.error < 0);
    }
};

struct result {
    int places = 0, absorbed = 0, reported = 0;
    std::string other;  // the last error that was reported and differs from the planted error
};

bool is_back_at(int descriptors) {
    const auto until = rota::clock::now() + patience;
    while (rota::runtime::num_goroutine() > 0 || rota_test::open_descriptors() > descriptors) {
        if (rota::clock::now() > until) return false;
        rota::sleep_for(200us);
    }
    return true;
}

void meet(const work& w, const fault& f, int n, int descriptors, result& r) {
    std::string told;
    bool is_expected = true, has_come = false;
    try {
        const refusing_nth now(f.site, f.error, n);
        rota::run(w.run);
        has_come = refusing_nth::has_come();
    } catch (const std::system_error& e) {
        has_come = true;
        told = e.code().message();
        if (e.code().value() != f.error) r.other = told;
        EXPECT_NE(e.code(), std::errc::timed_out) << "somebody was not woken";
    } catch (const std::bad_alloc&) {
        has_come = true;
        told = "bad_alloc";
    } catch (const std::exception& e) {
        has_come = true;
        is_expected = false;
        told = e.what();
    }
    EXPECT_TRUE(is_expected) << told;
    if (w.outcome_of(f) == must::be_absorbed) {
        EXPECT_EQ(told, "");
    }
    EXPECT_TRUE(is_back_at(descriptors))
        << "goroutines: " << rota::runtime::num_goroutine()
        << ", descriptors: " << rota_test::open_descriptors() << " instead of " << descriptors;
    if (!has_come || n == every_other) return;
    ++r.places;
    ++(told.empty() ? r.absorbed : r.reported);
}

// A short count each time, or an interruption every other time, must stay as invisible as a single
// fault.
bool may_come_always(const fault& f) { return f.error < 0 || f.error == EINTR; }

void meet_all(const work& w, const fault& f, int descriptors) {
    const std::string what =
        f.error < 0 ? "short, of " + std::to_string(-f.error) : std::strerror(f.error);
    SCOPED_TRACE(std::string(w.name) + ": " + f.site + ": " + what);
    result r;
    for (int n = 1, before = -1; n <= places_max && before != r.places; ++n) {
        SCOPED_TRACE("call " + std::to_string(n));
        before = r.places;
        meet(w, f, n, descriptors, r);
        if (testing::Test::HasFailure()) return;
    }
    if (r.places == 0) return;
    if (may_come_always(f)) meet(w, f, every_other, descriptors, r);
    std::printf("fault: %-9s %-18s %-36s %3d places%s %3d absorbed %3d reported  %s\n", w.name,
                f.site, what.c_str(), r.places, may_come_always(f) ? " and all," : ",         ",
                r.absorbed, r.reported, r.other.c_str());
}

bool is_listed(const char* site) {
    for (const fault& f : faults)
        if (is_same(f.site, site)) return true;
    for (const char* const other : elsewhere)
        if (is_same(other, site)) return true;
    return false;
}

void walk(const work& w) {
    rota::run(w.run);  // the first run opens descriptors that stay open
    absent = w.absent;
    const int descriptors = rota_test::open_descriptors();
    for (const fault& f : faults) {
        if (w.may_meet(f)) meet_all(w, f, descriptors);
        if (testing::Test::HasFailure()) break;
    }
    absent = nullptr;
    for (const std::atomic<const char*>& site : seen)
        EXPECT_TRUE(site == nullptr || is_listed(site)) << site << " is never refused";
}

class fault_walk : public testing::Test {
    // Captures the log of servers about connections that failed.
    void SetUp() override { testing::internal::CaptureStderr(); }
    void TearDown() override {
        const std::string log = testing::internal::GetCapturedStderr();
        if (HasFailure()) std::fputs(log.c_str(), stderr);
    }
};

TEST_F(fault_walk, talk_by_tcp) { walk({"tcp", rota_test::talk_by_tcp}); }
TEST_F(fault_walk, talk_by_unix) { walk({"unix", rota_test::talk_by_unix}); }
TEST_F(fault_walk, talk_by_tls) { walk({"tls", rota_test::talk_by_tls}); }
TEST_F(fault_walk, send_messages) {
    walk({.name = "messages", .run = rota_test::send_messages, .has_messages = true});
}
TEST_F(fault_walk, look_names_up) { walk({"names", rota_test::look_names_up}); }
TEST_F(fault_walk, serve_http) {
    walk({.name = "http", .run = rota_test::serve_http, .waits_at_accept = true});
}
TEST_F(fault_walk, serve_files) {
    walk({.name = "served", .run = rota_test::serve_files, .waits_at_accept = true});
}
TEST_F(fault_walk, serve_files_where_the_kernel_cannot_confine) {
    walk({.name = "walked",
          .run = rota_test::serve_files,
          .waits_at_accept = true,
          .absent = "file_open_beneath"});
}
TEST_F(fault_walk, use_files) { walk({"files", rota_test::use_files}); }
TEST_F(fault_walk, run_programs) { walk({"programs", rota_test::run_programs}); }
TEST_F(fault_walk, watch_signals) { walk({"signals", rota_test::watch_signals}); }

}  // namespace

#endif
