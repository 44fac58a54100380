#!/usr/bin/env python3
"""Replays execution traces as Go's reader does, and says where they break its rules.

Usage: trace_check.py FILE...        one line for each file: its events by name, or what is wrong;
                                     of a directory all files
       trace_check.py --self-test    every rule must find the breach that is planted for it
       trace_check.py --go FILE...   the same files by `go tool trace -d=parsed`, and the pages
                                     that it shows of the first, where there is a Go ($GO, `go` on
                                     PATH, or those of the benchmarks' peers: the newest, for the
                                     first file the oldest too); otherwise says "skipped". Of many
                                     files only some.

The rules are those of internal/trace: batches and tables (identifiers defined once, and before
nobody), states of goroutines and processors, the counters that order what several threads have
written, and the context that each event needs on its thread. Exit status 1 if a file breaks one.
"""
import collections
import html
import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request

NONE = (1 << 64) - 1
PAGES = ["/trace", "/jsontrace", "/goroutines", "/usertasks", "/userregions", "/sched?raw=1",
         "/syscall?raw=1", "/io?raw=1", "/block?raw=1"]
PAGES_S = 60
FOR_GO = 4  # of many files so many are enough: the tool takes long to begin
SAMPLE_AWAY_NS = 100e9  # from the beginning of its generation
HEADER = b"go 1.23 trace\0\0\0"
STACKS, STACK, STRINGS, STRING, SAMPLES, SAMPLE, FREQUENCY = 2, 3, 4, 5, 6, 7, 8
# number: (name, arguments; `s` a string, `k` a stack)
EVENTS = {
    9: ("ProcsChange", ["procs", "k"]), 10: ("ProcStart", ["p", "seq"]), 11: ("ProcStop", []),
    12: ("ProcSteal", ["p", "seq", "m"]), 13: ("ProcStatus", ["p", "status"]),
    14: ("GoCreate", ["g", "k", "k"]), 15: ("GoCreateSyscall", ["g"]),
    16: ("GoStart", ["g", "seq"]), 17: ("GoDestroy", []), 19: ("GoStop", ["s", "k"]),
    20: ("GoBlock", ["s", "k"]), 21: ("GoUnblock", ["g", "seq", "k"]),
    22: ("GoSyscallBegin", ["seq", "k"]), 23: ("GoSyscallEnd", []),
    24: ("GoSyscallEndBlocked", []), 25: ("GoStatus", ["g", "m", "status"]),
    26: ("STWBegin", ["s", "k"]), 27: ("STWEnd", []), 39: ("GoLabel", ["s"]),
    40: ("UserTaskBegin", ["task", "parent", "s", "k"]), 41: ("UserTaskEnd", ["task", "k"]),
    42: ("UserRegionBegin", ["task", "s", "k"]), 43: ("UserRegionEnd", ["task", "s", "k"]),
    44: ("UserLog", ["task", "s", "s", "k"]), 48: ("GoStatusStack", ["g", "m", "status", "k"]),
}
RUNNABLE, RUNNING, SYSCALL, WAITING = "runnable", "running", "syscall", "waiting"
G_STATES = {1: RUNNABLE, 2: RUNNING, 3: SYSCALL, 4: WAITING}
P_STATES = {1: RUNNING, 2: "idle", 3: SYSCALL, 4: "abandoned"}
# What the thread must have: a p, and a goroutine (None: either way).
CONTEXT = {
    "ProcsChange": (True, True), "ProcStart": (False, None), "ProcStop": (True, None),
    "GoCreate": (True, None), "GoCreateSyscall": (None, False), "GoStart": (True, False),
    "GoDestroy": (True, True), "GoStop": (True, True), "GoBlock": (True, True),
    "GoSyscallBegin": (True, True), "GoSyscallEnd": (True, True),
    "GoSyscallEndBlocked": (None, True), "STWBegin": (True, True), "STWEnd": (True, True),
    "GoLabel": (True, True), "UserTaskBegin": (True, True), "UserTaskEnd": (True, True),
    "UserRegionBegin": (True, True), "UserRegionEnd": (True, True), "UserLog": (True, True),
}


