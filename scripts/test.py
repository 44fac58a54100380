#!/usr/bin/env python3
"""Runs the tests, layer by layer; `./dev test` calls it.

    test.py [LAYER ...] [--long] [--seed N] [--filter NAME] [--list] [--known-bugs]

Layers, in the order in which they run: models (protocols, by Spin), unit (rota_unit, rota_api at
four GOMAXPROCS, some of it beside searches for lost goroutines, headers), exit (programs run as
children), hostile (a server of HTTP under attack: what its clients can make it hold and do, beside
what is promised; --long for the full figures), consumer (a program outside the tree), stress
(seeded, at four GOMAXPROCS, plain and in chaos mode, on one core, beside load, on other
allocators), model (explored schedules), sim (random programs under repeatable schedules), sanitizer
(address, undefined behaviour and thread), lint. What later layers need is built while earlier ones
run. The first failure ends the run, with the one command that repeats it.

These run only when they are named: api (the statements of tests/api/statements.md with the tests
that hold them and their results), faults (each call to the kernel refused, one after the other,
with what has become of it), fuzz (each parser under libFuzzer, for 20 s), differential (50,000
made-up requests to our HTTP server, to Go's and to node's; with --long a million), builds
(optimised as a whole by both compilers, and as a shared library), aarch64 (cross-built, under
qemu-user), mutants (bugs planted into the core one by one, each to be seen by the tests that its
patch names; a quarter of an hour; --filter may also name items, layers and rooms, with colons in
between), and world (other people's libraries in goroutines, with their servers, beside the same in
threads).

Exit status: 0; 1 if a test failed or there was nothing to run; 2 for a wrong command line; 130
when interrupted. The last line is `N passed, N failed`.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import contextlib
import secrets
import time

from testing import (builds, differential, faults, fuzz, hostile, known_bugs, models, mutants,
                     searches, statements, stress, syscalls, world)
from testing.ahead import BuildAhead, Failed as BuildFailed
from testing.steps import (ROOT, CompileTime, Consumer, GoogleTest, HeaderDialects, Headers, Lint,
                           PolledOtherwise,
                           PythonTest, Sim, glob)

ROOMS = ("base arch sys mem timer trace core netpoll sched sync chan time fd gc synctest context "
         "xsync net os http diag boot").split()
UNIT = [f"tests/{room}/{below}*_test.cpp" for room in ROOMS for below in ("", "*/")]
API, PROG = ["tests/api/*_test.cpp"], ["tests/prog/*_test.cpp"]
MODEL = ["tests/model/*_test.cpp"]
SIM = ["tests/sim/*.cpp"]
SANITIZER = ["tests/sanitizer/*_test.cpp"]
PROCS = (1, 2, 4, 16)


def layers():
    """Layer -> steps. The seconds are the watchdog's, several times what a run takes."""
    lessons = tuple(p.stem for p in glob("examples/*.cpp") if p.stem not in ("tour", "treesum"))
    programs = {"examples_test": lessons, "gdb_test": ("prog_parked", "prog_variables"),
                "formats_test": ("prog_crash", "prog_deadlock", "prog_environment", "prog_fatal",
                                 "prog_panic", "prog_profiles"),
                "http_interop_test": ("prog_http_interop",),
                "nginx_test": ("reverse_proxy", "crawler", "fileserver", "http_hello",
                               "prog_http_interop"),
                "probes_test": ("prog_parked",),
                "profiles_test": ("prog_profiles", "prog_unreachable", "treesum"),
                "steps_test": ("prog_steps",),
                "symptoms_test": ("symptoms",), "tls_test": ("prog_http2",),
                "treesum_test": ("treesum",),
                "valgrind_test": ("prog_valgrind",)}
    whole_programs = [PythonTest(script, "dev", programs[script.stem], 300)
                      for script in glob("tests/prog/*_test.py")]
    return {
        "models": models.steps(),  # needs no build, so that of `unit` goes on meanwhile
        "unit": [GoogleTest("rota_unit", UNIT, "dev", 120, shards=2),
                 *(GoogleTest("rota_api", API, "dev", 120, n, shards=2) for n in PROCS),
                 PolledOtherwise("rota_unit", UNIT, "dev", 120, 4, "uring"),
                 PolledOtherwise("rota_api", API, "dev", 120, 1, "uring"),
                 PolledOtherwise("rota_api", API, "dev", 120, 4, "uring"),
                 PolledOtherwise("rota_api", API, "dev", 120, 2, "alone"),
                 *(searches.BesideSearches(API, 120, n) for n in (1, 16)),
                 Headers(), HeaderDialects(), CompileTime(),
                 PythonTest(ROOT / "tests/docs/documents_test.py", "dev", ("rota",), 120)],
        "exit": [GoogleTest("rota_prog_test", PROG, "dev", 240, shards=2), *whole_programs,
                 syscalls.FutexBounds(), syscalls.IdleCalls()],
        "hostile": hostile.steps(),
        "consumer": [Consumer(),
                     PythonTest(ROOT / "tests/consumer/sanitized_test.py", "release", ("rota",),
                                300),
                     PythonTest(ROOT / "tests/consumer/nghttp2_test.py", "release", ("rota",),
                                300)],
        # Before `model` and `sanitizer`, whose builds are the longest, and go on meanwhile.
        "stress": [*stress.passes(UNIT), searches.StressBesideSearches(4)],
        "model": [GoogleTest("rota_model", MODEL, "model", 400, shards=2)],
        "sim": [Sim("rota_sim", SIM, "dev", 120, n) for n in (1, 4, 16)],
        "sanitizer": [GoogleTest("rota_sanitizer", SANITIZER, "asan", 120, shards=2),
                      GoogleTest("rota_unit", UNIT, "asan", 180, shards=2),
                      GoogleTest("rota_api", API, "asan", 180, 2, shards=2),
                      GoogleTest("rota_prog_test", PROG, "asan", 180, shards=3),
                      Sim("rota_sim", SIM, "asan", 120, 4),
                      GoogleTest("rota_sanitizer", SANITIZER, "tsan", 120, shards=2),
                      GoogleTest("rota_unit", UNIT, "tsan", 180, shards=2),
                      GoogleTest("rota_api", API, "tsan", 180, 4, shards=2),
                      PythonTest(ROOT / "tests/sanitizer/rude_test.py", "tsan", ("prog_rude",),
                                 300),
                      *stress.sanitized()],
        "lint": [Lint(self_test=True), Lint(self_test=False),
                 mutants.Applies()],
        "api": [statements.Statements(API, PROG, UNIT)],
        "faults": [faults.FaultWalk("rota_unit", UNIT, "dev", 300),
                   faults.FaultWalkByRing("rota_unit", UNIT, "dev", 300),
                   PythonTest(ROOT / "tests/prog/refused_check.py", "dev", ("prog_refused",), 300)],
        "fuzz": fuzz.steps(),
        "differential": differential.steps(),
        **builds.layers(UNIT, API, lessons),
        "mutants": [mutants.Mutants()],
        "world": world.steps(),
    }


