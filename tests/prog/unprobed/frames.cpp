// Functions as Debian's libraries have them: large frames, compiled without stack probes
// (-fno-stack-clash-protection), of which a call touches the low end alone.
#include <cstring>

namespace {

// A path buffer that holds a short name.
template <int Size>
[[gnu::noinline]] int with_frame(int n) {
    char buffer[Size];
    std::memset(buffer, 'x', 64);
    asm volatile("" : : "r"(buffer) : "memory");
    return buffer[n];
}

}  // namespace

extern "C" {

int unprobed_8(int n) { return with_frame<8 * 1024>(n); }
int unprobed_16(int n) { return with_frame<16 * 1024>(n); }
int unprobed_32(int n) { return with_frame<32 * 1024>(n); }
int unprobed_64(int n) { return with_frame<64 * 1024>(n); }
int unprobed_131(int n) { return with_frame<131 * 1024>(n); }
}
