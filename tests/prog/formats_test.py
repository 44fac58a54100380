#!/usr/bin/env python3
"""Holds what rota prints against what Go prints: the same lines, fields and order, not values.

Usage: formats_test.py BUILD_DIR [FILTER]

Each format has a grammar: kinds of lines, as patterns, and the order in which they come. It has to
fit Go's own output, of which tests/prog/formats has samples (Go 1.27), and then rota's. What only
rota prints, or leaves out, is named in the grammar. Prints one line for each test and ends with
`N passed, N failed`; exit status 1 if any failed.
"""
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).with_name("formats")
TIME_LIMIT = 60  # seconds for one run

HEX = "0x[0-9a-f]+"
REF = r"(?:nil|\d+)"
BOOL = "(?:true|false)"


class Grammar:
    """`kinds`: letter -> pattern of a whole line, the first that fits counts; `order`: a pattern of
    letters. `rota` and `go`: kinds that only one of the two may print."""

    def __init__(self, kinds, order, rota="", go=""):
        self.kinds = {letter: re.compile(p) for letter, p in kinds.items()}
        self.order, self.rota, self.go = re.compile(order), rota, go

    def check(self, text, whose):
        letters = ""
        for line in text.split("\n")[:-1]:
            kind = next((k for k, p in self.kinds.items() if p.fullmatch(line)), None)
            assert kind is not None, f"{whose}: no line of this format: {line!r}"
            letters += kind
        foreign = set(self.go if whose == "rota" else self.rota) & set(letters)
        assert not foreign, f"{whose}: lines of kind {foreign}"
        assert self.order.fullmatch(letters), f"{whose}: another order: {letters}\n{text[:3000]}"


# --- traces ---------------------------------------------------------------------------------------

STATUS = (r"(?:idle|runnable|running|syscall|waiting|dead|leaked|preempted|[A-Za-z.]+ ?[a-zA-Z ]*"
          r"(?: \((?:nil chan|no cases|idle|durable|blocked)\))?)")
HEADER = (rf"goroutine \d+(?: gp={HEX} m={REF}(?: mp={HEX})?)? \[{STATUS}(?: \(scan\)| \(leaked\))?"
          r"(?:, \d+ minutes)?(?:, locked to thread)?\](?: \{.*\})?:")
PLACE = rf"\t\S.*?(?::\d+)?(?: \+{HEX})?(?: fp={HEX} sp={HEX} pc={HEX})?"
TRACE = {
    "b": "",
    "h": HEADER,
    "r": "runtime stack:",
    "e": r"\.\.\.(?:\d+|additional) frames elided\.\.\.",
    "n": "# name: .*",
    "u": "\tgoroutine running on other thread; stack unavailable",
    "c": r"created by \S.* in goroutine \d+",
    "m": r"(?:panic|fatal error): .*",
    "s": rf"\[signal SIG[A-Z]+: [a-z ]+ code={HEX} addr={HEX} pc={HEX}\]",
    "q": "SIG[A-Z]+: [a-z]+",
    "p": rf"PC={HEX} m=\d+ sigcode=-?\d+",
    "x": rf"[a-z]+[0-9]* +{HEX}",
    "l": r"runtime: (?:goroutine stack exceeds \d+-byte limit|program exceeds \d+-thread limit)",
    "o": rf"runtime: sp={HEX} stack=\[{HEX}, {HEX}\]",
    "d": rf"runtime: the access at {HEX} lies \d+ KiB below the end of the stack of \d+ KiB; "
         r"go_options::stack_size and rota::runtime::set_max_stack set the size",
    "t": PLACE,
    "f": r"\S.*",
}
STACK = "(?:hn?(?:u|(?:(?:ft)*(?:e(?:ft)*)?))(?:ct)?)"
STACKS = f"{STACK}(?:b{STACK})*"


def traces(message, end="", stacks=STACKS, runtime=""):
    """`runtime`: the stack of the runtime's, where it was that which ended the program."""
    return Grammar(TRACE, f"{message}b{runtime}{stacks}{end}", rota="nud")


RUNTIME = "r(?:ft)+b"


# --- profiles -------------------------------------------------------------------------------------

