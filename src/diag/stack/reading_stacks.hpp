// Keeps functions that read the stacks of other goroutines apart from the search for unreachable
// goroutines (diag/leak/unreachable).
// A reader has pointers into those stacks: in registers, in the unwinder's frames, in its notes.
// The search would take each pointer for a reference by which the goroutine can be woken, and miss
// the goroutine. So a search waits until no reader is at work, and readers wait while a search is
// under way. A reader writes zeros over its dead frames before it lets a search begin.
#pragma once

#include <cstdint>

namespace rota::rt {

// A pointer in memory that its writer gives back to malloc with its words. Its complement is kept,
// so that a search does not take the word for a reference.
template <class T>
class concealed {
  public:
    concealed() = default;
    explicit concealed(T* p) : inverted_(~reinterpret_cast<std::uintptr_t>(p)) {}
    T* get() const { return reinterpret_cast<T*>(~inverted_); }

  private:
    std::uintptr_t inverted_ = ~std::uintptr_t{0};
};

// Lives while the calling goroutine or thread reads stacks, and is older than its notes of them.
// Any number at a time, from any thread but the bystander; never nested. Parks, unless the process
// exits: then it does not wait for a search, which may have been stopped.
class reading_stacks {
  public:
    reading_stacks();
    ~reading_stacks();
    reading_stacks(const reading_stacks&) = delete;
    reading_stacks& operator=(const reading_stacks&) = delete;

  private:
    bool is_counted_ = true;
};

// Lives while a search runs. One at a time: the caller holds the lock of searches.
class searching_stacks {
  public:
    explicit searching_stacks(bool waits);
    ~searching_stacks();
    searching_stacks(const searching_stacks&) = delete;
    searching_stacks& operator=(const searching_stacks&) = delete;
    // False: a reader is at work, and the caller must not wait.
    explicit operator bool() const { return is_alone_; }

  private:
    bool is_alone_ = true;
};

// Writes zeros over the words that returned functions have left below the caller's frame. A caller
// that begins with it has no old words in unwritten parts of later frames, which the search would
// take for pointers.
void clear_dead_frames();

}  // namespace rota::rt
