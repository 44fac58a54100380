#!/usr/bin/env python3
"""Made-up requests to three servers: ours, Go's net/http and node's http.

    differential_test.py BUILD_DIR [--seed N] [--first CASE] [--requests N]

What could go wrong: we end a body in another place than others do, so that what a proxy has checked
as a body is executed as a request (request smuggling). So each case, a connection with one to four
requests of which some are unusual or malformed, is sent to all three; what each has read as
requests, with which bodies, is compared. A difference that is not in known_differences.txt, with
its reason, fails the test; its bytes are printed. tests/README.md has more.

Needs Go (in $GO, from bench/peers/get-go, or on PATH) and node; without one of them it says so and
compares nothing. Ends with `N passed, N failed`; exit status 1 if there was an unknown difference.
"""
import argparse
import os
import pathlib
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REQUESTS, LONG = 50_000, 20  # in an ordinary run; how many times that in a long one
TIME_LIMIT = 1700            # seconds; a long run takes some minutes


def find_go():
    if go := os.environ.get("GO"):
        return shutil.which(go)
    cache = pathlib.Path.home() / ".cache/rota-peers/go"
    for go in sorted(cache.glob("*/usr/lib/go-*/bin/go"), reverse=True):
        return str(go)
    return shutil.which("go")


def version(command):
    found = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return found.stdout.strip().removeprefix("go version ")


class Server:
    """Runs until the end of the block."""

    def __init__(self, command, socket):
        self.command, self.socket = command, socket

    def __enter__(self):
        self.child = subprocess.Popen([*self.command, self.socket], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.child.stdout.readline() != "ready\n":
            sys.exit(f"differential_test: {self.command[0]} does not begin to serve")
        return self.socket

    def __exit__(self, *_):
        self.child.stdin.close()
        try:
            self.child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.child.stdout.close()


def parse_command_line():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("build", type=pathlib.Path)
    seed = os.environ.get("ROTA_TEST_SEED", secrets.randbelow(2**31))
    ap.add_argument("--seed", type=int, default=int(seed))
    ap.add_argument("--first", type=int, default=0)
    ap.add_argument("--requests", type=int,
                    default=REQUESTS * (LONG if os.environ.get("ROTA_TEST_LONG") else 1))
    return ap.parse_args()


def allow_descriptors():
    """Go and node keep connections for a while behind a refusal."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def compare(options, ours, gos, node, folder):
    with Server([ours, "serve"], folder + "/rota") as rota, \
            Server([gos], folder + "/go") as go, \
            Server([node, str(HERE / "server.js")], folder + "/node") as nodes:
        command = [ours, "drive", rota, go, nodes, str(HERE / "known_differences.txt"),
                   *map(str, (options.seed, options.first, options.requests))]
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, timeout=TIME_LIMIT).returncode
        except subprocess.TimeoutExpired:
            print(f"no end within {TIME_LIMIT} s")
            return 1


def main():
    options = parse_command_line()
    ours = str(options.build.resolve() / "tests/rota_differential")
    if not os.access(ours, os.X_OK):
        sys.exit(f"differential_test: there is no {ours}: build it first")
    go, node = find_go(), shutil.which("node")
    if go is None or node is None:
        absent = "Go (bench/peers/get-go fetches one)" if go is None else "node (package nodejs)"
        print(f"skipped: same_bodies: no {absent} found\n0 passed, 0 failed")
        return 0
    allow_descriptors()
    with tempfile.TemporaryDirectory(prefix="rota-differential-") as folder:
        made = subprocess.run([go, "build", "-o", folder + "/server", str(HERE / "server.go")],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": ""})
        if made.returncode:
            sys.exit(f"differential_test: {go} builds no server.go\n{made.stdout}")
        print(f"{version([go, 'version'])}, node {version([node, '--version'])}, "
              f"seed {options.seed}", flush=True)
        failed = compare(options, ours, folder + "/server", node, folder) != 0
    print("0 passed, 1 failed" if failed else "1 passed, 0 failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
