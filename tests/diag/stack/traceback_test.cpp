// Unwinding on a goroutine's stack: whoever walks it comes to an end at its first frame.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <execinfo.h>
#include <gtest/gtest.h>
#include <unwind.h>

#include <rota/rota.hpp>

#include "arch/context.hpp"

namespace rota::rt {
namespace {

struct walk {
    std::vector<std::uintptr_t> pcs;
    _Unwind_Reason_Code result = _URC_NO_REASON;
};

constexpr std::size_t frames_max =
    2000;  // far more than any stack here has: reached only by a walk without end

_Unwind_Reason_Code visit(_Unwind_Context* context, void* arg) {
    auto& w = *static_cast<walk*>(arg);
    w.pcs.push_back(_Unwind_GetIP(context));
    return w.pcs.size() < frames_max ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

__attribute__((noinline)) walk walk_here() {
    walk w;
    w.result = _Unwind_Backtrace(visit, &w);
    return w;
}

__attribute__((noinline)) walk walk_below(int frames) {
    if (frames == 0) return walk_here();
    walk w = walk_below(frames - 1);
    asm volatile("" : : "r"(&w) : "memory");  // no tail call
    return w;
}

// The first frame of a goroutine is in rota_gostart.
bool ends_at_gostart(const walk& w) {
    // The unwinder may show a last frame with pc 0.
    const auto last =
        std::find_if(w.pcs.rbegin(), w.pcs.rend(), [](std::uintptr_t pc) { return pc != 0; });
    if (last == w.pcs.rend()) return false;
    return _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(*last - 1)) ==
           reinterpret_cast<void*>(&rota_gostart);
}

void expect_whole(const walk& w) {
    EXPECT_EQ(w.result, _URC_END_OF_STACK);
    EXPECT_LT(w.pcs.size(), frames_max) << "the walk had no end";
    EXPECT_TRUE(ends_at_gostart(w))
        << "last of " << w.pcs.size() << " frames: " << std::hex << w.pcs.back();
}

TEST(kb56_unwinding, ends_at_the_first_frame_of_a_goroutine) {
    // Above the first frame lies the goroutine's header, no return address.
    // A walk that went on would read it as code: it would not end, or crash.
    run([] {
        expect_whole(walk_here());
        wait_group wg;
        for (int i = 0; i < 10; ++i) wg.go([] { expect_whole(walk_here()); });
        wg.wait();
    });
    wait_group wg;
    wg.go([] { expect_whole(walk_here()); });
    wg.wait();
}

TEST(kb56_unwinding, counts_every_frame_in_between) {
    // A frame could be skipped, or walked twice.
    // Then 100 calls more would not be 100 frames more.
    run([] {
        const walk shallow = walk_below(1);
        const walk deep = walk_below(101);
        expect_whole(shallow);
        expect_whole(deep);
        EXPECT_EQ(deep.pcs.size(), shallow.pcs.size() + 100);
    });
}

TEST(kb56_unwinding, is_whole_after_parks_and_on_other_threads) {
    // The frames of the switch must unwind on both sides of it, whichever thread goes on.
    run([] {
        wait_group wg;
        for (int i = 0; i < 32; ++i) {
            wg.go([] {
                for (int round = 0; round < 10; ++round) {
                    runtime::gosched();
                    expect_whole(walk_here());
                    sleep_for(std::chrono::microseconds(10));
                    expect_whole(walk_here());
                    blocking([] { expect_whole(walk_here()); });
                }
            });
        }
        wg.wait();
    });
}

TEST(kb56_unwinding, is_whole_inside_a_destructor_while_an_exception_passes) {
    // The unwinder itself is on the stack then.
    run([] {
        struct looks {
            ~looks() {
                runtime::gosched();
                expect_whole(walk_here());
            }
        };
        try {
            const looks l;
            throw std::runtime_error("passing");
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "passing");
            expect_whole(walk_here());
        }
    });
}

TEST(kb56_unwinding, backtrace_of_the_c_library_is_bounded) {
    // backtrace() asks the same tables with a buffer of fixed size.
    // Then it would fill the buffer to the end.
    run([] {
        void* frames[500];
        const int n = ::backtrace(frames, 500);
        EXPECT_GT(n, 2);
        EXPECT_LT(n, 100);
    });
}

TEST(kb56_unwinding, frame_pointers_end_at_zero) {
    // Profilers follow the frame pointers instead of the tables; the first frame's is zero.
    // Then the chain would leave the stack, or not end.
    run([] {
        wait_group wg;
        wg.go([] {
            const auto* frame = static_cast<void* const*>(__builtin_frame_address(0));
            const auto* const first = frame;
            int n = 0;
            while (frame != nullptr && n < 1000) {
                const auto* const next = static_cast<void* const*>(*frame);
                ASSERT_TRUE(next == nullptr || next > frame) << "the chain goes down after " << n;
                ASSERT_LT(reinterpret_cast<std::uintptr_t>(frame) -
                              reinterpret_cast<std::uintptr_t>(first),
                          std::uintptr_t{256} << 10);
                frame = next;
                ++n;
            }
            EXPECT_EQ(frame, nullptr);
            EXPECT_GE(n, 1);
        });
        wg.wait();
    });
}

}  // namespace
}  // namespace rota::rt
