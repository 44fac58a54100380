// Serves the pages of rota::debug over HTTP. Go: net/http/pprof.
#include <rota/debug.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <rota/context.hpp>
#include <rota/detail/pool_engine.hpp>
#include <rota/detail/spawn.hpp>
#include <rota/metrics.hpp>
#include <rota/pprof.hpp>
#include <rota/sync/wait_group.hpp>

#include "base/fatal.hpp"
#include "diag/pages/page_guard.hpp"
#include "diag/pages/profile_difference.hpp"
#include "diag/pages/sched_page.hpp"
#include "diag/profile/stack_depths.hpp"
#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/symbolize.hpp"
#include "diag/text/append_format.hpp"
#include "diag/trace/debug_trace.hpp"
#include "sys/call/number.hpp"

namespace rota::debug {

namespace {

using http::request;
using http::response_writer;
using rt::append_format;

constexpr std::string_view pprof_prefix = "/debug/pprof/";
// s; the longest time that a page may take. Only a single CPU profile and a single trace can run,
// so a client that asks for a day would keep every other client waiting.
constexpr long long longest = 300;
constexpr std::string_view plain_text = "text/plain; charset=utf-8";

void send(response_writer& w, std::string_view type, std::string_view body) {
    w.header().set("X-Content-Type-Options", "nosniff");
    w.header().set("Content-Type", type);
    w.write(body);
}

// go tool pprof prints the text of an error with the field X-Go-Pprof.
void send_error(response_writer& w, int status, std::string_view text) {
    w.header().set("X-Content-Type-Options", "nosniff");
    w.header().set("Content-Type", plain_text);
    w.header().set("X-Go-Pprof", "1");
    w.write_header(status);
    w.write(std::string(text) + "\n");
}

std::optional<long long> integer(const std::string& text) {
    long long v = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), v);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
    return v;
}

// As Go's ParseFloat, for the values that make sense here: text that is no such value gives 0.
double positive(const std::string& text) {
    double v = 0;
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
    // libc++ reads no floating point by from_chars before version 20.
    const locale_t c_locale = ::newlocale(LC_ALL_MASK, "C", locale_t{});
    if (c_locale == locale_t{}) return 0;
    char* end = nullptr;
    v = ::strtod_l(text.c_str(), &end, c_locale);
    ::freelocale(c_locale);
    return end == text.c_str() + text.size() && v > 0 ? v : 0;
#else
    const auto end = std::from_chars(text.data(), text.data() + text.size(), v);
    return end.ec == std::errc() && end.ptr == text.data() + text.size() && v > 0 ? v : 0;
#endif
}

struct page_link {
    std::string_view name, description;
};

constexpr page_link described[] = {
    {"allocs", "As heap, with what was allocated as the value that is shown first"},
    {"block", "Stack traces that led to blocking on synchronization primitives"},
    {"cmdline", "The command line invocation of the current program"},
    {"goroutine",
     "Stack traces of all current goroutines. Use debug=2 as a query parameter to export in the "
     "same format as an unrecovered panic."},
    {"goroutineleak",
     "Stack traces of goroutines that can never run again. Stops the world and reads all memory of "
     "the process. The count is that of the last time."},
    {"heap", "The memory that rota itself has: stacks of goroutines, and its tables"},
    {"mutex", "Stack traces of holders of contended mutexes"},
    {"profile",
     "CPU profile. You can specify the duration in the seconds GET parameter. After you get the "
     "profile file, use the go tool pprof command to investigate the profile."},
    {"symbol",
     "Maps given program counters to function names. Counters can be specified in a GET raw query "
     "or POST body, multiple counters are separated by &#39;+&#39;."},
    {"threadcreate", "Threads, by what they are for"},
    {"trace",
     "A trace of execution of the current program. You can specify the duration in the seconds GET "
     "parameter. After you get the trace file, use the go tool trace command to investigate the "
     "trace."},
};

std::size_t records_of(std::string_view name, const std::vector<pprof::profile_info>& all) {
    for (const pprof::profile_info& p : all) {
        if (p.name == name) return p.count;
    }
    return 0;
}

