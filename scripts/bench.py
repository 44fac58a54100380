#!/usr/bin/env python3
"""Measures rota beside its peers and prints the table of ratios; `./dev bench` calls it.

The peers are built from bench/peers; they and rota run in turn, row by row, so that the columns of
a row were measured within seconds of each other. Memory is touched before rows that are made of
first touches. Absolute figures differ from machine to machine and from hour to hour: the ratios of
one run are what counts. Rows in which rota and Go come within CLOSE of each other are measured
twice more, both, at the end, and show the median of the three; with --rounds everything is measured
so often, the columns of a row beginning with another one each time, and shows its median.

Exit status: 0; 1 if a workload of rota failed, or with --check if a row is slower than Go's; 2 for
a wrong command line; 130 when interrupted (what was measured by then is printed).
"""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import json
import mmap
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS_DIR = ROOT / "bench/peers"
PEER_NAMES = ("go", "boost_fiber", "tbb", "tokio")

NOISY = 0.05          # cores taken by other work, from which a row is suspect
CLOSE = 1.3           # ratios within this factor are measured again
LEVEL = 0.03          # ratios within this of 1 say nothing: neither side leads
QUICK_BUDGET_S = 270  # --quick starts no repetition that would end later than this

# The server that a workload needs, by its name in `rota_bench -list`.
SERVERS = {"tcp_echo": "tcp_echo_server", "http_hello": "http_hello_server",
           "idle_conns": "tcp_echo_server"}

# Bytes that such a row takes, and some more: see touch_memory.
TOUCHED = {"parked_100k": 1 << 29, "parked_1m": 5 << 30}

# What a unit measures, and which way is better. A bigger figure in bytes is not a slower one.
UNITS = {
    "ns/op": ("time", "lower"), "ms": ("time", "lower"), "us": ("time", "lower"),
    "ns": ("time", "lower"), "s": ("time", "lower"), "ns/goroutine": ("time", "lower"),
    "CPU s/1M req": ("time", "lower"), "req/s": ("rate", "higher"), "x": ("rate", "higher"),
    "fraction": ("rate", "higher"), "ticks in 2 s": ("rate", "higher"),
    "B/goroutine": ("size", "lower"), "B/conn": ("size", "lower"), "threads": ("size", "lower"),
    "cycles": ("count", None), "of the time without": ("count", None),
    "last end / first": ("count", None),
}


