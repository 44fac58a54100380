// The memory of this process as the kernel lists it, for who reads all of it: what is mapped, which
// pages are there, and copies of them that no page can fault.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rota::rt {

struct memory_mapping {
    std::uintptr_t lo = 0, hi = 0;
    bool readable = false;
    bool writable = false;
    bool is_of_file = false;     // a file, or memory shared by way of one
    bool is_shared = false;      // with whoever else maps it
    bool is_of_kernel = false;   // its clock, the code that reads it, its rings
    bool is_device = false;      // below /dev or /sys, but for memory
    bool is_on_disk = false;     // in a file system that lies on a device
    bool is_memory = false;      // shared, and kept nowhere but in memory and in the swap
    bool is_main_stack = false;  // of the thread that the process began with
};

class memory_map {
  public:
    memory_map() = default;
    ~memory_map();
    memory_map(const memory_map&) = delete;
    memory_map& operator=(const memory_map&) = delete;

    // Opens what the rest needs. False: it is not to be had. The rest takes no lock and allocates
    // nothing.
    [[nodiscard]] bool open();

    // Calls visit(arg, mapping) for each, by address, until that says false. `text` is room for the
    // list, a page at least. False: the list could not be read to its end.
    [[nodiscard]] bool for_each(char* text, std::size_t size,
                                bool (*visit)(void* arg, const memory_mapping&), void* arg) const;

    // Whether the pages of [lo, hi) are in memory or swapped out: a bit for each, the first one
    // lowest in words[0]. At most 64 * n pages. Others read as zero, or as the file says. False:
    // the kernel does not tell.
    [[nodiscard]] bool find_pages(std::uintptr_t lo, std::uintptr_t hi, std::uint64_t* words,
                                  std::size_t n) const;

    // As find_pages, for shared memory: those that can be read without fetching or making them.
    // What the others hold may be in the file, in the swap, or be nothing.
    [[nodiscard]] bool find_shared_pages(std::uintptr_t lo, std::uintptr_t hi, std::uint64_t* words,
                                         std::size_t n) const;

    // Whether any memory of this machine may be in its swap.
    static bool swap_is_in_use();

    // Copies what can be read, from the beginning; returns how much that is.
    std::size_t copy(void* to, std::uintptr_t from, std::size_t size) const;

    // Whether nothing is in the page of an address that could not be copied: it is a guard, or was
    // never there.
    bool is_empty(std::uintptr_t address) const;

    // Of the kernel; page_size (sys/mmap) is what rota's own stacks are made of.
    std::size_t page() const { return page_; }

  private:
    memory_mapping parsed(const char* line) const;

    int maps_ = -1, pages_ = -1, memory_ = -1;
    std::size_t page_ = 4096;
    std::uint64_t memory_devices_[2] = {0, 0};  // the kernel's own, and that of /dev/shm
};

}  // namespace rota::rt