class Broken(Exception):
    pass


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def left(self):
        return len(self.data) - self.at

    def byte(self):
        if self.at >= len(self.data):
            raise Broken("ends in the middle")
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return value

    def take(self, n):
        if self.left() < n:
            raise Broken("ends in the middle")
        self.at += n
        return self.data[self.at - n:self.at]


class Generation:
    def __init__(self, number):
        self.number = number
        self.strings, self.stacks = {0: ""}, {0: []}
        self.threads = collections.defaultdict(list)  # m: [(time, name, arguments)]
        self.samples = []  # [(time, thread, p, g, stack)]
        self.frequency = self.began = None

    def add(self, m, time, payload):
        first = payload.data[0]
        if first == FREQUENCY:
            payload.byte()
            if self.frequency is not None:
                raise Broken("two frequencies")
            self.frequency, self.began = payload.number(), time
            if self.frequency == 0 or payload.left():
                raise Broken("no frequency, or something behind it")
        elif first == STRINGS:
            payload.byte()
            while payload.left():
                self.add_string(payload)
        elif first == STACKS:
            payload.byte()
            while payload.left():
                self.add_stack(payload)
        elif first == SAMPLES:
            payload.byte()
            while payload.left():
                if payload.byte() != SAMPLE:
                    raise Broken("no sample among the samples")
                self.samples.append([payload.number() for _ in range(5)])
        else:
            self.add_events(m, time, payload)

    def ns(self, time):
        return time * 10**9 / self.frequency

    def add_string(self, b):
        if b.byte() != STRING:
            raise Broken("no string in the table of strings")
        number, size = b.number(), b.number()
        if size > 1024:
            raise Broken(f"a string of {size} bytes")
        if number in self.strings:
            raise Broken(f"string {number} twice")
        self.strings[number] = b.take(size).decode()

    def add_stack(self, b):
        if b.byte() != STACK:
            raise Broken("no stack in the table of stacks")
        number, depth = b.number(), b.number()
        if number in self.stacks or depth > 128:
            raise Broken(f"stack {number}, of {depth} frames: twice, or too deep")
        self.stacks[number] = [[b.number() for _ in range(4)] for _ in range(depth)]

    def add_events(self, m, time, b):
        events = self.threads[m]
        if events and events[-1][0] > time:
            raise Broken(f"thread {m} goes back in time")
        while b.left():
            kind = b.byte()
            if kind not in EVENTS:
                raise Broken(f"event {kind}")
            name, arguments = EVENTS[kind]
            time += b.number()
            events.append((time, name, [(a, b.number()) for a in arguments]))

    def check_tables(self):
        if self.frequency is None:
            raise Broken("no frequency")
        for frames in self.stacks.values():
            for _, function, file, line in frames:
                if function not in self.strings or file not in self.strings:
                    raise Broken("a frame without strings")
                if line < 1:  # what Go's validator refuses
                    raise Broken("a frame without a line")
        for time, _, p, _, stack in self.samples:
            if not self.stacks.get(stack):
                raise Broken(f"a sample names stack {stack}, which is nowhere")
            if abs(self.ns(time) - self.ns(self.began)) > SAMPLE_AWAY_NS:
                raise Broken("a sample of another time")
            if p != NONE and p > 1 << 20:
                raise Broken(f"a sample on p {p}")
        for events in self.threads.values():
            for _, name, arguments in events:
                for kind, value in arguments:
                    if kind == "s" and value not in self.strings:
                        raise Broken(f"{name} names string {value}, which is nowhere")
                    if kind == "k" and value not in self.stacks:
                        raise Broken(f"{name} names stack {value}, which is nowhere")


