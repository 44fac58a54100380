#!/usr/bin/env python3
"""Runs the lessons of examples/ and compares what they say with what their first comments promise.

Usage: examples_test.py BUILD_DIR [FILTER]

ROTA_TEST_EMULATOR names a program that runs the examples, if they are not for this processor.

What could go wrong: an example rots, because nobody runs it, or prints something else than a reader
is told to expect. Each examples/NAME.cpp that has a line `// Last line: TEXT` in its first comment
is a lesson: at GOMAXPROCS 1, 2, 4 and 16 it must end by itself with status 0, write nothing on
stderr, and TEXT must be its last line. At 1 and 16 it is asked at its end, by GODEBUG=leakcheck=1,
for goroutines that can never run again: there must be none. An example without such a line has
tests of its own, and stands in the list OTHERS.

Prints one line for each lesson and ends with `N passed, N failed`; exit status 1 if any failed.
"""
import os
import pathlib
import re
import sys

import verdicts
import whole

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
OTHERS = {"blocking_client": "`./dev demo rude` runs it", "tour": "`./dev demo` runs it",
          "symptoms": "symptoms_test.py runs it", "treesum": "treesum_test.py runs it"}
PROCS = ("1", "2", "4", "16")
ASKED = ("1", "16")
ANSWER = re.compile(r"^rota: leakcheck: (\d+) goroutines can never run again(; only .*)?\n", re.M)
TIME_LIMIT = 30  # seconds for one run; the longest takes a tenth of one


def promised(source):
    """The last line that the example's first comment promises, or None."""
    comment = source.read_text().split("\n#include", 1)[0]
    found = re.findall(r"^// Last line: (.+)$", comment, re.M)
    return found[0] if len(found) == 1 else None


class Answers:
    """Of all lessons: how many gave one, and how many of these had no proof."""
    asked = unproven = 0


def without_answer(err, procs):
    """stderr without the line of leakcheck, or with a complaint that it is not there."""
    if procs not in ASKED:
        return err
    answer = ANSWER.search(err)
    if answer is None:
        return err + "(the program was not asked for goroutines that can never run again)\n"
    Answers.asked += 1
    Answers.unproven += answer.group(2) is not None
    return err if int(answer.group(1)) else err[:answer.start()] + err[answer.end():]


def complaint(source, program):
    """What is wrong with the lesson, or an empty string."""
    wanted = promised(source)
    if wanted is None:
        return ("its first comment has no line `// Last line: TEXT` (or several), and it does not "
                "stand in the list OTHERS of this test")
    if not os.access(program, os.X_OK):
        return f"there is no {program}: build it first"
    for procs in PROCS:
        command = [*os.environ.get("ROTA_TEST_EMULATOR", "").split(), str(program)]
        debug = {"GODEBUG": "leakcheck=1"} if procs in ASKED else {}
        status, out, err = whole.run(command, TIME_LIMIT, GOMAXPROCS=procs, **debug)
        err = without_answer(err, procs)
        last = out.rstrip("\n").split("\n")[-1]
        if status != 0 or err or last != wanted:
            return (f"GOMAXPROCS={procs} {program}\nstatus: {status}\npromised: {wanted}\n"
                    f"--- stdout\n{out}\n--- stderr\n{err[:6000]}")
    return ""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]) / "examples"
    lessons = [source for source in sorted(EXAMPLES.glob("*.cpp")) if source.stem not in OTHERS]
    status = verdicts.run_all([(source.stem, lambda source=source: complaint(source,
                                                                             build / source.stem))
                               for source in lessons], "".join(sys.argv[2:3]))
    print(f"asked {Answers.asked} times at the end for goroutines that can never run again, "
          f"{Answers.unproven} times without a proof")
    return status


if __name__ == "__main__":
    sys.exit(main())