COUNTED = {
    "b": "",
    "s": rf"\d+ @(?: {HEX})*",
    "l": r"# labels: \{.*\}",
    "f": rf"#\t{HEX}(?:\t\S.*\+{HEX}\t+\S.*:\d+)?",
    "g": rf"#\t{HEX}\t\S.*",  # a function without a line: only C and C++ have such
}


def counted(name):
    return Grammar({"h": rf"{name} profile: total \d+", **COUNTED}, "h(?:sl?[fg]*b)*", rota="g")


def contention(name, *more):
    heads = {"h": f"--- {name}:", "c": r"cycles/second=\d+",
             **({"p": r"sampling period=\d+"} if more else {})}
    return Grammar({**heads, **COUNTED, "s": rf"\d+ \d+ @(?: {HEX})+"},
                   ("hcp" if more else "hc") + "(?:sl?[fg]*b)*", rota="gl")


# --- the formats ----------------------------------------------------------------------------------

SCHED = (r"SCHED \d+ms: gomaxprocs=\d+ idleprocs=\d+ threads=\d+ spinningthreads=\d+ "
         r"needspinning=\d+ idlethreads=\d+ runqueue=\d+ ")
FORMATS = {
    "schedtrace": Grammar({"s": SCHED + r"\[(?: \d+)+ \] schedticks=\[(?: \d+)+ \]"}, "s+"),
    "scheddetail": Grammar({  # at the end there may be no goroutine
        "s": SCHED + rf"gcwaiting={BOOL} nmidlelocked=\d+ stopwait=\d+ sysmonwait={BOOL}",
        "p": rf"  P\d+: status=\d schedtick=\d+ syscalltick=\d+ m={REF} runqsize=\d+ gfreecnt=\d+ "
             r"timerslen=\d+",
        "m": rf"  M\d+: p={REF} curg={REF} mallocing=\d+ throwing=\d+ preemptoff=\S* locks=\d+ "
             rf"dying=\d+ spinning={BOOL} blocked={BOOL} lockedg={REF}",
        "g": rf"  G\d+: status=\d+\(.*\) m={REF} lockedm={REF}"}, "(?:sp+m+g*)+"),
    "deadlock": traces("m"),
    "fatal-unlock": traces("m"),
    "panic": traces("m"),
    "fault": traces("ms"),
    "stack-overflow": traces("lod?m", runtime=RUNTIME),
    "thread-exhaustion": traces("lm", runtime=RUNTIME),
    "stack-api": Grammar(TRACE, STACKS, rota="nu"),
    "levels-none": Grammar(TRACE, "m"),
    "levels-single": traces("m", stacks=STACK),
    "levels-all": traces("m", stacks=f"{STACK}(?:b{STACK})+"),
    "levels-system": traces("m", stacks=f"{STACK}(?:b{STACK})+"),
    "sigquit": traces("qp", end="bx+"),
    "sigquit-all": traces("qp", end="bx+"),
    "goroutine-1": counted("goroutine"),
    "goroutine-2": Grammar(TRACE, STACKS, rota="nu"),
    "goroutineleak-1": counted("goroutineleak"),
    "threadcreate-1": counted("threadcreate"),
    "block-1": contention("contention"),
    "mutex-1": contention("mutex", "period"),
    "heap-1": Grammar({**COUNTED, "h": r"heap profile: \d+: \d+ \[\d+: \d+\] @ heap/\d+",
                       "s": rf"\d+: \d+ \[\d+: \d+\] @(?: {HEX})+",
                       "m": r"# runtime\.MemStats", "v": r"# [A-Za-z]+ = .*"},
                      "h(?:s[fg]*b)*bmv+", rota="g"),
    "metrics": Grammar({"h": "# HELP [a-z_]+ .*",
                        "t": "# TYPE [a-z_]+ (?:gauge|counter|histogram|summary)",
                        "v": r'[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [-+0-9.e]+'},
                       "(?:htv+)+"),
}


def parts(name):
    """The sample's parts between lines that begin with ###, which are not Go's."""
    text, found = (SAMPLES / name).read_text(), [""]
    for line in text.split("\n")[:-1]:
        if line.startswith("###"):
            found.append("")
        else:
            found[-1] += line + "\n"
    return [p.strip("\n") + "\n" for p in found if p.strip("\n")]


