"""What a layer of tests is made of: steps, which run something, count, and can be typed again."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from . import watch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOGS = ROOT / "build/test-logs"
LONG = 20            # --long allows that many times the usual duration
SHOWN_LINES = 60     # of the output of one failed test
SHOWN_TESTS = 3

# Each goroutine has further frames of asan's, to tell what is used after its function has returned:
# 64 KiB of each size are enough, and so much less to clear.
SANITIZER_ENV = {
    "asan": {"ASAN_OPTIONS": "detect_stack_use_after_return=1:max_uar_stack_size_log=16",
             "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": "second_deadlock_stack=1"},
}
SYMBOLIZER_DIR = "/usr/lib/llvm-19/bin"


class Outcome:
    def __init__(self, passed, failed=0, skipped=(), seconds=0.0, note="", shown="", again=""):
        self.passed, self.failed, self.skipped = passed, failed, skipped
        self.seconds, self.note = seconds, note
        self.shown, self.again = shown, again  # on failure: what to look at, and what to type


class Step:
    name, where = "", ""
    preset, targets = None, ()
    measures_time = False  # nothing else of ours shall run meanwhile

    def missing(self):
        """What is not there to be built, or None."""
        return None

    def wanted(self, options):
        """Whether the step has a part in a run with these options."""
        return not options.filter

    def title(self):
        return f"{self.name:<20} {self.where:<22}"


def glob(*patterns):
    return sorted(p for pattern in patterns for p in ROOT.glob(pattern))


# --- GoogleTest -----------------------------------------------------------------------------------

class GoogleTest(Step):
    """One run of a test program, at a given GOMAXPROCS; of all its tests in one process, or of
    every n-th in each of n processes (`shards`), where a test keeps one core busy or sleeps."""
    pattern = None  # which tests, where no filter is given
    variant = ""    # tells the logs of several runs apart

    def __init__(self, name, sources, preset, limit_s, procs=None, shards=1):
        self.shards = shards
        self.name, self.sources, self.preset = name, sources, preset
        self.limit_s, self.procs, self.targets = limit_s, procs, (name,)
        self.where = preset + (f", GOMAXPROCS={procs}" if procs else "")

    def missing(self):
        return None if glob(*self.sources) else f"nothing built: there is no {self.sources[0]}"

    def wanted(self, options):
        return True

    def program(self):
        return str(ROOT / "build" / self.preset / "tests" / self.name)

    def prefix(self):
        """What stands before the program on its command line."""
        return []

    def env(self, options):
        env = dict(SANITIZER_ENV.get(self.preset, {}))
        if self.procs:
            env["GOMAXPROCS"] = str(self.procs)
        if self.name == "rota_stress":
            env["ROTA_TEST_SEED"] = str(options.seed)
        if options.long:
            env["ROTA_TEST_LONG"] = "1"
        return env

    def share(self, index, options):
        """What tells a process which part of the work is its own."""
        return {"GTEST_TOTAL_SHARDS": str(self.shards), "GTEST_SHARD_INDEX": str(index)}

    def run(self, options):
        command = [*self.prefix(), self.program()]
        if options.filter:
            pattern = options.filter if set(options.filter) & set("*?:-") else f"*{options.filter}*"
            command.append(f"--gtest_filter={pattern}")
        elif self.pattern:
            command.append(f"--gtest_filter={self.pattern}")
        env = self.env(options)
        paths = {"PATH": os.environ.get("PATH", "") + os.pathsep + SYMBOLIZER_DIR}
        log = LOGS / f"{self.name}-{self.preset}{self.procs or ''}{self.variant}.log"
        limit = self.limit_s * (LONG if options.long else 1)
        shards = [{**env, **paths, **self.share(index, options)} for index in range(self.shards)]
        run = watch.run_side_by_side(command, shards, limit, log, ROOT)
        return self.judge(run, env, options, log)

    def judge(self, run, env, options, log):
        ok, skipped, failed = (sorted(set(named(run.output, label)))
                               for label in ("OK", "SKIPPED", "FAILED"))
        begun = named(run.output, "RUN")
        ends = re.findall(r"^\[==========\] \d+ tests? from .* ran", run.output, re.M)
        complete = len(ends) == self.shards
        reasons = [f"{name}: {reason(run.output, name)}" for name in skipped]
        outcome = Outcome(len(ok), len(failed), reasons, run.seconds)
        if run.status == 0 and complete and not failed and (ok or skipped or options.filter):
            return outcome
        if begun and not complete and begun[-1] not in failed:
            failed.append(begun[-1])  # the one it died or hung in
        outcome.failed = max(1, len(failed))
        outcome.note = run.ending() if ok or failed else f"{run.ending()}, no test ran"
        outcome.shown = "\n".join(block(run.output, name) for name in failed[:SHOWN_TESTS])
        outcome.shown = outcome.shown or sanitizer_report(run.output) or last_lines(run.output)
        outcome.shown += f"\n(all of it: {log.relative_to(ROOT)})"
        command = [*self.prefix(), self.program()]
        command += [f"--gtest_filter={':'.join(failed)}"] if failed else []
        outcome.again = watch.as_typed(command, env, ROOT)
        return outcome


class PolledOtherwise(GoogleTest):
    """Descriptors watched by io_uring, which then reads and writes files too; by epoll once more
    where the kernel has none (`uring`). Or what they bring left to one m for good (`alone`)."""
    SETTINGS = {"uring": "netpoll=uring", "alone": "pollalone=1"}
    pattern = ("net_*:kb*net*:os_file*:os_pipe*:kb34_os_pipe*:os_tty*:os_faults*:kb36_os*:kb42_os*:"
               "http_answers*:http_files*:kb36_http*:kb12_*:*regular_file*")

    def __init__(self, name, sources, preset, limit_s, procs, way):
        super().__init__(name, sources, preset, limit_s, procs, shards=2)
        self.way, self.variant = way, f"-{way}"
        self.where += f", {way}"

    def wanted(self, options):
        return not options.filter

    def env(self, options):
        return {**super().env(options), "GODEBUG": self.SETTINGS[self.way]}


class Sim(GoogleTest):
    """Many seeds of rota_sim: a piece of all that there are, drawn for this run; two processes have
    a half each."""
    SEEDS = {"dev": 30_000, "asan": 10_000}

    def __init__(self, name, sources, preset, limit_s, procs):
        super().__init__(name, sources, preset, limit_s, procs, shards=2)

    def seeds(self, options, index=0, parts=1):
        count = self.SEEDS[self.preset] * (LONG if options.long else 1) // parts
        first = options.seed % 2**30 + self.procs * 100_000 + index * count
        return {"ROTA_SIM_FIRST": str(first), "ROTA_SIM_COUNT": str(count)}

    def env(self, options):
        return {**super().env(options), **self.seeds(options)}

    def share(self, index, options):
        return self.seeds(options, index, self.shards)


def named(output, label):
    """The tests on lines with the given label, in order."""
    return re.findall(rf"^\[ +{label} +\] ([\w/]+\.[\w/]+)", output, re.M)


def reason(output, name):
    """What a skipped test gave as its reason."""
    text = output.partition(f"[ RUN      ] {name}\n")[2]
    text = text.partition(f"[  SKIPPED ] {name}")[0]
    return " ".join(text.partition(": Skipped\n")[2].split()) or "no reason given"


def last_lines(text, count=SHOWN_LINES):
    lines = text.rstrip().split("\n")
    return "\n".join((["..."] if len(lines) > count else []) + lines[-count:])


def sanitizer_report(output):
    """The first report of a sanitizer, which may stand far above a run's last lines."""
    begin = r"^.*(WARNING: ThreadSanitizer|ERROR: \w+Sanitizer|runtime error:)"
    found = re.search(begin, output, re.M)
    return "\n".join(output[found.start():].split("\n")[:SHOWN_LINES]) if found else ""


