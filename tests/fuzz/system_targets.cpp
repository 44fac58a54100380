// What comes from the system: addresses, the environment, the files of control groups.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.hpp"
#include "net/address.hpp"
#include "sys/proc/cgroup.hpp"
#include "targets.hpp"

namespace rota_fuzz {

void address(std::string_view input) {
    namespace net = rota::net;
    if (const auto parts = net::split(input)) {
        require(parts->host.size() + parts->port.size() < input.size(), "a colon parts them");
        if (const auto e = net::literal(parts->host, 80)) {
            const auto again = net::literal(e->host(), 80);
            require(again && again->to_string() == e->to_string(), "an address is read as written");
        }
    }
    if (const auto e = net::literal(input, 1)) require(e->port() == 1, "a port is kept");
    (void)net::unix_endpoint(input);
    (void)net::network_of(input);
}

namespace {

// What is complained of is not of interest.
class silence {
  public:
    silence() : before_(::dup(STDERR_FILENO)) {
        const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(null, STDERR_FILENO);
        ::close(null);
    }
    ~silence() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }
    silence(const silence&) = delete;
    silence& operator=(const silence&) = delete;

  private:
    const int before_;
};

// A variable of the environment, until the end.
class environment_variable {
  public:
    environment_variable(const char* name, std::string_view value) : name_(name) {
        if (const char* const before = std::getenv(name)) before_ = before, was_set_ = true;
        ::setenv(name, std::string(value.substr(0, value.find('\0'))).c_str(), 1);
    }
    ~environment_variable() {
        if (was_set_) ::setenv(name_, before_.c_str(), 1);
        else ::unsetenv(name_);
    }
    environment_variable(const environment_variable&) = delete;
    environment_variable& operator=(const environment_variable&) = delete;

  private:
    const char* const name_;
    std::string before_;
    bool was_set_ = false;
};

}  // namespace

void environment(std::string_view input) {
    rota::rt::environment e;
    {
        const environment_variable procs("GOMAXPROCS", take(input, '\n')),
            debug("GODEBUG", take(input, '\n')), traceback("GOTRACEBACK", take(input, '\n'));
        const silence quiet;
        e = rota::rt::read_environment();
    }
    require(e.gomaxprocs >= 0 && e.gomaxprocs <= 1024, "GOMAXPROCS is in its range");
    require(e.schedtrace_ms >= 0 && e.asymmetric >= 0 && e.asymmetric <= 1, "GODEBUG is in range");
    require(e.preemptsignal > 0 && e.preemptsignal < 65, "a signal is one");
}

namespace {

// A tree of files for cgroup_reader, for as long as the process lives.
struct fake_root {
    std::string path;
    fake_root() {
        char name[] = "/tmp/rota-fuzz-XXXXXX";
        if (::mkdtemp(name) == nullptr) return;
        path = name;
        for (const char* const each : folders) ::mkdir((path + each).c_str(), 0777);
    }
    ~fake_root() {
        for (const char* const each : files) ::unlink((path + each).c_str());
        for (int i = 3; i >= 0; --i) ::rmdir((path + folders[i]).c_str());
    }
    void write(int file, std::string_view text) const {
        const int number = ::open((path + files[file]).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        require(::write(number, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
                "a small file can be written");
        ::close(number);
    }
    static constexpr const char* folders[] = {"", "/proc", "/proc/self", "/cg"};
    static constexpr const char* files[] = {"/proc/self/cgroup", "/proc/self/mountinfo",
                                            "/cg/cpu.max", "/cg/cpu.cfs_quota_us", "/cg/cpu.stat"};
};

}  // namespace

// The parts of the input are parted by a line with a dot.
void cgroup(std::string_view input) {
    static const fake_root root;
    static const auto reader = std::make_unique<rota::rt::cgroup_reader>(root.path);
    for (int i = 0; i < 5; ++i) {
        const std::size_t end = input.find("\n.\n");
        root.write(i, input.substr(0, end == input.npos ? end : end + 1));
        input.remove_prefix(end == input.npos ? input.size() : end + 3);
    }
    reader->look_below(root.path);
    const rota::rt::cpu_quota q = reader->quota();
    require(!q.is_limit() || (q.quota > 0 && q.rounded_down() >= 1 && q.rounded_up() >= 2),
            "a quota pays for a processor");
    rota::rt::cpu_throttling t;
    (void)reader->throttling(t);
}

}  // namespace rota_fuzz
