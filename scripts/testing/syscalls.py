"""How often the scheduler enters the kernel: futex calls per million operations, seen by strace.

Too many wake-ups are a bug that no result shows (known bug 15). The bounds are in
bench/futex_bounds.txt, a generous multiple of the measured median; a count has to break its bound
in each of three rounds before it is held against the scheduler, because strace and a busy machine
stretch the moments in which threads look for work.
"""
import concurrent.futures
import os
import re
import signal
import subprocess
import tempfile
import time

from .steps import ROOT, Outcome, Step

BOUNDS = ROOT / "bench/futex_bounds.txt"
ROUNDS = 3
LIMIT_S = 60
TRACE = ["strace", "--seccomp-bpf", "-f", "-c", "-e", "trace=futex,membarrier"]
IDLE_S = 5
SETTLED_S = 1.5  # idle for a second, sysmon wakes once to return stacks
SETTLES_S = 10


def bounds():
    """(workload, operations, bound on futex calls, on membarrier calls) per million operations."""
    found = []
    for line in BOUNDS.read_text().splitlines():
        words = line.partition("#")[0].split()
        if words:
            found.append((words[0], *map(int, words[1:4])))
    return found


def counted(table):
    """Calls by name from the table that strace -c prints."""
    calls = {"futex": 0, "membarrier": 0}
    for line in table.splitlines():
        words = line.split()
        if len(words) >= 5 and words[-1] in calls and words[3].isdigit():
            calls[words[-1]] = int(words[3])
    return calls


def trace(command, env):
    """Runs the command under strace: its calls, or a text that says what went wrong."""
    with tempfile.NamedTemporaryFile("r", prefix="rota-strace-") as table:
        try:
            run = subprocess.run([*TRACE, "-o", table.name, *command], env={**os.environ, **env},
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return f"no end after {LIMIT_S} s"
        if run.returncode != 0:
            return f"exit status {run.returncode}: {run.stderr.strip()[-2000:]}"
        return counted(table.read())


def switches(pid):
    """How often each thread has gone to sleep; None if one is awake."""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/status", encoding="utf-8") as file:
                status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        except (FileNotFoundError, ProcessLookupError):
            return None  # it has just ended
        if not status["State"].startswith("S"):
            return None
        found[tid] = status["voluntary_ctxt_switches"]
    return found


def await_settled(pid):
    """Returns when no thread has woken for a while: where there is no processor for sysmon, and for
    those who look for work, that takes longer. Who never sleeps for so long is seen by strace."""
    until = time.monotonic() + SETTLES_S
    seen, since = None, time.monotonic()
    while (now := time.monotonic()) < until:
        if (found := switches(pid)) is None or found != seen:
            seen, since = found, now
        elif now - since >= SETTLED_S:
            return
        time.sleep(SETTLED_S / 10)


class FutexBounds(Step):
    """kb15: futex calls per million operations of rota_bench's workloads on two processors."""
    name, where, preset, targets = "kb15 futex calls", "release, strace", "release", ("rota_bench",)

    def missing(self):
        return None if BOUNDS.exists() else f"cannot run: there is no {BOUNDS}"

    def run(self, options):
        began, notes, wrong = time.monotonic(), [], []
        for workload, operations, *limits in bounds():
            note, complaint = self.judge(workload, operations, limits)
            notes.append(note)
            wrong += [complaint] if complaint else []
        outcome = Outcome(len(notes) - len(wrong), len(wrong), note="; ".join(notes),
                          seconds=time.monotonic() - began)
        if wrong:
            outcome.shown = "\n".join(wrong)
            outcome.again = "./dev test exit"
        return outcome

    def judge(self, workload, operations, limits):
        """A note for the reader, and a complaint or None."""
        command = [str(ROOT / "build/release/bench/rota_bench"), "-procs", "2", workload]
        env = {"BENCH_OPS": str(operations), "BENCH_REPS": "1"}
        seen = []
        for _ in range(ROUNDS):
            calls = trace(command, env)
            if isinstance(calls, str):
                return f"{workload} failed", f"{workload}: {calls}"
            seen.append([calls[name] * 1_000_000 // operations for name in ("futex", "membarrier")])
            if all(n <= limit for n, limit in zip(seen[-1], limits)):
                return f"{workload} {seen[-1][0]}+{seen[-1][1]}", None
        return (f"{workload} beyond its bound",
                f"{workload}: futex and membarrier calls per million operations {seen}, bounds "
                f"{limits} ({BOUNDS.relative_to(ROOT)})")


class IdleCalls(Step):
    """kb15: a process with nothing to do makes no system call for five seconds."""
    name, where, preset = "kb15 idle calls", "dev, strace", "dev"
    targets = ("prog_idle",)
    CASES = ("asleep", "blocked", "after_run", "in_blocking", "sockets")

    def run(self, options):
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor() as pool:  # they do nothing, and at once
            wrong = [line for found in pool.map(self.judge, self.CASES) for line in found]
        outcome = Outcome(len(self.CASES) - len(wrong), len(wrong),
                          seconds=time.monotonic() - began)
        if wrong:
            outcome.shown, outcome.again = "\n".join(wrong), "./dev test exit"
        return outcome

    def judge(self, case):
        """What is wrong with that case, as a list of at most one line."""
        program = str(ROOT / "build/dev/tests/prog/prog_idle")
        env = {**os.environ, "GOMAXPROCS": "2"}
        with subprocess.Popen([program, case], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, env=env) as child:
            try:
                if child.stdout.readline() != "ready\n":
                    return [f"{program} {case}: ended instead of becoming idle"]
                await_settled(child.pid)
                return [f"{program} {case}: {line}" for line in self.calls_of(child.pid)]
            finally:
                child.kill()

    def calls_of(self, pid):
        # Without -c: the calls that the threads were in when strace came are told apart by their
        # "resumed". --seccomp-bpf works for new processes only.
        tracer = subprocess.Popen(["strace", "-f", "-q", "-p", str(pid)],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            tracer.wait(IDLE_S)
        except subprocess.TimeoutExpired:
            tracer.send_signal(signal.SIGINT)
        text = tracer.communicate()[1]
        # Attaching interrupts the calls under way, which then begin anew: one line per thread.
        lines = [line for line in text.splitlines() if re.search(r"\w\(|resumed", line)]
        finished = [line for line in lines if "unfinished" not in line and "detached" not in line]
        if not lines:
            return ["strace showed no thread of it: " + text[-1500:]]
        return [f"{len(finished)} system calls in {IDLE_S} s:\n" + text[-1500:]] if finished else []
