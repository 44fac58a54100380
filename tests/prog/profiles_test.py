#!/usr/bin/env python3
"""Reads the profiles that prog_profiles and prog_unreachable write, by a decoder of its own and by
`go tool pprof`.

Usage: profiles_test.py BUILD_DIR [FILTER]

What could go wrong: a file that tools refuse, or that says something else than what the program has
done: counts, labels, functions, lines, units. Where no Go is found, the tests that need it are
skipped, and say so. Prints one line for each test and ends with `N passed, N failed`; exit status 1
if any failed.
"""
import gzip
import os
import pathlib
import re
import select
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

    def frames(self, identity):
        """(function, file, line) of all functions at a location, the innermost first."""
        lines = [message(line) for line in self.locations[identity].get(4, [])]
        found = []
        for line in lines:
            function = self.functions[line[1][0]]
            found.append((self.strings[function[2][0]], self.strings[function[4][0]],
                          line.get(2, [0])[0]))
        return found or [("?", "", 0)]

    def stack(self, identities):
        return [frame for identity in identities for frame in self.frames(identity)]

    def sample(self, m):
        labels = {}
        for label in map(message, m.get(3, [])):
            labels[self.strings[label[1][0]]] = (self.strings[label[2][0]] if 2 in label
                                                 else label[3][0])
        return (packed(m[1][0]) if 1 in m else [], packed(m[2][0]), labels)

    def where(self, name):
        """The samples with a function on their stacks whose name begins so."""
        return [(stack, values, labels) for stack, values, labels in self.samples
                if any(f[0].startswith(name) for f in self.stack(stack))]

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
    name, file, line = next(f for f in p.stack(waiting[0][0]) if f[0].startswith("waits_in_chan"))
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
    for name, leaf in (("block", "chan_recv"), ("mutex", "sem_release")):
        tops = [Profile(folder / f"{name}.pb.gz").frames(stack[0])[-1][0] for stack, _, _ in
                Profile(folder / f"{name}.pb.gz").samples]
        assert any(leaf in top for top in tops), tops
        assert not any("stack_table" in t or "own_stack" in t for t in tops), tops
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
    leaves = {p.stack(stack)[0][0].split("(")[0] for stack, _, _ in p.where("computes_hard")}
    assert "computes_hard" in leaves, leaves
    # The caller of the goroutine's function is on the stack too: callers are found.
    assert any(len(stack) > 3 for stack, _, _ in p.where("computes_hard"))


def inlined_functions(folder):
    """One location with two functions: a tool shows a call that the compiler has done away with."""
    p = Profile(folder / "goroutineleak.pb.gz")
    p.check()
    source = (pathlib.Path(__file__).parent / "profiles.cpp").read_text().split("\n")

    def line_with(text):
        return next(n for n, line in enumerate(source, 1) if text in line)
    at = [i for stack, _, _ in p.samples for i in stack
          if any(f[0].startswith("waits_inlined") for f in p.frames(i))]
    assert len(at) == 1, at
    inner, outer = p.frames(at[0])[-2:]
    assert inner[0].startswith("waits_inlined") and outer[0].startswith("waits_for_ever"), outer
    assert all(f[1].endswith("tests/prog/profiles.cpp") for f in (inner, outer)), (inner, outer)
    assert inner[2] == line_with("void waits_inlined(") + 1, inner
    assert outer[2] == line_with("    waits_inlined(rota"), outer
    assert p.mappings[p.locations[at[0]][2][0]].get(10) == [1], "has_inline_frames"
    starts = {p.strings[f[2][0]].split("(")[0]: f[5][0] for f in p.functions.values() if 5 in f}
    cache = (BUILD_DIR / "CMakeCache.txt").read_text()
    if "-gline-tables-only" in cache:  # the compiler was asked to keep no declarations
        return "without start lines: -gline-tables-only"
    for name in ("waits_inlined", "waits_for_ever"):
        assert starts[name] == line_with(f"void {name}("), starts
    return None


def build_id(file):
    """As readelf finds it; "" if there is none."""
    run = subprocess.run(["readelf", "-n", file], text=True, capture_output=True,
                         timeout=TIME_LIMIT)
    found = re.search(r"Build ID: ([0-9a-f]+)", run.stdout)
    return found.group(1) if found else ""


