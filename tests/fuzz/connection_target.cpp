// A server of files, and a client that sends the input.
#include <string>

#include <unistd.h>
#include <rota/http.hpp>
#include <rota/net.hpp>
#include <rota/os.hpp>
#include <rota/sync.hpp>

#include "targets.hpp"

namespace rota_fuzz {

namespace {

namespace http = rota::http;
namespace net = rota::net;

// A directory with a file, for as long as the process lives.
struct directory {
    std::string path;
    directory() {
        char name[] = "/tmp/rota-fuzz-XXXXXX";
        if (::mkdtemp(name) == nullptr) return;
        path = name;
        rota::os::write_file(path + "/f", "0123456789");
    }
    ~directory() {
        ::unlink((path + "/f").c_str());
        ::rmdir(path.c_str());
    }
};

http::serve_mux handlers() {
    static const directory d;
    const http::serve_mux mux;
    mux.handle("/", http::file_server(d.path));
    mux.handle("/echo/{name}", [](auto& w, auto& r) {
        w.header().set("X-Query", r.query("q").empty() ? "no" : "yes");
        w.write(r.body() + r.path_value("name"));
    });
    return mux;
}

}  // namespace

void connection(std::string_view input) {
    static std::uint64_t number = 0;
    const http::server server(handlers(), {.max_header_bytes = 4096, .max_body_bytes = 4096});
    const net::listener l = net::listen(
        "unix", "@rota-fuzz-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    const std::string answer = answer_to(net::dial("unix", l.addr().to_string()), input);
    require(answer.empty() || answer.starts_with("HTTP/1."), "answers begin as answers do");
    server.close();
    server.shutdown(rota::background());
    serving.wait();
}

}  // namespace rota_fuzz
