#!/usr/bin/env python3
"""Runs the rude suite of a build again and again: polite goroutines must finish beside rude ones.

Usage: rude_test.py BUILD_DIR [FILTER]

The cases are those of tests/prog/rude_test.cpp, each at GOMAXPROCS 1 and 2, two programs at a time.
ROTA_RUDE_ROUNDS says how often (1). What could go wrong is what that test says, and that a
sanitizer reports the runtime or loses its way in it: any word on stderr fails.

Prints each failure, from time to time the number of rounds, and ends with `N passed, N failed`;
exit status 1 if any failed.
"""
import concurrent.futures
import os
import pathlib
import re
import sys
import time

PROG = pathlib.Path(__file__).resolve().parent.parent / "prog"
sys.path.insert(0, str(PROG))
import whole  # noqa: E402

SOURCE = PROG / "rude_test.cpp"
TIME_LIMIT = 90  # seconds for one run, which takes one or two


def cases():
    listed = re.search(r"all_cases\[\] = \{([^}]*)\}", SOURCE.read_text())
    return re.findall(r'"(\w+)"', listed[1])


def complaint(program, case, procs):
    """What is wrong with that run, or an empty string."""
    # Otherwise tsan waits for a second at the end of each.
    tsan = ":".join(filter(None, (os.environ.get("TSAN_OPTIONS"), "atexit_sleep_ms=0")))
    status, out, err = whole.run([program, case], TIME_LIMIT, GOMAXPROCS=procs, TSAN_OPTIONS=tsan)
    if status == 0 and out == "polite\n" and err == "":
        return ""
    return f"GOMAXPROCS={procs} {program} {case}: status {status}\n{out}{err}"


def main():
    program = os.path.join(sys.argv[1], "tests/prog/prog_rude")
    wanted = "".join(sys.argv[2:3])
    rounds = int(os.environ.get("ROTA_RUDE_ROUNDS", "1"))
    runs = [(program, case, procs) for case in cases() if wanted in case
            for procs in ("1", "2")]
    passed = failed = 0
    said = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number in range(1, rounds + 1):
            for wrong in pool.map(complaint, *zip(*runs)):
                failed += 1 if wrong else 0
                passed += 0 if wrong else 1
                if wrong:
                    print(wrong, flush=True)
            if time.monotonic() - said > 30:
                said = time.monotonic()
                print(f"{number} of {rounds} rounds", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not (passed or wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
