"""Runs tests one after the other: a line for each, and `N passed, N failed` at the end."""
import subprocess
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


class Skipped(Exception):
    """Says why a test cannot be run here."""


def verdict(test, *arguments):
    """What run_all wants to know of a function that asserts, or raises Skipped."""
    try:
        test(*arguments)
    except Skipped as reason:
        return SKIPPED + str(reason)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return str(error) or "an assertion without a text"
    return ""


def run_functions(functions, wanted, *arguments):
    """The exit status. Of a module's names, calls those that begin with test_."""
    tests = [(name.removeprefix("test_"), lambda test=test: verdict(test, *arguments))
             for name, test in functions.items() if name.startswith("test_")]
    return run_all(tests, wanted)
