// Helpers for tests of rota::os: a directory of their own, and counts of descriptors left behind.
#pragma once

#include <dirent.h>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <unistd.h>

#include "../open_descriptors.hpp"
#include "anywhere.hpp"

namespace rota_test {

namespace os = rota::os;

// A directory that is removed at the end with its files; it must not contain directories.
class scratch {
  public:
    scratch() {
        char path[] = "/tmp/rota-test-XXXXXX";
        if (::mkdtemp(path) != nullptr) path_ = path;
    }
    ~scratch() {
        if (DIR* const all = ::opendir(path_.c_str())) {
            while (const dirent* entry = ::readdir(all)) {
                if (entry->d_name[0] != '.') ::unlinkat(::dirfd(all), entry->d_name, 0);
            }
            ::closedir(all);
        }
        ::rmdir(path_.c_str());
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    std::string operator/(std::string_view name) const {
        return std::string(path_).append("/").append(name);
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

inline std::string read_some(const os::file& f, std::size_t at_most = 4096) {
    std::string text(at_most, '\0');
    text.resize(f.read(std::as_writable_bytes(std::span(text))));
    return text;
}

inline std::error_code read_error(const os::file& f) {
    std::byte buffer[16];
    std::error_code error;
    (void)f.read(buffer, error);
    return error;
}

// Whether a goroutine's trace shows this wait reason.
inline bool somebody_is_in(std::string_view reason) {
    return rota::runtime::stack(true).find("[" + std::string(reason)) != std::string::npos;
}

}  // namespace rota_test
