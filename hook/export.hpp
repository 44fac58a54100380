// What the dynamic linker finds in place of the C library's functions. All else stays inside.
#pragma once

#define ROTA_EXPORT extern "C" [[gnu::visibility("default")]]

// Ends the process: a buffer is too small for what the caller asks for (glibc's fortified calls).
extern "C" [[noreturn]] void __chk_fail() noexcept;
