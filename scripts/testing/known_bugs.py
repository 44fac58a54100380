"""`./dev test --known-bugs`: mistakes that runtimes of this kind have made, and who guards them.

Tests carry the number of an item in their names (kb07_...), bugs planted in the models in their
heads. A result is that of the last run, read from the logs that each layer leaves.
"""
import re

from . import models
from .steps import LOGS, ROOT

TITLES = dict(enumerate("""
store before load, twice; last spinner wakes no successor; signal skipped, token lost; readied
before parked; woken outside the books; wake-up while the world stops; hand-off leaves work
behind; endless sleep under signals; runnext ping-pong; spawners and yielders starve the rest;
runnext stolen too late or early; sockets starve under load; timers starve under load; unfair
locks; too many wake-ups; index and slot reuse; stolen and still linked elsewhere; locks in
opposite orders; losing cases; two cases win; close signals a waiter that is gone; select lock
order; user code under the channel's lock; waiter made too early or reused; waiters leak or are
searched; timers die with their p; the cached earliest time lies; deadline lock order; stale value
after stop; reset storms and wrap-around; lock held across a fault; event for the previous owner;
readiness cleared when set; close under a pending call; waiter counts drift; exhaustion spins;
cancelled I/O had completed; deadlock detector; tainted threads; retake that never retakes;
signals in non-reentrant code; EINTR everywhere; exec, threads and signals; fork without exec;
crash paths; limits read wrongly; touched after being given away; cancelled waiter keeps its
permit; panic inside once and groups; cancellation trees; exception state is per thread;
thread-local addresses kept; std::mutex across a park; forced unwinding; floating-point control
words; unwinders run off; guards use up max_map_count; silent stack overflow; exit; sanitizer
hooks that lie; connections that never end
""".strip().replace("\n", " ").split("; "), 1))

DUE = {*range(1, 62)}

TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[A-Z]+)?\(\s*(\w+)\s*,\s*(\w+)", re.M)
NUMBER = re.compile(r"(?:^|[._])kb(\d\d)_")
RESULT = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] ([\w/]+\.[\w/]+)", re.M)
LAYER_OF_FOLDER = {"api": "unit", "prog": "exit", "stress": "stress", "model": "model",
                   "sanitizer": "sanitizer"}
SUFFIXES = ("", "_in_goroutine", "_in_thread")  # TEST_ANYWHERE makes two of one


def tests():
    """(item, test, layer) of every test in the tree that carries a number."""
    for source in sorted((ROOT / "tests").glob("*/*_test.cpp")):
        layer = LAYER_OF_FOLDER.get(source.parent.name, "unit")
        for suite, name in TEST.findall(source.read_text()):
            number = NUMBER.search(f"{suite}.{name}")
            if number:
                yield int(number[1]), f"{suite}.{name}", layer


def results():
    """Test -> the words that the logs of the last runs have for it."""
    found = {}
    for log in sorted(LOGS.glob("*.log")):
        if log.name.startswith("mutant"):
            continue
        for word, test in RESULT.findall(log.read_text(errors="replace")):
            # Those with parameters: PREFIX/suite.name/VALUE.
            suite, _, name = test.partition(".")
            plain = f"{suite.rpartition('/')[2]}.{name.partition('/')[0]}"
            for known in {test, plain}:
                found.setdefault(known, set()).add(word)
    return found


def verdict(words):
    if not words:
        return "not run"
    return "FAILED" if "FAILED" in words else "ok" if "OK" in words else "skipped"


def planted():
    """(item, name, layer, result) of the bugs that the models must find."""
    for model in models.models():
        for number, item, _ in models.bugs(model):
            output = models.FOLDER / f"{model.stem}-{number}" / "output"
            result = "not run"
            if output.exists():
                result = "ok" if re.search(r"errors: [1-9]", output.read_text()) else "FAILED"
            yield int(item[2:]), f"{model.name} BUG={number}", "models", result


def rows():
    known = results()
    for item, test, layer in tests():
        words = set().union(*(known.get(test + suffix, set()) for suffix in SUFFIXES))
        yield item, test, layer, verdict(words)
    yield from planted()


def show():
    """Prints the matrix; 1 if a due item has no test, or one that failed or did not run."""
    by_item = {}
    for item, *row in rows():
        by_item.setdefault(item, []).append(row)
    missing, failed, unseen, counts = [], 0, 0, 0
    for item in sorted(DUE | set(by_item)):
        found = by_item.get(item, [])
        due = "due" if item in DUE else ""
        print(f"kb{item:02} {TITLES[item]:<42} {due:<4}{'' if found else 'MISSING'}".rstrip())
        if not found and item in DUE:
            missing.append(item)
        for test, layer, result in found:
            counts += 1
            failed += result == "FAILED"
            unseen += result == "not run" and item in DUE
            print(f"     {layer:<10} {result:<8} {test}")
    print(f"{len(DUE)} items are due, {len(missing)} of them without a test"
          + (f": {' '.join(f'kb{n:02}' for n in missing)}" if missing else ""))
    print(f"{counts} tests and planted bugs, {failed} failed in the last run"
          + (f", {unseen} did not run: ./dev test runs them" if unseen else ""))
    return 1 if missing or failed or unseen else 0
