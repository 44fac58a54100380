// Checks what the runtime reads from machine code about a stack.
//
// What could go wrong: the size of an instruction is wrong, and the bytes behind it are taken for
// another instruction. An instruction that the compiler put between those of the prologue ends the
// search. An instruction that moves the stack pointer is not seen: another frame is taken for the
// function's own, and a trace silently misses its caller.
#include "diag/symbol/machine_code.hpp"

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

constexpr std::size_t code_max = 64;

// Distance from the stack pointer up to the frame pointer at the end of `code`; -1: unknown.
long distance(std::string_view code) {
    std::array<unsigned char, code_max> all{};
    all.fill(0x90);  // nop: no part of any prologue
    std::memcpy(all.data(), code.data(), code.size());
    const std::uintptr_t at = frame_pointer_at(all.data(), all.data() + code.size(), sp);
    return at == 0 ? -1 : static_cast<long>(at - sp);
}

TEST(machine_code, tells_where_the_frame_pointer_is) {
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
        {"clang's padding: push %rax behind push %rbx", "\x55\x48\x89\xe5\x53\x50\xe8"sv, 16},
        {"incl 0x100(%rip) before the room",
         "\x55\x48\x89\xe5\xff\x05\x00\x01\x00\x00\x48\x83\xec\x10\xe8"sv, 16},
        {"mov $0xca,%eax; syscall", "\x55\x48\x89\xe5\xb8\xca\x00\x00\x00\x0f\x05"sv, 0},
        {"imul $0x30,%rbp,%rax, which reads it",
         "\x55\x48\x89\xe5\x48\x6b\xc5\x30\x48\x83\xec\x08\xe8"sv, 8},
        {"sub $0x100 with a short prefix that says nothing",
         "\x55\x48\x89\xe5\x66\x48\x81\xec\x00\x01\x00\x00\xe8"sv, 0x100},
        {"it has only come to push %rbx", "\x55\x48\x89\xe5"sv, 0},
        {"it has only come to sub", "\x55\x48\x89\xe5\x53"sv, 8},
        {"none: sub $8,%rsp", "\x48\x83\xec\x08\xe8"sv, -1},
        {"none: %rbp is another register", "\x55\x48\x89\xfd\x48\x83\xec\x08\xe8"sv, -1},
        {"none: push %rbx first", "\x53\x55\x48\x89\xe5\xe8"sv, -1},
        {"it has not come to mov %rsp,%rbp", "\x55\xbe\x01\x00\x00\x00"sv, -1},
        {"it jumps before that: test %edi,%edi; je", "\x85\xff\x74\x10\x55\x48\x89\xe5"sv, -1},
        {"realigned: and $-32,%rsp", "\x55\x48\x89\xe5\x48\x83\xe4\xe0\xe8"sv, -1},
        {"likewise, behind the room", "\x55\x48\x89\xe5\x48\x83\xec\x20\x48\x83\xe4\xe0\xe8"sv, -1},
        {"room of any size: sub %rax,%rsp", "\x55\x48\x89\xe5\x48\x83\xec\x10\x48\x29\xc4\xe8"sv,
         -1},
        {"lea (%rsp),%rsp", "\x55\x48\x89\xe5\x48\x83\xec\x10\x48\x8d\x24\x24\xe8"sv, -1},
        {"xchg %rsp,%rax", "\x55\x48\x89\xe5\x48\x83\xec\x10\x48\x87\xe0\xe8"sv, -1},
        {"leave", "\x55\x48\x89\xe5\x48\x83\xec\x10\xc9\xe8"sv, -1},
        {"pop %rcx", "\x55\x48\x89\xe5\x48\x83\xec\x10\x59\xe8"sv, -1},
        {"arguments: push %rsi, %rdi", "\x55\x48\x89\xe5\x56\x57\xe8"sv, -1},
        {"an argument: push %rbx twice", "\x55\x48\x89\xe5\x53\x53\xe8"sv, -1},
        {"an argument behind the room: push %rbx", "\x55\x48\x89\xe5\x48\x83\xec\x08\x53\xe8"sv,
         -1},
        {"an argument: mov %rdi,%rbx; push %rax", "\x55\x48\x89\xe5\x48\x89\xfb\x50\xe8"sv, -1},
        {"an argument: push 0x10(%rbp)", "\x55\x48\x89\xe5\xff\x75\x10\xe8"sv, -1},
        {"an argument: push $0", "\x55\x48\x89\xe5\x6a\x00\xe8"sv, -1},
        {"room in a loop: sub $0x1000,%rsp; orq $0,(%rsp); cmp %r11,%rsp; jne",
         "\x55\x48\x89\xe5\x4c\x8d\x9c\x24\x00\x00\xff\xff\x48\x81\xec\x00\x10\x00\x00\x48\x83\x0c"
         "\x24\x00\x4c\x39\xdc\x75\xef"sv,
         -1},
        {"not known, and no room made yet", "\x55\x48\x89\xe5\xc5\xf8\x77\xe8"sv, -1},
    };
    for (const auto& each : all) EXPECT_EQ(distance(each.code), each.distance) << each.what;
}

