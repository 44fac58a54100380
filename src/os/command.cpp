// Implements os::command: its settings, the start of the program, and the calls on the process.
#include <rota/os/command.hpp>

#include <cerrno>
#include <exception>
#include <iterator>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <rota/detail/spawn.hpp>
#include <rota/go.hpp>
#include <rota/sync/wait_group.hpp>

#include "core/sched.hpp"
#include "fd/errors.hpp"
#include "fd/turn.hpp"
#include "os/environment.hpp"
#include "os/process.hpp"
#include "sched/base/bubble.hpp"
#include "sys/io/file.hpp"

namespace rota::os {

using rt::throwing;

// --- the setting ---------------------------------------------------------------------------------

struct command::state {
    explicit state(std::vector<std::string> arguments) : argv(std::move(arguments)) {}
    ~state() { leave_behind(); }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    // --- owner: the caller that sets the command up and starts it ------------------------
    const std::vector<std::string> argv;
    std::string directory;
    std::vector<std::string> base, more;  // environment
    bool has_base = false;
    file files[3];
    std::chrono::nanoseconds wait_delay{-1};
    bool tried = false;  // a start has been tried

    // --- fixed by start; its users come after start ---------------------------------------
    std::shared_ptr<process> child;

    std::string_view name() const { return argv.empty() ? std::string_view() : argv.front(); }
    std::vector<std::string> environment() const;
    int start();
    int run_plan(rt::process_plan& plan);
    void leave_behind() noexcept;
};

namespace {

// A descriptor that is closed at the end of the scope.
struct held_number {
    int number = -1;
    held_number() = default;
    ~held_number() {
        if (number >= 0) (void)rt::file_close(number);
    }
    held_number(const held_number&) = delete;
    held_number& operator=(const held_number&) = delete;
};

// Pipes and terminals may be opened again. For other devices a second open file may be a second
// device, as for the controlling end of a terminal.
bool may_be_opened_again(const struct ::stat& status) {
    if (S_ISFIFO(status.st_mode)) return true;
    constexpr unsigned consoles = 4, own = 5, first_pseudo = 136, last_pseudo = 143;
    const unsigned kind = major(status.st_rdev);
    return S_ISCHR(status.st_mode) &&
           (kind == consoles || (kind == own && minor(status.st_rdev) == 0) ||
            (kind >= first_pseudo && kind <= last_pseudo));
}

// Returns a descriptor for the program, 3 or more, whose open file blocks.
int number_for_child(rt::fd& file, int number) {
    const int flags = rt::file_flags(number);
    if (flags < 0) return flags;
    if ((flags & O_NONBLOCK) == 0) return rt::file_copy(number);
    struct ::stat status{};
    if (const int r = rt::file_stat(number, status); r < 0) return r;
    if (S_ISSOCK(status.st_mode)) return rt::file_copy(number);
    if (!may_be_opened_again(status)) {
        const int r = file.make_blocking();
        return r < 0 ? r : rt::file_copy(number);
    }
    // A copy would share the open file, so the program gets another open file. It is opened without
    // waiting for the other side, which is there already.
    held_number again;
    do again.number = rt::file_open_again(number, (flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY);
    while (again.number == -EINTR);
    // Without a reader on the pipe, or without /proc, our own end blocks too, as in Go.
    const bool is_another = again.number >= 0;
    const int r = is_another ? rt::file_set_blocking(again.number, true) : file.make_blocking();
    if (r < 0) return r;
    if (again.number >= 3) return std::exchange(again.number, -1);
    return rt::file_copy(is_another ? again.number : number);
}

int null_for_child() {
    held_number null;
    do null.number = rt::file_open("/dev/null", O_RDWR, 0);
    while (null.number == -EINTR);
    if (null.number < 0 || null.number >= 3) return std::exchange(null.number, -1);
    return rt::file_copy(null.number);
}

std::string absolute(const std::string& directory) {
    char current[PATH_MAX];
    if (directory.starts_with('/') || ::getcwd(current, sizeof current) == nullptr)
        return directory;
    return std::string(current) + "/" + directory;
}

}  // namespace

std::vector<std::string> command::state::environment() const {
    std::vector<std::string> all = has_base ? base : own_environment();
    if (!has_base && !directory.empty()) all.push_back("PWD=" + absolute(directory));
    all.insert(all.end(), more.begin(), more.end());
    return without_duplicates(std::move(all));
}

// 0 or an errno value. The files are released in either case.
int command::state::start() {
    if (std::exchange(tried, true)) return EINVAL;
    held_number numbers[3];
    int error = 0;
    for (int i = 0; i < 3 && error == 0; ++i) {
        const file& f = files[i];
        rt::fd* const given = f.descriptor();
        const auto copy = [given](int number) { return number_for_child(*given, number); };
        if (given != nullptr) {
            given->share_position();
            given->await_position();  // the program begins where our last call ended
        }
        const int n = given != nullptr ? given->use_blocking(copy) : null_for_child();
        if (n < 0) error = -n;
        else numbers[i].number = n;
    }
    for (file& f : files) f = {};
    if (error != 0) return error;
    rt::process_plan plan{};
    for (int i = 0; i < 3; ++i) plan.files[i] = numbers[i].number;
    return run_plan(plan);
}

int command::state::run_plan(rt::process_plan& plan) {
    const std::vector<std::string> variables = environment();
    if (argv.empty() || has_nul(argv) || has_nul(variables) ||
        directory.find('\0') != std::string::npos)
        return EINVAL;
    std::string path;
    int error = 0;
    {
        const rt::blocking_call handed_off;
        error = find_program(argv.front(), path);
    }
    if (error != 0) return error;
    const std::vector<char*> arguments = pointers_to(argv), environment = pointers_to(variables);
    plan.path = path.c_str();
    plan.arguments = arguments.data();
    plan.environment = environment.data();
    plan.directory = directory.empty() ? nullptr : directory.c_str();
    child = process::start(plan, error);
    return error;
}

// No caller asks any longer how the process ends. It is waited for all the same, or it would stay a
// zombie as long as this process lives.
void command::state::leave_behind() noexcept {
    // relaxed, both: set by our own exit, and in the only thread of a fork's child
    if (child == nullptr || rt::sched.exiting.load(rt::memory_order_relaxed) ||
        rt::sched.forked.load(rt::memory_order_relaxed) || child->is_done())
        return;
    try {
        const auto wait = [c = std::move(child)] {
            exit_status ignored;
            (void)c->wait(ignored);
        };
        const rt::outside_bubble nobody_waits_for_it;
        rota::detail::spawn_any(0, "os/command", wait);
    } catch (const std::exception&) {  // no stack: the process stays a zombie
    }
}

command::command(std::string* argv, std::size_t count)
    : state_(std::make_shared<state>(std::vector<std::string>(
          std::make_move_iterator(argv), std::make_move_iterator(argv + count)))) {}

command& command::dir(const path_text& path) {
    state_->directory = path.text();
    return *this;
}
command& command::env(std::string* all, std::size_t count) {
    state_->base.assign(std::make_move_iterator(all), std::make_move_iterator(all + count));
    state_->has_base = true;
    return *this;
}
command& command::env(std::string_view name, std::string_view value) {
    state_->more.push_back(std::string(name).append("=").append(value));
    return *this;
}
command& command::env(std::initializer_list<std::pair<std::string_view, std::string_view>> more) {
    for (const auto& [name, value] : more) env(name, value);
    return *this;
}
command& command::stdin_from(file f) {
    state_->files[0] = std::move(f);
    return *this;
}
command& command::stdout_to(file f) {
    state_->files[1] = std::move(f);
    return *this;
}
command& command::stderr_to(file f) {
    state_->files[2] = std::move(f);
    return *this;
}
command& command::wait_delay(std::chrono::nanoseconds d) {
    state_->wait_delay = d;
    return *this;
}

// --- the process ---------------------------------------------------------------------------------

namespace {

// The throwing form of a call on the program `name`.
template <class Call>
auto throwing_for(const char* what, std::string_view name, Call call) {
    return throwing("os", what, call, name);
}

std::error_code not_started() { return std::make_error_code(std::errc::invalid_argument); }

}  // namespace

void command::start(std::error_code& error) {
    const int failed = state_->start();
    error = failed != 0 ? rt::error_of(-failed) : std::error_code();
}
void command::start() {
    const std::string where = state_->directory.empty() ? "" : "in " + state_->directory;
    throwing(
        "os", "start", [this](std::error_code& error) { start(error); }, state_->name(), where);
}

exit_status command::wait(std::error_code& error) {
    exit_status status;
    if (state_->child == nullptr) {
        error = not_started();
        return status;
    }
    (void)rt::checked(state_->child->wait(status), error);
    return status;
}
exit_status command::wait() {
    return throwing_for("wait", state_->name(), [this](std::error_code& e) { return wait(e); });
}

exit_status command::run(std::error_code& error) {
    start(error);
    return error ? exit_status() : wait(error);
}
exit_status command::run() {
    start();
    return wait();
}

namespace {

// Appends the content of a pipe, without waiting for more. True: the pipe has ended. A process that
// goes on writing delays no caller: the function reads at most one pipe size.
bool read_rest(const file& from, std::string& text) {
    constexpr std::size_t usual_max = 1 << 20;
    const int size = rt::file_pipe_size(from.fd());
    const std::size_t most = text.size() + (size > 0 ? static_cast<std::size_t>(size) : usual_max);
    char part[4096];
    while (text.size() < most) {
        const std::int64_t n = rt::file_read(from.fd(), part, sizeof part);
        if (n == -EINTR) continue;
        if (n <= 0) return n == 0;
        text.append(part, static_cast<std::size_t>(n));
    }
    return false;
}

}  // namespace

std::string command::read_output(bool with_errors, std::error_code& error) {
    state& s = *state_;
    if (s.tried || s.files[1] || (with_errors && s.files[2])) {
        error = std::make_error_code(std::errc::invalid_argument);
        return {};
    }
    auto [from, to] = pipe(error);
    if (error) return {};
    if (with_errors) stderr_to(to);
    stdout_to(std::move(to));
    start(error);
    if (error) return {};
    std::error_code of_wait;
    std::string text;
    if (s.wait_delay.count() < 0) {
        text = from.read_all(error);
        (void)wait(of_wait);
    } else {
        wait_group waiter;
        waiter.go([&] {
            std::error_code ignored;
            (void)wait(of_wait);
            from.set_read_deadline(clock::now() + s.wait_delay, ignored);
        });
        // Without memory for the text the pipe is closed: the program's writes then fail.
        const defer joined([&] {
            std::error_code ignored;
            if (std::uncaught_exceptions() != 0) from.close(ignored);
            waiter.wait();
        });
        text = from.read_all(error);
        // The deadline may pass before this goroutine has run.
        if (error == std::errc::timed_out && read_rest(from, text)) error.clear();
    }
    if (!error) error = of_wait;
    return text;
}

std::string command::output(std::error_code& error) { return read_output(false, error); }
std::string command::output() {
    return throwing_for("output of", state_->name(),
                        [this](std::error_code& e) { return output(e); });
}
std::string command::combined_output(std::error_code& error) { return read_output(true, error); }
std::string command::combined_output() {
    return throwing_for("output of", state_->name(),
                        [this](std::error_code& e) { return combined_output(e); });
}

void command::kill(int signal, std::error_code& error) const {
    if (state_->child == nullptr) error = not_started();
    else (void)rt::checked(state_->child->signal(signal), error);
}
void command::kill(int signal) const {
    throwing_for("kill", state_->name(), [=, this](std::error_code& e) { kill(signal, e); });
}

pid_t command::pid() const noexcept {
    return state_->child != nullptr ? state_->child->pid() : pid_t{-1};
}

// --- the rest ------------------------------------------------------------------------------------

std::string exit_status::to_string() const {
    return exited ? "exit status " + std::to_string(code) : "signal " + std::to_string(signal);
}

std::string look_path(std::string_view name, std::error_code& error) {
    std::string path;
    const rt::blocking_call handed_off;
    const int failed = find_program(std::string(name), path);
    error = failed != 0 ? rt::error_of(-failed) : std::error_code();
    return failed != 0 ? std::string() : path;
}
std::string look_path(std::string_view name) {
    return throwing_for("look_path", name,
                        [&](std::error_code& error) { return look_path(name, error); });
}

}  // namespace rota::os
