// Records which channels want which signals, and runs the goroutine that sends signals to them.
//
// The goroutine exists while any channel wants a signal. A withdrawal moves the channel to the
// leaving list and changes the kernel's action for signals that no other channel wants. It then has
// the goroutine send every signal that has come until then. Go: signal.Stop and
// signalWaitUntilIdle.
#include <rota/os/signal.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include <rota/detail/spawn.hpp>
#include <rota/panic.hpp>
#include <rota/sync/condition_variable.hpp>
#include <rota/sync/mutex.hpp>

#include "chan/hchan.hpp"
#include "core/sched.hpp"
#include "fd/errors.hpp"
#include "fd/turn.hpp"
#include "sched/base/bubble.hpp"
#include "sched/base/hooks.hpp"
#include "sys/io/io.hpp"
#include "sys/signal/watched.hpp"
#include "sys/thread/thread.hpp"

namespace rota::os {

namespace {

using rt::signal_bit;

struct watcher {
    send_chan<int> to;
    std::uint64_t wants;
};

// A channel whose watcher is withdrawn: it still gets the signals that have come so far.
struct leaver {
    send_chan<int> to;
    std::uint64_t gets;
    std::uint64_t withdrawal;
};

class watchers {
  public:
    void add(const send_chan<int>& to, std::uint64_t signals);
    // Removes signals from the channel `to`, or from every channel if `to` is nil. `then` changes
    // the action of a signal that no channel wants any longer; with `always`, also of a signal that
    // no channel has wanted.
    void remove(const send_chan<int>& to, std::uint64_t signals, void (*then)(int), bool always);

  private:
    void prepare();
    void deliver();
    void send_all_that_have_come();
    void await_sent(std::unique_lock<mutex>& lock);
    void flush(std::unique_lock<mutex>& lock);
    void poke() const;
    std::uint64_t wanted() const;