def block(output, name):
    """What the named test wrote."""
    begin = output.find(f"[ RUN      ] {name}\n")
    end = output.find(f"[  FAILED  ] {name}", begin)
    return last_lines(output[max(begin, 0):end if end > 0 else None])


class PythonTest(Step):
    """A test of a whole program, written in Python; it ends with `N passed, N failed`."""

    env = {}

    def __init__(self, script, preset, targets, limit_s):
        self.script, self.preset, self.targets, self.limit_s = script, preset, targets, limit_s
        self.env = {**self.env, **SANITIZER_ENV.get(preset, {})}
        self.name, self.where = script.name, preset

    def wanted(self, options):
        return True

    def run(self, options):
        command = [sys.executable, str(self.script), str(ROOT / "build" / self.preset)]
        if options.filter:
            command.append(options.filter)
        log = LOGS / f"{self.name}-{self.preset}.log"
        env = {**self.env, **({"ROTA_TEST_LONG": "1"} if options.long else {})}
        limit = self.limit_s * (LONG if options.long else 1)
        run = watch.run(command, env, limit, log, ROOT)
        counts = re.findall(r"^(\d+) passed, (\d+) failed", run.output, re.M)
        passed, failed = map(int, counts[-1]) if counts else (0, 0)
        outcome = Outcome(passed, failed, seconds=run.seconds)
        outcome.skipped = re.findall(r"^skipped: (.*)$", run.output, re.M)
        if run.status != 0 or not counts or failed:
            outcome.failed, outcome.note = max(1, failed), run.ending()
            outcome.shown = last_lines(run.output)
            outcome.again = watch.as_typed(command, self.env, ROOT)
        return outcome


