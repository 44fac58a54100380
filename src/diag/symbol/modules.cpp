// Reads /proc/self/maps and the build ids of the loaded modules.
#include "diag/symbol/modules.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <link.h>
#include <unistd.h>

#include "sys/call/number.hpp"

namespace rota::rt {

namespace {

std::string hex(const unsigned char* bytes, std::size_t n) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

// The GNU build id among the notes of a loaded segment.
std::string build_id_in(const unsigned char* at, std::size_t size) {
    const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const std::size_t whole = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
        if (whole > size) break;
        const unsigned char* const name = at + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            std::memcmp(name, "GNU", 4) == 0)
            return hex(name + padded(note.n_namesz), note.n_descsz);
        at += whole;
        size -= whole;
    }
    return {};
}

struct build_id_search {
    std::vector<code_mapping>* all;
};

int find_build_ids(dl_phdr_info* info, std::size_t, void* arg) {
    auto& all = *static_cast<build_id_search*>(arg)->all;
    std::string id;
    for (int i = 0; i < info->dlpi_phnum && id.empty(); ++i) {
        const ElfW(Phdr)& p = info->dlpi_phdr[i];
        if (p.p_type == PT_NOTE)
            id = build_id_in(reinterpret_cast<const unsigned char*>(info->dlpi_addr + p.p_vaddr),
                             p.p_memsz);
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& p = info->dlpi_phdr[i];
        if (p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0) continue;
        const std::uintptr_t start = info->dlpi_addr + p.p_vaddr;
        for (code_mapping& m : all) {
            if (start < m.limit && m.start < start + p.p_memsz) m.build_id = id;
        }
    }
    return 0;
}

std::string program_path() {
    char path[4096];
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
    return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string();
}

}  // namespace

std::vector<code_mapping> code_mappings() {
    std::vector<code_mapping> all, others;
    const std::string own = program_path();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(stream_to_read("/proc/self/maps"),
                                                               std::fclose);
    if (file == nullptr) return all;
    char line[4600];
    while (std::fgets(line, sizeof line, file.get()) != nullptr) {
        code_mapping m;
        char mode[8] = {};
        int path_at = 0;
        if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNx64 " %*s %*s %n", &m.start,
                        &m.limit, mode, &m.file_offset, &path_at) < 4 ||
            mode[2] != 'x')
            continue;
        m.file = line + path_at;
        while (!m.file.empty() && m.file.back() == '\n') m.file.pop_back();
        if (m.file == "[vsyscall]") continue;
        std::vector<code_mapping>& to = m.file == own ? all : others;
        to.push_back(std::move(m));
    }
    for (code_mapping& m : others) all.push_back(std::move(m));
    build_id_search search{&all};
    ::dl_iterate_phdr(find_build_ids, &search);
    return all;
}

}  // namespace rota::rt
