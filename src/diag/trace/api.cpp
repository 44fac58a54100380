// Implements the interface of rota/trace.hpp.
#include <rota/trace.hpp>

#include "base/atomic.hpp"
#include "core/getg.hpp"
#include "diag/trace/session.hpp"
#include "netpoll/poller.hpp"
#include "sched/base/hooks.hpp"
#include "sched/base/runtime_entry.hpp"
#include "sched/record/trace_events.hpp"

namespace rota::trace {

namespace {

using namespace rota::rt;

void throw_if(const std::error_code& ec, const char* what) {
    if (ec) throw std::system_error(ec, what);
}

// Calls f inside the runtime if a trace runs and the caller is a goroutine.
template <class F>
void tell(F f) {
    if (!is_traced() || current_goroutine() == nullptr) return;
    const runtime_entry inside;
    if (is_traced()) f();
}

// The goroutine that drives the trace would belong to the bubble, and have its clock.
bool is_in_bubble(std::error_code& ec) {
    const g* const gp = current_goroutine();
    if (gp == nullptr || gp->in == nullptr) return false;
    ec = std::make_error_code(std::errc::not_supported);
    return true;
}

// Logs a request of the user that was refused, once in each trace.
void tell_of_poller() {
    if (net_poller.refusal() != 0) log("netpoll", "epoll: io_uring is refused");
}

std::uint64_t next_task() {
    static constinit atomic<std::uint64_t> last{0};
    return last.fetch_add(1, memory_order_relaxed) + 1;  // relaxed: numbers need only differ
}

}  // namespace

void start(const std::filesystem::path& path, const options& how, std::error_code& ec) {
    boot_runtime();
    if (is_in_bubble(ec)) return;
    trace_wish wish;
    wish.stacks = how.stacks;
    wish.memory_max = how.memory_max;
    ec = the_trace.start_file(path.c_str(), wish);
    if (!ec) tell_of_poller();
}

void start(const std::filesystem::path& path, const options& how) {
    std::error_code ec;
    start(path, how, ec);
    throw_if(ec, "rota::trace::start");
}

void stop(std::error_code& ec) { ec = the_trace.stop_file(); }

void stop() {
    std::error_code ec;
    stop(ec);
    throw_if(ec, "rota::trace::stop");
}

bool is_enabled() noexcept { return is_traced(); }

flight_recorder::flight_recorder(const recorder_options& how) : how_(how) {}

flight_recorder::~flight_recorder() { stop(); }

void flight_recorder::start(std::error_code& ec) {
    boot_runtime();
    if (is_in_bubble(ec)) return;
    if (how_.crash_path.native().size() > trace_session::crash_path_max) {
        ec = std::make_error_code(std::errc::filename_too_long);
        return;
    }
    trace_wish wish;
    wish.stacks = how_.stacks;
    wish.min_age = std::chrono::nanoseconds(how_.min_age).count();
    wish.bytes_max = how_.max_bytes;
    wish.crash_path = how_.crash_path.c_str();
    wish.crash_wait = std::chrono::nanoseconds(how_.crash_wait).count();
    ec = the_trace.start_recorder(wish);
    is_on_ = is_on_ || !ec;
    if (!ec) tell_of_poller();
}

void flight_recorder::start() {
    std::error_code ec;
    start(ec);
    throw_if(ec, "rota::trace::flight_recorder::start");
}

void flight_recorder::stop() noexcept {
    if (is_on_) the_trace.stop_recorder();
    is_on_ = false;
}

bool flight_recorder::is_enabled() const noexcept { return is_on_; }

void flight_recorder::write_to(const std::filesystem::path& path, std::error_code& ec) {
    ec = is_on_ ? the_trace.write_recorder(path.c_str())
                : std::make_error_code(std::errc::operation_not_permitted);
}

void flight_recorder::write_to(const std::filesystem::path& path) {
    std::error_code ec;
    write_to(path, ec);
    throw_if(ec, "rota::trace::flight_recorder::write_to");
}

task::task(std::string_view name) : id_(next_task()) {
    tell([&] { trace_task_begin(id_, 0, name); });
}

task::task(std::string_view name, const task& parent) : id_(next_task()) {
    tell([&] { trace_task_begin(id_, parent.id_, name); });
}

task::~task() {
    tell([&] { trace_task_end(id_); });
}

region::region(std::string_view name) : task_(0) { begin(name); }

region::region(const task& of, std::string_view name) : task_(of.id()) { begin(name); }

void region::begin(std::string_view name) {
    if (!is_traced()) return;
    name_ = name;
    tell([&] {
        epoch_ = trace_log.epoch;
        trace_region_begin(task_, name_);
    });
}

region::~region() {
    tell([&] {
        if (epoch_ == trace_log.epoch) trace_region_end(task_, name_);
    });
}

void log(std::string_view category, std::string_view message) {
    tell([&] { trace_user_log(0, category, message); });
}

void log(const task& of, std::string_view category, std::string_view message) {
    tell([&] { trace_user_log(of.id(), category, message); });
}

}  // namespace rota::trace
