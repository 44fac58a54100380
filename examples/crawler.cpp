// A crawler with bounds: it follows links from page to page, and does not overload a server.
//
//     crawler                                      crawls its own demonstration site
//     crawler URL [PAGES [AT_ONCE [PER_SECOND]]]   begins at URL; by default at most 100 pages,
//                                                  4 requests at once, 10 a second
//
// Go: the last exercise of the tour, extended to what a real crawler needs. Its bounds are the
// lesson:
//
//   * it fetches each page once: a goroutine that finds a link checks in a set, under a lock,
//     whether the link is new;
//   * it stays on a single host, and fetches a limited number of pages;
//   * it limits the requests at once (a semaphore), and the requests in a second (a ticker);
//   * it limits the time of each request, and the size of a page.
//
// On a large site a goroutine for each link would be too many goroutines; but they are cheap, and
// here each of them stands for a page that it will fetch. The wait group knows when the last has
// ended: a goroutine adds new work to it before its own work is done.
//
// What to see: a site of 200 pages, with links in both directions, links to other hosts, and dead
// links.
// Last line: 200 pages, 40 dead links, never more than 4 requests at once
#include <rota/http.hpp>
#include <rota/rota.hpp>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

namespace http = rota::http;

constexpr int site_size = 200, at_once_max = 4;

struct bounds {
    int pages = 100, at_once = at_once_max, per_second = 10;
};

// The targets of each href=" in a page, if they lead to the same host. They lack the fragment,
// which would turn a single page into two.
std::vector<std::string> local_links(std::string_view page) {
    constexpr std::string_view mark = "href=\"";
    std::vector<std::string> links;
    for (std::size_t at = page.find(mark); at != page.npos; at = page.find(mark, at)) {
        at += mark.size();
        const std::string_view link = page.substr(at, page.find('"', at) - at);
        if (link.starts_with('/') && !link.starts_with("//"))
            links.emplace_back(link.substr(0, link.find('#')));
    }
    return links;
}

class crawler {
  public:
    crawler(std::string site, const bounds& b)
        : site_(std::move(site)),
          pages_max_(static_cast<std::size_t>(b.pages)),
          client_({.timeout = std::chrono::seconds{10},
                   .max_idle_per_host = static_cast<std::size_t>(b.at_once),
                   .max_body_bytes = 1 << 20,
                   .proxy_from_environment = false}),
          pace_(std::chrono::microseconds{1'000'000 / b.per_second}),
          at_once_(b.at_once) {}

    void crawl(const std::string& from) {
        visit(from);
        working_.wait();
        pace_.stop();
    }
    int pages() const { return pages_; }
    int dead() const { return dead_; }

  private:
    void visit(const std::string& path) {
        {
            const std::lock_guard guard(mu_);
            if (seen_.size() >= pages_max_ || !seen_.insert(path).second) return;
        }
        working_.go([this, path] { fetch(path); });
    }

    void fetch(const std::string& path) {
        std::error_code error;
        http::response page;
        {
            at_once_.acquire();
            const rota::defer at_end([&] { at_once_.release(); });
            (void)pace_.c().recv();
            page = client_.get(site_ + path, error);
        }
        if (error || page.status != 200) {
            ++dead_;
            return;
        }
        ++pages_;
        for (const std::string& link : local_links(page.body)) visit(link);
    }

    const std::string site_;
    const std::size_t pages_max_;
    const http::client client_;
    const rota::ticker pace_;
    rota::counting_semaphore<> at_once_;
    rota::wait_group working_;
    std::atomic<int> pages_{0}, dead_{0};
    rota::mutex mu_;
    std::set<std::string> seen_;  // guarded by mu_
};

