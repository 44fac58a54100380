// Decodes x86-64 instructions: their sizes, and their effects on %rsp and %rbp.
#include "diag/symbol/machine_code.hpp"

#include <cstddef>
#include <cstring>
#include <initializer_list>

#if defined(__x86_64__)

namespace rota::rt {

namespace {

enum class effect : std::uint8_t {
    none,
    pushes,
    sets_frame,  // mov %rsp,%rbp
    makes_room,
    leaves,  // jumps, calls or returns; the target is not followed
    defies,  // changes %rsp or %rbp in a way that cannot be followed
    unknown,
};

struct instruction {
    effect what = effect::unknown;
    int size = 0;
    std::int64_t room = 0;  // bytes, of makes_room
    unsigned reg = 0;       // number, of pushes
};

constexpr unsigned reg_ax = 0, reg_bx = 3, reg_sp = 4, reg_bp = 5, reg_12 = 12, reg_15 = 15;

// The byte behind the opcode that names a register, and a second register or a place in memory.
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

// `op` follows 0f. `leaves`: a jump, or a system call. `none`: an instruction that moves or
// compares.
effect effect_of_long(unsigned char op) {
    if (is_between(op, 0x80, 0x8f) || is_one_of(op, "\x05\x0b")) return effect::leaves;
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
        constexpr int prefixes_max = 14;
        for (int i = 0; i < prefixes_max && is_one_of(*at_, "\x66\xf2\xf3"); ++i)
            is_short_ = *at_++ == 0x66 || is_short_;
        if ((*at_ & 0xf0u) == 0x40) rex_ = *at_++;
        const unsigned char op = *at_++;
        if (is_between(op, 0x50, 0x57)) {
            instruction i = done(effect::pushes);
            i.reg = op - 0x50u + (has_high_rm() ? 8 : 0);
            return i;
        }
        // pop, push of numbers, xchg, enter, leave; mov $n,%esp
        if (is_between(op, 0x58, 0x5f) || is_one_of(op, "\x68\x6a\x87\x94\xc8\xc9") ||
            (op == 0xb8 + reg_sp && !has_high_rm()))
            return done(effect::defies);
        if (is_between(op, 0xb8, 0xbf)) return immediate(is_wide() ? 8 : full());
        if (is_one_of(op, "\xe8\xe9\xeb\xc2\xc3\xcc") || is_between(op, 0x70, 0x7f))
            return done(effect::leaves);
        if (op == 0xff) return of_one_operand();
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
    bool has_high_reg() const { return (rex_ & 4u) != 0; }
    bool has_high_rm() const { return (rex_ & 1u) != 0; }
    int full() const { return is_short_ && !is_wide() ? 2 : 4; }
    instruction done(effect e) const { return {e, static_cast<int>(at_ - code_), 0}; }
    instruction immediate(int size) {
        at_ += size;
        return done(effect::none);
    }

    // inc, dec; call and jmp; push
    instruction of_one_operand() {
        const operands o(at_);
        at_ += o.size;
        if (o.reg >= 2 && o.reg <= 5) return done(effect::leaves);
        const bool is_own = o.mod == 3 && !has_high_rm() && (o.rm == reg_sp || o.rm == reg_bp);
        return done(o.reg > 5 || is_own ? effect::defies : effect::none);
    }

    instruction with_operands(unsigned char op) {
        const operands o(at_);
        at_ += o.size;
        const bool is_sum = op == 0x83 || op == 0x81;  // of an immediate; `reg` says which kind
        const bool multiplies = op == 0x69 || op == 0x6b;
        const bool by_byte = op == 0x83 || is_one_of(op, "\x80\xc0\xc1\xc6\x6b");
        const bool by_word = is_one_of(op, "\x81\xc7\x69");
        // Stores write to the register or memory operand; loads read it into the register.
        const bool stores = is_one_of(op, "\x01\x09\x21\x29\x31\x88\x89");
        const bool loads = multiplies || is_one_of(op, "\x03\x0b\x23\x2b\x33\x63\x8a\x8b\x8d");
        const bool compares = is_one_of(op, "\x38\x39\x3a\x3b\x84\x85");
        if (!by_byte && !by_word && !stores && !loads && !compares) return done(effect::unknown);
        const bool is_reg_sp = o.reg == reg_sp && !has_high_reg();
        const bool is_rm_sp = o.mod == 3 && o.rm == reg_sp && !has_high_rm();
        // A loop makes room up to an address.
        if (compares && (is_reg_sp || is_rm_sp)) return done(effect::defies);
        const bool to_rm = o.mod == 3 && !loads && !compares;
        const unsigned to = to_rm ? o.rm : o.reg;
        const bool is_high = to_rm ? has_high_rm() : has_high_reg();
        const bool changes = (to_rm || loads) && !is_high;  // %rsp or %rbp, if either
        if (changes && to == reg_bp) {
            const bool copies_sp = (op == 0x89 && is_reg_sp) || (op == 0x8b && is_rm_sp);
            return done(copies_sp && is_wide() ? effect::sets_frame : effect::defies);
        }
        if (changes && to == reg_sp) {
            constexpr unsigned add = 0, subtract = 5;
            if (!is_sum || !is_wide() || (o.reg != add && o.reg != subtract))
                return done(effect::defies);
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

// Whether a function that uses that register saves it for its caller.
bool is_kept(unsigned reg) { return reg == reg_bx || (reg >= reg_12 && reg <= reg_15); }

}  // namespace

std::uintptr_t frame_pointer_at(const unsigned char* code, const unsigned char* stop,
                                std::uintptr_t sp) {
    bool is_saved = false, is_set = false, has_room = false;
    bool may_pad = false;    // clang pads by a push, beside the saved registers
    std::uint32_t kept = 0;  // a bit for each register that has been pushed
    while (code < stop) {
        const instruction i = decoder(code).next();
        code += i.size;
        if (i.what == effect::pushes && !is_set) {
            if (is_saved || i.reg != reg_bp) return 0;
            is_saved = true;
            continue;
        }
        switch (i.what) {
            case effect::pushes: {
                const std::uint32_t bit = 1u << i.reg;
                const bool is_padding = i.reg == reg_ax && may_pad;
                // Any other pushed register is an argument.
                if (has_room || !(is_padding || (is_kept(i.reg) && (kept & bit) == 0))) return 0;
                kept |= bit;
                sp += sizeof(void*);
                continue;
            }
            case effect::sets_frame:
                if (!is_saved || is_set) return 0;
                is_set = may_pad = true;
                continue;
            case effect::makes_room:
                if (!is_set) return 0;
                sp += static_cast<std::uintptr_t>(i.room);
                has_room = true;
                break;
            case effect::leaves: return is_set ? sp : 0;
            case effect::defies: return 0;
            case effect::unknown: return has_room ? sp : 0;  // nearly always the last instruction
            case effect::none: break;
        }
        may_pad = false;
    }
    return is_set ? sp : 0;
}

bool follows_call_of(const unsigned char* back, const unsigned char* code) {
    // ff /2, with a register or memory: the called function can no longer be read
    for (const int size : {2, 3, 4, 6, 7}) {
        const operands o(back + 1 - size);
        if (back[-size] == 0xff && o.reg == 2 && o.size == size - 1) return true;
    }
    constexpr std::ptrdiff_t direct_size = 5;
    if (back[-direct_size] != 0xe8) return false;
    std::int32_t distance = 0;
    std::memcpy(&distance, back - sizeof distance, sizeof distance);
    const unsigned char* to = back + distance;
    if (to == code) return true;
    // [endbr64]  [bnd]  jmp *slot(%rip)
    constexpr unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (std::memcmp(to, endbr64, sizeof endbr64) == 0) to += sizeof endbr64;
    if (to[0] == 0xf2) ++to;
    if (to[0] != 0xff || to[1] != 0x25) return false;
    constexpr int jump_size = 6;
    std::memcpy(&distance, to + jump_size - sizeof distance, sizeof distance);
    const unsigned char* target = nullptr;
    std::memcpy(&target, to + jump_size + distance, sizeof target);
    return target == code;
}

}  // namespace rota::rt

#endif
