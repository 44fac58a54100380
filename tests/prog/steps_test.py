#!/usr/bin/env python3
"""Steps through channel and lock operations by gdb, 10,000 instructions.

Usage: steps_test.py BUILD_DIR [FILTER]

What could go wrong: the kernel aborts a restartable sequence at each single step, and the runtime
begins the sequence anew instead of taking its other path, so that the goroutine makes no progress.
Skipped, with a reason, where there is no gdb or it may not trace. Prints one line for each test and
ends with `N passed, N failed`; exit status 1 if any failed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import verdicts

TIME_LIMIT = 120  # seconds for one run
STEPS = 10_000


def step_through(program, locking):
    """How many rounds the program has made in STEPS instructions, and after going on to its end."""
    if shutil.which("gdb") is None:
        raise verdicts.Skipped("no gdb: apt-get install gdb")
    commands = ["set confirm off", "set pagination off", "break steps_begin", "run",
                f"set scheduler-locking {locking}", "print rounds_done", f"stepi {STEPS}",
                "print rounds_done", "delete", "set scheduler-locking off", "continue"]
    words = [shutil.which("gdb"), "-nx", "-batch", "-iex", "set debuginfod enabled off",
             "-iex", "set auto-load off"]
    words += [w for c in commands for w in ("-ex", c)]
    done = subprocess.run([*words, str(program)], capture_output=True, text=True,
                          timeout=TIME_LIMIT, stdin=subprocess.DEVNULL,
                          env={**os.environ, "GOMAXPROCS": "1"})
    text = done.stdout + done.stderr
    if "ptrace: Operation not permitted" in text or "Could not trace" in text:
        raise verdicts.Skipped("gdb may not trace here")
    rounds = [int(n) for n in re.findall(r"^\$\d+ = (\d+)$", text, re.M)]
    assert len(rounds) == 2, text[-3000:]
    assert "exited normally" in text, text[-3000:]
    return rounds[1] - rounds[0]


def test_steps_alone_make_progress(build):
    # Only the thread that is stepped runs.
    rounds = step_through(build / "tests/prog/prog_steps", "on")
    assert rounds >= 2, f"{rounds} rounds in {STEPS} instructions"
    print(f"{rounds} rounds in {STEPS} instructions")


def test_steps_beside_other_threads_make_progress(build):
    # sysmon runs meanwhile, and takes the p from a goroutine that is slow.
    rounds = step_through(build / "tests/prog/prog_steps", "step")
    assert rounds >= 2, f"{rounds} rounds in {STEPS} instructions"
    print(f"{rounds} rounds in {STEPS} instructions")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    return verdicts.run_functions(dict(globals()), wanted, build)


if __name__ == "__main__":
    sys.exit(main())
