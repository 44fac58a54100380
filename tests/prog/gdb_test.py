#!/usr/bin/env python3
"""Looks at ten thousand goroutines by gdb: in a live process, and in a core file.

Usage: gdb_test.py BUILD_DIR [FILTER]

What could go wrong: the script's table and the runtime disagree, so that goroutines are missing, or
their states, reasons or stacks are those of somebody else; a core file lacks what the script needs.
Where there is no gdb, or none that may trace, or core files are not written to the working
directory, the tests that need it are skipped, and say so. Prints one line for each test and ends
with `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

TIME_LIMIT = 120  # seconds for one run
OF_EACH = 2500
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/gdb/rota-gdb.py"
KINDS = {"waits_for_a_message": "chan receive", "waits_for_a_lock": "sync.Mutex.Lock",
         "sleeps_for_an_hour": "sleep", "waits_for_room": "chan send"}


class Skipped(Exception):
    pass


def run_gdb(arguments, commands, loads_script=True):
    """`loads_script`: False: gdb loads what the program has in it; None: what `commands` say."""
    words = [shutil.which("gdb"), "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    if loads_script:
        words += ["-ex", f"source {SCRIPT}"]
    elif loads_script is not None:
        words += ["-iex", "set auto-load safe-path /"]
    words += [w for c in commands for w in ("-ex", c)]
    done = subprocess.run([*words, *map(str, arguments)], capture_output=True, text=True,
                          timeout=TIME_LIMIT, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def list_of(text):
    """Goroutine -> (state, what stands in brackets, the rest) of `info goroutines`."""
    found = {}
    for line in text.split("\n"):
        match = re.match(r"[* ] (\d+) (\w+) \[([^]]*)\] (.*)$", line)
        if match:
            assert int(match.group(1)) not in found, f"twice: {line}"
            found[int(match.group(1))] = match.groups()[1:]
    return found


def check_list(text):
    found = list_of(text)
    assert len(found) >= 4 * OF_EACH + 1, f"{len(found)} goroutines\n{text[-3000:]}"
    counts = collections.Counter()
    for state, reason, function in found.values():
        for kind, wanted in KINDS.items():
            if kind in function:
                assert (state, reason.split(",")[0]) == ("waiting", wanted), (state, reason, kind)
                counts[kind] += 1
    assert counts == {kind: OF_EACH for kind in KINDS}, f"{counts}\n{text[:3000]}"
    return found


def one_of(found, kind):
    return next(number for number, what in sorted(found.items()) if kind in what[2])


def check_stacks(text, found):
    """`text` has the stacks of one goroutine of each kind, each behind its header."""
    for kind, reason in KINDS.items():
        number = one_of(found, kind)
        part = text[text.index(f"goroutine {number} [{reason}"):]
        part = part[:part.index("\ngoroutine", 1)] if "\ngoroutine" in part[1:] else part
        frames = re.findall(r"^#(\d+) +(.*)$", part, re.M)
        assert [int(n) for n, _ in frames] == list(range(len(frames))), part
        calls = [f for _, f in frames if kind + " (" in f or kind + "(" in f]
        assert len(calls) == (4 if kind == "waits_for_a_lock" else 1), part
        assert "rota_goroutine_main" in frames[-2][1], f"it does not end at its beginning: {part}"
        assert "rota_gostart" in frames[-1][1], part


def backtraces(found):
    return [f"goroutine {one_of(found, kind)} bt" for kind in KINDS]


def live(program, _folder):
    stop = ["set startup-with-shell off", "handle SIGURG nostop noprint pass", "run"]
    said = run_gdb([program], [*stop, "info goroutines"])
    if "ready" not in said:
        raise Skipped("gdb may not trace here: " + said.strip().split("\n")[-1])
    found = check_list(said)
    running = [n for n, what in found.items() if what[0] == "running"]
    assert running, "the one that aborts runs"
    # Numbers are those of one run: everything in one session.
    commands = [f"python gdb.execute('goroutine %d bt' % int("
                f"gdb.execute('info goroutines {kind}', to_string=True).split()[0]))"
                for kind in KINDS]
    where = ["thread", "python gdb.execute('goroutine %d bt' % int(gdb.execute("
             "'info goroutines running', to_string=True).split()[1]))", "bt 1"]
    said = run_gdb([program], [*stop, "info goroutines", *commands, *where])
    check_stacks(said[said.index("sleeps_for_an_hour"):], list_of(said))
    assert re.search(r"goroutine \d+ \[running\]:\n(#.*\n)*#\d+ .*abort", said), said[-3000:]


def core(program, folder):
    core_at = make_core(program, folder)
    found = check_list(run_gdb([program, core_at], ["info goroutines"]))
    said = run_gdb([program, core_at], [*backtraces(found), "goroutine 999999999 bt",
                                        f"goroutine {one_of(found, 'waits_for_room')}"])
    check_stacks(said, found)
    assert "no goroutine 999999999" in said, said[-2000:]
    assert re.search(r"created by .* in goroutine 1", said), said[-2000:]


def without_debug_information(program, folder):
    bare = folder / "bare"
    subprocess.run(["strip", "--strip-debug", "-o", str(bare), str(program)], check=True)
    core_at = make_core(bare, folder)
    found = check_list(run_gdb([bare, core_at], ["info goroutines"]))
    check_stacks(run_gdb([bare, core_at], backtraces(found)), found)


def files_say_whose_a_function_is(program, folder):
    """Of a library with line tables alone a function's name may lack the namespace."""
    text, prefix = SCRIPT.read_text(), "(?:rota::|"
    assert text.count(prefix) == 1
    script = folder / "rota-gdb.py"
    script.write_text(text.replace(prefix, "(?:"))
    said = run_gdb([program], ["set startup-with-shell off", "handle SIGURG nostop noprint pass",
                               "run", f"source {script}", "info goroutines"], None)
    if "ready" not in said:
        raise Skipped("gdb may not trace here: " + said.strip().split("\n")[-1])
    check_list(said)


