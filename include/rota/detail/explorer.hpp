// The interface behind rota::atomic in the model preset: a test that explores schedules executes
// the atomic accesses through it (tests/model).
//
// While `explored` is null the accesses are those of std::atomic. Otherwise the explorer executes
// each access; it decides which of its threads runs next and which value a load returns. Its
// threads are fibers of one kernel thread, so nothing here is synchronised. Values travel as 64
// bits.
#pragma once

#if defined(ROTA_MODEL)

#include <atomic>
#include <cstdint>
#include <cstring>

namespace rota::detail {

struct explorer {
    enum class change : unsigned char { exchange, add, sub, bit_or, bit_and };

    // The lifetime of an atomic: an access after its end is an error of the program under test.
    virtual void created(const void* at) = 0;
    virtual void destroyed(const void* at) = 0;

    virtual std::uint64_t load(const void* at, unsigned size, std::memory_order order) = 0;
    virtual void store(void* at, unsigned size, std::uint64_t v, std::memory_order order) = 0;
    // Returns the value before the change.
    virtual std::uint64_t modify(void* at, unsigned size, change what, std::uint64_t by,
                                 std::memory_order order) = 0;
    virtual bool compare_exchange(void* at, unsigned size, std::uint64_t& expected,
                                  std::uint64_t desired, std::memory_order success,
                                  std::memory_order failure) = 0;
    virtual void fence(std::memory_order order) = 0;

    // A restartable sequence of the calling thread: compare and store, or exchange while `gate` is
    // 0. It is not one step: accesses of other threads come between its load and its store, and the
    // store stays in the thread's buffer for a while. False: the comparison failed, or a barrier of
    // another thread restarted the sequence.
    virtual bool restartable_replace(void* at, std::uint32_t from, std::uint32_t to) = 0;
    virtual bool restartable_exchange(const void* gate, void* at, std::uint64_t desired,
                                      std::uint64_t& old) = 0;
    // A restartable sequence that adds while `gate` is `from`. Each thread has a processor of its
    // own.
    virtual bool restartable_add(const void* gate, std::uint32_t from, void* at,
                                 std::uint32_t delta) = 0;
    virtual unsigned processor() const = 0;

  protected:
    ~explorer() = default;
};

inline constinit explorer* explored = nullptr;  // set by a test around each schedule

template <class T>
std::uint64_t to_bits(T v) noexcept {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    return bits;
}

template <class T>
T from_bits(std::uint64_t bits) noexcept {
    T v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

}  // namespace rota::detail

#endif