void send_index(response_writer& w) {
    const auto counts = pprof::profiles();
    std::string page =
        "<html>\n<head>\n<title>/debug/pprof/</title>\n<style>\n.profile-name{\n"
        "\tdisplay:inline-block;\n\twidth:6rem;\n}\n</style>\n</head>\n<body>\n/debug/pprof/\n"
        "<br>\n<p>Set debug=1 as a query parameter to export in legacy text format</p>\n<br>\n"
        "Types of profiles available:\n<table>\n<thead><td>Count</td><td>Profile</td></thead>\n";
    for (const page_link& l : described) {
        const int n = static_cast<int>(l.name.size());
        append_format(page, "<tr><td>%zu</td><td><a href='%.*s?debug=1'>%.*s</a></td></tr>\n",
                      records_of(l.name, counts), n, l.name.data(), n, l.name.data());
    }
    page += "</table>\n<a href=\"goroutine?debug=2\">full goroutine stack dump</a>\n<br>\n<p>\n"
            "Profile Descriptions:\n<ul>\n";
    for (const page_link& l : described) {
        page.append("<li><div class=profile-name>").append(l.name).append(": </div> ");
        page.append(l.description).append("</li>\n");
    }
    page += "</ul>\n</p>\n</body>\n</html>";
    send(w, "text/html; charset=utf-8", page);
}

void send_cmdline(response_writer& w) {
    std::string arguments;
    if (std::FILE* const file = rt::stream_to_read("/proc/self/cmdline")) {
        char part[4096];
        for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;)
            arguments.append(part, n);
        std::fclose(file);
    }
    if (!arguments.empty()) arguments.pop_back();  // the NUL behind the last argument
    send(w, plain_text, arguments);
}

// Reads the body; nothing if it has more than `most` bytes.
std::optional<std::string> short_body(request& r, std::size_t most) {
    std::string body;
    char part[4096];
    while (const std::size_t n = r.read(std::as_writable_bytes(std::span(part)))) {
        if (body.size() + n > most) return std::nullopt;
        body.append(part, n);
    }
    return body;
}

// Takes "0x1+0x2", and answers with a line for each address that has a name.
void send_symbols(response_writer& w, request& r) {
    constexpr std::size_t addresses_max = 1 << 16, bytes_max = 1 << 20;
    std::string asked;
    if (r.method() == "POST") {
        auto body = short_body(r, bytes_max);
        if (!body) return send_error(w, 413, "more than 1 MiB of addresses");
        asked = std::move(*body);
    } else {
        const std::string_view target = r.target();
        const std::size_t question = target.find('?');
        if (question != target.npos) asked = target.substr(question + 1);
    }
    std::string answer = "num_symbols: 1\n";
    std::size_t n = 0;
    for (std::size_t at = 0; at < asked.size() && n < addresses_max; ++n) {
        std::size_t end = asked.find('+', at);
        if (end == asked.npos) end = asked.size();
        std::string_view word(asked.data() + at, end - at);
        at = end + 1;
        if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
        std::uintptr_t address = 0;
        const auto parsed = std::from_chars(word.data(), word.data() + word.size(), address, 16);
        if (parsed.ec != std::errc() || address == 0) continue;
        const rt::code_place p = rt::place_of(reinterpret_cast<const void*>(address));
        if (p.function == nullptr) continue;
        const rt::frame_name name(p.function, false);
        append_format(answer, "%#zx %.*s\n", static_cast<std::size_t>(address),
                      name.length < 400 ? name.length : 400, name.text);
    }
    send(w, plain_text, answer);
}

void send_file(response_writer& w, std::string_view name, const std::string& data) {
    w.header().set("Content-Disposition", "attachment; filename=\"" + std::string(name) + "\"");
    send(w, "application/octet-stream", data);
}

void send_too_long(response_writer& w) {
    send_error(w, 400, "profile duration exceeds " + std::to_string(longest) + " seconds");
}

void send_cpu_profile(response_writer& w, const request& r) {
    constexpr long long usual = 30;
    long long seconds = integer(r.query("seconds")).value_or(usual);
    if (seconds <= 0) seconds = usual;
    if (seconds > longest) return send_too_long(w);
    std::ostringstream out;
    try {
        pprof::start_cpu_profile(out);
    } catch (const std::exception& e) {
        return send_error(w, 500, std::string("Could not enable CPU profiling: ") + e.what());
    }
    // Ends earlier if the client has gone.
    try {
        (void)sleep_for(r.ctx(), std::chrono::seconds(seconds));
    } catch (...) {
        pprof::stop_cpu_profile();
        throw;
    }
    pprof::stop_cpu_profile();
    send_file(w, "profile", out.str());
}

void send_trace(response_writer& w, const request& r) {
    constexpr double usual = 1;
    double seconds = positive(r.query("seconds"));
    if (seconds == 0) seconds = usual;
    if (seconds > static_cast<double>(longest)) return send_too_long(w);
    std::error_code ec;
    const std::chrono::duration<double> asked(seconds);
    const std::string file =
        rt::trace_for(r.ctx(), std::chrono::duration_cast<std::chrono::nanoseconds>(asked), ec);
    if (ec) return send_error(w, 500, "Could not enable tracing: " + ec.message());
    send_file(w, "trace", file);
}

bool is_profile(std::string_view name) {
    for (const pprof::profile_info& p : pprof::profiles()) {
        if (p.name == name) return true;
    }
    return false;
}