# Layers whose tests begin when no compiler runs for them any more: they are slow enough alone.
APART = ("sanitizer",)

# Layers that run when they are named, and only then.
NAMED_ONLY = ("api", "faults", "fuzz", "differential", "builds", "aarch64", "mutants", "world")


class Stop(Exception):
    """The run ends here; what was wrong has been printed."""


class Session:
    def __init__(self, options):
        self.options = options
        self.passed = self.failed = 0
        self.skipped = {}  # in the order of their coming, each once

    def layer(self, name, steps, ahead):
        seed = f" (seed {self.options.seed})" if name in ("sim", "stress") else ""
        print(f"== {name}{seed}", flush=True)
        began = time.monotonic()
        for step in steps:
            missing = step.missing()
            if missing:
                self.failed += 1
                print(f"  {step.title()} {missing}")
                raise Stop
        for step in steps:
            try:
                for other in steps if name in APART else [step]:
                    if other.preset:
                        ahead.wait_for(name, other.preset)
            except BuildFailed:
                self.failed += 1
                raise Stop from None
            with ahead.paused() if step.measures_time else contextlib.nullcontext():
                self.step(step)
        print(f"   {name}: {time.monotonic() - began:.0f} s", flush=True)

    def step(self, step):
        print(f"  {step.title()} ", end="", flush=True)
        outcome = step.run(self.options)
        self.passed += outcome.passed
        self.failed += outcome.failed
        self.skipped |= dict.fromkeys(f"{step.name}: {test}" for test in outcome.skipped)
        counts = f"{outcome.passed} passed"
        counts += f", {outcome.failed} failed" if outcome.failed else ""
        counts += f", {len(outcome.skipped)} skipped" if outcome.skipped else ""
        note = f"  {outcome.note}" if outcome.note else ""
        print(f"{counts:<14} {outcome.seconds:6.1f} s{note}", flush=True)
        if outcome.failed:
            print(f"\n{outcome.shown}\n\nto repeat it:\n    {outcome.again}\n")
            raise Stop


