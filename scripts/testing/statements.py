"""The layer `api`: each statement of the contract, the tests that hold it, and their results.

The statements stand in tests/api/statements.md. Their tests are run at every GOMAXPROCS, those of
rota_prog_test with children that have it; a few are of rota_unit, where only refusals of the kernel
and other clocks show what holds. A statement without a test, or with one that is missing
or fails, fails the layer.
"""
import argparse
import re
import time

from .known_bugs import SUFFIXES
from .steps import LOGS, ROOT, GoogleTest, Outcome, Step, glob

TABLE = ROOT / "tests/api/statements.md"
PROCS = (1, 2, 4, 16)
NAME = re.compile(r"`(\w+\.\w+)`")
TEST = re.compile(r"^\s*(TEST(?:_[A-Z]+)?)\(\s*(\w+)\s*,\s*(\w+)", re.M)
RESULT = re.compile(r"^\[ +(OK|FAILED) +\] (?:\w+/)?(\w+\.\w+)", re.M)


class Statement:
    def __init__(self, section, text, tests):
        self.section, self.text, self.tests = section, text, tests

    def is_meant(self, wanted):
        words = (wanted or "").lower().strip("*")
        return any(words in text.lower() for text in (self.section, self.text, *self.tests))


def statements():
    """Those of the table: a heading, and entries of text and indented lines of tests."""
    section, entries = "", []
    for line in TABLE.read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("* "):
            entries.append(Statement(section, line[2:], []))
        elif line.startswith("  `"):
            entries[-1].tests += NAME.findall(line)
        elif line.startswith("  "):
            entries[-1].text += " " + line.strip()
    return entries


def known_tests(sources):
    """Test -> the program that has it, and whether it chooses its own GOMAXPROCS."""
    found = {}
    for program, patterns in sources.items():
        for source in (path for pattern in patterns for path in glob(pattern)):
            for macro, suite, name in TEST.findall(source.read_text()):
                found[f"{suite}.{name}"] = program, macro == "TEST_P"
    return found


class Pass(GoogleTest):
    """The named tests of one program at one GOMAXPROCS."""

    def __init__(self, program, sources, procs, tests):
        prog = program == "rota_prog_test"
        super().__init__(program, sources, "dev", 300, procs, shards=2 if prog else 1)
        self.prog, self.variant = prog, "-statements" if procs else "-own-statements"
        ways = (f"*/{t}/*" for t in tests) if not procs else \
            (f"{t}{end}" for t in tests for end in ("",) + (() if prog else SUFFIXES[1:]))
        self.pattern = ":".join(ways)

    def env(self, options):
        env = super().env(options)
        if self.prog and self.procs:
            env["ROTA_TEST_CHILD_PROCS"] = env.pop("GOMAXPROCS")
        return env

    def results(self):
        """Test -> whether all its forms have passed, of the last run."""
        log = LOGS / f"{self.name}-{self.preset}{self.procs or ''}{self.variant}.log"
        found = {}
        for word, test in RESULT.findall(log.read_text(errors="replace")):
            name = test
            for end in SUFFIXES[1:]:
                name = name.removesuffix(end)
            found[name] = found.get(name, True) and word == "OK"
        return found


class Statements(Step):
    name, where, preset = "statements", "dev", "dev"
    targets = ("rota_api", "rota_prog_test", "rota_unit")

    def __init__(self, api, prog, unit):
        self.sources = {"rota_unit": unit, "rota_prog_test": prog, "rota_api": api}

    def wanted(self, options):
        return True

    def missing(self):
        return None if TABLE.exists() else f"cannot run: there is no {TABLE}"

    def run(self, options):
        began, known = time.monotonic(), known_tests(self.sources)
        chosen = [s for s in statements() if s.is_meant(options.filter)]
        names = dict.fromkeys(t for s in chosen for t in s.tests)
        wrong = [f"no test is named {t}" for t in names if t not in known]
        wrong += [f"no test holds: {s.text}" for s in chosen if not s.tests]
        plain = argparse.Namespace(**{**vars(options), "filter": None})
        results, again = {}, ""
        for program, procs, tests in self.passes(names, known):
            one = Pass(program, self.sources[program], procs, tests)
            outcome = one.run(plain)
            if outcome.failed:
                wrong.append(outcome.shown)
                again = again or outcome.again
            results |= {(test, procs): ok for test, ok in one.results().items()}
        failed = self.show(chosen, results)
        wrong += [f"not seen to pass: {test}" for test in failed if test in known]
        seconds, note = time.monotonic() - began, f"{len(chosen)} statements, {len(names)} tests"
        return Outcome(len(names) - len(failed), len(failed) or len(wrong), seconds=seconds,
                       note=note, shown="\n".join(wrong), again=again or "./dev test api")

    def passes(self, names, known):
        """(program, GOMAXPROCS or None, tests) of each run."""
        groups = {}
        for test in names:
            if test in known:
                groups.setdefault(known[test], []).append(test)
        for (program, own), tests in groups.items():
            for procs in (None,) if own else PROCS:
                yield program, procs, tests

    def show(self, chosen, results):
        """Prints the list; the tests that have not passed everywhere."""
        section, failed = None, {}
        columns = " ".join(f"{n:>4}" for n in PROCS)
        print(f"\n  at GOMAXPROCS: {columns}")
        for statement in chosen:
            if statement.section != section:
                section = statement.section
                print(f"\n  {section}")
            print(f"    {statement.text}")
            for test in statement.tests:
                own = results.get((test, None))
                words = [self.word(own)] if own is not None else \
                    [self.word(results.get((test, n))) for n in PROCS]
                shown = f"{'its own':>14} {words[0]:>4}" if own is not None else \
                    " ".join(f"{word:>4}" for word in words)
                print(f"      {shown}  {test}")
                if any(word != "ok" for word in words):
                    failed[test] = True
        print(flush=True)
        return list(failed)

    def word(self, passed):
        return {True: "ok", False: "FAIL", None: "none"}[passed]
