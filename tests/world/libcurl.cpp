// libcurl: requests on a kept connection of each worker; with the argument `tls`, over TLS, and a
// new connection for each 16th.
//
// The server answers with the path that it was asked for, which must be the worker's own. CURL_BASE
// is its address, CURL_AUTHORITY the file with its certificate.
#include "world.hpp"

#include <curl/curl.h>

namespace {

bool over_tls = false;

std::size_t append(char* data, std::size_t size, std::size_t count, void* to) {
    static_cast<std::string*>(to)->append(data, size * count);
    return size * count;
}

class requests : public world::client {
  public:
    explicit requests(int index) : path_("/worker/" + std::to_string(index) + "/") {
        world::require(c_ != nullptr, "curl_easy_init");
        ::curl_easy_setopt(c_.get(), CURLOPT_NOSIGNAL, 1L);
        ::curl_easy_setopt(c_.get(), CURLOPT_TIMEOUT, 30L);
        ::curl_easy_setopt(c_.get(), CURLOPT_WRITEFUNCTION, append);
        ::curl_easy_setopt(c_.get(), CURLOPT_WRITEDATA, &body_);
        ::curl_easy_setopt(c_.get(), CURLOPT_CAINFO, authority_.c_str());
    }

    long op() override {
        const std::string path = path_ + std::to_string(++next_);
        body_.clear();
        ::curl_easy_setopt(c_.get(), CURLOPT_URL, (base_ + path).c_str());
        ::curl_easy_setopt(c_.get(), CURLOPT_FRESH_CONNECT, over_tls && next_ % 16 == 0 ? 1L : 0L);
        const CURLcode code = ::curl_easy_perform(c_.get());
        world::require(code == CURLE_OK, ::curl_easy_strerror(code));
        world::require(body_ == path, "asked for " + path + ", got " + body_);
        return 1;
    }

  private:
    const std::string base_ = world::variable(over_tls ? "CURL_BASE_TLS" : "CURL_BASE", "");
    const std::string authority_ = world::variable("CURL_AUTHORITY", "");
    std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> c_{::curl_easy_init(),
                                                             ::curl_easy_cleanup};
    std::string path_, body_;
    long next_ = 0;
};

}  // namespace

int main(int argc, char**) {
    over_tls = argc > 1;
    ::curl_global_init(CURL_GLOBAL_ALL);
    const int status = world::measure(over_tls ? "libcurl, TLS" : "libcurl",
                                      {.workers = over_tls ? 100 : 200}, world::each<requests>());
    ::curl_global_cleanup();
    return status;
}
