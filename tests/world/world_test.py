#!/usr/bin/env python3
"""Other people's libraries, unchanged, in goroutines: a row for each beside the same in threads.

Usage: world_test.py BUILD_DIR [FILTER]

What could go wrong: a library loses or mixes up answers when goroutines use it, or its blocking
calls keep all other goroutines from running. Each program (world.hpp) checks every answer, and
measures the delay of tickers beside it. Servers are started here (servers.py) and stopped in any
case. A library that is not installed, or has no server here, is skipped with that reason.

The clients of HOOKED run a second time with librota_hook.so preloaded (docs/hook.md), with 1,000
workers. A call that still blocks its thread shows by the counts of such calls and of threads.

Prints a line for each test, two tables, and `N passed, N failed`; exit status 1 if any failed.
WORLD_SECONDS, WORLD_ROUNDS and WORLD_WORKERS change the load of all.
"""
import json
import os
import pathlib
import re
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "prog"))

import servers
import verdicts
import whole

TIME_LIMIT = 120  # seconds for a program; most take fifteen

# Test, program and arguments, its server, the package that brings the library.
TESTS = (
    ("libpq", ["libpq"], servers.postgresql, "libpq-dev"),
    ("hiredis", ["hiredis"], servers.redis, "libhiredis-dev"),
    ("libcurl", ["libcurl"], servers.nginx, "libcurl4-openssl-dev"),
    ("libcurl over TLS", ["libcurl", "tls"], servers.nginx, "libcurl4-openssl-dev"),
    ("sqlite3", ["sqlite3"], servers.nothing, "libsqlite3-dev"),
    ("libmariadb", ["mariadb"], servers.mariadb, "libmariadb-dev"),
    ("libzmq", ["libzmq"], servers.nothing, "libzmq3-dev"),
    ("Boost.Asio", ["asio"], servers.nothing, "libboost-dev"),
    ("OpenBLAS", ["openblas"], servers.nothing, "libopenblas-dev"),
    ("Eigen", ["eigen"], servers.nothing, "libeigen3-dev"),
    ("OpenMP", ["openmp"], servers.nothing, "g++"),
    ("TBB", ["tbb"], servers.nothing, "libtbb-dev"),
    ("Lua", ["lua"], servers.nothing, "liblua5.4-dev"),
    ("libpython", ["python"], servers.nothing, "libpython3-dev"),
    ("librdkafka", ["rdkafka"], servers.nothing, "librdkafka-dev"),
    ("gRPC", ["grpc"], servers.nothing, "libgrpc++-dev"),
)
HOOKED = ("libpq", "hiredis", "libcurl", "libcurl over TLS", "libmariadb")
WAYS = ("goroutines", "announced", "threads")
P99_BAR, MAX_BAR = 10, 50  # ms


def one(build, words, server, package, rows, **preload):
    program = build / "tests/world" / f"world_{words[0]}"
    if not program.exists():
        return f"{verdicts.SKIPPED}not built: the package {package} is not installed"
    try:
        with server() as variables, tempfile.TemporaryDirectory(prefix="rota-world-") as scratch:
            where = os.getcwd()
            os.chdir(scratch)
            try:
                status, out, err = whole.run([str(program), *words[1:]], TIME_LIMIT, **variables,
                                             **preload)
            finally:
                os.chdir(where)
    except servers.Missing as e:
        return f"{verdicts.SKIPPED}{e}"
    except RuntimeError as e:
        return str(e)
    found = [json.loads(line) for line in re.findall(r"^row (.*)$", out, re.M)]
    rows += found
    if status == 0 and found:
        return ""
    said = "\n".join(re.findall(r"^wrong: (.*)$", out, re.M))
    return said or f"exit status {status}\n{out}{err}"[-8000:]


def delays(figures):
    if figures is None:
        return f"{'-':>26}"
    mark = "*" if figures["p99"] > P99_BAR or figures["max"] > MAX_BAR else " "
    return f"{figures['p50']:>8.2f}{figures['p99']:>8.2f}{figures['max']:>9.2f}{mark}"


def work(figures, base):
    if figures is None:
        return f"{'-':>16}"
    return f"{figures['per_cpu']:>10}{figures['per_cpu'] / base:>6.2f}"


def table(rows):
    """A line for each row without the hook. The ratios are those to threads."""
    lines = [f"{'':<21}{'':>11}  {'operations per CPU second':^42}  "
             f"{'delay of tickers of 1 ms: p50, p99, max in ms':^78}",
             f"{'library':<21}{'operations':>11}  {'threads':>10}{'goroutines':>16}"
             f"{'announced':>16}  {'goroutines':>26}{'announced':>26}{'threads':>26}"]
    for row in rows:
        ways = [row.get(way) for way in WAYS]
        base = max(row["threads"]["per_cpu"], 1)
        operations = sum(way["ops"] for way in ways if way)
        lines.append(f"{row['name']:<21}{operations:>11}  {base:>10}{work(ways[0], base)}"
                     f"{work(ways[1], base)}  " + "".join(delays(way) for way in ways))
    lines.append("announced: in rota::blocking; medians of the rounds' delays; "
                 f"*: p99 above {P99_BAR} ms or max above {MAX_BAR} ms")
    return [line.rstrip() for line in lines]


def hook_table(rows):
    """A line for each way of each row with the hook. The ratios are those to threads."""
    lines = [f"{'library':<21}{'workers':>8}  {'way':<22}{'operations/s':>14}"
             f"{'per CPU second':>18}{'threads':>9}  {'delay of tickers: p50, p99, max in ms':>37}"]
    for row in rows:
        base = row["threads"]
        for title, way in (("threads", base), ("goroutines, hooked", row["hooked"])):
            ratios = [way[what] / max(base[what], 1) for what in ("per_s", "per_cpu")]
            lines.append(f"{row['name']:<21}{row['workers']:>8}  {title:<22}"
                         f"{way['per_s']:>9}{ratios[0]:>5.2f}{way['per_cpu']:>13}{ratios[1]:>5.2f}"
                         f"{way['threads']:>9}  {delays(way):>37}")
    return lines


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # servers are stopped on the way
    build, wanted = pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:3])
    rows = []
    tests = [(name, lambda rest=rest: one(build, *rest, rows)) for name, *rest in TESTS]
    hook = str(build / "hook/librota_hook.so")
    tests += [(name + " with the hook", lambda rest=rest: one(build, *rest, rows, LD_PRELOAD=hook))
              for name, *rest in TESTS if name in HOOKED]
    os.environ.setdefault("GOMAXPROCS", "2")
    status = verdicts.run_all(tests, wanted)
    hooked = [row for row in rows if "hooked" in row]
    plain = [row for row in rows if "hooked" not in row]
    lines = (table(plain) if plain else []) + (hook_table(hooked) if hooked else [])
    for line in lines:
        print("row: " + line.rstrip())
    return status


if __name__ == "__main__":
    sys.exit(main())
