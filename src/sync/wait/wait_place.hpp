// Marks the records that the waits of this room pass to their commit functions.
#pragma once

#include <cstdint>

namespace rota::rt {

// The first word of each such record, which lies in the waiter's frame: sync/wait/awaited reads it.
enum class wait_place : std::uint32_t {
    list = 0x6c697374,
    limited = 0x6c696d69,
    word = 0x776f7264
};

}  // namespace rota::rt
