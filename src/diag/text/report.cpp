// Buffers and writes the text of reports.
#include "diag/text/report.hpp"

#include <cstdarg>
#include <cstdio>

#include "base/fatal.hpp"

namespace rota::rt {

void report::print(const char* format, ...) {
    constexpr std::size_t most = 1024;
    if (capacity - size_ < most) flush();
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text_ + size_, most, format, args);
    va_end(args);
    begun_ = true;
    if (n > 0) size_ += static_cast<std::size_t>(n) < most ? static_cast<std::size_t>(n) : most - 1;
}

void report::flush() {
    if (size_ == 0) return;
    if (write_ != nullptr) write_(to_, text_, size_);
    else write_error(text_, size_);
    size_ = 0;
}

}  // namespace rota::rt