def show_list(chosen):
    for name, steps in chosen.items():
        print(name)
        for step in steps:
            print(f"  {step.title()} {step.missing() or ''}".rstrip())
    return 0


def to_build(steps):
    """Preset -> targets of the steps, each once."""
    wanted = {}
    for step in steps:
        if step.preset and not step.missing():
            wanted.setdefault(step.preset, {}).update(dict.fromkeys(step.targets))
    return wanted


def run(options, chosen):
    began, session = time.monotonic(), Session(options)
    chosen = {name: [s for s in steps if s.wanted(options)] for name, steps in chosen.items()}
    chosen = {name: steps for name, steps in chosen.items() if steps}
    try:
        with BuildAhead({name: to_build(steps) for name, steps in chosen.items()}) as ahead:
            for name, steps in chosen.items():
                session.layer(name, steps, ahead)
    except Stop:
        pass
    if session.passed + session.failed == 0:
        session.failed = 1
        print(f"no test is named like {options.filter}")
    for test in session.skipped:
        print(f"skipped: {test}")
    print(f"{time.monotonic() - began:.0f} s in all")
    print(f"{session.passed} passed, {session.failed} failed")
    return 1 if session.failed else 0


def main():
    known = layers()
    ap = argparse.ArgumentParser(prog="./dev test", description="Runs the tests, layer by layer.",
                                 epilog="layers: " + " ".join(known))
    ap.add_argument("layer", nargs="*",
                    help=f"the layers to run (default: all but {' and '.join(NAMED_ONLY)})")
    ap.add_argument("--long", action="store_true", help="longer runs, and more of them")
    ap.add_argument("--seed", type=int, default=secrets.randbelow(2**31), metavar="N",
                    help="the seed of the sim and stress layers (default: drawn anew, and printed)")
    ap.add_argument("--filter", metavar="NAME",
                    help="only tests whose name contains NAME (or a pattern of GoogleTest's)")
    ap.add_argument("--list", action="store_true", help="show the layers; run nothing")
    ap.add_argument("--known-bugs", action="store_true",
                    help="show which tests guard each known bug, and their last results; runs only "
                         "the layers that are named")
    options = ap.parse_args()
    unknown = [name for name in options.layer if name not in known]
    if unknown:
        ap.error(f"no layer named {' '.join(unknown)}; there are {' '.join(known)}")
    named = options.layer or [name for name in known if name not in NAMED_ONLY]
    chosen = {n: s for n, s in known.items() if n in named}
    if options.list:
        return show_list(chosen)
    if options.known_bugs:
        status = run(options, chosen) if options.layer else 0
        return known_bugs.show() or status
    return run(options, chosen)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(1)
    except KeyboardInterrupt:
        print("\ninterrupted")
        sys.exit(130)