def generations(data):
    if data[:16] != HEADER:
        raise Broken("no header")
    b, all_of_them = Bytes(data, 16), []
    while b.left():
        if b.byte() != 1:
            raise Broken("no batch where one should be")
        number, m, time, size = (b.number() for _ in range(4))
        if not all_of_them or all_of_them[-1].number != number:
            if number == 0 or (all_of_them and all_of_them[-1].number + 1 != number):
                raise Broken(f"generation {number} comes next")
            all_of_them.append(Generation(number))
        if not 0 < size <= 65536 or time == 0:
            raise Broken(f"a batch of {size} bytes at {time}")
        all_of_them[-1].add(m, time, Bytes(b.take(size)))
    return all_of_them


class NotYet(Exception):
    """The event waits for what another thread has written."""


class Replay:
    """The scheduler as the events tell it."""

    def __init__(self):
        self.g, self.p = {}, {}  # number: [state, counter, generation of the counter, thread]
        self.bound = collections.defaultdict(lambda: [None, None])  # m: its p and g
        self.stops = {}  # g: kind
        self.is_first = True
        self.counts = collections.Counter()

    def run(self, generation):
        self.now = generation.number
        waiting = {m: collections.deque(e) for m, e in generation.threads.items()}
        while waiting:
            moved = False
            why = {}
            for m in sorted(waiting, key=lambda m: waiting[m][0][0]):
                try:
                    self.event(m, *waiting[m][0][1:])
                except NotYet as e:
                    why[m] = f"thread {m}: {waiting[m][0][1]}: {e}"
                    continue
                waiting[m].popleft()
                if not waiting[m]:
                    del waiting[m]
                moved = True
                break
            if not moved:
                raise Broken("nobody can go on: " + "; ".join(why.values()))
        for number, (state, _, told, _) in self.g.items():
            if told != self.now:
                raise Broken(f"goroutine {number}, {state}, is not told")
        self.is_first = False

    def event(self, m, name, arguments):
        values = [v for _, v in arguments]
        has = self.bound[m] if m != NONE else [None, None]
        needs = CONTEXT.get(name, (None, None))
        for want, have, what in zip(needs, has, ("p", "goroutine")):
            if want is True and have is None:
                raise NotYet(f"no {what}")
            if want is False and have is not None:
                raise NotYet(f"has {what} {have}")
        getattr(self, name, self.other)(m, has, *values)
        self.counts[name] += 1

    def other(self, m, has, *values):
        """What changes no state."""
        self.running(has)

    def running(self, has):
        if self.known(self.g, has[1])[0] != RUNNING:
            raise Broken(f"goroutine {has[1]} does not run")
        if self.known(self.p, has[0])[0] != RUNNING:
            raise Broken(f"p {has[0]} does not run")

    def known(self, table, number):
        if number not in table or table[number][2] != self.now:
            raise NotYet(f"{'goroutine' if table is self.g else 'p'} {number} is not told yet")
        return table[number]

    def step(self, table, number, seq, wanted, state):
        """The next in the order of a goroutine's or p's own counter."""
        entry = self.known(table, number)
        if entry[1] + 1 != seq:
            if seq <= entry[1]:
                raise Broken(f"{number} has its step {seq} twice")
            raise NotYet(f"step {seq} of {number} comes after {entry[1]}")
        if entry[0] != wanted:
            raise NotYet(f"{number} is {entry[0]}")
        entry[0], entry[1] = state, seq
        return entry

    def tell(self, table, number, state, m):
        what = "goroutine" if table is self.g else "p"
        if number not in table:
            if table is self.g and not self.is_first:
                raise Broken(f"goroutine {number} is told after the first generation")
        elif table[number][0] != state:
            raise Broken(f"{what} {number} is {table[number][0]}, and told as {state}")
        elif table[number][2] == self.now:
            raise Broken(f"{what} {number} is told twice")
        table[number] = [state, 0, self.now, m]

    def ProcStatus(self, m, has, p, status):
        self.tell(self.p, p, P_STATES[status], m)
        if P_STATES[status] == RUNNING:
            if has[0] not in (None, p):
                raise Broken(f"thread {m} has two ps")
            has[0] = p

    def GoStatus(self, m, has, g, thread, status, stack=0):
        state = G_STATES[status]
        self.tell(self.g, g, state, thread)
        if state in (RUNNING, SYSCALL):
            if thread == NONE:
                raise Broken(f"goroutine {g} in a system call without a thread")
            if self.bound[thread][1] not in (None, g):
                raise Broken(f"thread {thread} has two goroutines")
            if state == RUNNING and self.bound[thread][0] is None:  # the pages of `go tool trace`
                raise Broken(f"goroutine {g} is told to run on thread {thread}, which has no p yet")
            self.bound[thread][1] = g

    GoStatusStack = GoStatus

    def ProcStart(self, m, has, p, seq):
        self.step(self.p, p, seq, "idle", RUNNING)
        has[0] = p

    def ProcStop(self, m, has):
        entry = self.known(self.p, has[0])
        if entry[0] not in (RUNNING, SYSCALL):
            raise Broken(f"p {has[0]} stops, and is {entry[0]}")
        entry[0], has[0] = "idle", None

    def ProcSteal(self, m, has, p, seq, victim):
        self.step(self.p, p, seq, SYSCALL, "idle")
        if self.bound[victim][0] != p:
            raise Broken(f"p {p} is stolen from thread {victim}, which does not have it")
        self.bound[victim][0] = None

    def GoCreate(self, m, has, g, start, creator):
        if g in self.g:
            raise Broken(f"goroutine {g} is created, and exists")
        self.g[g] = [RUNNABLE, 0, self.now, None]

    def GoCreateSyscall(self, m, has, g):
        self.GoCreate(m, has, g, 0, 0)
        self.g[g][0] = SYSCALL
        has[1] = g

    def GoStart(self, m, has, g, seq):
        self.step(self.g, g, seq, RUNNABLE, RUNNING)
        has[1] = g

    def leave(self, has, state):
        self.running(has)
        self.g[has[1]][0] = state
        has[1] = None

    def GoDestroy(self, m, has):
        g = has[1]
        self.leave(has, None)
        del self.g[g]

    def GoStop(self, m, has, why, stack):
        self.leave(has, RUNNABLE)

    def GoBlock(self, m, has, why, stack):
        self.leave(has, WAITING)

    def GoUnblock(self, m, has, g, seq, stack):
        self.step(self.g, g, seq, WAITING, RUNNABLE)

    def GoSyscallBegin(self, m, has, seq, stack):
        self.running(has)
        self.step(self.p, has[0], seq, RUNNING, SYSCALL)
        self.g[has[1]][0] = SYSCALL

    def GoSyscallEnd(self, m, has):
        g, p = self.known(self.g, has[1]), self.known(self.p, has[0])
        if g[0] != SYSCALL or p[0] != SYSCALL:
            raise Broken(f"goroutine {has[1]}, {g[0]}, leaves a system call with p {p[0]}")
        g[0], p[0] = RUNNING, RUNNING

    def GoSyscallEndBlocked(self, m, has):
        if has[0] is not None and self.known(self.p, has[0])[0] == SYSCALL:
            raise NotYet("it has its p still")
        g = self.known(self.g, has[1])
        if g[0] != SYSCALL:
            raise Broken(f"goroutine {has[1]}, {g[0]}, leaves a system call")
        g[0], has[1] = RUNNABLE, None

    def STWBegin(self, m, has, kind, stack):
        self.running(has)
        if has[1] in self.stops:
            raise Broken("stops within stops")
        self.stops[has[1]] = kind

    def STWEnd(self, m, has):
        self.running(has)
        if self.stops.pop(has[1], None) is None:
            raise Broken("a stop ends that has not begun")