def touch_memory(size):
    """Writes to so many bytes and gives them back: for rows that are made of first touches.

    A hypervisor takes memory from a guest that does not use it, and a page that it has to give anew
    costs several times what the kernel asks for one. Who is measured first would pay for all."""
    if size == 0:
        return
    populate_write = 23  # Linux 5.14; not in Python's mmap module
    with open("/proc/meminfo", encoding="ascii") as lines:
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvail"))
    with mmap.mmap(-1, min(size, free // 4 * 3), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        with contextlib.suppress(OSError):
            memory.madvise(populate_write)


def load_runner():
    """bench/peers/run, which builds, calls and times one peer at a time, as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("peers_run", str(PEERS_DIR / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def median(values):
    v = sorted(values or [])
    return v[len(v) // 2] if v else None


class Progress:
    """One line on stderr per row of work; on a terminal also what runs at the moment."""

    def __init__(self):
        self.began = time.monotonic()
        self.tty = sys.stderr.isatty()

    def seconds(self):
        return time.monotonic() - self.began

    def stamp(self):
        return "%d:%02d" % divmod(int(self.seconds()), 60)

    def now(self, text):
        if self.tty:
            print(f"\r\033[K{self.stamp()} {text}", end="", file=sys.stderr, flush=True)

    def say(self, text):
        clear = "\r\033[K" if self.tty else ""
        print(f"{clear}{self.stamp()} {text}", file=sys.stderr, flush=True)


class Row:
    """One line of the table: a metric at a number of procs, with every run of every peer."""

    def __init__(self, workload, metric, procs, unit):
        self.workload, self.metric, self.procs, self.unit = workload, metric, procs, unit
        self.kind, self.better = UNITS.get(unit, ("count", None))
        self.runs, self.foreign = {}, {}

    def add(self, label, value, foreign_cpu):
        self.runs.setdefault(label, []).append(value)
        self.foreign.setdefault(label, []).append(foreign_cpu)

    def value(self, label):
        return median(self.runs.get(label))

    def noise(self):
        """The cores that other work took while the noisiest of the columns was measured."""
        return max(map(median, self.foreign.values()), default=0.0)

    def lead(self, label, over):
        """How many times better label is than over; None if that cannot be said."""
        a, b = self.value(label), self.value(over)
        if a is None or b is None or self.better is None:
            return None
        if self.better == "lower":
            a, b = b, a
        return a / b if b else (1.0 if a == b else float("inf"))

    def best(self):
        if self.better is None or len(self.runs) < 2:
            return None
        pick = min if self.better == "lower" else max
        return pick(self.runs, key=self.value)

    def name(self):
        return f"{self.metric}/{self.procs}"


class Bench:
    """All measurements of one run of this script."""

    def __init__(self, runner, out, progress):
        self.runner, self.out, self.progress = runner, out, progress
        self.commands = {}  # label -> command line, rota first
        self.rows = {}      # (metric, procs) -> Row
        self.failures = {}  # (label, workload, procs) -> how it ended
        self.took = {}      # (label, workload, procs) -> seconds
        self.repeated = 0

    def measure(self, label, workload, procs, part):
        key = label, workload, procs
        began = time.monotonic()
        try:
            got = self.runner.quiet(label, self.commands[label], workload, procs, self.out, part)
        except NotImplementedError:
            got = []
        except (self.runner.Failed, subprocess.TimeoutExpired, OSError) as e:
            self.failures[key] = str(e)
            got = []
        self.took[key] = self.took.get(key, 0.0) + time.monotonic() - began
        for r in got:
            self.row(workload, r).add(label, r["value"], r.get("foreign_cpu", 0.0))
        return got

    def row(self, workload, r):
        key = r["workload"], r["procs"]
        if key not in self.rows:
            self.rows[key] = Row(workload, r["workload"], r["procs"], r["unit"])
        return self.rows[key]

    def add_speedup(self):
        """Derives parallel_sum.speedup from the medians of parallel_sum."""
        one, two = self.rows.get(("parallel_sum", 1)), self.rows.get(("parallel_sum", 2))
        if not one or not two:
            return
        self.rows.pop(("parallel_sum.speedup", 2), None)
        for label in self.commands:
            sums = {(label, 1): one.value(label), (label, 2): two.value(label)}
            if all(sums.values()):
                r = self.runner.speedup(label, sums)
                self.row("parallel_sum", r).add(label, r["value"], max(one.noise(), two.noise()))

    def measure_all(self, plan, rounds):
        labels = list(self.commands)
        for n in range(rounds):
            first = n % len(labels)
            self.measure_once(plan, labels[first:] + labels[:first])
            if rounds > 1:
                self.progress.say(f"round {n + 1} of {rounds} is over")

    def measure_once(self, plan, labels):
        for i, (workload, procs) in enumerate(plan, 1):
            touch_memory(TOUCHED.get(workload, 0))
            got = self.take_turns(workload, procs, labels, f"[{i}/{len(plan)}]")
            told = []
            for label in labels:
                if (label, workload, procs) in self.failures:
                    told.append(f"{label} failed")
                elif rows := got[label]:
                    metric, unit = rows[0]["workload"], rows[0]["unit"]
                    value = median([r["value"] for r in rows if r["workload"] == metric])
                    told.append(f"{label} {number(value)} {unit}")
            self.progress.say(f"[{i}/{len(plan)}] {workload} procs={procs}: " + ", ".join(told))

    def take_turns(self, workload, procs, labels, why):
        """Every part of a workload with everyone of `labels`: label -> rows."""
        got, out = {label: [] for label in labels}, set()
        for n, part in enumerate(self.runner.turns(workload)):
            for label in labels[n % len(labels):] + labels[:n % len(labels)]:
                if label in out:
                    continue
                self.progress.now(f"{why} {label} {workload} procs={procs}")
                rows = self.measure(label, workload, procs, part)
                got[label] += rows
                if not rows:  # has failed, or does not have it
                    out.add(label)
        return got

    def measure_close_again(self, go, until):
        """Two more rounds of rota and Go where they are close, the quickest first."""
        close = {(r.workload, r.procs) for r in self.rows.values()
                 if 1 / CLOSE < (r.lead("rota", go) or 0) < CLOSE and r.kind != "size"
                 and not r.metric.endswith(".speedup")}
        cost = {k: 2 * (self.took["rota", *k] + self.took[go, *k]) for k in close}
        for workload, procs in sorted(close, key=cost.get):
            if until and self.progress.seconds() + cost[workload, procs] > until:
                break
            touch_memory(TOUCHED.get(workload, 0))
            for _ in range(2):
                self.take_turns(workload, procs, ["rota", go], "close, once more:")
            self.repeated += 1
            self.progress.say(f"close: {workload} procs={procs} measured twice more")


# ---- what to measure, and with what

def rota_workloads(binary):
    if not os.access(binary, os.X_OK):
        sys.exit(f"bench: {binary} is not there; build it with `./dev build release`")
    r = subprocess.run([str(binary), "-list"], stdout=subprocess.PIPE, text=True)
    if r.returncode:
        sys.exit(f"bench: {binary} -list ended with {r.returncode}; is that rota_bench?")
    return r.stdout.split()


def newest_go(runner, progress):
    """The newest of $GO, the `go` on PATH and what bench/peers/get-go gets; None without any."""
    found = [g for g in (os.environ.get("GO"), "go") if g and shutil.which(g)]
    progress.now("looking for the newest Go in Debian's archive")
    got = subprocess.run([str(PEERS_DIR / "get-go")], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    if got.returncode == 0 and got.stdout.strip():
        found.append(got.stdout.split()[-1])
    else:
        progress.say("get-go: " + (got.stderr.strip().splitlines() or ["failed"])[-1])
    if not found:
        return None
    return max(found, key=lambda g: [int(n) for n in re.findall(r"\d+", runner.go_version(g))])


def build_peers(runner, names, out, progress):
    """Commands of the peers that build here; one line for each that is left out."""
    if "go" in names:
        os.environ["GO"] = newest_go(runner, progress) or ""
    progress.now("building " + ", ".join(names))
    peers, left_out = runner.build(out, list(names)) if names else ({}, {})
    if "go" in names and not any(is_go(p) for p in peers):
        left_out.setdefault("go", "no Go toolchain; bench/peers/get-go gets one")
    for label, why in left_out.items():
        progress.say(f"{label} left out: {why}")
    return peers, left_out


def is_go(label):
    return re.fullmatch(r"go\d.*", label) is not None


def chosen(text, known, what):
    names = [n for n in (text or "").split(",") if n]
    for n in names:
        if n not in known:
            print(f"bench: no {what} {n}; there are: {', '.join(known)}", file=sys.stderr)
            sys.exit(2)
    return names


def parse_args(argv):
    ap = argparse.ArgumentParser(prog="bench", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--quick", action="store_true",
                    help="short repetitions, fewest that have a median, against Go alone unless "
                         "--peers is given; about 5 minutes")
    ap.add_argument("--peers", metavar="A,B",
                    help=f"of {', '.join(PEER_NAMES)}; `none` measures rota alone (default: all)")
    ap.add_argument("--workloads", metavar="A,B", help="default: all that rota_bench -list knows")
    ap.add_argument("--procs", metavar="1,2", help="only these numbers of procs")
    ap.add_argument("--rounds", type=int, default=1, metavar="N",
                    help="measure everything N times and show the medians (default: once, and what "
                         "is close to Go's twice more)")
    ap.add_argument("--json", metavar="FILE", help="write everything as JSON too; `-` is stdout, "
                                                   "and the table goes to stderr")
    ap.add_argument("--check", action="store_true", help="exit 1 if a row is slower than Go's")
    ap.add_argument("--binary", type=pathlib.Path, metavar="PATH",
                    default=ROOT / "build/release/bench/rota_bench", help="default: %(default)s")
    ap.add_argument("--build", type=pathlib.Path, metavar="DIR", default=ROOT / "build/peers",
                    help="where the peers are built (default: %(default)s)")
    args = ap.parse_args(argv)
    if args.rounds < 1:
        ap.error("--rounds: at least 1")
    return args


def plan_of(args, runner, have):
    """The (workload, procs) pairs to measure, in the order of the table."""
    known = [w for w in runner.WORKLOADS if SERVERS.get(w, w) in have]
    names = chosen(args.workloads, known, "workload") or known
    procs = {int(p) for p in chosen(args.procs, ("1", "2"), "number of procs")}
    return [(w, p) for w in known if w in names for p in runner.WORKLOADS[w]
            if not procs or p in procs]


# ---- the table

def number(v):
    if v is None:
        return "-"
    if v == 0 or abs(v) >= 100:
        return f"{v:.0f}"
    return f"{v:.1f}" if abs(v) >= 10 else f"{v:.2f}" if abs(v) >= 1 else f"{v:.3g}"


def cell(bench, row, label):
    if (label, row.workload, row.procs) in bench.failures:
        return "failed "
    return number(row.value(label)) + ("*" if row.best() == label else " ")


def ratio_text(row, go):
    lead = row.lead("rota", go) if go else None
    return "-" if lead is None else "inf" if lead > 1e6 else f"{lead:.2f}"


def rows_in_order(bench, plan):
    """The rows as planned, metric by metric; a workload that failed everywhere has a row too."""
    order = {w: i for i, w in enumerate(dict.fromkeys(w for w, _ in plan))}
    metrics = {m: i for i, m in enumerate(dict.fromkeys(m for m, _ in bench.rows))}
    rows = list(bench.rows.values())
    known = {(r.workload, r.procs) for r in rows}
    for workload, procs in plan:
        if (workload, procs) not in known and any(
                (p, workload, procs) in bench.failures for p in bench.commands):
            rows.append(Row(workload, workload, procs, "?"))
    return sorted(rows, key=lambda r: (order[r.workload], metrics.get(r.metric, -1), r.procs))


def table_lines(bench, rows, go):
    head = ["", "workload", "procs", "unit", *(f"{p} " for p in bench.commands)]
    lines = [head + ([f"{go.rstrip('0123456789.')}/rota"] if go else [])]
    for r in rows:
        line = ["~" if r.noise() > NOISY else "", r.metric, str(r.procs), r.unit]
        line += [cell(bench, r, p) for p in bench.commands]
        lines.append(line + ([ratio_text(r, go)] if go else []))
    width = [max(len(line[i]) for line in lines) for i in range(len(head) + bool(go))]

    def put(line):
        left = [c.ljust(w) for c, w in zip(line[:4], width)]
        right = [c.rjust(w) for c, w in zip(line[4:], width[4:])]
        return "  ".join(left + right).rstrip()

    out = [put(line) for line in lines]
    rule = "-" * max(map(len, out))
    return [out[0], rule, *out[1:], rule]


def judged(rows, go):
    """Rows against Go: (faster, level, slower, larger); each a list of (row, ratio)."""
    faster, level, slower, larger = [], [], [], []
    for r in rows:
        lead = r.lead("rota", go) if go else None
        if lead is None:
            continue
        if abs(lead - 1) <= LEVEL:
            level.append((r, lead))
        elif lead > 1:
            faster.append((r, lead))
        else:
            (larger if r.kind == "size" else slower).append((r, lead))
    return faster, level, slower, larger


def named(pairs):
    return ", ".join(f"{r.name()} {lead:.2f}" for r, lead in sorted(pairs, key=lambda p: p[1]))


def closing_lines(bench, rows, go, left_out):
    out = []
    compared = [r for r in rows if r.value("rota") is not None and r.best()]
    behind = [(r, r.best(), r.lead(r.best(), "rota")) for r in compared if r.best() != "rota"]
    if compared:
        text = f"rota leads {len(compared) - len(behind)} of {len(compared)} rows"
        if behind and len(bench.commands) > 2:
            text += "; not: " + ", ".join(f"{r.name()} ({p} {x:.2f}x)" for r, p, x in behind)
        out.append(text + ".")
    if go and compared:
        faster, level, slower, larger = judged(rows, go)
        out.append(f"Against {go}: {len(faster)} better, {len(level)} level (within {LEVEL:.0%}), "
                   f"{len(slower)} slower" + (f": {named(slower)}" if slower else "")
                   + (f"; {len(larger)} larger: {named(larger)}" if larger else "") + ".")
    if bench.repeated:
        out.append(f"{bench.repeated} workloads were close to Go's (within a factor of {CLOSE}) "
                   "and show the median of three runs.")
    if any(r.noise() > NOISY for r in rows):
        out.append(f"~ other work took more than {NOISY} cores while this row was measured; "
                   "it is suspect.")
    out += [f"failed: {p} {w} procs={n}: {why}" for (p, w, n), why in bench.failures.items()]
    out += [f"left out: {p}: {why}" for p, why in left_out.items()]
    m = machine()
    out.append(f"machine: {m['cores']} cores ({m['cpu']}), Linux {m['kernel']}, {m['arch']}; "
               f"BENCH_MS={os.environ['BENCH_MS']}, {bench.progress.stamp()} (m:ss) in all")
    return out


def machine():
    model = ""
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {"cores": len(os.sched_getaffinity(0)), "cpu": model or "unknown CPU",
            "kernel": platform.release(), "arch": platform.machine()}


def as_json(bench, rows, go, left_out, interrupted):
    table = []
    for r in rows:
        lead = r.lead("rota", go) if go else None
        table.append({
            "workload": r.metric, "procs": r.procs, "unit": r.unit, "better": r.better,
            "values": {p: r.value(p) for p in bench.commands}, "runs": r.runs, "best": r.best(),
            "go_over_rota": None if lead is None or lead == float("inf") else round(lead, 4),
            "foreign_cpu": r.noise()})
    return {"machine": machine(), "bench_ms": float(os.environ["BENCH_MS"]),
            "peers": list(bench.commands), "go": go, "rows": table,
            "failures": [{"peer": p, "workload": w, "procs": n, "how": why}
                         for (p, w, n), why in bench.failures.items()],
            "left_out": left_out, "interrupted": interrupted}


# ---- the run

def set_pace(quick):
    pace = {"BENCH_MS": "100", "BENCH_REPS": "3", "QUIET_TRIES": "2", "MAX_S": "60",
            "NET_S": "1"} if quick else {
        "BENCH_MS": "1000", "BENCH_REPS": "5", "QUIET_TRIES": "3", "MAX_S": "170", "NET_S": "3"}
    for k, v in pace.items():
        os.environ.setdefault(k, v)


def report(bench, plan, go, left_out, args, interrupted):
    """Prints the table and writes the JSON; returns the exit status."""
    bench.add_speedup()
    rows = rows_in_order(bench, plan)
    text = sys.stderr if args.json == "-" else sys.stdout
    if rows:
        closing = [textwrap.fill(line, 100, subsequent_indent="  ", break_on_hyphens=False)
                   for line in closing_lines(bench, rows, go, left_out)]
        print("\n".join(["", *table_lines(bench, rows, go), *closing]), file=text, flush=True)
    if args.json:
        doc = json.dumps(as_json(bench, rows, go, left_out, interrupted), indent=1) + "\n"
        if args.json == "-":
            sys.stdout.write(doc)
        else:
            pathlib.Path(args.json).write_text(doc)
    if interrupted:
        print("bench: interrupted; the table holds what was measured by then", file=sys.stderr)
        return 130
    if any(label == "rota" for label, _, _ in bench.failures):
        return 1
    if args.check and not go:
        print("bench: --check needs Go, and there is none", file=sys.stderr)
        return 1
    return 1 if args.check and judged(rows, go)[2] else 0


def main(argv):
    args = parse_args(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    set_pace(args.quick)
    runner = load_runner()
    plan = plan_of(args, runner, rota_workloads(args.binary))
    default = ("go",) if args.quick else PEER_NAMES
    names = chosen(args.peers, (*PEER_NAMES, "none"), "peer") or default
    names = [n for n in names if n != "none"]
    progress = Progress()
    bench = Bench(runner, args.build.resolve(), progress)
    interrupted, left_out, go = False, {}, None
    try:
        peers, left_out = build_peers(runner, names, bench.out, progress)
        bench.commands = {"rota": [str(args.binary.resolve())], **peers}
        go = next((p for p in peers if is_go(p)), None)
        bench.measure_all(plan, args.rounds)
        if go and args.rounds == 1:
            bench.measure_close_again(go, QUICK_BUDGET_S if args.quick else None)
    except KeyboardInterrupt:
        interrupted = True
        progress.say("interrupted")
    return report(bench, plan, go, left_out, args, interrupted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