// Page n has links to 2n+1 and 2n+2, to page 0, to other hosts, and every fifth page to a missing
// page.
void answer(http::response_writer& w, http::request& r) {
    const std::string name = r.path_value("n");
    int n = 0;
    std::from_chars(name.data(), name.data() + name.size(), n);
    std::string page = "<a href=\"/page/0\"><a href=\"//example.org/\"><a href=\"http://a.org\">";
    for (const int next : {2 * n + 1, 2 * n + 2})
        if (next < site_size) page += "<a href=\"/page/" + std::to_string(next) + "\">";
    if (n % 5 == 0) page += "<a href=\"/nothing/" + name + "\">";
    w.write(page);
}

void demonstrate() {
    std::atomic<int> now{0}, most{0};
    http::serve_mux mux;
    mux.handle("GET /page/{n}", [&](http::response_writer& w, http::request& r) {
        const int running = ++now;
        for (int seen = most; seen < running && !most.compare_exchange_weak(seen, running);) {
        }
        rota::sleep_for(std::chrono::milliseconds{1});
        answer(w, r);
        --now;
    });
    const rota::net::listener l = rota::net::listen("tcp", "127.0.0.1:0");
    const http::server server(mux);
    rota::wait_group serving;
    serving.go([&] { server.serve(l); });
    crawler c("http://" + l.addr().to_string(), {.pages = 1000, .per_second = 1000});
    c.crawl("/page/0");
    server.close();
    serving.wait();
    std::printf("%d pages, %d dead links, %s than %d requests at once\n", c.pages(), c.dead(),
                most <= at_once_max ? "never more" : "more", at_once_max);
}

// Returns the status of the program: 1 if it could not fetch even the first page.
int crawl(const std::string& url, const bounds& b) {
    // main has checked that the URL is valid
    const std::size_t path = url.find('/', url.find("://") + 3);
    crawler c(url.substr(0, path), b);
    c.crawl(path == url.npos ? "/" : url.substr(path, url.find('#') - path));
    std::printf("%d pages, %d dead links\n", c.pages(), c.dead());
    if (c.pages() > 0) return 0;
    std::fprintf(stderr, "crawler: no page at \"%s\": is it there, and answered with 200?\n",
                 url.c_str());
    return 1;
}

int usage(std::FILE* to, int status) {
    std::fprintf(to, "usage: crawler [URL [PAGES [AT_ONCE [PER_SECOND]]]]\n"
                     "  URL         where to begin: \"http://127.0.0.1:8080/\"\n"
                     "  PAGES       how many addresses to ask for at most (100)\n"
                     "  AT_ONCE     how many requests to have under way at most (4)\n"
                     "  PER_SECOND  how many to begin in a second at most (10)\n"
                     "Without arguments: a demonstration.\n");
    return status;
}

// Whether `text` is a whole number from 1 to 100000; if so, stores it in `n`.
bool read_number(std::string_view text, int& n) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error == std::errc{} && end == text.data() + text.size() && n >= 1 && n <= 100'000)
        return true;
    std::fprintf(stderr, "crawler: \"%.*s\" is no bound: give a number from 1 to 100000\n",
                 static_cast<int>(text.size()), text.data());
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) return usage(stdout, 0);
    if (words.size() > 4) {
        std::fprintf(stderr, "crawler: more words than a URL and three bounds\n");
        return usage(stderr, 2);
    }
    bounds b;
    int* const numbers[] = {&b.pages, &b.at_once, &b.per_second};
    for (std::size_t i = 1; i < words.size(); ++i)
        if (!read_number(words[i], *numbers[i - 1])) return 2;
    try {
        if (!words.empty()) (void)http::request("GET", words[0]);
    } catch (const std::system_error& e) {
        std::fprintf(stderr, "crawler: \"%s\" is nowhere to begin: %s; write http://HOST/PATH\n",
                     words[0].c_str(), e.code().message().c_str());
        return 2;
    }
    try {
        return rota::run([&] {
            if (!words.empty()) return crawl(words[0], b);
            demonstrate();
            return 0;
        });
    } catch (const std::exception& e) {
        std::fprintf(stderr, "crawler: %s\n", e.what());
        return 1;
    }
}