def check_clocks(all_of_them):
    """Whatever their units are, a generation begins where the one before it ends."""
    for earlier, later in zip(all_of_them, all_of_them[1:]):
        ended = max((events[-1][0] for events in earlier.threads.values() if events),
                    default=earlier.began)
        apart = later.ns(later.began) - earlier.ns(ended)
        if apart < -1e6:
            raise Broken(f"generation {later.number} begins {-apart} ns before the end of the last")


SHARE_SHARP_HZ = 10**8  # a clock whose units are so short tells any two looks at it apart
SHARED_MAX = 0.02       # of all starts: processors' counters may differ a little


def check_shared(all_of_them):
    """A start has the stamp of what left its thread before: no code of the program lies between.
    But behind it lies a turn of the program's, so that the next event has one of its own."""
    starts = shared = 0
    for generation in all_of_them:
        if generation.frequency < SHARE_SHARP_HZ:
            continue
        for events in generation.threads.values():
            for (time, name, _), (later, then, _) in zip(events, events[1:]):
                if name == "GoStart" and then not in ("GoStatus", "GoStatusStack"):
                    starts += 1
                    shared += time == later
    if starts >= 1 / SHARED_MAX and shared > starts * SHARED_MAX:
        raise Broken(f"{shared} of {starts} starts share their time with the end of their turn")


