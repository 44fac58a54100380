#!/usr/bin/env python3
"""Types the commands of docs/debugging.md as they stand there, and reads what they say.

Usage: symptoms_test.py BUILD_DIR [FILTER]

What could go wrong: a document tells a reader to type what does not work any more, or promises what
is not said. Each ```console block of the document is a session in one shell: lines that begin with
`$ ` are commands, and each other line must be found, in this order, in what the command before it
says; `...` stands for anything. A command is repeated until it says that, or for a bounded time:
the program, which an earlier command has begun, may not have come so far. Only names are exchanged:
build/dev for the build that is tested, port 6060 for one that is free. Commands whose program is
not installed are left out, which is printed.

Prints one line for each session and ends with `N passed, N failed`; exit status 1 if any failed.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIME_LIMIT = 60  # seconds for one command, with all its repetitions
NEEDED = ("curl", "jq", "go", "gdb")


def sessions():
    """(number of its line, [(command, lines that it says)]) of each block."""
    text = (ROOT / "docs/debugging.md").read_text()
    for block in re.finditer(r"^```console\n(.*?)^```", text, re.M | re.S):
        steps = []
        for line in block.group(1).rstrip("\n").split("\n"):
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        yield text.count("\n", 0, block.start()) + 1, steps


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def missing_line(said, wanted):
    """The first of the lines that is not found behind those before it, or None."""
    lines = iter(said.split("\n"))
    for line in wanted:
        pattern = ".*".join(map(re.escape, line.split("...")))
        if not any(re.fullmatch(pattern, found.rstrip()) for found in lines):
            return line
    return None


class Shell:
    """What a reader types into a terminal; programs in the background end with it."""

    def __init__(self, build, folder):
        self.port, self.build, self.folder = free_port(), build, folder
        self.background = []

    def as_here(self, command):
        command = command.replace("build/dev/", f"{self.build}/").replace("6060", str(self.port))
        return command.replace("tools/gdb/", f"{ROOT}/tools/gdb/")

    def run(self, command):
        env = {**os.environ, "ROTA_DEBUG_ADDRESS": f"localhost:{self.port}"}
        if command.endswith(" &"):
            with open(self.folder / "said", "w") as said:
                self.background.append(subprocess.Popen(
                    ["bash", "-c", "exec " + self.as_here(command)[:-2]], env=env, cwd=self.folder,
                    stdin=subprocess.DEVNULL, stdout=said, stderr=said))
            return ""
        if self.background:
            command = command.replace("%1", str(self.background[-1].pid))
            command = command.replace("$!", str(self.background[-1].pid))
        done = subprocess.run(["bash", "-c", self.as_here(command)], env=env, cwd=self.folder,
                              stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=TIME_LIMIT, errors="replace")
        if command.startswith("kill "):  # what the program says at its end
            self.background[-1].wait(TIME_LIMIT)
            return (self.folder / "said").read_text(errors="replace")
        return done.stdout

    def end(self):
        for process in self.background:
            process.kill()
            process.wait()


def check(build, steps):
    left_out = []
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(build, pathlib.Path(folder))
        try:
            for command, wanted in steps:
                absent = [n for n in NEEDED if re.search(rf"(^|[|(] *){n} ", command)
                          and shutil.which(n) is None]
                if absent:
                    left_out.append(" ".join(absent))
                    continue
                until, said, missing = time.monotonic() + TIME_LIMIT, "", None
                while True:
                    said = shell.run(command)
                    missing = missing_line(said, wanted)
                    if missing is None or command.startswith("kill ") or time.monotonic() > until:
                        break
                    time.sleep(0.05)  # between looks
                if missing is not None and "gdb" in command and "ptrace" in said:
                    left_out.append("gdb, which may not trace here")
                    continue
                assert missing is None, f"$ {command}\ndoes not say: {missing}\nbut: {said[-4000:]}"
        finally:
            shell.end()
    return f"(without {', '.join(left_out)})" if left_out else ""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build, wanted = pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:3])
    passed = failed = 0
    for number, steps in sessions():
        first = steps[0][0]
        if wanted not in first:
            continue
        try:
            print("ok", f"docs/debugging.md:{number}:", first, check(build, steps), flush=True)
            passed += 1
        except (AssertionError, subprocess.TimeoutExpired) as e:
            failed += 1
            print("FAILED", f"docs/debugging.md:{number}:", first, e)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not (passed or wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
