#!/usr/bin/env python3
"""Our HTTP with that of others: Go's servers and clients, and curl.

Usage: http_interop_test.py BUILD_DIR [FILTER]

What could go wrong: both of our ends agree on something that nobody else takes for HTTP. So each is
put before the other end of Go, over kept connections, chunks and trailers, bodies that stream,
100-continue met and refused, bodies in both directions at once, time limits and cancelled calls;
and the server before curl. Where there is no Go, or no curl, its tests are skipped: a line says so,
and they count neither as passed nor as failed.

Prints one line for each test and ends with `N passed, N failed`; exit status 1 if any failed. A
program that hangs is sent SIGQUIT first, so that its goroutines are shown.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import verdicts

HERE = pathlib.Path(__file__).resolve().parent
TIME_LIMIT = 60  # seconds for one program; the longest takes one
ENVIRONMENT = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}


def find_go():
    cache = pathlib.Path.home() / ".cache/rota-peers/go"
    for go in sorted(cache.glob("*/usr/lib/go-*/bin/go"), reverse=True):
        return str(go)
    return shutil.which("go")


def run(command):
    """What is wrong with it, or an empty string."""
    child = subprocess.Popen(command, text=True, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        out, _ = child.communicate(timeout=TIME_LIMIT)
        return "" if child.returncode == 0 else f"status {child.returncode}\n{out[-6000:]}"
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGQUIT)
    try:
        out, _ = child.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        out, _ = child.communicate()
    return f"hung for {TIME_LIMIT} s\n{out[-6000:]}"


class Server:
    """Runs until the end of the block; its URL."""

    def __init__(self, program):
        self.child = subprocess.Popen([program, "server"], text=True, env=ENVIRONMENT,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return "http://127.0.0.1:" + self.child.stdout.readline().split()[1]

    def __exit__(self, *_):
        self.child.stdin.close()
        try:
            self.child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.child.stdout.close()


def with_go(ours, gos):
    if gos is None:
        return verdicts.SKIPPED + "no Go found (scripts of bench/peers fetch one)"
    for server, client in ((gos, ours), (ours, gos)):
        with Server(server) as url:
            if wrong := run([client, "client", url]):
                return f"server {server}, client {client}: {wrong}"
    return ""


def with_itself(ours, _):
    with Server(ours) as url:
        return run([ours, "client", url])


def with_curl(ours, _):
    curl = shutil.which("curl")
    if curl is None:
        return verdicts.SKIPPED + "no curl found"
    body = "x" * 100_000
    with Server(ours) as url, tempfile.NamedTemporaryFile("w+") as file:
        file.write(body)
        file.flush()
        for options, wanted in (
                (["-d", "hello", url + "/echo", url + "/echo"], "hellohello"),
                (["--data-binary", "@" + file.name, url + "/echo"], body),
                (["-T", file.name, "-H", "Expect: 100-continue", url + "/echo"], body),
                (["-T", file.name, "-H", "Transfer-Encoding: chunked", url + "/stream"], body),
                (["-L", "--post301", "-d", "again", url + "/redirect"], "again"),
                (["--http1.0", "-d", "old", url + "/echo"], "old"),
                (["-T", file.name, "-H", "Expect: 100-continue", "-o", "/dev/null", "-w",
                  "%{http_code} %{size_upload}", url + "/refuse"], "403 0"),
                (["-d", "it", url + "/trailers"], "2 it"),
                ([url + "/chunks"], "z" * 300_000),
                ([url + "/early"], "early"),
                (["-o", "/dev/null", "-w", "%{http_code}", url + "/nothing"], "204")):
            got = subprocess.run([curl, "-sS", "--max-time", "20", *options], text=True,
                                 env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if got.returncode or got.stdout != wanted:
                return f"curl {' '.join(options)}: status {got.returncode}\n{got.stdout[:2000]}"
    return ""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build, wanted = pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:3])
    ours = str(build / "tests/prog/prog_http_interop")
    if not os.access(ours, os.X_OK):
        sys.exit(f"http_interop_test: there is no {ours}: build it first")
    with tempfile.TemporaryDirectory() as folder:
        go, gos = find_go(), None
        if go is not None:
            gos = folder + "/http_interop"
            made = subprocess.run([go, "build", "-o", gos, str(HERE / "http_interop.go")],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env={**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": ""})
            if made.returncode:
                sys.exit(f"http_interop_test: {go} builds no http_interop.go\n{made.stdout}")
        return verdicts.run_all([(test.__name__, lambda test=test: test(ours, gos))
                                 for test in (with_itself, with_go, with_curl)], wanted)


if __name__ == "__main__":
    sys.exit(main())
