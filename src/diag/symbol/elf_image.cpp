// Reads ELF files of the process. Every offset comes from the file and is checked against its size.
#include "diag/symbol/elf_image.hpp"

#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/call/call.hpp"
#include "sys/call/number.hpp"

namespace rota::rt {

bool elf_image::open(const char* path) {
    const int fd = open_to_read(path);
    if (fd < 0) return false;
    struct stat about{};
    void* start = MAP_FAILED;
    if (::fstat(fd, &about) == 0 && about.st_size > static_cast<off_t>(sizeof(Elf64_Ehdr))) {
        start =
            ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    }
    plain_close(fd);
    if (start == MAP_FAILED) return false;
    file_ = {static_cast<const unsigned char*>(start), static_cast<std::size_t>(about.st_size)};
    if (std::memcmp(file_.data, ELFMAG, SELFMAG) == 0 && file_.data[EI_CLASS] == ELFCLASS64)
        return true;
    ::munmap(start, file_.size);
    file_ = {};
    return false;
}

byte_range elf_image::range(std::uint64_t offset, std::uint64_t size) const {
    if (offset > file_.size || size > file_.size - offset) return {};
    return {file_.data + offset, static_cast<std::size_t>(size)};
}

byte_range elf_image::section(const char* name) const {
    if (file_.data == nullptr) return {};
    Elf64_Ehdr header;
    std::memcpy(&header, file_.data, sizeof header);
    const auto nth = [&](std::size_t n, Elf64_Shdr& out) {
        const byte_range r = range(header.e_shoff + n * sizeof out, sizeof out);
        if (r.data != nullptr) std::memcpy(&out, r.data, sizeof out);
        return r.data != nullptr;
    };
    Elf64_Shdr names_header;
    if (!nth(header.e_shstrndx, names_header)) return {};
    const byte_range names = range(names_header.sh_offset, names_header.sh_size);
    const std::size_t wanted = std::strlen(name) + 1;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr s;
        if (!nth(i, s)) return {};
        if (s.sh_type == SHT_NOBITS || (s.sh_flags & SHF_COMPRESSED) != 0) continue;
        if (s.sh_name > names.size || wanted > names.size - s.sh_name) continue;
        if (std::memcmp(names.data + s.sh_name, name, wanted) == 0)
            return range(s.sh_offset, s.sh_size);
    }
    return {};
}

elf_image::symbol elf_image::symbol_in(const char* symbols, const char* strings,
                                       std::uint64_t address, unsigned type) const {
    const byte_range table = section(symbols);
    const byte_range names = section(strings);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym s;
        std::memcpy(&s, table.data + at, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) != type || s.st_shndx == SHN_UNDEF) continue;
        if (address < s.st_value || address - s.st_value >= s.st_size) continue;
        if (s.st_name >= names.size ||
            std::memchr(names.data + s.st_name, 0, names.size - s.st_name) == nullptr)
            return {};
        return {reinterpret_cast<const char*>(names.data + s.st_name), s.st_value,
                s.st_value + s.st_size};
    }
    return {};
}

elf_image::symbol elf_image::symbol_at(std::uint64_t address, unsigned type) const {
    const symbol full = symbol_in(".symtab", ".strtab", address, type);
    return full.name != nullptr ? full : symbol_in(".dynsym", ".dynstr", address, type);
}

elf_image::symbol elf_image::function_at(std::uint64_t address) const {
    return symbol_at(address, STT_FUNC);
}

elf_image::symbol elf_image::object_at(std::uint64_t address) const {
    return symbol_at(address, STT_OBJECT);
}

}  // namespace rota::rt
