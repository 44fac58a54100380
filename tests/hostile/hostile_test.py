#!/usr/bin/env python3
"""A server of HTTP under attack, in a process of its own: what docs/http.md promises, in figures.

Usage: hostile_test.py BUILD_DIR [FILTER]

What could go wrong: clients that keep to no rule hold connections, memory, descriptors or
processors for longer, or get more of them, than is promised; or honest clients wait for them. The
attackers are bare sockets. Each row is a test; its figures stand in the table at the end beside
their bars. Times have generous bars, which follow from the limits that the server has been given.

Prints a line for each test, the table as lines `row: ...`, and `N passed, N failed`; exit status 1
if any failed. With ROTA_TEST_LONG in the environment the limits are ten times as long.
"""
import os
import pathlib
import resource
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "prog"))

import crowd
import doubling
import floods
import memory
import served
import stalls
import table
import verdicts

CLIENTS = 100       # of each kind
JUDGES_RSS = True  # whether memory that has not come back fails the test


def raise_descriptor_limit():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def rows(build):
    """Name and call of each test; the call returns its figures."""
    is_long = "ROTA_TEST_LONG" in os.environ
    limit = 10.0 if is_long else 1.0  # seconds
    for kind in stalls.KINDS:
        yield kind.name, lambda kind=kind: stalls.stall(build, kind, CLIENTS, limit)
    yield "max_connections", lambda: crowd.above_max_connections(build)
    yield "no descriptors", lambda: crowd.without_descriptors(build)
    for name, make, reads in floods.KINDS:
        yield name, lambda name=name, make=make, reads=reads: floods.flood(build, name, make, reads)
    for name, sent in memory.KINDS:
        yield f"memory: {name}", lambda name=name, sent=sent: memory.hold(build, name, sent)
    yield "memory comes back", lambda: memory.come_back(build, CLIENTS, JUDGES_RSS)
    yield "twice the bytes: the library", lambda: doubling.library(build)
    yield "twice the bytes: the lessons", lambda: doubling.lessons(build)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    build, wanted = pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:3])
    raise_descriptor_limit()
    seen = []

    def test(row):
        try:
            figures = row()
        except (served.Wrong, OSError) as e:
            return f"{type(e).__name__}: {e}"
        seen.extend(figures)
        return table.wrong(figures)

    status = verdicts.run_all([(name, lambda row=row: test(row)) for name, row in rows(build)],
                              wanted)
    for line in table.lines(seen) if seen else []:
        print("row: " + line)
    return status


if __name__ == "__main__":
    sys.exit(main())
