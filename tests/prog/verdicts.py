"""Runs tests one after the other: a line for each, and `N passed, N failed` at the end."""
import time

SKIPPED = "skipped: "  # begins the lines that scripts/testing/steps.py looks for


def run_all(tests, wanted=""):
    """The exit status. `tests` are pairs of a name and a call, which returns what is wrong: an
    empty text, another one, or one that begins with SKIPPED and counts neither way. Names without
    `wanted` in them are left out."""
    passed = failed = 0
    for name, test in tests:
        if wanted not in name:
            continue
        began, wrong = time.monotonic(), test()
        if wrong.startswith(SKIPPED):
            print(f"{SKIPPED}{name}: {wrong.removeprefix(SKIPPED)}", flush=True)
            continue
        passed, failed = (passed, failed + 1) if wrong else (passed + 1, failed)
        print(f"{'FAILED' if wrong else 'ok':<6} {name:<28} {time.monotonic() - began:.2f} s",
              flush=True)
        if wrong:
            print(wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
