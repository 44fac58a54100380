"""Layers that run when they are named: other builds of the library, and the other processor.

They take minutes, most of them compiling, and change only with the code near the machine: the
context switch, the thread-local slot, what is exported.
"""
import re
import shutil
import subprocess
import time

from .steps import ROOT, GoogleTest, Outcome, PythonTest, Step

QEMU = ["qemu-aarch64"]
WHOLE = ("lto", "lto-clang")
STRESS = ["tests/stress/*_test.cpp"]


class Short(GoogleTest):
    """A pass of a test program in another build; stress tests take a part of their time."""
    effort = 10  # percent

    def env(self, options):
        env = super().env(options)
        if not options.long:
            env["ROTA_TEST_EFFORT"] = str(self.effort)
        return env


def no_emulator():
    """What is to be said if there is none, or None."""
    if shutil.which(QEMU[0]):
        return None
    return f"cannot run: there is no {QEMU[0]} (./dev setup aarch64 installs it)"


class Emulated(Short):
    """The same for AArch64, under qemu-user. It shows that the code is right, not that its memory
    orders are: the emulation keeps the order of the processor below it, x86."""
    effort = 15
    # Program -> pattern -> why these tests are left out.
    LATE_SIGNAL = "the emulator delivers a signal after its sender has put the default action back"
    FORK = ("the emulator forks where a child is to share our memory until it is another program: "
            "nobody is told that it could not become that")
    DEAF = ("the emulator has a thread of its own that takes no signal, so that not all threads "
            "can be held: nothing is proven")
    LEFT_OUT = {
        "rota_unit": {"hold_threads.*": DEAF, "unreachable_search.*": DEAF},
        "rota_api": {"unreachable.*": DEAF,
                     "os_command.lets_go_of_its_files_when_it_has_started_*": FORK,
                     "os_command.that_cannot_be_started_names_itself_*": FORK,
                     "os_stop.comes_after_all_that_came_before_it_*": LATE_SIGNAL},
        "rota_stress": {"kb08_signals.*:kb42_signals.*": LATE_SIGNAL},
    }

    def __init__(self, name, sources, preset, limit_s, procs=None, shards=1):
        super().__init__(name, sources, preset, limit_s, procs, shards)
        self.left_out = self.LEFT_OUT.get(name, {})
        if self.left_out:
            self.pattern = "-" + ":".join(self.left_out)

    def run(self, options):
        outcome = super().run(options)
        if not options.filter:
            outcome.skipped = [*outcome.skipped,
                               *(f"{tests}: {why}" for tests, why in self.left_out.items())]
        return outcome

    def missing(self):
        return no_emulator() or super().missing()

    def prefix(self):
        return QEMU

    def env(self, options):
        # A program for another processor cannot start itself anew, so death tests fork.
        return {**super().env(options), "GTEST_DEATH_TEST_STYLE": "fast"}


class EmulatedExamples(PythonTest):
    """The lessons of examples/, likewise."""
    env = {"ROTA_TEST_EMULATOR": " ".join(QEMU)}

    def missing(self):
        return no_emulator() or super().missing()


class Exports(Step):
    """librota.so exports names of rota::, none of the runtime's (rota::rt) and none of others, but
    for what preempt_point and debuggers read. Copies of public templates are rota's own."""
    name, where, preset, targets = "exports", "shared", "shared", ("rota",)

    def run(self, options):
        began = time.monotonic()
        library = ROOT / "build/shared/src/librota.so"
        listed = subprocess.run(["nm", "-D", "--defined-only", str(library)],
                                capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^[0-9a-f]+ \w (.+)$", listed, re.M)
        ours = re.compile(r"_Z(T[ISV])?NK?4rota(?!2rt)|rota_(self_slot|debugger_layout)$")
        wrong = [name for name in names if not ours.match(name)]
        outcome = Outcome(1, seconds=time.monotonic() - began, note=f"{len(names)} names")
        if wrong or not names:
            outcome.passed, outcome.failed, outcome.again = 0, 1, "./dev test builds"
            said = "librota.so exports what no public header declares:" if names else "no exports"
            demangled = subprocess.run(["c++filt"], input="\n".join(wrong),
                                       capture_output=True, text=True, check=True).stdout
            outcome.shown = f"{said}\n{demangled}"
        return outcome


class Switches(Step):
    """Stacks are switched in functions of the runtime only: none was inlined into a program's
    function, which may keep addresses of thread-locals, or a base pointer, across it."""
    name, targets = "switches", ("rota_api",)

    def __init__(self, preset):
        self.preset = self.where = preset

    def run(self, options):
        began = time.monotonic()
        program = ROOT / "build" / self.preset / "tests/rota_api"
        listed = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", str(program)],
                                capture_output=True, text=True, check=True).stdout
        within, found = "", []
        for line in listed.splitlines():
            if line.endswith(">:"):
                within = line.partition("<")[2][:-2]
            elif re.search(r"\bjmp +\*0x8\(%rsi\)", line):  # the last instruction of a switch
                found.append(within)
        # A goroutine's first frame calls the program's function through a pointer. What stands in
        # an unnamed namespace is in no public header.
        ours = ("rota::rt::", "rota::detail::(anonymous namespace)::")
        wrong = [function for function in found
                 if not function.startswith(ours) and function != "rota_goroutine_main"]
        outcome = Outcome(1, seconds=time.monotonic() - began, note=f"{len(found)} places")
        if wrong or not found:
            outcome.passed, outcome.failed, outcome.again = 0, 1, "./dev test builds"
            outcome.shown = "\n".join(["stacks are switched in:", *wrong]) if wrong else "no switch"
        return outcome


def layers(unit, api, lessons):
    """`unit` and `api` are the sources of those programs, `lessons` the names of examples."""
    builds = [*(Short("rota_unit", unit, preset, 120) for preset in (*WHOLE, "shared")),
              *(Short("rota_api", api, preset, 120, 2) for preset in (*WHOLE, "shared")),
              *(Short("rota_stress", STRESS, preset, 240, n)
                for preset in (*WHOLE, "shared") for n in (2, 4)),
              *(Switches(preset) for preset in WHOLE), Exports()]
    aarch64 = [Emulated("rota_unit", unit, "aarch64", 120),
               *(Emulated("rota_api", api, "aarch64", 900, n, shards=2) for n in (1, 2, 4, 16)),
               *(Emulated("rota_stress", STRESS, "aarch64", 400, n) for n in (2, 4)),
               EmulatedExamples(ROOT / "tests/prog/examples_test.py", "aarch64",
                                [name for name in lessons if name != "blocking_client"], 600)]
    return {"builds": builds, "aarch64": aarch64}
