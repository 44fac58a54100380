// Draws the faults of the simulated kernel, and counts them.
#include "net_faults.hpp"

#include <cerrno>
#include <cstring>

#include "sys/call/fault.hpp"

namespace rota_sim {

namespace {

// Of the running program.
int planted = 0, told = 0;
unsigned long made = 0;  // of each program so far

}  // namespace

#if defined(ROTA_DEBUG_CHECKS)

namespace {

using rota::rt::sys_call;

struct moods {
    dice d{0};
    bool interrupts = false, shortens = false, is_never_ready = false;
    bool refuses = false, resets = false;
};
moods now;

int counted(int fault) {
    made += fault != 0 ? 1 : 0;
    return fault;
}

// Faults that no caller may see.
int unseen(bool may_be_late) {
    if (now.interrupts && now.d.once_in(8)) return EINTR;
    if (may_be_late && now.is_never_ready && now.d.once_in(3)) return EAGAIN;
    return 0;
}

int shortened(int most) { return now.shortens && now.d.once_in(3) ? -now.d.in(1, most) : 0; }

// Draws an error that its caller gets, now and then.
template <std::size_t n>
int told_one_of(bool is_on, int rarity, const int (&errors)[n]) {
    if (!is_on || !now.d.once_in(rarity)) return 0;
    ++planted;
    return errors[now.d.in(0, static_cast<int>(n) - 1)];
}

int draw(sys_call call) {
    switch (call) {
        case sys_call::room: return shortened(100);
        case sys_call::read:
            if (const int f = unseen(true)) return f;
            if (const int f = told_one_of(now.resets, 150, {ECONNRESET, ENOMEM})) return f;
            return shortened(100);
        case sys_call::write:
            if (const int f = unseen(true)) return f;
            if (const int f = told_one_of(now.resets, 150, {ECONNRESET, EPIPE, ENOBUFS})) return f;
            return shortened(1'000);
        case sys_call::accept:
            if (const int f = unseen(true)) return f;
            if (now.interrupts && now.d.once_in(8)) return ECONNABORTED;
            return told_one_of(now.refuses, 4, {EMFILE, ENFILE, ENOMEM, ENOBUFS});
        case sys_call::connect:
            if (const int f = unseen(false)) return f;
            return told_one_of(now.refuses, 8, {ECONNREFUSED, ENOMEM});
        case sys_call::socket:
        case sys_call::pipe: return told_one_of(now.refuses, 8, {EMFILE, ENFILE, ENOMEM});
        case sys_call::poll_add: return told_one_of(now.refuses, 8, {ENOMEM, ENOSPC});
        default: return 0;
    }
}

}  // namespace

net_faults::net_faults(dice d, bool may_tell) {
    planted = told = 0;
    now.interrupts = d.once_in(2);
    now.shortens = d.once_in(2);
    now.is_never_ready = d.once_in(2);
    now.refuses = d.once_in(2) && may_tell;
    now.resets = d.once_in(2) && may_tell;
    now.d = d;
    rota::rt::plant_fault([](sys_call call) { return counted(draw(call)); });
}

net_faults::~net_faults() { rota::rt::plant_fault(nullptr); }

#else

net_faults::net_faults(dice, bool) { planted = told = 0; }
net_faults::~net_faults() = default;

#endif

bool net_faults::has_planted() { return planted > 0; }

void net_faults::expect_told() { SIM_CHECK(told >= planted); }

bool is_planted(const std::error_code& error) {
    for (const int each :
         {ECONNRESET, ENOMEM, EPIPE, ENOBUFS, EMFILE, ENFILE, ECONNREFUSED, ENOSPC}) {
        if (error.value() != each || error.category() != std::system_category()) continue;
        SIM_CHECK(planted > 0);
        ++told;
        return true;
    }
    return false;
}

unsigned long net_faults_planted() { return made; }

}  // namespace rota_sim