def core_of_gcore(program, folder):
    """It lacks the stacks, which the script says in a line, not by an empty list."""
    gcore = shutil.which("gcore")
    if gcore is None:
        raise Skipped("no gcore")
    with subprocess.Popen([str(program), "stays"], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            written = subprocess.run([gcore, "-o", str(folder / "core"), str(child.pid)],
                                     capture_output=True, text=True, timeout=TIME_LIMIT)
        finally:
            child.kill()
    core_at = folder / f"core.{child.pid}"
    if not core_at.exists():
        raise Skipped("gcore may not trace here: " + written.stderr.strip().split("\n")[-1])
    said = run_gdb([program, core_at], ["info goroutines"])
    if not list_of(said):  # as where guards are mappings of their own
        assert said.count("rota: the core file has none of the goroutines' stacks") == 1, said


def make_core(program, folder):
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if "/" in pattern or pattern.startswith("|"):
        raise Skipped(f"core files go to {pattern}")
    if resource.getrlimit(resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY:
        raise Skipped("core files are limited")

    def allow_core():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    done = subprocess.run([str(program)], cwd=folder, preexec_fn=allow_core, capture_output=True,
                          text=True, timeout=TIME_LIMIT)
    assert done.returncode == -6 and "ready" in done.stdout, done
    cores = list(folder.glob("core*"))
    if not cores:
        raise Skipped("the kernel wrote no core file")
    at = folder / "the.core"
    cores[0].rename(at)
    return at


# What each variable of prog_variables is printed as.
VARIABLES = {
    "nil": r"rota::chan<int> nil$",
    "numbers": r"rota::chan<int> 3 of 3 buffered = \{11, 12, 13\}$",
    "view": r"rota::recv_chan<int> 3 of 3 buffered = \{11, 12, 13\}$",
    "texts": r'rota::chan<std::.*string.*> 1 of 2 buffered = \{"in a box"\}$',
    "points": r"rota::chan<.*point> 1 of 2 buffered = \{\{x = 1, y = 2, z = 3\}\}$",
    "closed": r"rota::chan<rota::unit> 0 of 0 buffered, closed$",
    "awaited": r"rota::chan<int> 0 of 0 buffered, "
               r"10 wait to receive \(goroutines (\d+, ){8}\.\.\.\)$",
    "full": r"rota::chan<int> 0 of 0 buffered, 2 wait to send \(goroutines \d+, \d+\)$",
    "free": r"rota::mutex free$",
    "held": r"rota::mutex locked, 1 waits$",
    "background": r"rota::context background$",
    "live": r"rota::context live$",
    "over": r"rota::context canceled$",
    "timed": r"rota::context live, until \d+\.\d{3} s of CLOCK_MONOTONIC$",
}


def variables(program, folder):
    program = program.parent / "prog_variables"
    core_at = make_core(program, folder)
    shown = [c for v in VARIABLES for c in (f"echo {v}:", f"output {v}", "echo \\n")]
    said = run_gdb([program, core_at], ["frame function have_variables", *shown])
    for name, wanted in VARIABLES.items():
        line = next((s for s in said.split("\n") if s.startswith(f"{name}:")), "")
        assert re.match(f"{name}:{wanted}", line), f"{name}: {line or said[-3000:]}"
    # The numbers are those of goroutines that wait there.
    said = run_gdb([program, core_at], ["frame function have_variables", "output full",
                                        "echo \\n", "info goroutines chan send"])
    senders = re.search(r"goroutines (\d+), (\d+)\)", said).groups()
    assert set(senders) == set(map(str, list_of(said))), said[-2000:]


def loaded_by_itself(program, folder):
    program = program.parent / "prog_variables"
    core_at = make_core(program, folder)
    found = list_of(run_gdb([program, core_at], ["info goroutines"], loads_script=False))
    assert len([1 for _, reason, _ in found.values() if reason == "chan receive"]) == 10, found


def leaves_no_names(program, _folder):
    """A name of the script's in gdb's Python takes the user's own place, or another script's."""
    look = ["python import builtins; builtins.before = dict(globals())"]
    told = ["python print('left:', sorted(n for n in globals() "
            "if n != '__loader__' and "  # which Python changes
            "globals()[n] is not before.get(n, before)))", "help info goroutines", "help goroutine"]
    by_hand = run_gdb([], [*look, f"source {SCRIPT}", *told], None)
    by_itself = run_gdb([], [*look, f"file {program}", *told], False)
    for said in (by_hand, by_itself):
        assert "left: []" in said, said
        assert "info goroutines [REGEX]" in said and "goroutine ID [COMMAND]" in said, said


TESTS = {"variables": variables, "leaves_no_names": leaves_no_names,
         "loaded_by_itself": loaded_by_itself,
         "files_say_whose_a_function_is": files_say_whose_a_function_is,
         "a_core_file_of_gcore": core_of_gcore, "a_live_process": live, "a_core_file": core,
         "a_core_file_without_debug_information": without_debug_information}


def main():
    build, wanted = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    program = build / "tests/prog/prog_parked"
    passed = failed = 0
    for name, test in TESTS.items():
        if wanted not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                if shutil.which("gdb") is None:
                    raise Skipped("no gdb")
                test(program.resolve(), pathlib.Path(folder))
                passed += 1
                print(f"gdb.{name} ok")
            except Skipped as e:
                print(f"skipped: {name}: {e}")
            except (AssertionError, AttributeError, subprocess.SubprocessError, ValueError,
                    StopIteration) as e:
                failed += 1
                print(f"gdb.{name} FAILED: {e!r}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
