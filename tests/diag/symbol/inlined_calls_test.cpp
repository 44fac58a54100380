// Which functions an address belongs to, by this program's own debug information.
#include "diag/symbol/inlined_calls.hpp"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <link.h>

#include <rota/runtime.hpp>

#include "diag/symbol/frame_name.hpp"
#include "diag/symbol/symbolize.hpp"

#define ROTA_TEST_INLINED __attribute__((always_inline)) inline
#define ROTA_TEST_CALLED __attribute__((noinline))

namespace rota_inlined {

struct taken {
    const void* pc = nullptr;
    std::string trace;
};

ROTA_TEST_CALLED void takes(taken& t) {
    t.pc = __builtin_return_address(0);
    t.trace = rota::runtime::stack(false);
}

constexpr unsigned innermost_line = __LINE__ + 3, innermost_call = __LINE__ + 4;
// clang-format off
ROTA_TEST_INLINED
void innermost(taken& t) {
    takes(t);
    asm volatile("" : : "r"(&t) : "memory");  // no tail call
}
// clang-format on

constexpr unsigned middle_line = __LINE__ + 3, middle_call = __LINE__ + 4;
// clang-format off
ROTA_TEST_INLINED
void middle(int, taken& t) {
    innermost(t);
}
// clang-format on

constexpr unsigned outermost_line = __LINE__ + 3, outermost_call = __LINE__ + 5;
// clang-format off
ROTA_TEST_CALLED
taken outermost() {
    taken t;
    middle(1, t);
    return t;
}
// clang-format on

// One that has nothing inlined where it calls.
ROTA_TEST_CALLED taken alone() {
    taken t;
    takes(t);
    asm volatile("" : : "r"(&t) : "memory");  // no tail call
    return t;
}

}  // namespace rota_inlined

