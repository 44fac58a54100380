// A program under a filter that refuses a system call. `works NUMBER ERROR` uses many parts of the
// library, and prints the result of each; the parent compares that with a run without a filter.
// `boots NUMBER ERROR`: the program installs the filter after the runtime has worked.
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

#include <rota/leak.hpp>
#include <rota/pprof.hpp>

#include "confined.hpp"
#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

namespace os = rota::os;
namespace http = rota::http;

class scratch {
  public:
    scratch() {
        char path[] = "/tmp/rota-sandbox-XXXXXX";
        if (::mkdtemp(path) == nullptr) ::_exit(98);
        path_ = path;
    }
    ~scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    std::string operator/(const char* name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

std::string text_of(std::size_t size) {
    std::string text;
    while (text.size() < size) text += std::to_string(text.size()) + " ";
    return text;
}

// --- the parts -----------------------------------------------------------------------------------

// Many stacks; goroutines that compute beside goroutines that sleep.
std::string goroutines() {
    std::atomic<long> sum{0};
    std::atomic<bool> enough{false};
    rota::wait_group all, hogs;
    for (int i = 0; i < 4; ++i) {
        hogs.go([&] {
            while (!enough.load(std::memory_order_relaxed)) {
            }
        });
    }
    for (int i = 0; i < 200; ++i) {
        all.go([&, i] {
            rota::sleep_for(i % 3 * 1ms);
            sum += i;
        });
    }
    all.wait();
    enough = true;
    hogs.wait();
    return std::to_string(sum);
}

std::string files() {
    const scratch here;
    const std::string text = text_of(300'000);
    os::write_file(here / "a", text);
    return os::read_file(here / "a") == text ? "same" : "differ";
}

std::string pipes() {
    auto [reader, writer] = os::pipe();
    const std::string text = text_of(200'000);
    rota::wait_group sender;
    sender.go([&, w = std::move(writer)] { w.write(text); });
    std::string result = reader.read_all() == text ? "same" : "differ";
    sender.wait();
    auto [lost, open] = os::pipe();
    lost = {};
    std::error_code error;
    open.write("nobody reads", error);
    return result + ", " + error.message();
}

std::string programs() {
    os::command echo({"sh", "-c", "echo from $0", "sh"});
    std::string result = echo.output();
    os::command fails({"sh", "-c", "exit 3"});
    result += std::to_string(fails.run().code);
    os::command sleeps({"sleep", "100"});
    sleeps.start();
    sleeps.kill(SIGTERM);
    result += " signal " + std::to_string(sleeps.wait().signal);
    std::error_code error;
    os::command({"no-such-program-of-rota"}).start(error);
    return result + ", " + error.message();
}

// HTTP over TCP; the server sends files with sendfile.
std::string network() {
    const scratch here;
    const std::string text = text_of(400'000);
    os::write_file(here / "page.txt", text);
    http::server server(http::file_server(here.path()));
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    rota::wait_group serving;
    serving.go([&] {
        std::error_code closed;
        server.serve(l, closed);
    });
    const std::string url = "http://" + l.addr().to_string() + "/";
    {
        const http::client c;
        const std::string got = c.get(url + "page.txt").body;
        const int absent = c.get(url + "none").status;
        server.close();
        serving.wait();
        return (got == text ? "same, " : "differ, ") + std::to_string(absent);
    }
}

std::string unix_sockets() {
    const scratch here;
    const std::string path = here / "socket";
    {
        const rota::net::listener l = rota::net::listen("unix", path);
        const rota::net::conn c = rota::net::dial("unix", path);
        if (!l.accept()) return "no connection";
        l.close();
    }
    return std::filesystem::exists(path) ? "left behind" : "removed";
}

std::string signals() {
    const auto c = rota::make_chan<int>(1);
    os::notify(c, SIGUSR1);
    ::raise(SIGUSR1);
    const int got = *c.recv();
    os::stop(c);
    os::ignore(SIGUSR1);
    ::raise(SIGUSR1);
    os::reset(SIGUSR1);
    return std::to_string(got);
}

// The caller must get an error if the kernel refuses. An empty profile is not enough.
std::string profile() {
    std::ostringstream out;
    try {
        rota::pprof::start_cpu_profile(out);
    } catch (const std::system_error& e) {
        return "refused";
    }
    const auto until = std::chrono::steady_clock::now() + 40ms;
    while (std::chrono::steady_clock::now() < until) {
    }
    rota::pprof::stop_cpu_profile();
    return out.str().empty() ? "empty" : "there";
}

std::string traces() {
    const std::string all = rota::runtime::stack(true);
    (void)rota::leak::find_unreachable();
    return all.find("goroutine ") != std::string::npos ? "there" : "none";
}

struct part {
    const char* name;
    std::string (*run)();
};
constexpr part parts[] = {
    {"goroutines", goroutines}, {"files", files},     {"pipes", pipes},
    {"programs", programs},     {"network", network}, {"unix sockets", unix_sockets},
    {"signals", signals},       {"profile", profile}, {"traces", traces}};

void work() {
    for (const part& p : parts) {
        std::string result;
        try {
            result = p.run();
        } catch (const std::exception& e) {
            result = std::string("failed: ") + e.what();
        }
        say((std::string(p.name) + ": " + result).c_str());
    }
}

unsigned number = 0, error = 0;

void confine() {
    if (error != 0 && !refuse_system_call(number, error)) ::_exit(97);
}

int works() {
    confine();
    rota::run(work);
    return 0;
}

int boots() {
    rota::run([] {
        (void)goroutines();
        (void)files();
        (void)programs();
        (void)network();
        confine();
        work();
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 4) {
        number = static_cast<unsigned>(std::atoi(argv[2]));
        error = static_cast<unsigned>(std::atoi(argv[3]));
    }
    return run_case(argc, argv, {{"works", works}, {"boots", boots}});
}
