// Where a frame pointer is, from a function's first instructions.
//
// What could go wrong: an instruction's size is wrong, and what follows is taken for another one;
// or one that a compiler has put between those that make the frame ends the search.
#include "diag/prologue.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

#include "base/annotations.hpp"

#if defined(__x86_64__)

namespace rota::rt {
namespace {

using namespace std::string_view_literals;

constexpr std::uintptr_t sp = 0x10000;

// How far above the stack pointer it is; -1: it can't be said.
long distance(std::string_view code) {
    std::array<unsigned char, 2 * prologue_max> all{};
    all.fill(0x90);  // no part of any beginning
    std::memcpy(all.data(), code.data(), code.size());
    const std::uintptr_t at = frame_pointer_at(all.data(), sp);
    return at == 0 ? -1 : static_cast<long>(at - sp);
}

TEST(prologue, tells_where_the_frame_pointer_is) {
    struct {
        const char* what;
        std::string_view code;
        long distance;
    } const all[] = {
        {"push %rbp; mov %rsp,%rbp; call", "\x55\x48\x89\xe5\xe8"sv, 0},
        {"the other form of mov; ret", "\x55\x48\x8b\xec\xc3"sv, 0},
        {"endbr64 before; sub $0x10", "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x48\x83\xec\x10\xe8"sv, 16},
        {"push %r12, %rbx; sub $0x1230",
         "\x55\x48\x89\xe5\x41\x54\x53\x48\x81\xec\x30\x12\x00\x00\x74\x00"sv, 0x1240},
        {"add $-128", "\x55\x48\x89\xe5\x48\x83\xc4\x80\xff\xd0"sv, 128},
        {"pages that are touched in turn: sub $0x1000; orq $0,(%rsp); sub $8",
         "\x55\x48\x89\xe5\x48\x81\xec\x00\x10\x00\x00\x48\x83\x0c\x24\x00\x48\x83\xec\x08\xe8"sv,
         0x1008},
        {"mov $-1,%edx; mov $1,%esi; lea -0x30(%rbp),%r12; lea -0x38(%rbp),%rbx; movl in memory",
         "\x55\xba\xff\xff\xff\xff\xbe\x01\x00\x00\x00\x48\x89\xe5\x41\x54\x53\x4c\x8d\x65\xd0"
         "\x48\x8d\x5d\xc8\x48\x83\xec\x30\xc7\x45\xd0\x01\x00\x00\x00\x89\x7d\xd8\xe8"sv,
         0x40},
        {"a canary: mov %fs:0x28,%rax comes behind the room, and is not known",
         "\x55\x48\x89\xe5\x48\x83\xec\x20\x64\x48\x8b\x04\x25\x28\x00\x00\x00"sv, 32},
        {"movabs; xor; movaps 0x123(%rip),%xmm0; movzbl (%rax,%rcx,8); cmp $3,%edi; jne",
         "\x55\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08\x31\xc0\x48\x89\xe5\x0f\x28\x05\x23\x01"
         "\x00\x00\x0f\xb6\x14\xc8\x83\xff\x03\x48\x83\xec\x18\x75\x00"sv,
         24},
        {"movw $1,-2(%rbp), with a short operand",
         "\x55\x48\x89\xe5\x66\xc7\x45\xfe\x01\x00\x48\x83\xec\x08\xe8"sv, 8},
        {"mov (%r12),%rsi, whose base looks like an index",
         "\x55\x48\x89\xe5\x49\x8b\x34\x24\x48\x83\xec\x08\xe8"sv, 8},
        {"mov %rsp,%rdi; mov 8(%rsp),%rbx",
         "\x55\x48\x89\xe5\x48\x89\xe7\x48\x8b\x5c\x24\x08\xe8"sv, 0},
        {"none: sub $8,%rsp", "\x48\x83\xec\x08\xe8"sv, -1},
        {"none: %rbp is another register", "\x55\x48\x89\xfd\x48\x83\xec\x08\xe8"sv, -1},
        {"none: push %rbx first", "\x53\x55\x48\x89\xe5\xe8"sv, -1},
        {"it jumps before that: test %edi,%edi; je", "\x85\xff\x74\x10\x55\x48\x89\xe5"sv, -1},
        {"realigned: and $-32,%rsp", "\x55\x48\x89\xe5\x48\x83\xe4\xe0\xe8"sv, -1},
        {"not known, and no room made yet", "\x55\x48\x89\xe5\xc5\xf8\x77\xe8"sv, -1},
    };
    for (const auto& each : all) EXPECT_EQ(distance(each.code), each.distance) << each.what;
}

TEST(prologue, of_nothing_but_pushes_and_moves_is_not_looked_at_for_ever) {
    std::array<unsigned char, 4 * prologue_max> all{};
    for (std::size_t i = 0; i + 3 <= all.size(); i += 3) std::memcpy(&all[i], "\x48\x89\xfb", 3);
    std::memcpy(all.data(), "\x55\x48\x89\xe5", 4);
    EXPECT_EQ(frame_pointer_at(all.data(), sp), 0u);
}

}  // namespace
}  // namespace rota::rt

#endif