def check(data):
    """How often each event is in it. Throws Broken."""
    all_of_them = generations(data)
    if not all_of_them:
        raise Broken("no generation")
    for generation in all_of_them:
        generation.check_tables()
    check_clocks(all_of_them)
    check_shared(all_of_them)
    replay = Replay()
    for generation in all_of_them:
        replay.run(generation)
    replay.counts["generations"] = len(all_of_them)
    for generation in all_of_them:
        for _, _, _, g, stack in generation.samples:
            replay.counts["samples"] += 1
            replay.counts["samples of goroutines"] += g != 0
            for function in {f for _, f, _, _ in generation.stacks[stack]}:
                replay.counts[f"sample({generation.strings[function]})"] += 1
        for events in generation.threads.values():
            for _, name, arguments in events:
                texts = [v for kind, v in arguments if kind == "s"]
                for text in (generation.strings[v] for v in texts):
                    replay.counts[f"{name}({text})"] += 1
                if name == "UserLog":
                    top = replay.counts["highest string of a log"]
                    replay.counts["highest string of a log"] = max(top, texts[1])
    return replay.counts


def files(names):
    for name in names:
        if os.path.isdir(name):
            yield from sorted(os.path.join(name, entry) for entry in os.listdir(name))
        else:
            yield name


def gos():
    """The newest Go, and the oldest if that is another."""
    one = os.environ.get("GO") or shutil.which("go")
    if one is not None:
        return [one]
    found = (pathlib.Path.home() / ".cache/rota-peers/go").glob("*/usr/lib/go-*/bin/go")
    by_version = sorted(found, key=lambda go: [int(n) for n in re.findall(r"\d+", go.parts[-3])])
    return [str(go) for go in dict.fromkeys(by_version[:-2:-1] + by_version[:1])]


