// Checks the names that traces give to functions.
//
// What could go wrong: a clone that the compiler made of a function, for callers of a certain kind,
// is shown under a name of its own. No reader of the program knows that name, and profiles count
// the clone apart.
#include "diag/symbol/frame_name.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace rota::rt {
namespace {

TEST(frame_name, says_nothing_of_what_the_compiler_has_made_of_a_function) {
    struct {
        const char *mangled, *shown;
        bool is_piece = false;
    } const all[] = {
        {"_ZN1a1fEi", "a::f(int)"},
        {"_ZN1a1fEi.isra.0", "a::f(int)", true},
        {"_ZN1a1fEi.constprop.0.isra.0", "a::f(int)", true},
        {"_ZN1a1fEi.part.0.lto_priv.12", "a::f(int)", true},
        {"_ZN1a1fEi.cold", "a::f(int)", true},
        {"_ZNK1a1bixEi", "a::b::operator[](int) const"},
        {"_ZZN1a1fEvENKUlvE_clEv.isra.0", "a::f()::{lambda()#1}::operator()() const", true},
        {"main", "main"},
        {"main.cold", "main", true},
        {"f.isra.0.lto_priv.1", "f", true},
        {"f.constprop.0", "f", true},
        {"main.main", "main.main"},
    };
    for (const auto& each : all) {
        const frame_name name(each.mangled, false);
        EXPECT_EQ(std::string(name.text, static_cast<std::size_t>(name.length)), each.shown)
            << each.mangled;
        EXPECT_EQ(name.is_piece, each.is_piece) << each.mangled;
        const std::string_view shown(each.shown);
        const std::size_t arguments = shown.rfind("(int)");
        if (arguments == shown.npos) continue;
        EXPECT_EQ(static_cast<std::size_t>(name.bare_length), arguments) << each.mangled;
    }
}

}  // namespace
}  // namespace rota::rt