    mutex mu_;
    // --- guarded by mu_ ----------------------------------------------------------------
    condition_variable flushed_;
    std::vector<watcher> all_;
    std::vector<leaver> leaving_;
    std::uint64_t withdrawals_ = 0;
    std::uint64_t watched_ = 0;           // bits; the signals whose action is our handler
    std::uint64_t asked_ = 0, done_ = 0;  // counts; flushes asked for, and answered
    bool delivers_ = false;               // the goroutine exists
    rt::fd* event_ = nullptr;             // fixed once it has been created
};

// Never destroyed: handlers and the goroutine may outlive static objects.
watchers& all_watchers() {
    static watchers& w = *new watchers;
    return w;
}

template <class F>
void for_each_signal(std::uint64_t signals, F f) {
    for (int s = 1; s <= rt::signal_max; ++s) {
        if ((signals & signal_bit(s)) != 0) f(s);
    }
}

// Returns the bits of the named signals; without a name, of each signal that can be watched.
std::uint64_t signals_of(std::initializer_list<int> named, const char* what) {
    if (named.size() == 0) return rt::signals_to_watch();
    std::uint64_t all = 0;
    for (const int s : named) {
        if (const char* const why = rt::why_not_watched(s)) {
            const std::string text = "signal " + std::to_string(s) + ", which " + why;
            rt::throw_error(std::make_error_code(std::errc::invalid_argument), "os", what, text);
        }
        all |= signal_bit(s);
    }
    return all;
}

// --- the goroutine -------------------------------------------------------------------------------

void watchers::poke() const {
    (void)event_->use([](int number) {
        int r = 0;
        do r = rt::io_event_add(number);
        while (r == -EINTR);
        return r;
    });
}

void watchers::prepare() {
    if (event_ == nullptr) {
        const int number = rt::io_event_create();
        int failed = number < 0 ? -number : 0;
        if (failed == 0) failed = rt::fd::open(number, rt::fd::kind::file, event_);
        if (failed != 0) {
            if (number >= 0) (void)rt::io_close(number);
            rt::throw_error(rt::error_of(-failed), "os", "notify");
        }
        rt::watched_tell(number);
    }
    if (delivers_) return;
    const rt::outside_bubble of_the_whole_process;
    rota::detail::spawn_any(0, "os/signal", [this] { deliver(); });
    delivers_ = true;
}

void watchers::deliver() {
    for (;;) {
        (void)event_->await_read([](int number) { return rt::io_event_take(number); });
        const std::lock_guard guard(mu_);
        const std::uint64_t asked = asked_;  // read before the signals are taken
        send_all_that_have_come();
        done_ = asked;
        flushed_.notify_all();
        if (!all_.empty() || !leaving_.empty()) continue;
        delivers_ = false;
        return;
    }
}

void watchers::send_all_that_have_come() {
    for_each_signal(rt::watched_take(), [this](int s) {
        const auto wants = [s](const watcher& w) { return (w.wants & signal_bit(s)) != 0; };
        for (const watcher& w : all_) {
            if (wants(w)) (void)w.to.try_send(s);
        }
        for (const leaver& l : leaving_) {
            const bool has_it = std::any_of(all_.begin(), all_.end(), [&](const watcher& w) {
                return w.to == l.to && wants(w);
            });
            if (!has_it && (l.gets & signal_bit(s)) != 0) (void)l.to.try_send(s);
        }
    });
}

// --- changes -------------------------------------------------------------------------------------

std::uint64_t watchers::wanted() const {
    std::uint64_t any = 0;
    for (const watcher& w : all_) any |= w.wants;
    return any;
}

void watchers::add(const send_chan<int>& to, std::uint64_t signals) {
    std::unique_lock lock(mu_);
    prepare();
    if ((rt::watched_come() & signals) != 0) {  // came before this call: not for this channel
        await_sent(lock);
        prepare();  // the goroutine may have ended
    }
    const auto same =
        std::find_if(all_.begin(), all_.end(), [&](const watcher& w) { return w.to == to; });
    if (same != all_.end()) same->wants |= signals;
    else all_.push_back({to, signals});
    for_each_signal(signals & ~watched_, rt::signal_watch);
    watched_ |= signals;
}

// Returns when the goroutine has sent each signal that a handler has noted.
void watchers::await_sent(std::unique_lock<mutex>& lock) {
    // relaxed: set by the thread that ends the process, in which no goroutine sends any longer
    if (!delivers_ || rt::sched.exiting.load(rt::memory_order_relaxed)) return;
    const std::uint64_t ticket = ++asked_;
    poke();
    while (done_ < ticket) {
        rt::bubble_waits_outside(true);
        flushed_.wait(lock);
        rt::bubble_waits_outside(false);
    }
}

// Returns when each signal that came before the call has been sent.
void watchers::flush(std::unique_lock<mutex>& lock) {
    constexpr long nap_ns = 20'000;
    while (delivers_ && rt::watched_is_busy()) {
        const rt::blocking_call handed_off;
        rt::thread_sleep_ns(nap_ns);
    }
    await_sent(lock);
}

void watchers::remove(const send_chan<int>& to, std::uint64_t signals, void (*then)(int),
                      bool always) {
    std::unique_lock lock(mu_);
    const auto is_meant = [&](const auto& w) { return !to || w.to == to; };
    const std::uint64_t withdrawal = ++withdrawals_;
    std::uint64_t meant = 0;
    leaving_.reserve(leaving_.size() + all_.size());
    for (watcher& w : all_) {
        if (!is_meant(w) || (w.wants & signals) == 0) continue;
        leaving_.push_back({w.to, w.wants & signals, withdrawal});
        meant |= w.wants & signals;
        w.wants &= ~signals;
    }
    std::erase_if(all_, [](const watcher& w) { return w.wants == 0; });
    const std::uint64_t unwanted = (always ? signals : meant) & ~wanted();
    for_each_signal(unwanted, then);
    watched_ &= ~unwanted;
    // Another call may be removing the same channel at this moment.
    if (std::any_of(leaving_.begin(), leaving_.end(), is_meant)) flush(lock);
    std::erase_if(leaving_, [=](const leaver& l) { return l.withdrawal == withdrawal; });
    if (all_.empty() && leaving_.empty() && delivers_) poke();
}

}  // namespace

namespace detail {

namespace {

// Gives access to the channel of a handle.
struct opened_handle : send_chan<int> {
    explicit opened_handle(const send_chan<int>& c) : send_chan<int>(c) {}
    rota::detail::hchan& channel() const { return *c_; }
};

}  // namespace

void notify(const send_chan<int>& to, std::initializer_list<int> signals) {
    if (!to) panic("os/signal: Notify using nil channel");
    rt::boot_runtime();  // the runtime installs its own handlers first
    const std::uint64_t wanted = signals_of(signals, "notify");
    // Signals come from outside of any bubble: a goroutine that waits for a signal keeps its
    // bubble's clock from leaping.
    rota::detail::chan_set_bubble(opened_handle(to).channel(), 0);
    all_watchers().add(to, wanted);
}

void ignore(std::initializer_list<int> signals) {
    rt::boot_runtime();
    all_watchers().remove({}, signals_of(signals, "ignore"), rt::signal_ignore, true);
}

void reset(std::initializer_list<int> signals) {
    rt::boot_runtime();
    all_watchers().remove({}, signals_of(signals, "reset"), rt::signal_reset, true);
}

}  // namespace detail

void stop(send_chan<int> to) {
    if (!to) return;
    all_watchers().remove(to, ~std::uint64_t{0}, rt::signal_reset, false);
}

bool ignored(int signal) { return rt::signal_is_ignored(signal); }

}  // namespace rota::os