// A function's code, entries of a linkage table with their slots, and calls, each at its place.
struct image {
    static constexpr std::ptrdiff_t function = 64, entry = 96, slot = 128, call = 192;
    std::array<unsigned char, 256> bytes{};

    explicit image(std::string_view calls) {
        bytes.fill(0x90);
        std::memcpy(&bytes[call], calls.data(), calls.size());
        end = call + static_cast<std::ptrdiff_t>(calls.size());
    }
    // Makes the 4-byte operand that ends at `operand_end` the distance to `to`.
    void point(std::ptrdiff_t operand_end, std::ptrdiff_t to) {
        const auto distance = static_cast<std::int32_t>(to - operand_end);
        std::memcpy(&bytes[static_cast<std::size_t>(operand_end) - 4], &distance, 4);
    }
    void link(std::string_view jump, std::ptrdiff_t target) {
        std::memcpy(&bytes[entry], jump.data(), jump.size());
        point(entry + static_cast<std::ptrdiff_t>(jump.size()), slot);
        const unsigned char* const at = &bytes[static_cast<std::size_t>(target)];
        std::memcpy(&bytes[slot], &at, sizeof at);
    }
    bool is_call() const { return follows_call_of(bytes.data() + end, &bytes[function]); }

    std::ptrdiff_t end = 0;
};

TEST(machine_code, knows_a_call_of_the_function) {
    image direct("\xe8\0\0\0\0"sv);
    direct.point(direct.end, image::function);
    EXPECT_TRUE(direct.is_call());
    for (const auto jump : {"\xff\x25\0\0\0\0"sv, "\xf3\x0f\x1e\xfa\xff\x25\0\0\0\0"sv,
                            "\xf3\x0f\x1e\xfa\xf2\xff\x25\0\0\0\0"sv}) {
        image linked("\xe8\0\0\0\0"sv);
        linked.point(linked.end, image::entry);
        linked.link(jump, image::function);
        EXPECT_TRUE(linked.is_call());
        linked.link(jump, image::function + 1);  // another function's entry
        EXPECT_FALSE(linked.is_call());
    }
    for (const auto call : {"\xff\xd0"sv, "\x41\xff\xd2"sv, "\xff\x50\x10"sv, "\xff\x14\xc8"sv,
                            "\xff\x54\xc8\x08"sv, "\xff\x15\0\1\0\0"sv, "\xff\x94\xc8\0\1\0\0"sv})
        EXPECT_TRUE(image(call).is_call()) << call.size();
    // A displacement that looks like a call of another function, five bytes before the end.
    EXPECT_TRUE(image("\x48\x8b\x7d\xe8\x31\xf6\xff\xd2"sv).is_call());
}

TEST(machine_code, takes_nothing_else_for_a_call_of_it) {
    image other("\xe8\0\0\0\0"sv);
    other.point(other.end, image::function + 1);
    EXPECT_FALSE(other.is_call());
    for (const auto none : {"\x48\x89\xe5"sv, "\xff\xe0"sv /* jmp *%rax */, "\xff\x30"sv /* push */,
                            "\xff\x10\x90"sv /* of two bytes, not of three */, "\xff\x50"sv})
        EXPECT_FALSE(image(none).is_call()) << none.size();
}

}  // namespace
}  // namespace rota::rt

#endif
