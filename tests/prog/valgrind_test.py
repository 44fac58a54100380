#!/usr/bin/env python3
"""Runs a program of goroutines under valgrind's memcheck.

Usage: valgrind_test.py BUILD_DIR [FILTER]

What could go wrong: valgrind takes a switch of stacks for a frame, and reports what lies between as
invalid; or it has been told too much, and misses a fault in a goroutine. Skipped, with a reason,
where there is no valgrind, or was no header of it when the library was built. Prints one line for
each test and ends with `N passed, N failed`; exit status 1 if any failed.
"""
import pathlib
import shutil
import subprocess
import sys

import verdicts

TIME_LIMIT = 120  # seconds for one run
HEADER = pathlib.Path("/usr/include/valgrind/memcheck.h")


def valgrind(build, case):
    if shutil.which("valgrind") is None or not HEADER.exists():
        raise verdicts.Skipped("no valgrind, or not its header: apt-get install valgrind")
    program = build / "tests/prog/prog_valgrind"
    command = [shutil.which("valgrind"), "-q", "--error-exitcode=1", str(program), case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def test_correct_program_has_no_error(build):
    status, text = valgrind(build, "clean")
    assert status == 0, f"status {status}\n{text[:3000]}"
    assert "Invalid" not in text and "switching stacks" not in text, text[:3000]


def test_fault_in_a_goroutine_is_reported(build):
    status, text = valgrind(build, "faulty")
    assert status == 1 and "Invalid read of size 4" in text, f"status {status}\n{text[:3000]}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    return verdicts.run_functions(dict(globals()), wanted, build)


if __name__ == "__main__":
    sys.exit(main())
