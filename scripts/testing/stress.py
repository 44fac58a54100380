"""The passes of the stress layer: plain, in chaos mode, beside bad neighbours, on other allocators.

A plain run has to end in two and a half minutes, so each pass has its effort: the percentage of
the usual length of a stress test. `--long` gives them all the full length and twenty times that.
"""
import os
import pathlib
import shutil
import signal
import subprocess

from . import watch
from .steps import ROOT, GoogleTest

STRESS = ["tests/stress/*_test.cpp"]
LIMIT_S = 240


class Stress(GoogleTest):
    """One pass of rota_stress."""

    def __init__(self, procs, effort, chaos=False, long_only=False, shards=1):
        super().__init__("rota_stress", STRESS, "release", LIMIT_S, procs, shards)
        self.effort, self.chaos, self.long_only = effort, chaos, long_only
        self.variant = "-chaos" if chaos else ""
        self.where += ", chaos" if chaos else ""

    def wanted(self, options):
        return options.long or not self.long_only

    def env(self, options):
        env = super().env(options)
        if not options.long:
            env["ROTA_TEST_EFFORT"] = str(self.effort)
        if self.chaos:
            env["GODEBUG"] = f"chaos={options.seed % 0x7ffffffe + 1}"
        return env


class Sanitized(Stress):
    """Where a sanitizer sees who uses what is gone. In long runs alone, and then with the effort
    of a plain one: to build it takes a minute, and a step a hundred times as long."""

    def __init__(self, preset, procs, effort, chaos=False):
        super().__init__(procs, effort, chaos, long_only=True)
        self.preset = preset
        self.where = self.where.replace("release", preset)

    def env(self, options):
        env = {k: v for k, v in super().env(options).items() if k != "ROTA_TEST_LONG"}
        return {**env, "ROTA_TEST_EFFORT": str(self.effort)}


def sanitized():
    return [Sanitized(preset, procs, 25, chaos)
            for preset in ("asan", "tsan") for procs, chaos in ((1, False), (4, False), (4, True))]


class OnOneCore(Stress):
    """More processors than cores: all threads take turns on a single one."""

    def __init__(self, procs, effort):
        super().__init__(procs, effort)
        self.variant, self.where = "-one-core", f"release, {procs} Ps on a core"

    def prefix(self):
        return ["taskset", "-c", str(min(os.sched_getaffinity(0)))]


class BesideLoad(Stress):
    """The machine is busy: two threads compute, and a timer interrupts ceaselessly."""
    LOAD = ["stress-ng", "--cpu", "2", "--timer", "1", "--quiet", "--timeout"]

    def __init__(self, procs, effort):
        super().__init__(procs, effort)
        self.variant, self.where = "-beside-load", f"release, {procs} Ps, load"

    def missing(self):
        if shutil.which(self.LOAD[0]) is None:
            return "cannot run: there is no stress-ng (./dev setup test installs it)"
        return super().missing()

    def run(self, options):
        limit = self.limit_s * 20 if options.long else self.limit_s
        load = subprocess.Popen([*self.LOAD, str(limit)], cwd="/tmp", stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True, preexec_fn=watch.like_in_foreground)
        try:
            outcome = super().run(options)
            if load.poll() is not None and not outcome.failed:
                outcome.failed = 1
                outcome.shown = f"the load ended by itself with status {load.returncode}"
                outcome.again = " ".join([*self.LOAD, "10"])
            return outcome
        finally:
            if load.poll() is None:
                os.killpg(load.pid, signal.SIGTERM)
                load.wait()


class OnAllocator(GoogleTest):
    """Another malloc below everything: goroutines free what others allocated, on other threads."""

    def __init__(self, name, sources, preset, library, package, pattern=None, procs=None,
                 long_only=False, turn=None):
        super().__init__(name, sources, preset, LIMIT_S, procs)
        self.library, self.package, self.pattern = library, package, pattern
        self.long_only, self.turn = long_only, turn
        self.variant = f"-{library.partition('.')[0]}"
        self.where = f"{preset}, {library.partition('.')[0]}"

    def path(self):
        found = sorted(pathlib.Path("/usr/lib").glob(f"*/{self.library}"))
        return str(found[0]) if found else None

    def missing(self):
        if self.path() is None:
            return f"cannot run: there is no {self.library} (./dev setup test installs " \
                   f"{self.package})"
        return super().missing()

    def wanted(self, options):
        mine = self.turn is None or options.seed % len(ALLOCATORS) == self.turn
        return options.long or (mine and not self.long_only and not options.filter)

    def env(self, options):
        env = {**super().env(options), "LD_PRELOAD": self.path()}
        if not options.long:
            env["ROTA_TEST_EFFORT"] = "5"
        return env


ALLOCATORS = (("libjemalloc.so.2", "libjemalloc2"), ("libmimalloc.so.2", "libmimalloc2.0"),
              ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"))
NO_GROUPS = "-in_a_group.*"  # which look at limits of the kernel's, for seconds
A_FEW = "chan_stress.*:*lifetime*:spawn.trees*:foreign_threads.by*"


def passes(unit):
    """The steps of the layer; `unit` are the sources of rota_unit."""
    procs = (1, 2, 4, 16)
    steps = [*(Stress(n, 25, shards=2) for n in procs),
             *(Stress(n, 8, chaos=True, shards=2) for n in procs),
             OnOneCore(4, 8), BesideLoad(4, 8)]
    # The unit tests take turns: they need quiet for fifteen seconds on each.
    for turn, (library, package) in enumerate(ALLOCATORS):
        steps += [OnAllocator("rota_unit", unit, "dev", library, package, NO_GROUPS, turn=turn),
                  OnAllocator("rota_stress", STRESS, "release", library, package, A_FEW, 2)]
        steps += [OnAllocator("rota_stress", STRESS, "release", library, package, procs=4,
                              long_only=True)]
    return steps