namespace rota::rt {
namespace {

const void* call_of(const rota_inlined::taken& t) { return static_cast<const char*>(t.pc) - 1; }

void expect_frame(const code_frame& f, std::string_view name, unsigned line, unsigned start_line) {
    ASSERT_NE(f.function, nullptr);
    EXPECT_NE(std::string_view(f.function).find(name), std::string_view::npos) << f.function;
    ASSERT_NE(f.source.file, nullptr);
    EXPECT_TRUE(std::string_view(f.source.file).ends_with("inlined_calls_test.cpp"))
        << f.source.file;
    EXPECT_EQ(f.source.line, line) << name;
    // With -gline-tables-only there are neither mangled names nor declarations.
    if (f.is_mangled || f.start_line != 0) {
        EXPECT_EQ(f.start_line, start_line) << name;
    }
}

TEST(inlined_calls, every_function_of_an_address_is_told_with_its_line) {
    // A frame lost, doubled, or in the wrong order; or the line of one shown as that of another.
    using namespace rota_inlined;
    const code_frames all = frames_of(call_of(outermost()));
    ASSERT_EQ(all.count, 2u);
    expect_frame(all.inlined[0], "innermost", innermost_call, innermost_line);
    expect_frame(all.inlined[1], "middle", middle_call, middle_line);
    expect_frame({all.place.function, all.inlined[0].is_mangled, all.start_line, all.place.source},
                 "outermost", outermost_call, outermost_line);
    // The second time from memory.
    const code_frames again = frames_of(call_of(outermost()));
    ASSERT_EQ(again.count, 2u);
    expect_frame(again.inlined[0], "innermost", innermost_call, innermost_line);
    EXPECT_EQ(again.place.source.line, outermost_call);
    EXPECT_EQ(again.start_line, all.start_line);
}

TEST(inlined_calls, a_plain_call_has_one_function) {
    // Ranges of inlined functions taken too wide: their frames would appear where they are not.
    const code_frames all = frames_of(call_of(rota_inlined::alone()));
    EXPECT_EQ(all.count, 0u);
    ASSERT_NE(all.place.function, nullptr);
    EXPECT_NE(std::string_view(all.place.function).find("alone"), std::string_view::npos);
}

TEST(inlined_calls, a_trace_shows_them_as_go_does) {
    // Left out, with the arguments that they have not, or with an offset.
    const rota_inlined::taken t = rota_inlined::outermost();
    const auto place = [](unsigned line) {
        return "inlined_calls_test.cpp:" + std::to_string(line);
    };
    std::size_t at = 0;
    for (const std::string& part :
         {std::string("innermost(...)\n\t"), place(rota_inlined::innermost_call) + "\n",
          std::string("middle(...)\n\t"), place(rota_inlined::middle_call) + "\n",
          std::string("rota_inlined::outermost()\n\t"),
          place(rota_inlined::outermost_call) + " +0x"}) {
        const std::size_t found = t.trace.find(part, at);
        ASSERT_NE(found, std::string::npos) << part << "\nin\n" << t.trace;
        at = found + part.size();
    }
}

TEST(inlined_calls, arguments_go_and_the_rest_of_a_name_stays) {
    // A bracket of the name itself taken for the one of its arguments.
    const auto bare = [](const char* mangled) {
        const frame_name name(mangled, false);
        return std::string(name.text, static_cast<std::size_t>(name.bare_length));
    };
    EXPECT_EQ(bare("_Z1fi"), "f");
    EXPECT_EQ(bare("_ZN1a1fEPFviE"), "a::f");  // a::f(void (*)(int))
    EXPECT_EQ(bare("_ZNK1a1fEv"), "a::f");     // a::f() const
    EXPECT_EQ(bare("_ZN12_GLOBAL__N_11fEv"), "(anonymous namespace)::f");
    EXPECT_EQ(bare("f"), "f");  // of C: no float
    EXPECT_EQ(bare("operator()"), "operator()");
}

// The line program of a unit, as its first entry says.
std::uint64_t program_of(const dwarf_sections& in, const dwarf_unit& u) {
    dwarf_cursor at(in.info, u.first), table(in.abbrevs, u.abbrevs);
    const std::uint64_t code = at.unsigned_leb();
    dwarf_abbrev a;
    do {
        a = read_dwarf_abbrev(in, table);
    } while (a.code != code && a.code != 0);
    dwarf_entry e;
    return a.code != 0 && read_dwarf_entry(in, u, a.at, at, e) ? e.lines : no_offset;
}

// The bytes of the unit that has the program.
std::vector<unsigned char> unit_with(const dwarf_sections& in, std::uint64_t program) {
    for (dwarf_cursor at(in.info); !at.done();) {
        dwarf_unit u;
        if (read_dwarf_unit(in, at, u) && program_of(in, u) == program)
            return {in.info.data + u.begin, in.info.data + u.end};
    }
    return {};
}

TEST(inlined_calls, what_is_damaged_is_read_without_harm) {
    // A byte read behind the end, which asan reports; a loop without end, which the watchdog does.
    std::uintptr_t moved_by = 0;  // of the program, which comes first
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            *static_cast<std::uintptr_t*>(to) = info->dlpi_addr;
            return 1;
        },
        &moved_by);
    const std::uint64_t address =
        reinterpret_cast<std::uintptr_t>(call_of(rota_inlined::outermost())) - moved_by;
    elf_image image;
    ASSERT_TRUE(image.open("/proc/self/exe"));
    line_table lines;
    lines.open(image);
    std::uint64_t program = no_offset;
    (void)lines.exact(address, program);
    const dwarf_sections whole = dwarf_sections_of(image);
    const std::vector<unsigned char> bytes = unit_with(whole, program);
    ASSERT_FALSE(bytes.empty());
    std::mt19937 random(4711);
    int still_known = 0;
    for (std::size_t round = 0; round < 24; ++round) {
        std::vector<unsigned char> damaged = bytes;
        const std::size_t head = 64;
        for (std::size_t i = 0; i < round * round; ++i)
            damaged[head + random() % (bytes.size() - head)] = static_cast<unsigned char>(random());
        if (round % 4 == 3) damaged.resize(random() % bytes.size());
        damaged.shrink_to_fit();
        dwarf_sections sections = whole;
        sections.info = {damaged.data(), damaged.size()};
        inlined_calls calls;
        calls.open(sections);
        inlined_calls::found found;
        calls.find(address, program, found);
        still_known += found.is_known;
        for (std::size_t i = 0; i < found.count; ++i)
            EXPECT_LT(::strnlen(found.calls[i].function != nullptr ? found.calls[i].function : "",
                                whole.strings.size),
                      whole.strings.size);
    }
    EXPECT_GT(still_known, 0) << "not even where nothing was damaged";
}

}  // namespace
}  // namespace rota::rt