def mappings(folder):
    """A tool that wants the binary finds it: as the kernel has mapped it, and the very build."""
    pattern = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+ *(.*)")
    mapped = {(int(m[1], 16), int(m[2], 16)): (int(m[3], 16), m[4])
              for m in map(pattern.fullmatch, (folder / "maps.txt").read_text().split("\n")) if m}
    p = Profile(folder / "goroutineleak.pb.gz")
    with_id = 0
    for m in p.mappings.values():
        start, limit, offset = m[2][0], m[3][0], m.get(4, [0])[0]
        file, told = (p.strings[m.get(n, [0])[0]] for n in (5, 6))
        assert mapped[start, limit] == (offset, file), (hex(start), hex(limit), hex(offset), file)
        if os.path.exists(file):
            assert told == build_id(file), (file, told)
            with_id += told != ""
    assert with_id >= 2 and len(p.mappings) > 2, p.mappings  # the program, the C library
    assert p.mappings[1].get(6), "the program itself has one"
    return f"{len(p.mappings)} mappings, {with_id} build ids"


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
            names = [name for name, _, _ in p.stack(stack)]
            total += values[0]
            named += values[0] * (names[0] not in ("?", ""))
            if not any("sha256" in name.lower() for name in names):
                continue
            shutil.copy(folder / "treesum.gz", folder / "sha256.gz")
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
    go = gos()[-1] if gos() else None
    for name, (count, function, state) in LEAKS.items():
        for procs in ("1", "2", "4", "16"):
            program = BUILD_DIR / "tests/prog/prog_unreachable"
            run = subprocess.run([str(program), name, str(folder)],
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
                     if any(function in frame[0] for frame in p.stack(stack))]
            assert sum(found) == count == sum(v[0] for _, v, _ in p.samples), (at, p.samples)
            if go is not None:
                for way in ("-top", "-traces"):
                    read = pprof(go, folder, way, folder / "leak.pb.gz")
                    assert read.returncode == 0 and "Type: goroutineleak" in read.stdout, \
                        (at, read.stdout[:2000], read.stderr)
                    assert function in read.stdout, (at, read.stdout[:2000])
    return None if go is not None else "without go tool pprof, which is not found"


def gos():
    """Every Go that is found."""
    cache = pathlib.Path.home() / ".cache/rota-peers/go"
    found = [str(go) for go in sorted(cache.glob("*/usr/lib/go-*/bin/go"))]
    own = shutil.which("go")
    return found or ([own] if own else [])


NO_GO = "skipped: no Go found (scripts of bench/peers fetch one)"


def pprof(go, folder, *arguments):
    return subprocess.run([go, "tool", "pprof", *map(str, arguments)], text=True,
                          capture_output=True, timeout=TIME_LIMIT,
                          env={**os.environ, "GOFLAGS": "", "PPROF_BINARY_PATH": "/nonexistent",
                               "PPROF_TMPDIR": str(folder)})


def reads(folder, source, words, options=()):
    """Every Go's -top and -traces have the words."""
    for go in gos():
        for way in ("-top", "-traces"):
            run = pprof(go, folder, way, *options, source)
            assert run.returncode == 0, (go, source, run.stderr)
            for word in words:
                assert word in run.stdout, (go, way, word, run.stdout[:2000], run.stderr)
    return ", ".join(pathlib.Path(go).parts[-3] for go in gos()) or NO_GO


KINDS = {
    "goroutine": ("waits_in_chan", "Type: goroutine"),
    "goroutineleak": ("waits_for_ever", "Type: goroutineleak"),
    "block": ("waits_in_chan", "Type: delay"),
    "mutex": ("lets_go", "Type: delay"),
    "heap": ("rota: stacks of goroutines", "Type: inuse_space"),
    "allocs": ("rota: stacks of goroutines", "Type: alloc_space"),
    "threadcreate": ("rota: sysmon", "Type: threadcreate"),
    "cpu": ("computes_hard", "Type: cpu"),
}


def go_reads(kind):
    def test(folder):
        return reads(folder, folder / f"{kind}.pb.gz", KINDS[kind])
    test.__name__ = f"go_reads_{kind}"
    return test


def go_reads_difference(folder):
    return reads(folder, folder / "difference.pb.gz", KINDS["goroutine"])


def go_reads_texts_and_tags(folder):
    for go in gos():
        run = pprof(go, folder, "-tags", folder / "cpu.pb.gz")
        assert "hard" in run.stdout, run.stdout
        run = pprof(go, folder, "-raw", folder / "goroutine.txt")
        assert run.returncode == 0 and "goroutine" in run.stdout, (run.stdout[:2000], run.stderr)
    return None if gos() else NO_GO


def go_asks_a_server(folder):
    """The tool fetches every profile of /debug/pprof from a program that runs."""
    if not gos():
        return NO_GO
    program = str(BUILD_DIR / "tests/prog/prog_profiles")
    with subprocess.Popen([program, "serves"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as run:
        try:
            assert select.select([run.stdout], [], [], TIME_LIMIT)[0], "it does not serve"
            at = f"http://{run.stdout.readline().strip()}/debug/pprof"
            for kind, words in KINDS.items():
                if kind == "cpu":
                    reads(folder, f"{at}/profile", words, ("-seconds", "1"))
                else:
                    reads(folder, f"{at}/{kind}", words)
            run.stdin.close()
            assert run.wait(TIME_LIMIT) == 0, run.returncode
        finally:
            run.kill()
    return f"{len(KINDS)} kinds"


def go_names_sha256_of_treesum(folder):
    if not (folder / "sha256.gz").exists():
        treesum_by_name(folder)
    return reads(folder, folder / "sha256.gz", ("sha256", "Type: cpu"))


TESTS = (goroutine, difference, goroutine_text, contention, memory_and_threads, cpu,
         inlined_functions, mappings,
         treesum_by_name, *map(go_reads, KINDS), go_reads_difference, go_reads_texts_and_tags,
         go_asks_a_server, leaks, go_names_sha256_of_treesum)


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
    return 1 if failed or not (passed or wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
