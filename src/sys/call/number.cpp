// Moves descriptors above 2, and fills the gap at the start.
#include "sys/call/number.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "sys/call/call.hpp"

namespace rota::rt {

int above_standard(int number) {
    if (number < 0 || number >= first_own_number) return number;
    const int moved = call_int(SYS_fcntl, number, F_DUPFD_CLOEXEC, first_own_number);
    (void)call_int(SYS_close, number);
    return moved == -EINVAL ? -EMFILE : moved;  // EINVAL: the limit is 3 or less
}

int above_standard_or_errno(int number) {
    const int r = number < 0 ? number : above_standard(number);
    if (number < 0 || r >= 0) return r;
    errno = -r;
    return -1;
}

int open_to_read(const char* path, int flags) {
    return above_standard_or_errno(::open(path, O_RDONLY | O_CLOEXEC | flags));
}

std::FILE* stream_to_read(const char* path) {
    const int number = open_to_read(path);
    if (number < 0) return nullptr;
    std::FILE* const stream = ::fdopen(number, "r");
    if (stream == nullptr) (void)::close(number);
    return stream;
}

void fill_standard_descriptors() {
    for (int wanted = 0; wanted < first_own_number; ++wanted) {
        if (call_int(SYS_fcntl, wanted, F_GETFD) != -EBADF) continue;
        const int number = call_int(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
        // Another thread of the program may just have filled the gap.
        if (number >= first_own_number) (void)call_int(SYS_close, number);
    }
}

}  // namespace rota::rt
