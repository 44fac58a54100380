// The decoder: sizes of instructions, and which ones matter.
#include "diag/prologue.hpp"

#include <cstring>

#if defined(__x86_64__)

namespace rota::rt {

namespace {

enum class effect : std::uint8_t { none, pushes, sets_frame, makes_room, leaves, unknown };

struct instruction {
    effect what = effect::unknown;
    int size = 0;
    std::int64_t room = 0;  // bytes, of makes_room
};

constexpr unsigned reg_sp = 4, reg_bp = 5;

// The byte behind the operation that names a register and another one or a place in memory.
struct operands {
    explicit operands(const unsigned char* at)
        : mod(at[0] >> 6u), reg((at[0] >> 3u) & 7u), rm(at[0] & 7u) {
        constexpr int word = 4;
        if (mod == 3) return;
        const bool has_index = rm == 4;
        const unsigned base = has_index ? at[1] & 7u : rm;
        size += has_index ? 1 : 0;
        if (mod == 1) size += 1;
        else if (mod == 2 || base == 5) size += word;
    }

    unsigned mod, reg, rm;
    int size = 1;
};

bool is_one_of(unsigned char op, const char* set, std::size_t n) {
    return std::memchr(set, op, n) != nullptr;
}
template <std::size_t N>
bool is_one_of(unsigned char op, const char (&set)[N]) {
    return is_one_of(op, set, N - 1);
}

bool is_between(unsigned char op, unsigned char first, unsigned char last) {
    return op >= first && op <= last;
}

// `op` follows 0f. `leaves`, a jump; none, one of the instructions that move, compare and set.
effect effect_of_long(unsigned char op) {
    if (is_between(op, 0x80, 0x8f)) return effect::leaves;
    const bool is_harmless = is_between(op, 0x10, 0x17) || is_between(op, 0x40, 0x4f) ||
                             is_between(op, 0x90, 0x9f) || is_between(op, 0x6c, 0x6f) ||
                             is_one_of(op, "\x1e\x1f\x28\x29\x2e\x2f\x57\x60\x61\x62\x70\x7e\x7f"
                                           "\xaf\xb6\xb7\xbe\xbf\xc6\xd6\xef\xfe");
    return is_harmless ? effect::none : effect::unknown;
}

class decoder {
  public:
    explicit decoder(const unsigned char* code) : code_(code), at_(code) {}

    instruction next() {
        while (is_one_of(*at_, "\x66\xf2\xf3")) is_short_ = *at_++ == 0x66 || is_short_;
        if ((*at_ & 0xf0u) == 0x40) rex_ = *at_++;
        const unsigned char op = *at_++;
        if (is_between(op, 0x50, 0x57)) return done(effect::pushes);
        if (is_between(op, 0xb8, 0xbf)) return immediate(is_wide() ? 8 : full());
        if (is_one_of(op, "\xe8\xe9\xeb\xc2\xc3\xff\xcc") || is_between(op, 0x70, 0x7f))
            return done(effect::leaves);
        if (op == 0x0f) {
            const unsigned char second = *at_++;
            if (const effect e = effect_of_long(second); e != effect::none) return done(e);
            at_ += operands(at_).size;
            return immediate(is_one_of(second, "\x70\xc6") ? 1 : 0);
        }
        return with_operands(op);
    }

  private:
    bool is_wide() const { return (rex_ & 8u) != 0; }
    int full() const { return is_short_ ? 2 : 4; }
    instruction done(effect e) const { return {e, static_cast<int>(at_ - code_), 0}; }
    instruction immediate(int size) {
        at_ += size;
        return done(effect::none);
    }

    instruction with_operands(unsigned char op) {
        const operands o(at_);
        at_ += o.size;
        const bool is_sum = op == 0x83 || op == 0x81;  // of an immediate; `reg` says which kind
        const bool by_byte = op == 0x83 || is_one_of(op, "\x80\xc0\xc1\xc6\x6b");
        const bool by_word = is_one_of(op, "\x81\xc7\x69");
        // Into the register or memory, or from there into the register.
        const bool stores = is_one_of(op, "\x01\x09\x21\x29\x31\x88\x89");
        const bool loads = is_one_of(op, "\x03\x0b\x23\x2b\x33\x63\x8a\x8b\x8d");
        const bool compares = is_one_of(op, "\x38\x39\x3a\x3b\x84\x85");
        if (!by_byte && !by_word && !stores && !loads && !compares) return done(effect::unknown);
        const bool to_rm = o.mod == 3 && (stores || by_byte || by_word);
        const unsigned to = to_rm ? o.rm : o.reg;
        const bool is_high = (rex_ & (to_rm ? 1u : 4u)) != 0;
        const bool changes = (to_rm || loads) && !is_high;  // %rsp or %rbp, if any of those
        const bool copies_sp = (op == 0x89 && o.reg == reg_sp && (rex_ & 4u) == 0) ||
                               (op == 0x8b && o.mod == 3 && o.rm == reg_sp && (rex_ & 1u) == 0);
        if (changes && to == reg_bp && is_wide()) {
            if (copies_sp) return done(effect::sets_frame);
            return done(effect::unknown);
        }
        if (changes && to == reg_sp) {
            constexpr unsigned add = 0, subtract = 5, compare = 7;
            if (!is_sum || !is_wide()) return done(effect::unknown);
            if (o.reg == compare) return immediate(by_byte ? 1 : full());
            if (o.reg != add && o.reg != subtract) return done(effect::unknown);
            std::int32_t amount = static_cast<signed char>(*at_);
            if (by_word) std::memcpy(&amount, at_, sizeof amount);
            at_ += by_byte ? 1 : full();
            instruction i = done(effect::makes_room);
            i.room = o.reg == subtract ? amount : -std::int64_t{amount};
            return i;
        }
        return immediate(by_byte ? 1 : by_word ? full() : 0);
    }

    const unsigned char* code_;
    const unsigned char* at_;
    unsigned char rex_ = 0;
    bool is_short_ = false;
};

}  // namespace

std::uintptr_t frame_pointer_at(const unsigned char* code, std::uintptr_t sp) {
    constexpr unsigned char push_bp = 0x55;
    bool is_saved = false, is_set = false, has_room = false;
    for (int at = 0; at < prologue_max;) {
        const unsigned char first = code[at];
        const instruction i = decoder(code + at).next();
        at += i.size;
        switch (i.what) {
            case effect::pushes:
                if (is_set) sp += sizeof(void*);
                else if (is_saved || first != push_bp) return 0;
                else is_saved = true;
                break;
            case effect::sets_frame:
                if (!is_saved || is_set) return 0;
                is_set = true;
                break;
            case effect::makes_room:
                if (!is_set) return 0;
                sp += static_cast<std::uintptr_t>(i.room);
                has_room = true;
                break;
            case effect::leaves: return is_set ? sp : 0;
            case effect::unknown: return has_room ? sp : 0;  // nearly always the last of them
            case effect::none: break;
        }
    }
    return 0;
}

}  // namespace rota::rt

#endif
