// Runs one target under libFuzzer.
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rota_fuzz::ROTA_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
    return 0;
}
