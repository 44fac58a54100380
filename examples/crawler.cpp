// A crawler that knows its bounds: it follows links from page to page, and troubles nobody.
//
// Go: the last exercise of the tour, with what a crawler needs outside of an exercise. Its bounds
// are the lesson:
//
//   * each page is fetched once: who finds a link asks a set, under a lock, whether it is new;
//   * only one host, and no more than so many pages;
//   * so many requests at once (a semaphore), and no more than one each millisecond (a ticker);
//   * a limit of time for each request, and for a page's size.
//
// A goroutine for each link would be too many goroutines on a large site; but they are cheap, and
// here each of them is a page that will be fetched. The wait group knows when the last has ended:
// who adds work to it does so before its own is done.
//
// What to see: a site of 200 pages, with links to and fro, links to other hosts, and dead ones.
// Last line: 200 pages, 40 dead links, never more than 4 requests at once
#include <rota/http.hpp>
#include <rota/rota.hpp>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace http = rota::http;

constexpr int site_size = 200, at_once_max = 4;

// What stands behind each href=" of a page, if it leads to a page of the same host.
std::vector<std::string> local_links(std::string_view page) {
    constexpr std::string_view mark = "href=\"";
    std::vector<std::string> links;
    for (std::size_t at = page.find(mark); at != page.npos; at = page.find(mark, at)) {
        at += mark.size();
        const std::string_view link = page.substr(at, page.find('"', at) - at);
        if (link.starts_with('/') && !link.starts_with("//")) links.emplace_back(link);
    }
    return links;
}

class crawler {
  public:
    crawler(std::string site, std::size_t pages_max)
        : site_(std::move(site)), pages_max_(pages_max) {}

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
    const http::client client_{{.timeout = std::chrono::seconds{10},
                                .max_idle_per_host = at_once_max,
                                .max_body_bytes = 1 << 20,
                                .proxy_from_environment = false}};
    const rota::ticker pace_{std::chrono::milliseconds{1}};
    rota::counting_semaphore<> at_once_{at_once_max};
    rota::wait_group working_;
    std::atomic<int> pages_{0}, dead_{0};
    rota::mutex mu_;
    std::set<std::string> seen_;  // guarded by mu_
};

// Page n has links to 2n+1 and 2n+2, back to its beginning, elsewhere, and every fifth to nothing.
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
    crawler c("http://" + l.addr().to_string(), 1000);
    c.crawl("/page/0");
    server.close();
    serving.wait();
    std::printf("%d pages, %d dead links, %s than %d requests at once\n", c.pages(), c.dead(),
                most <= at_once_max ? "never more" : "more", at_once_max);
}

}  // namespace

int main() { rota::run(demonstrate); }
