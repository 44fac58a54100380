// The memory of this process as the kernel lists it, for readers of the whole memory: the mappings,
// the present pages, and copies of them that no page can fault.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

struct memory_mapping {
    std::uintptr_t lo = 0, hi = 0;
    bool readable = false;
    bool writable = false;
    bool is_of_file = false;     // a file, or memory shared through a file.
    bool is_shared = false;      // with every process that maps it.
    bool is_of_kernel = false;   // its clock, the code that reads it, its rings.
    bool is_device = false;      // below /dev or /sys, except memory.
    bool is_on_disk = false;     // in a file system that lies on a device.
    bool is_memory = false;      // shared, and kept only in memory and in the swap.
    bool is_main_stack = false;  // of the thread that the process began with.
};

class memory_map {
  public:
    memory_map() = default;
    ~memory_map();
    memory_map(const memory_map&) = delete;
    memory_map& operator=(const memory_map&) = delete;

    // Opens the files that the rest needs. False: they cannot be opened. The rest takes no lock and
    // allocates nothing.
    [[nodiscard]] bool open();

    // Calls visit(arg, mapping) for each mapping, by address, until visit returns false. `text` is
    // room for the list, a page at least. False: the list could not be read to its end.
    [[nodiscard]] bool for_each(char* text, std::size_t size,
                                bool (*visit)(void* arg, const memory_mapping&), void* arg) const;

    // Sets a bit for each page of [lo, hi) that is in memory or swapped out; the first page is the
    // lowest bit of words[0]. At most 64 * n pages. A page without its bit reads as zero, or as the
    // file says. False: the kernel does not tell.
    [[nodiscard]] bool find_pages(std::uintptr_t lo, std::uintptr_t hi, std::uint64_t* words,
                                  std::size_t n) const;

    // find_pages for shared memory: sets the bits of pages that can be read without fetching or
    // making them. The content of any other page may be in the file, in the swap, or not exist.
    [[nodiscard]] bool find_shared_pages(std::uintptr_t lo, std::uintptr_t hi, std::uint64_t* words,
                                         std::size_t n) const;

    // Whether memory of this machine may be in its swap.
    static bool swap_is_in_use();

    // Copies from the beginning as much as can be read; returns the number of bytes.
    std::size_t copy(void* to, std::uintptr_t from, std::size_t size) const;

    // For an address that could not be copied: whether its page has no content, because it is a
    // guard or was never touched.
    bool is_empty(std::uintptr_t address) const;

    // The kernel's page size; page_size (sys/call/mmap) is the unit of rota's own stacks.
    std::size_t page() const { return page_; }

  private:
    memory_mapping parsed(const char* line) const;

    int maps_ = -1, pages_ = -1, memory_ = -1;
    std::size_t page_ = 4096;
    std::uint64_t memory_devices_[2] = {0, 0};  // the kernel's own, and /dev/shm's
};

}  // namespace rota::rt