# --- rota's output --------------------------------------------------------------------------------

class Programs:
    def __init__(self, build, folder):
        self.build, self.folder = build / "tests/prog", folder

    def stderr(self, program, case, status=2, **env):
        run = subprocess.run([str(self.build / f"prog_{program}"), case, str(self.folder)],
                             env={**os.environ, **env}, stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, timeout=TIME_LIMIT, errors="replace")
        assert run.returncode == status, (program, case, run.returncode, run.stderr[:2000])
        return run.stderr

    def file(self, name):
        path = self.folder / name
        if not path.exists():
            self.stderr("profiles", "states", 0)
        if not path.exists():
            self.stderr("profiles", "pages", 0)
        return path.read_text(errors="replace")


def reports(programs, **env):
    """What a program says on stderr until sysmon has made some reports."""
    with subprocess.Popen([str(programs.build / "prog_environment"), "works_and_rests"],
                          stdin=subprocess.DEVNULL, env={**os.environ, **env},
                          stderr=subprocess.PIPE, text=True) as run:
        try:
            said = []
            while sum(line.startswith("SCHED ") for line in said) < 6:
                said.append(run.stderr.readline())
                assert said[-1], said
            run.terminate()
            rest = run.communicate(timeout=TIME_LIMIT)[1]
        finally:
            run.kill()
    assert run.returncode == 0, (run.returncode, said)
    text = "".join(said) + rest
    return text[:text.rindex("SCHED ")]  # the end may have come amid the last report


def quit_dump(programs, **env):
    program = str(programs.build / "prog_crash")
    with subprocess.Popen([program, "waits_for_signal"], stdin=subprocess.DEVNULL,
                          env={**os.environ, **env},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert select.select([run.stdout], [], [], TIME_LIMIT)[0], "it does not become ready"
            run.send_signal(signal.SIGQUIT)
            said = run.communicate(timeout=TIME_LIMIT)[1]
        finally:
            run.kill()
    return said[said.index("SIGQUIT"):]


OURS = {
    "schedtrace": lambda p: reports(p, GODEBUG="schedtrace=10"),
    "scheddetail": lambda p: reports(p, GODEBUG="schedtrace=10,scheddetail=1"),
    "deadlock": lambda p: p.stderr("deadlock", "each_kind"),
    "fatal-unlock": lambda p: p.stderr("fatal", "unlock"),
    "panic": lambda p: p.stderr("panic", "panic_error", GOTRACEBACK="all"),
    "fault": lambda p: p.stderr("crash", "segv", GOTRACEBACK="all"),
    "stack-overflow": lambda p: p.stderr("fatal", "deep"),
    "thread-exhaustion": lambda p: p.stderr("fatal", "too_many_threads"),
    "levels-none": lambda p: p.stderr("panic", "text", GOTRACEBACK="none"),
    "levels-single": lambda p: p.stderr("panic", "text", GOTRACEBACK="single"),
    "levels-all": lambda p: p.stderr("panic", "text", GOTRACEBACK="all"),
    "levels-system": lambda p: p.stderr("panic", "text", GOTRACEBACK="system"),
    "sigquit": quit_dump,
    "sigquit-all": lambda p: quit_dump(p, GOTRACEBACK="system"),
    "stack-api": lambda p: p.file("stack.txt"),
    "goroutine-1": lambda p: p.file("goroutine.txt"),
    "goroutine-2": lambda p: p.file("goroutine.2.txt"),
    "goroutineleak-1": lambda p: p.file("goroutineleak.txt"),
    "threadcreate-1": lambda p: p.file("threadcreate.txt"),
    "block-1": lambda p: p.file("block.txt"),
    "mutex-1": lambda p: p.file("mutex.txt"),
    "heap-1": lambda p: p.file("heap.txt"),
    "metrics": lambda p: p.file("metrics"),
}


def gos():
    """Format -> texts that Go has printed."""
    levels = parts("gotraceback-levels.txt")
    stack, own = (SAMPLES / "runtime-stack-api.txt").read_text().split("----debug.Stack\n")
    panics = parts("panic.txt")
    sigquit, overflow = parts("sigquit-default.txt"), parts("stack-overflow.txt")
    # The samples leave out a part of the middle: the first half ends with half a frame.
    overflow = overflow[0].rstrip("\n").rpartition("\n")[0] + "\n" + overflow[1]
    whole = {name: (SAMPLES / f"{name}-debug1.txt").read_text()
             for name in ("goroutine", "goroutineleak", "threadcreate", "block", "mutex", "heap")}
    return {
        "schedtrace": parts("schedtrace.txt"),
        "scheddetail": parts("scheddetail.txt"),
        "deadlock": parts("deadlock.txt") + parts("deadlock-goexit-main.txt"),
        "fatal-unlock": parts("fatal-unlock.txt"),
        "panic": [p for p in panics if "[signal" not in p and "\n\tpanic: " not in p] +
                 parts("traceback-minutes.txt"),
        "fault": [p for p in panics if "[signal" in p],
        "stack-overflow": [overflow],
        "thread-exhaustion": parts("thread-exhaustion.txt")[:1],
        **{f"levels-{name}": [levels[i]]
           for i, name in enumerate(("none", "single", "all", "system"))},
        "sigquit": [sigquit[0].removeprefix("ready\n") + "\n" + sigquit[1].partition("\n\n")[2]],
        "sigquit-all": [parts("sigquit-all.txt")[0].removeprefix("ready\n")],
        "stack-api": [stack.rstrip("\n") + "\n", own.rstrip("\n") + "\n"],
        **{f"{name}-1": [text] for name, text in whole.items()},
        "goroutine-2": [(SAMPLES / "goroutine-debug2.txt").read_text().rstrip("\n") + "\n"],
        "metrics": parts("metrics.prom"),
    }


def check_by_promtool(text):
    """Prometheus's own judge, where its package is installed."""
    if shutil.which("promtool") is None:
        print("   no promtool here: metrics are held against the grammar alone")
        return
    run = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                         text=True, timeout=TIME_LIMIT)
    assert run.returncode == 0 and not run.stderr, (run.returncode, run.stderr[:2000])


