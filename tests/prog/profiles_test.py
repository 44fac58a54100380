#!/usr/bin/env python3
"""Reads the profiles that prog_profiles and prog_unreachable write, by a decoder of its own and by `go tool pprof`.

Usage: profiles_test.py BUILD_DIR [FILTER]

What could go wrong: a file that tools refuse, or that says something else than what the program has
done: counts, labels, functions, lines, units. Where no Go is found, the tests that need it are
skipped, and say so. Prints one line for each test and ends with `N passed, N failed`; exit status 1
if any failed.
"""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TIME_LIMIT = 120  # seconds for one run
BUILD_DIR = pathlib.Path(".")  # the argument


# --- a decoder of profile.proto -------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Yields (number, value): integers, or bytes of what has a length."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a field runs over the end"
        else:
            raise AssertionError(f"wire type {key & 7}")
        yield key >> 3, value


def message(data):
    """Number -> values."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


class Profile:
    def __init__(self, path):
        raw = path.read_bytes()
        data = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        top = message(data)
        self.strings = [s.decode() for s in top[6]]
        assert self.strings[0] == "", "the first string is empty"
        self.types = [self.value_type(t) for t in top[1]]
        self.period_type, self.period = self.value_type(top[11][0]), top[12][0]
        self.time, self.duration = top[9][0], top.get(10, [0])[0]
        self.default = self.strings[top[14][0]] if 14 in top else ""
        self.functions = {m[1][0]: m for m in map(message, top.get(5, []))}
        self.locations = {m[1][0]: m for m in map(message, top.get(4, []))}
        self.mappings = {m[1][0]: m for m in map(message, top.get(3, []))}
        self.samples = [self.sample(message(s)) for s in top.get(2, [])]

    def value_type(self, data):
        m = message(data)
        return self.strings[m[1][0]] + "/" + self.strings[m[2][0]]

    def frame(self, identity):
        location = self.locations[identity]
        line = message(location[4][0]) if 4 in location else None
        if line is None:
            return ("?", "", 0)
        function = self.functions[line[1][0]]
        return (self.strings[function[2][0]], self.strings[function[4][0]], line.get(2, [0])[0])

    def sample(self, m):
        labels = {}
        for label in map(message, m.get(3, [])):
            labels[self.strings[label[1][0]]] = (self.strings[label[2][0]] if 2 in label
                                                 else label[3][0])
        return (packed(m[1][0]) if 1 in m else [], packed(m[2][0]), labels)

    def where(self, name):
        """The samples with a function on their stacks whose name begins so."""
        return [(stack, values, labels) for stack, values, labels in self.samples
                if any(self.frame(i)[0].startswith(name) for i in stack)]

    def check(self):
        for stack, values, _ in self.samples:
            assert len(values) == len(self.types), (values, self.types)
            for identity in stack:
                location = self.locations[identity]
                mapping = location.get(2, [0])[0]
                if mapping:
                    m = self.mappings[mapping]
                    assert m[2][0] <= location[3][0] < m[3][0], "outside its mapping"
                    assert m[7] == m[8] == m[9] == [1], "tools would look for a binary"


# --- tests ----------------------------------------------------------------------------------------

def goroutine(folder):
    p = Profile(folder / "goroutine.pb.gz")
    p.check()
    assert p.types == ["goroutine/count"] == [p.period_type] and p.period == 1, p.types
    waiting = p.where("waits_in_chan")
    assert sorted(values[0] for _, values, _ in waiting) == [1, 2], waiting
    assert [labels for _, values, labels in waiting if values[0] == 1] == [{"tenant": "blue"}]
    name, file, line = next(p.frame(i) for i in waiting[0][0]
                            if p.frame(i)[0].startswith("waits_in_chan"))
    assert file.endswith("tests/prog/profiles.cpp") and line > 0, (name, file, line)
    assert p.strings[p.mappings[1][5][0]].endswith("prog_profiles"), "the program comes first"


def difference(folder):
    p = Profile(folder / "difference.pb.gz")
    p.check()
    assert p.types == ["goroutine/count"], p.types
    came = [values for _, values, _ in p.where("waits_in_chan")]
    assert came == [[3]], came


def goroutine_text(folder):
    text = (folder / "goroutine.txt").read_text()
    total = int(text.split("\n", 1)[0].removeprefix("goroutine profile: total "))
    counts = [int(line.split(" @")[0]) for line in text.split("\n") if " @ 0x" in line]
    assert sum(counts) == total and counts == sorted(counts, reverse=True), text
    assert '# labels: {"tenant":"blue"}' in text, text
    for line in text.split("\n"):
        if line.startswith("#\t"):
            cells = [c for c in line.split("\t") if c]
            assert len(cells) in (2, 4) and cells[1].startswith("0x"), line
    first = gzip.decompress((folder / "goroutine.pb.gz").read_bytes())
    assert first, "empty"


def contention(folder):
    p = Profile(folder / "block.pb.gz")
    p.check()
    assert p.types == ["contentions/count", "delay/nanoseconds"], p.types
    assert p.period_type == "contentions/count" and p.period == 1
    waits = p.where("waits_in_chan")
    assert sum(v[0] for _, v, _ in waits) == 3, waits
    assert all(v[1] > 1_000_000 for _, v, _ in waits), waits  # each has waited for 5 ms and more
    p = Profile(folder / "mutex.pb.gz")
    p.check()
    assert p.types == ["contentions/count", "delay/nanoseconds"], p.types
    culprits = p.where("lets_go")
    assert sum(v[0] for _, v, _ in culprits) == 1 and culprits[0][1][1] > 1_000_000, culprits


def memory_and_threads(folder):
    for name, default in (("heap", "inuse_space"), ("allocs", "alloc_space")):
        p = Profile(folder / f"{name}.pb.gz")
        p.check()
        assert p.types == ["alloc_objects/count", "alloc_space/bytes", "inuse_objects/count",
                           "inuse_space/bytes"], p.types
        assert p.default == default and p.period_type == "space/bytes", p.default
        stacks = p.where("rota: stacks")
        assert stacks and all(v[2] * labels["bytes"] == v[3] for _, v, labels in stacks), stacks
    p = Profile(folder / "threadcreate.pb.gz")
    assert p.types == ["threadcreate/count"], p.types
    assert sum(v[0] for _, v, _ in p.samples) >= 2, p.samples


def cpu(folder):
    p = Profile(folder / "cpu.pb.gz")
    p.check()
    assert p.types == ["samples/count", "cpu/nanoseconds"], p.types
    assert p.period_type == "cpu/nanoseconds" and p.period == 10_000_000
    assert p.duration > 0 and p.time > 1_500_000_000_000_000_000, (p.duration, p.time)
    assert all(v[1] == v[0] * p.period for _, v, _ in p.samples)
    hard = sum(v[0] for _, v, _ in p.where("computes_hard"))
    little = sum(v[0] for _, v, _ in p.where("computes_little"))
    assert hard > 5 and hard > 2 * little, (hard, little)
    labelled = sum(v[0] for _, v, labels in p.where("computes_hard") if labels == {"work": "hard"})
    assert labelled == hard, (labelled, hard)
    leaves = {p.frame(stack[0])[0].split("(")[0] for stack, _, _ in p.where("computes_hard")}
    assert "computes_hard" in leaves, leaves
    # The caller of the goroutine's function is on the stack too: callers are found.
    assert any(len(stack) > 3 for stack, _, _ in p.where("computes_hard"))


def treesum_by_name(folder):
    """Whose time it is, in a library without frame pointers; and that all have names."""
    tree = folder / "tree"
    tree.mkdir()
    for n in range(8):
        with open(tree / f"{n}", "wb") as f:
            f.truncate(32 << 20)
    run = [str(BUILD_DIR / "examples/treesum"), "-q", "--cpu-profile", str(folder / "treesum.gz"),
           "--trace", str(folder / "treesum.trace"), str(tree)]
    total = named = hashing = known_caller = 0
    for _ in range(40):
        done = subprocess.run(run, capture_output=True, text=True, timeout=TIME_LIMIT)
        assert done.returncode == 0, done.stderr
        p = Profile(folder / "treesum.gz")
        p.check()
        for stack, values, _ in p.samples:
            names = [p.frame(i)[0] for i in stack]
            total += values[0]
            named += values[0] * (not names[0].startswith(("[", "<")))
            if not any("sha256" in name.lower() for name in names):
                continue
            hashing += values[0]
            known_caller += values[0] * any("hash_file" in name for name in names)
        if total >= 200:
            break
    assert hashing > total / 5, (hashing, total)  # the rest is mostly reading
    assert known_caller >= 0.95 * hashing, (known_caller, hashing)
    assert named >= 0.95 * total, (named, total)
    assert (folder / "treesum.trace").stat().st_size > 1000
    return f"{total} samples, {named / total:.1%} with a name, {hashing / total:.1%} in SHA-256"


# The five leaks of the field, as cases of prog_unreachable: how many are lost, where, and why.
LEAKS = {"sender": (2, "forget_senders", "chan send"), "close": (2, "forget_close", "chan receive"),
         "answer": (1, "abandon_answer", "chan send"),
         "nil": (1, "use_nil_channel", "chan receive (nil chan)"),
         "lock": (3, "forget_unlock", "sync.")}


def leaks(folder):
    """Each leak in each form of the profile, at each GOMAXPROCS."""
    go = find_go()
    for name, (count, function, state) in LEAKS.items():
        for procs in ("1", "2", "4", "16"):
            run = subprocess.run([str(BUILD_DIR / "tests/prog/prog_unreachable"), name, str(folder)],
                                 env={**os.environ, "GOMAXPROCS": procs}, timeout=TIME_LIMIT,
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True)
            assert run.returncode == 0, (name, procs, run.stdout, run.stderr)
            at = (name, procs)
            text = (folder / "leak.txt").read_text()
            assert text.startswith(f"goroutineleak profile: total {count}\n"), (at, text)
            assert function in text, (at, text)
            dump = (folder / "leak-2.txt").read_text()
            heads = [line for line in dump.split("\n") if line.startswith("goroutine ")]
            lost = [line for line in heads if "(leaked)" in line]
            assert len(lost) == count and all(f"[{state}" in line for line in lost), (at, dump)
            p = Profile(folder / "leak.pb.gz")
            p.check()
            assert p.types == ["goroutineleak/count"], (at, p.types)
            found = [values[0] for stack, values, _ in p.samples
                     if any(function in p.frame(i)[0] for i in stack)]
            assert sum(found) == count == sum(v[0] for _, v, _ in p.samples), (at, p.samples)
            if go is not None:
                for way in ("-top", "-traces"):
                    read = pprof(go, way, folder / "leak.pb.gz")
                    assert read.returncode == 0 and "Type: goroutineleak" in read.stdout, \
                        (at, read.stdout[:2000], read.stderr)
                    assert function in read.stdout, (at, read.stdout[:2000])
    return None if go is not None else "without go tool pprof, which is not found"


def find_go():
    cache = pathlib.Path.home() / ".cache/rota-peers/go"
    for go in sorted(cache.glob("*/usr/lib/go-*/bin/go"), reverse=True):
        return str(go)
    return shutil.which("go")


def pprof(go, *arguments):
    return subprocess.run([go, "tool", "pprof", *map(str, arguments)], text=True,
                          capture_output=True, timeout=TIME_LIMIT,
                          env={**os.environ, "GOFLAGS": "", "PPROF_BINARY_PATH": "/nonexistent"})


def by_go(folder):
    go = find_go()
    if go is None:
        return "skipped: no Go found (scripts of bench/peers fetch one)"
    for name, words in (("goroutine", ("waits_in_chan", "Type: goroutine")),
                        ("block", ("waits_in_chan", "Type: delay")),
                        ("mutex", ("lets_go", "Type: delay")),
                        ("heap", ("rota: stacks of goroutines", "Type: inuse_space")),
                        ("threadcreate", ("rota: sysmon", "Type: threadcreate")),
                        ("difference", ("waits_in_chan", "Type: goroutine")),
                        ("cpu", ("computes_hard", "Type: cpu"))):
        for way in ("-top", "-traces"):
            run = pprof(go, way, folder / f"{name}.pb.gz")
            assert run.returncode == 0, (name, run.stderr)
            for word in words:
                assert word in run.stdout, (name, way, word, run.stdout[:2000], run.stderr)
    run = pprof(go, "-tags", folder / "cpu.pb.gz")
    assert "hard" in run.stdout, run.stdout
    run = pprof(go, "-raw", folder / "goroutine.txt")
    assert run.returncode == 0 and "goroutine" in run.stdout, (run.stdout[:2000], run.stderr)
    return None


TESTS = (goroutine, difference, goroutine_text, contention, memory_and_threads, cpu,
         treesum_by_name, by_go, leaks)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    global BUILD_DIR
    BUILD_DIR = pathlib.Path(sys.argv[1])
    program = BUILD_DIR / "tests/prog/prog_profiles"
    wanted, passed, failed = "".join(sys.argv[2:3]), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in ("states", "cpu", "difference"):
            subprocess.run([str(program), case, str(folder)], check=True, timeout=TIME_LIMIT,
                           stdin=subprocess.DEVNULL)
        for test in TESTS:
            if wanted not in test.__name__:
                continue
            try:
                note = test(folder)
                passed += 1
                print("ok", test.__name__, note or "")
            except (AssertionError, KeyError, IndexError, ValueError,
                    subprocess.TimeoutExpired) as e:
                failed += 1
                print("FAILED", test.__name__, repr(e)[:3000])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