class TabledTest(PythonTest):
    """One that measures. The lines `row: ...` of its output are shown, as a table."""
    measures_time = True

    def run(self, options):
        outcome = super().run(options)
        log = (LOGS / f"{self.name}-{self.preset}.log").read_text(errors="replace")
        print("", *re.findall(r"^row: (.*)$", log, re.M), "", sep="\n", end="", flush=True)
        return outcome


# --- headers --------------------------------------------------------------------------------------

class Headers(Step):
    """Every public header compiles alone: the build has done it, this counts them."""
    name, where, preset, targets = "headers", "dev", "dev", ("rota_headers",)

    def headers(self):
        found = glob("include/rota/*.hpp", "include/rota/*/*.hpp")
        return [h for h in found if h.parent.name != "detail"]

    def missing(self):
        return None if self.headers() else "nothing built: no include/rota/*.hpp"

    def run(self, options):
        return Outcome(len(self.headers()), note="each compiled alone")


class HeaderDialects(Step):
    """The public headers under other settings of a program than ours.

    libc++ without -fexperimental-library and libstdc++ with _GLIBCXX_DEBUG compile them; without
    exceptions each of them ends the compilation with one line that says so.
    """
    name, where = "header dialects", "clang++-19 -stdlib=libc++; g++"
    REFUSAL = "rota throws panics and errors: compile without -fno-exceptions"
    STRICT = ["-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Werror",
              "-I", str(ROOT / "include")]

    def headers(self):
        found = glob("include/rota/*.hpp", "include/rota/*/*.hpp")
        return [h.relative_to(ROOT / "include") for h in found if h.parent.name != "detail"]

    def missing(self):
        return None if self.headers() else "nothing built: no include/rota/*.hpp"

    def run(self, options):
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="rota-dialects-") as scratch:
            source = pathlib.Path(scratch) / "all.cpp"
            # GoogleTest of Debian is compiled for libstdc++.
            source.write_text("".join(f"#include <{h}>\n" for h in self.headers()
                                      if h.name != "leak_gtest.hpp"))
            libcxx = ["clang++-19", "-stdlib=libc++", "-Wno-sign-conversion"]
            wrong = [*self.compiled(libcxx, source),
                     *self.compiled(["g++", "-D_GLIBCXX_DEBUG"], source),
                     *self.refused(pathlib.Path(scratch) / "one.cpp")]
        count = 2 + len(self.headers())
        outcome = Outcome(count - len(wrong), len(wrong), seconds=time.monotonic() - began,
                          note="libc++, _GLIBCXX_DEBUG, -fno-exceptions")
        if wrong:
            outcome.shown, outcome.again = "\n".join(wrong), "./dev test unit"
        return outcome

    def compiled(self, command, source):
        run = subprocess.run([*command, *self.STRICT, "-fsyntax-only", str(source)],
                             capture_output=True, text=True)
        return [] if run.returncode == 0 else [f"{' '.join(command)}: {last_lines(run.stderr)}"]

    def refused(self, source):
        """By the preprocessor alone: what is said after the refusal depends on the compiler."""
        for header in self.headers():
            source.write_text(f"#include <{header}>\n")
            run = subprocess.run(["g++", *self.STRICT, "-fno-exceptions", "-E", str(source)],
                                 capture_output=True, text=True)
            said = [line for line in run.stderr.splitlines() if "error:" in line]
            if run.returncode == 0 or len(said) != 1 or self.REFUSAL not in said[0]:
                yield f"{header} with -fno-exceptions: {last_lines(run.stderr) or 'accepted'}"