def has_fields(name, ours, theirs):
    """What a grammar of lines does not see."""
    if name == "heap-1":
        def names(text):
            return re.findall(r"^# (\w+) = ", text, re.M)
        known = names(theirs[0])
        assert [n for n in known if n in names(ours)] == names(ours), names(ours)
    if name in ("levels-system", "sigquit-all", "stack-overflow", "thread-exhaustion"):
        for text in (ours, *theirs):
            headers = re.findall(r"^goroutine .*$", text, re.M)
            assert all(" gp=0x" in h and " m=" in h for h in headers), headers
            assert text.count(" fp=0x") > 2, text
    if name == "metrics":
        check_by_promtool(ours)
    if name in ("deadlock", "levels-all"):
        assert "created by " in ours, ours


def index_page(programs):
    """The page of the profiles: the same table, rows and links."""
    def shape(html):
        rows = re.findall(r"<tr><td>\d+</td><td><a href='(\w+)\?debug=1'>(\w+)</a></td></tr>", html)
        told = re.findall(r"<li><div class=profile-name>(\w+): ?</div> ?\S", html)
        return rows, told, '<a href="goroutine?debug=2">full goroutine stack dump</a>' in html
    ours, theirs = (shape(t) for t in (programs.file("index.html"),
                                       (SAMPLES / "pprof-index.html").read_text()))
    assert ours == theirs, f"{ours}\n{theirs}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wanted, passed, failed = "".join(sys.argv[2:3]), 0, 0
    samples = gos()
    with tempfile.TemporaryDirectory() as name:
        programs = Programs(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(name))

        def fits(name):
            for text in samples[name]:
                FORMATS[name].check(text, "go")
            ours = OURS[name](programs)
            FORMATS[name].check(ours, "rota")
            has_fields(name, ours, samples[name])

        tests = {name: (lambda name=name: fits(name)) for name in FORMATS}
        tests["index-page"] = lambda: index_page(programs)
        for name, test in tests.items():
            if wanted not in name:
                continue
            try:
                test()
                passed += 1
                print("ok", name)
            except (AssertionError, KeyError, IndexError, ValueError,
                    subprocess.TimeoutExpired) as e:
                failed += 1
                print("FAILED", name, str(e)[:4000])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not (passed or wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
