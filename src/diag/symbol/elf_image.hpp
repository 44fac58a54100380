// A program or shared library as it lies in its file: sections and symbols. Mapped, never copied:
// nothing here allocates from the heap, so a report can use it with the heap in any state.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

struct byte_range {
    const unsigned char* data = nullptr;
    std::size_t size = 0;
};

class elf_image {
  public:
    // Maps the file; false if it cannot be read or is no ELF file of this machine's word size. The
    // mapping stays for the life of the process.
    [[nodiscard]] bool open(const char* path);

    // A section's contents; empty if there is none, or if it is compressed.
    byte_range section(const char* name) const;

    struct symbol {
        const char* name = nullptr;
        std::uint64_t start = 0, end = 0;
    };
    // The function at a link-time address, from the full symbol table or else the dynamic one.
    symbol function_at(std::uint64_t address) const;
    // The same of variables.
    symbol object_at(std::uint64_t address) const;

  private:
    byte_range range(std::uint64_t offset, std::uint64_t size) const;
    symbol symbol_at(std::uint64_t address, unsigned type) const;
    symbol symbol_in(const char* symbols, const char* strings, std::uint64_t address,
                     unsigned type) const;

    byte_range file_;
};

}  // namespace rota::rt