class CompileTime(Step):
    """The core headers together compile within 450 ms, or within twice the time of <chrono>.

    That of the processor: what else runs on the machine has no part in it.
    """
    name, where = "compile time", "g++ -fsyntax-only"
    measures_time = True
    LIMIT_MS, LIMIT_RATIO, ROUNDS = 450, 2.0, 5
    CORE = ("go.hpp", "chan.hpp", "sync.hpp", "time.hpp", "select.hpp")

    def present(self):
        return [h for h in self.CORE if (ROOT / "include/rota" / h).exists()]

    def missing(self):
        return None if self.present() else "nothing built: no core header in include/rota"

    @staticmethod
    def processor_ms(command):
        child = subprocess.Popen(command)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise subprocess.CalledProcessError(child.returncode, command)
        return (used.ru_utime + used.ru_stime) * 1000

    def run(self, options):
        began = time.monotonic()
        texts = {"core": "".join(f"#include <rota/{h}>\n" for h in self.present()),
                 "chrono": "#include <chrono>\n"}
        took = {name: [] for name in texts}
        with tempfile.TemporaryDirectory(prefix="rota-compile-") as scratch:
            for name, text in texts.items():
                (pathlib.Path(scratch) / f"{name}.cpp").write_text(text)
            command = ["g++", "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "include")]
            for _ in range(self.ROUNDS):
                for name in texts:
                    took[name].append(self.processor_ms([*command, f"{scratch}/{name}.cpp"]))
        core, chrono = (statistics.median(took[name]) for name in texts)
        # By pairs: what disturbs the machine for a while disturbs both of a pair.
        ratio = statistics.median(c / alone for c, alone in zip(took["core"], took["chrono"]))
        note = f"core headers {core:.0f} ms, <chrono> alone {chrono:.0f} ms, {ratio:.2f} times"
        outcome = Outcome(1, seconds=time.monotonic() - began, note=note)
        if core > self.LIMIT_MS and ratio > self.LIMIT_RATIO:
            outcome.passed, outcome.failed, outcome.again = 0, 1, "./dev test unit"
            outcome.shown = (f"{note}: more than {self.LIMIT_MS} ms and more than "
                             f"{self.LIMIT_RATIO} times <chrono>")
        return outcome


# --- consumer -------------------------------------------------------------------------------------

class Consumer(Step):
    """A program outside the tree builds and runs, by find_package and by add_subdirectory."""
    name, where, preset = "consumer", "release, installed", "release"
    targets = ("rota", "rota_hook")
    LIMIT_S = 300

    def run(self, options):
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="rota-consumer-") as scratch:
            scratch = pathlib.Path(scratch)
            shutil.copytree(ROOT / "tests/consumer", scratch / "program")
            prefix, source = f"{scratch}/prefix", f"-DROTA_SOURCE={ROOT}"
            ways = {"find_package": [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"],
                    "add_subdirectory": [source, "-DROTA_UNITY=ON", "-DCMAKE_CXX_FLAGS=-O0"]}
            # Another std::vector on the program's side than on the library's.
            ways["find_package with _GLIBCXX_DEBUG"] = [
                *ways["find_package"], "-DCMAKE_CXX_FLAGS=-D_GLIBCXX_DEBUG"]
            if options.long:
                ways["a shared library"] = [source, "-DBUILD_SHARED_LIBS=ON"]
            install = ["cmake", "--install", str(ROOT / "build/release"), "--prefix", prefix]
            wrong = self.all_end_well([install]) or self.leaked_path(scratch / "prefix")
            for way, arguments in ways.items():
                wrong = wrong or self.build_and_run(way, scratch, arguments)
            if options.long:
                wrong = wrong or self.build_without_preset(scratch / "no-preset")
        seconds = time.monotonic() - began
        if wrong:
            return Outcome(0, 1, seconds=seconds, shown=wrong, again="./dev test consumer")
        return Outcome(len(ways), seconds=seconds, note="by " + " and by ".join(ways))

    def build_and_run(self, way, scratch, arguments):
        build = str(scratch / way.replace(" ", "-"))
        configure = ["cmake", "-S", str(scratch / "program"), "-B", build, "-G", "Ninja",
                     "-DCMAKE_CXX_COMPILER=g++", *arguments]
        return self.all_end_well([configure, ["cmake", "--build", build], [f"{build}/consumer"]])

    def build_without_preset(self, build):
        """As who reads no documents builds it: -O3, each file by itself, warnings are errors."""
        configure = ["cmake", "-S", str(ROOT), "-B", str(build)]
        return self.all_end_well([configure, ["cmake", "--build", str(build), "--parallel",
                                              str(os.cpu_count()), "--target", "rota"]])

    def all_end_well(self, commands):
        for command in commands:
            run = watch.run(command, {}, self.LIMIT_S, LOGS / "consumer.log", ROOT)
            if run.status != 0:
                return f"{' '.join(command)}: {run.ending()}\n{last_lines(run.output)}"
        return None

    def leaked_path(self, prefix):
        """An installed package that names this checkout works here and nowhere else."""
        for file in sorted(prefix.rglob("*.cmake")):
            if str(ROOT) in file.read_text():
                return f"{file.relative_to(prefix)} names {ROOT}"
        return None


# --- lint -----------------------------------------------------------------------------------------

class Lint(Step):
    name = "lint"

    def __init__(self, self_test):
        self.self_test = self_test
        self.where = "self-test" if self_test else "the tree"

    def run(self, options):
        command = [sys.executable, str(ROOT / "scripts/tidy.py")]
        command += ["--self-test"] if self.self_test else []
        # The builds of `sanitizer` are clang's, and have just checked thread safety.
        command += [] if self.self_test or options.layer else ["--without-compiler"]
        run = watch.run(command, {}, 300, LOGS / "lint.log", ROOT)
        counts = re.findall(r"^(\d+) passed, (\d+) failed", run.output, re.M)
        passed, failed = map(int, counts[-1]) if counts else (1, 0)
        outcome = Outcome(passed, failed, seconds=run.seconds)
        if run.status != 0:
            outcome.passed, outcome.failed = passed if counts else 0, max(1, failed)
            outcome.shown = last_lines(run.output)
            outcome.again = watch.as_typed(command, {}, ROOT) if self.self_test else "./dev lint"
        return outcome
