// What the list of this process's memory says of each kind.
#include "sys/proc/memory_map.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace rota::rt;

namespace {

constexpr std::size_t pages = 64;

// Memory that lasts as long as this.
class mapped {
  public:
    mapped(int flags, int fd = -1, int protection = PROT_READ | PROT_WRITE)
        : size_(pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
          at_(::mmap(nullptr, size_, protection, flags, fd, 0)) {}
    ~mapped() { ::munmap(at_, size_); }
    mapped(const mapped&) = delete;
    mapped& operator=(const mapped&) = delete;

    std::uintptr_t lo() const { return reinterpret_cast<std::uintptr_t>(at_); }
    std::uintptr_t hi() const { return lo() + size_; }
    void touch(std::size_t page) const {
        static_cast<volatile char*>(at_)[page * size_ / pages] = 1;
    }

  private:
    std::size_t size_;
    void* at_;
};

memory_mapping listed(const memory_map& map, std::uintptr_t at) {
    struct wanted {
        std::uintptr_t at;
        memory_mapping found{};
    } w{at};
    std::vector<char> text(64 * 1024);
    EXPECT_TRUE(map.for_each(
        text.data(), text.size(),
        [](void* self, const memory_mapping& m) {
            wanted& in = *static_cast<wanted*>(self);
            if (m.lo <= in.at && in.at < m.hi) in.found = m;
            return true;
        },
        &w));
    return w.found;
}

}  // namespace

TEST(memory_map, tells_kinds_of_memory_apart) {
    memory_map map;
    ASSERT_TRUE(map.open());
    const mapped anonymous(MAP_PRIVATE | MAP_ANONYMOUS);
    memory_mapping m = listed(map, anonymous.lo());
    EXPECT_TRUE(m.readable && m.writable);
    EXPECT_FALSE(m.is_shared || m.is_of_file || m.is_device || m.is_on_disk || m.is_of_kernel);

    const mapped shared(MAP_SHARED | MAP_ANONYMOUS);
    m = listed(map, shared.lo());
    EXPECT_TRUE(m.is_shared && m.is_of_file && m.is_memory);
    EXPECT_FALSE(m.is_device || m.is_on_disk);

    const int fd = ::memfd_create("kinds", 0);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(shared.hi() - shared.lo())), 0);
    const mapped of_memfd(MAP_SHARED, fd, PROT_READ);
    m = listed(map, of_memfd.lo());
    EXPECT_TRUE(m.is_shared && m.is_of_file && m.is_memory && m.readable);
    EXPECT_FALSE(m.writable || m.is_device || m.is_on_disk);
    ::close(fd);

    // A file on a disk or an overlay: whatever it is, it is not memory.
    const std::string path = "/var/tmp/rota-test-map-" + std::to_string(::getpid());
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_GE(file, 0);
    ::unlink(path.c_str());
    ASSERT_EQ(::ftruncate(file, static_cast<off_t>(shared.hi() - shared.lo())), 0);
    const mapped of_file(MAP_SHARED, file);
    m = listed(map, of_file.lo());
    EXPECT_TRUE(m.is_shared && m.is_of_file && m.writable);
    EXPECT_FALSE(m.is_memory || m.is_device);
    ::close(file);

    int here = 0;
    EXPECT_FALSE(listed(map, reinterpret_cast<std::uintptr_t>(&here)).is_shared);
    m = listed(map, reinterpret_cast<std::uintptr_t>(&listed));
    EXPECT_TRUE(m.is_of_file && m.readable);
    EXPECT_FALSE(m.writable || m.is_shared || m.is_memory);
}

TEST(memory_map, finds_the_pages_that_are_there) {
    memory_map map;
    ASSERT_TRUE(map.open());
    const mapped own(MAP_PRIVATE | MAP_ANONYMOUS), shared(MAP_SHARED | MAP_ANONYMOUS);
    for (const std::size_t page : {0, 7, 63}) {
        own.touch(page);
        shared.touch(page);
    }
    constexpr std::uint64_t wanted = 1 | 1 << 7 | std::uint64_t{1} << 63;
    std::uint64_t found = 0;
    ASSERT_TRUE(map.find_pages(own.lo(), own.hi(), &found, 1));
    EXPECT_EQ(found, wanted);
    found = 0;
    ASSERT_TRUE(map.find_shared_pages(shared.lo(), shared.hi(), &found, 1));
    EXPECT_EQ(found, wanted);
    // The room does not do for them.
    EXPECT_FALSE(map.find_pages(own.lo(), own.hi(), &found, 0));
    EXPECT_FALSE(map.find_shared_pages(shared.lo(), shared.hi(), &found, 0));
}

TEST(memory_map, copies_up_to_what_cannot_be_read) {
    memory_map map;
    ASSERT_TRUE(map.open());
    const mapped own(MAP_PRIVATE | MAP_ANONYMOUS);
    own.touch(0);
    ASSERT_EQ(::munmap(reinterpret_cast<void*>(own.lo() + map.page()), map.page()), 0);
    std::vector<char> copy(2 * map.page());
    EXPECT_EQ(map.copy(copy.data(), own.lo(), copy.size()), map.page());
    EXPECT_EQ(copy[0], 1);
    EXPECT_TRUE(map.is_empty(own.lo() + map.page()));
    EXPECT_FALSE(map.is_empty(own.lo()));
}