def by_go(paths):
    known = gos()
    if not known:
        print("skipped: no go on PATH, no $GO, and none of the peers (bench/peers/get-go)")
        return 0
    paths = list(paths)
    jobs = [(known[0], path) for path in paths[::len(paths) // FOR_GO + 1]]
    jobs += [(go, paths[0]) for go in known[1:]]
    failed = 0
    for go, path in jobs:
        for how in ("parsed", "1"):  # before Go 1.24 a number
            end = subprocess.run([go, "tool", "trace", f"-d={how}", path],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
            if "invalid value" not in end.stderr:
                break
        print(f"{path}: {'ok' if end.returncode == 0 else end.stderr[:2000]}")
        failed |= end.returncode != 0
    pages = [pages_by_go(go, paths[0]) for go in known]
    return int(failed or not all(pages))


def pages_by_go(go, path):
    """Whether all pages of a trace can be had. They are made by another reader than -d=parsed."""
    viewer = subprocess.Popen([go, "tool", "trace", "-http=127.0.0.1:0", path], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env={**os.environ, "BROWSER": "true"},
                              start_new_session=True)
    limit = threading.Timer(PAGES_S, os.killpg, (viewer.pid, signal.SIGKILL))
    limit.start()
    said, shown = "", 0
    try:
        for line in viewer.stderr:
            said += line
            at = re.search(r"listening on (http://[^/\s]*)", line)
            if at is None:
                continue
            for page in PAGES:
                text = urllib.request.urlopen(at[1] + page).read()
                shown += 1
                if page == "/goroutines":
                    one = re.search(rb'"(/goroutine\?[^"]*)"', text)[1].decode()
                    urllib.request.urlopen(at[1] + html.unescape(one).replace(" ", "%20")).read()
            break
    except (OSError, http.client.HTTPException) as e:
        said += f"{PAGES[shown]}: {e}"
    finally:
        limit.cancel()
        try:
            os.killpg(viewer.pid, signal.SIGKILL)  # the viewer is a child of the command
        except ProcessLookupError:
            pass
        viewer.wait()
    good = shown == len(PAGES)
    print(f"{path}: {shown} of {len(PAGES)} pages{'' if good else ': ' + said[:2000]}")
    return good


# --- the self-test --------------------------------------------------------------------------------

def uvarint(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    return bytes(out) + bytes([v])


def batch(number, m, payload):
    return b"\1" + b"".join(map(uvarint, (number, m, 1000, len(payload)))) + payload


def unit_of(frequency=10**6):
    return bytes([FREQUENCY]) + uvarint(frequency)


def trace_of(events, number=1, tables=b"", step=1, frequency=10**6):
    """A file of one generation from (thread, name, arguments...)."""
    numbers = {name: n for n, (name, _) in EVENTS.items()}
    out = batch(number, NONE, unit_of(frequency)) + tables
    threads = collections.defaultdict(bytes)
    for m, name, *values in events:
        threads[m] += bytes([numbers[name], step]) + b"".join(map(uvarint, values))
    return out + b"".join(batch(number, m, payload) for m, payload in threads.items())


BEGIN = [(7, "ProcStatus", 0, 1), (7, "GoStatus", 1, 7, 2)]
GOOD = [*BEGIN, (NONE, "ProcStatus", 1, 2), (7, "GoCreate", 2, 0, 0), (7, "GoBlock", 0, 0),
        (7, "GoStart", 2, 1), (7, "GoSyscallBegin", 1, 0), (8, "ProcSteal", 0, 2, 7),
        (8, "ProcStart", 0, 3), (8, "GoUnblock", 1, 1, 0), (8, "GoStart", 1, 2),
        (7, "GoSyscallEndBlocked")]
NEXT = [(8, "ProcStatus", 0, 1), (8, "GoStatus", 1, 8, 2), (NONE, "GoStatus", 2, NONE, 1)]
BREACHES = {
    "is not told": (GOOD, NEXT[:2]),
    "told as": (GOOD, [*NEXT[:2], (NONE, "GoStatus", 2, NONE, 4)]),
    "after the first generation": (GOOD, [*NEXT, (NONE, "GoStatus", 3, NONE, 1)]),
    "told twice": ([*GOOD, (7, "GoStatus", 2, NONE, 1)],),
    "comes after": ([*GOOD, (8, "GoBlock", 0, 0), (7, "GoUnblock", 1, 4, 0)],),
    "its step 1 twice": ([*GOOD, (8, "GoBlock", 0, 0), (8, "GoUnblock", 1, 1, 0)],),
    "does not have it": ([*BEGIN, (7, "GoSyscallBegin", 1, 0), (8, "ProcSteal", 0, 2, 9)],),
    "no p": ([*GOOD, (7, "GoStart", 2, 2)],),
    "has goroutine 1": ([*GOOD, (8, "GoStart", 2, 2)],),
    "and exists": ([*GOOD, (8, "GoCreate", 2, 0, 0)],),
    "still": ([*BEGIN, (7, "GoSyscallBegin", 1, 0), (7, "GoSyscallEndBlocked")],),
    "leaves a system call": ([*BEGIN, (7, "GoSyscallEnd")],),
    "has not begun": ([*BEGIN, (7, "STWEnd")],),
    "no p yet": (BEGIN[::-1],),
    "within stops": ([*BEGIN, (7, "STWBegin", 0, 0), (7, "STWBegin", 0, 0)],),
    "which is nowhere": ([*BEGIN, (7, "GoBlock", 5, 0)],),
    "does not run": ([*BEGIN, (7, "GoSyscallBegin", 1, 0), (7, "GoBlock", 0, 0)],),
}


TURNS = [*BEGIN, (NONE, "GoStatus", 2, NONE, 1)]
for turn in range(1, 60):
    TURNS += [(7, "GoStop", 0, 0), (7, "GoStart", 2 - turn % 2, (turn + 1) // 2)]


def complaint(*parts):
    return complaint_of(HEADER + b"".join(trace_of(p, i + 1) for i, p in enumerate(parts)))


def complaint_of(data):
    try:
        check(data)
    except Broken as e:
        return str(e)
    return None


def self_test():
    failed = 0
    early = HEADER + trace_of(GOOD) + batch(2, NONE, unit_of(10**9))
    for text, data in (("no frequency", HEADER + batch(1, NONE, unit_of(0))),
                       ("before the end of the last", early),
                       ("share their time", HEADER + trace_of(TURNS, step=0, frequency=10**9))):
        found = complaint_of(data)
        if found is None or text not in found:
            print(f"self-test: {text!r} is not found, but {found!r}")
            failed = 1
    one = bytes([STACKS, STACK, 1, 1, 9, 0, 0, 1])
    now, table = uvarint(1000), batch(1, NONE, one)
    for text, sample, tables in (("names stack 1", now + bytes([7, 0, 1, 1]), b""),
                                 ("of another time", uvarint(10**9) + bytes([7, 0, 1, 1]), table),
                                 ("on p", now + bytes([7]) + uvarint(1 << 32) + bytes([1, 1]),
                                  table),
                                 ("without a line", now + bytes([7, 0, 1, 1]),
                                  batch(1, NONE, one[:-1] + bytes([0]))),
                                 (None, now + bytes([7, 0, 1, 1]), table)):
        found = complaint_of(HEADER + trace_of(
            GOOD, tables=tables + batch(1, NONE, bytes([SAMPLES, SAMPLE]) + sample)))
        if found != text and (text is None or found is None or text not in found):
            print(f"self-test: {text!r} is not found, but {found!r}")
            failed = 1
    found = complaint(GOOD, NEXT)
    if found is not None:
        print(f"self-test: a good trace: {found}")
        failed = 1
    for text, parts in BREACHES.items():
        found = complaint(*parts)
        if found is None or text not in found:
            print(f"self-test: {text!r} is not found, but {found!r}")
            failed = 1
    print(f"self-test: {len(BREACHES)} breaches, {'failed' if failed else 'all found'}")
    return failed


def main():
    if sys.argv[1:2] == ["--self-test"]:
        return self_test()
    if sys.argv[1:2] == ["--go"]:
        return by_go(files(sys.argv[2:]))
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    failed = 0
    for path in files(sys.argv[1:]):
        try:
            with open(path, "rb") as file:
                counts = check(file.read())
            print(f"{path}: ok: " + ", ".join(f"{k} {v}" for k, v in sorted(counts.items())))
        except (Broken, OSError) as e:
            print(f"{path}: {e}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
