// The report writer.
#include "diag/report.hpp"

#include <cstdarg>
#include <cstdio>

#include <unistd.h>

namespace rota::rt {

void report::print(const char* format, ...) {
    constexpr std::size_t most = 1024;
    if (capacity - size_ < most) flush();
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text_ + size_, most, format, args);
    va_end(args);
    if (n > 0) size_ += static_cast<std::size_t>(n) < most ? static_cast<std::size_t>(n) : most - 1;
}

void report::flush() {
    for (std::size_t at = 0; at < size_;) {
        const ssize_t n = ::write(STDERR_FILENO, text_ + at, size_ - at);
        if (n <= 0) break;  // stderr is closed or full: nowhere to complain
        at += static_cast<std::size_t>(n);
    }
    size_ = 0;
}

}  // namespace rota::rt
