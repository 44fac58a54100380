// Makes the page that lists a directory. Names are arbitrary bytes of a file system: they are
// escaped in the link and in the text.
#include "http/handlers/listing.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "fd/turn.hpp"
#include "http/handlers/error_pages.hpp"
#include "http/message/grammar.hpp"
#include "sys/call/fault.hpp"
#include "sys/io/file.hpp"

namespace rota::http {

namespace {

struct open_directory {
    DIR* all = nullptr;
    ~open_directory() {
        if (all != nullptr) (void)::closedir(all);
    }
};

int read_names(int number, bool with_dot_files, std::vector<std::string>& names) {
    const int copy = rt::file_copy(number);
    if (copy < 0) return copy;
    open_directory d;
    int error = rt::fault_at(rt::sys_call::directory, "fdopendir");
    if (error == 0) {
        d.all = ::fdopendir(copy);
        error = errno;
    }
    if (d.all == nullptr) {
        (void)rt::file_close(copy);
        return -error;
    }
    for (;;) {
        if ((error = rt::fault_at(rt::sys_call::directory, "readdir")) != 0) return -error;
        errno = 0;
        const dirent* const entry = ::readdir(d.all);
        if (entry == nullptr) return -errno;
        std::string name = entry->d_name;
        if (name == "." || name == ".." || (name.front() == '.' && !with_dot_files)) continue;
        if (entry->d_type == DT_DIR) name += '/';
        names.push_back(std::move(name));
    }
}

}  // namespace

std::string escaped(std::string_view name) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string text;
    for (const char c : name) {
        const auto u = static_cast<unsigned char>(c);
        if (is_letter(c) || is_digit(c) ||
            (c != '\0' && std::string_view("-._~$&+=:@,;()!*").find(c) != std::string_view::npos)) {
            text += c;
        } else {
            text += '%';
            text += digits[u >> 4];
            text += digits[u & 15];
        }
    }
    return text;
}

std::string escaped_segment(std::string_view name) {
    std::string text = escaped(name);
    // A text before a colon would be read as a scheme.
    if (text.find(':') != text.npos) text.insert(0, "./");
    return text;
}

int list_directory(const os::file& directory, bool with_dot_files, std::string& page) {
    std::vector<std::string> names;
    const std::int64_t r = directory.descriptor()->use_blocking(
        [&](int number) { return std::int64_t{read_names(number, with_dot_files, names)}; });
    if (r < 0) return static_cast<int>(r);
    std::sort(names.begin(), names.end());
    page = "<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n";
    for (const std::string& name : names) {
        const bool is_directory = name.back() == '/';
        const std::string plain = name.substr(0, name.size() - (is_directory ? 1 : 0));
        page += "<a href=\"" + html_escaped(escaped_segment(plain)) + (is_directory ? "/" : "") +
                "\">" + html_escaped(name) + "</a>\n";
    }
    page += "</pre>\n";
    return 0;
}

}  // namespace rota::http
