// How much of the heap is in use. Where neither the C library's allocator nor a sanitizer's is in
// its place, that is nothing.
#pragma once

#include <cstddef>

#include <malloc.h>

extern "C" [[gnu::weak]] std::size_t __sanitizer_get_current_allocated_bytes();  // only with one

namespace rota_test {

// Bytes of heap, those of C's allocations too: nghttp2 makes such.
inline std::size_t heap_in_use() {
    if (__sanitizer_get_current_allocated_bytes != nullptr)
        return __sanitizer_get_current_allocated_bytes();
    const struct mallinfo2 now = ::mallinfo2();
    return now.uordblks + now.hblkhd;
}

}  // namespace rota_test
