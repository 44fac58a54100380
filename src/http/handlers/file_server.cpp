// Serves files: goes from the path of a request to an open file, or to an error. Go: fs.go.
//
// Every open is O_NONBLOCK: a FIFO in the directory cannot make the server wait. Only regular files
// and directories are read. Differs from Go: methods other than GET and HEAD are refused, files
// whose name begins with a dot are not shown, and links do not lead out of the root.
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <rota/panic.hpp>

#include "fd/turn.hpp"
#include "http/handlers/content.hpp"
#include "http/handlers/error_pages.hpp"
#include "http/handlers/listing.hpp"
#include "os/beneath.hpp"
#include "sys/io/file.hpp"

namespace rota::http {

namespace {

using detail::exchange;

constexpr std::string_view index_page = "/index.html";

// The place where a file is looked for.
struct place {
    const std::string* root;  // null: anywhere
    std::string path;         // below the root, not beginning with a slash
    bool shows_dot_files, lists_directories;
};

struct found_file {
    os::file file;
    struct ::stat status{};
    int error = 0;  // an errno value

    bool is_directory() const { return error == 0 && S_ISDIR(status.st_mode); }
};

int open_number(const place& where) {
    constexpr int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
    int r = 0;
    if (where.root == nullptr) {
        do r = rt::file_open(where.path.c_str(), flags, 0);
        while (r == -EINTR);
        return r;
    }
    do r = rt::file_open(where.root->c_str(), O_PATH | O_DIRECTORY, 0);
    while (r == -EINTR);
    if (r < 0) return r;
    const int root = r;
    do r = os::open_beneath(root, where.path.empty() ? "." : where.path.c_str(), flags);
    while (r == -EINTR);
    (void)rt::file_close(root);
    return r;
}

found_file open_file_of(const place& where) {
    found_file f;
    int number = 0;
    {
        const rt::blocking_call handed_off;
        number = open_number(where);
        if (number >= 0) f.error = -rt::file_stat(number, f.status);
    }
    if (number < 0) {
        f.error = -number;
        return f;
    }
    if (f.error == 0 && !S_ISREG(f.status.st_mode) && !S_ISDIR(f.status.st_mode)) f.error = EACCES;
    rt::fd* made = nullptr;
    if (f.error == 0) f.error = rt::fd::open_blocking(number, rt::fd::kind::regular, made);
    if (f.error == 0) f.file = os::file(made);
    else (void)rt::file_close(number);
    return f;
}

// Go: toHTTPError.
void answer_failure(response_writer& w, int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR:
        case ELOOP:
        case ENAMETOOLONG: return answer_text(w, 404, "404 page not found\n");
        case EACCES:
        case EPERM:
        case EXDEV:
        case ENXIO:
        case ENODEV: return answer_text(w, 403, "403 Forbidden\n");
        case EMFILE:
        case ENFILE:
        case ENOMEM:
        case EAGAIN:
            w.header().set("Retry-After", "1");
            return answer_text(w, 503, "503 Service Unavailable\n");
        default: return answer_text(w, 500, "500 Internal Server Error\n");
    }
}

// Relative to the request's path. Go: localRedirect.
void redirect_nearby(exchange& x, std::string to) {
    if (!x.reader.head.raw_query.empty()) to.append("?").append(x.reader.head.raw_query);
    constexpr std::size_t location_max = 8 * 1024;  // the same as in serve_mux
    if (to.size() > location_max) return answer_text(x.outgoing, 414, "414 URI Too Long\n");
    x.sender.fields.set("Location", to);
    x.sender.write_header(301);
}

// The last segment of a path; "" if there is none.
std::string_view last_segment(std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    return path.substr(path.rfind('/') + 1);
}

// As Go's containsDotDot; a backslash counts as a slash, as in some systems.
template <class F>
bool any_segment(std::string_view path, F is) {
    for (;;) {
        const std::size_t end = path.find_first_of("/\\");
        if (is(path.substr(0, end))) return true;
        if (end == path.npos) return false;
        path.remove_prefix(end + 1);
    }
}
bool is_bad(std::string_view path) {
    return path.find('\0') != path.npos ||
           any_segment(path, [](std::string_view s) { return s == ".."; });
}
bool has_dot_file(std::string_view path) {
    return any_segment(path, [](std::string_view s) {
        return s.starts_with('.') && s != "." && s != ".well-known";
    });
}

void serve_directory(exchange& x, const place& where, const found_file& directory) {
    place index = where;
    while (index.path.ends_with('/')) index.path.pop_back();
    index.path += index_page.substr(index.path.empty() && where.root != nullptr ? 1 : 0);
    const found_file page = open_file_of(index);
    if (page.error == 0 && !page.is_directory())
        return serve_content(x, {page.file, page.status, index_page});
    if (page.error != 0 && page.error != ENOENT) return answer_failure(x.outgoing, page.error);
    if (!where.lists_directories) return answer_failure(x.outgoing, EACCES);
    if (!has_been_modified(x, directory.status)) return;
    std::string list;
    const int r = list_directory(directory.file, where.shows_dot_files, list);
    if (r < 0) return answer_failure(x.outgoing, -r);
    x.sender.fields.set("Content-Type", "text/html; charset=utf-8");
    std::error_code error;  // ends the connection
    x.sender.write(list, error);
}

// Go: serveFile. `asked`: the request's path.
void serve(exchange& x, const place& where, std::string_view asked, bool redirects_files) {
    if (asked.ends_with(index_page)) return redirect_nearby(x, "./");
    const found_file found = open_file_of(where);
    if (found.error != 0) return answer_failure(x.outgoing, found.error);
    const std::string name(last_segment(asked));
    if (found.is_directory()) {
        if (!asked.ends_with('/')) return redirect_nearby(x, escaped_segment(name) + "/");
        return serve_directory(x, where, found);
    }
    if (redirects_files && asked.ends_with('/'))
        return redirect_nearby(x, "../" + escaped_segment(name));
    serve_content(x, {found.file, found.status, last_segment(where.path)});
}

bool is_read(response_writer& w, const request& r) {
    if (r.method() == "GET" || r.method() == "HEAD") return true;
    w.header().set("Allow", "GET, HEAD");
    answer_text(w, 405, "Method Not Allowed\n");
    return false;
}

// Shows a request with another path, for as long as this object lives.
class shown_path {
  public:
    explicit shown_path(exchange& x) : x_(x), raw_(x.reader.head.raw_path), plain_(x.reader.path) {}
    ~shown_path() {
        x_.reader.head.raw_path = raw_;
        x_.reader.path.swap(plain_);
    }
    shown_path(const shown_path&) = delete;
    shown_path& operator=(const shown_path&) = delete;