void send_difference(response_writer& w, const request& r, std::string_view name,
                     std::chrono::seconds lasting) {
    rt::profile_difference difference(name);
    if (const std::error_code ended = sleep_for(r.ctx(), lasting))
        return send_error(w, ended == context_errc::deadline_exceeded ? 408 : 500, ended.message());
    send_file(w, std::string(name) + "-delta", difference.finish());
}

void send_profile(response_writer& w, const request& r, std::string_view name) {
    if (!is_profile(name)) return send_error(w, 404, "Unknown profile");
    const long long debug = integer(r.query("debug")).value_or(0);
    if (const std::string seconds = r.query("seconds"); !seconds.empty()) {
        const long long lasting = integer(seconds).value_or(0);
        if (lasting <= 0)
            return send_error(w, 400, "invalid value for \"seconds\" - must be a positive integer");
        if (debug != 0) return send_error(w, 400, "seconds and debug params are incompatible");
        if (lasting > longest) return send_too_long(w);
        return send_difference(w, r, name, std::chrono::seconds(lasting));
    }
    if (name == "heap" && integer(r.query("gc")).value_or(0) > 0) rota::detail::pools_collect();
    std::ostringstream out;
    // As in Go, every number but 0 asks for text.
    pprof::write_profile(name, out, debug < 0 ? 1 : static_cast<int>(std::min(debug, 2LL)));
    if (debug != 0) send(w, plain_text, out.str());
    else send_file(w, name, out.str());
}

void send_pprof(response_writer& w, request& r) {
    const std::string name(r.path().substr(pprof_prefix.size()));
    if (name.empty()) return send_index(w);
    if (name == "cmdline") return send_cmdline(w);
    if (name == "symbol") return send_symbols(w, r);
    if (name == "profile") return send_cpu_profile(w, r);
    if (name == "trace") return send_trace(w, r);
    send_profile(w, r, name);
}

}  // namespace

// The mux redirects /debug/pprof to /debug/pprof/, and treats such pages as Go's mux does.
http::handler handler() {
    const http::serve_mux pages;
    pages.handle(pprof_prefix, send_pprof);
    pages.handle("/debug/sched", [](response_writer& w, const request&) {
        send(w, "application/json", rt::sched_json());
    });
    pages.handle("/debug/stacks", [](response_writer& w, const request&) {
        send(w, plain_text, rt::stack_depths_text());
    });
    pages.handle("/metrics", [](response_writer& w, const request&) {
        send(w, metrics::prometheus_type, metrics::prometheus());
    });
    return pages;
}

http::handler handler(options o) {
    return
        [pages = handler(), guard = rt::page_guard(std::move(o))](response_writer& w, request& r) {
            if (guard.admits(w, r)) pages(w, r);
        };
}

struct server::state {
    state(net::listener l, options o) : listener(std::move(l)), pages(handler(std::move(o))) {}
    net::listener listener;
    http::server pages;
    wait_group served;
    bool is_closed = false;
};

server::server(std::unique_ptr<state> s) noexcept : state_(std::move(s)) {}
server::server(server&&) noexcept = default;

server& server::operator=(server&& other) noexcept {
    if (this != &other) {
        if (state_) close();
        state_ = std::move(other.state_);
    }
    return *this;
}

server::~server() {
    if (state_) close();
}

net::endpoint server::addr() const { return state_->listener.addr(); }

void server::close() {
    if (std::exchange(state_->is_closed, true)) return;
    state_->pages.close();
    state_->served.wait();
}

server serve(std::string_view address, options o) {
    net::listener listener = net::listen("tcp", address);
    if (!rt::is_loopback(listener.addr()) && !rt::page_guard(o).covers_everybody())
        throw std::system_error(
            std::make_error_code(std::errc::permission_denied),
            "rota::debug::serve: " + std::string(address) +
                " is no loopback address: set rota::debug::options::token, admit or "
                "open_to_everybody");
    auto s = std::make_unique<server::state>(std::move(listener), std::move(o));
    s->served.add(1);
    detail::spawn_any(0, "debug pages", [s = s.get()] {
        // ended by close; after a failure the program runs without these pages
        std::error_code ended;
        s->pages.serve(s->listener, ended);
        s->served.done();
    });
    return server(std::move(s));
}

server serve(std::string_view address) {
    // The port may be 0, so the address is checked once the server listens there.
    server s = serve(address, options{.open_to_everybody = true});
    if (!rt::is_loopback(s.addr()))
        rt::print_error(
            "rota: the debug pages at %s are open to everybody who can reach them: give "
            "rota::debug::serve a token, or set rota::debug::options::open_to_everybody\n",
            s.addr().to_string().c_str());
    return s;
}

}  // namespace rota::debug