    // False: the path does not begin with `prefix`.
    bool strip(std::string_view prefix) {
        const bool escapes = x_.reader.path_has_escapes;
        if (!x_.reader.head.raw_path.starts_with(prefix) ||
            (escapes && !x_.reader.path.starts_with(prefix)))
            return false;
        x_.reader.head.raw_path.remove_prefix(prefix.size());
        if (escapes) x_.reader.path.erase(0, prefix.size());
        return true;
    }

  private:
    exchange& x_;
    const std::string_view raw_;
    std::string plain_;
};

}  // namespace

handler file_server(std::string_view root, file_server_options options) {
    return [root = std::string(root.empty() ? "." : root), options](response_writer& w,
                                                                    request& r) {
        if (!is_read(w, r)) return;
        const std::string asked = (r.path().starts_with('/') ? "" : "/") + std::string(r.path());
        if (is_bad(asked)) return answer_text(w, 400, "invalid URL path\n");
        std::string path = clean_path(asked);
        if (!options.shows_dot_files && has_dot_file(path)) return answer_failure(w, ENOENT);
        path.erase(0, 1);
        while (path.ends_with('/')) path.pop_back();
        serve(exchange::of(r),
              {&root, std::move(path), options.shows_dot_files, options.lists_directories}, asked,
              true);
    };
}

void serve_file(response_writer& w, request& r, std::string_view path) {
    if (!is_read(w, r)) return;
    if (is_bad(r.path()) || path.find('\0') != path.npos)
        return answer_text(w, 400, "invalid URL path\n");
    serve(exchange::of(r), {nullptr, std::string(path), false, true}, r.path(), false);
}

handler strip_prefix(std::string_view prefix, handler h) {
    if (!h) throw panic_error("http: nil handler");
    return [prefix = std::string(prefix), h = std::move(h)](response_writer& w, request& r) {
        shown_path path(exchange::of(r));
        if (!path.strip(prefix)) return answer_text(w, 404, "404 page not found\n");
        h(w, r);
    };
}

}  // namespace rota::http
