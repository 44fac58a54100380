#!/usr/bin/env python3
"""Refusals from outside: strace makes the kernel refuse calls of prog_refused, without our shim.

usage: refused_check.py BUILD_DIR [NAME]

Interruptions, and calls that a kernel need not have, must not be seen by the work; other refusals
end it with what was said, and the program goes on. `when=N` is counted by strace for each thread.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from whole import run

LIMIT_S = 60
PLACES_MAX = 6
# (calls, error, when, of which work); the work sees nothing of these. Not futex: the C library's
# own calls end the process.
UNSEEN = [
    ("recvfrom,sendto,sendmsg", "EINTR", "1+2", "tcp unix messages http served"),
    ("accept4,connect", "EINTR", "1+2", "tcp unix http served"),
    ("epoll_pwait,epoll_pwait2", "EINTR", "1+2", "tcp unix http served files programs signals"),
    ("pwrite64,pwritev2,fsync,ftruncate", "EINTR", "1+2", "files"),
    ("sendfile,openat2", "EINTR", "1+2", "served"),
    ("waitid", "EINTR", "1+2", "programs"),
    ("accept4", "ECONNABORTED", "1", "tcp unix http served"),
    ("accept4", "EMFILE", "1", "http served"),
    ("sendfile", "EINVAL", "1", "served"),
    ("openat2", "ENOSYS", "1+", "served"),
    ("pwritev2", "EOPNOTSUPP", "1+", "files"),
    ("pidfd_open", "ENOSYS", "1+", "programs"),
    ("close_range", "EPERM", "1+", "programs"),
    ("epoll_pwait2", "ENOSYS", "1+", "tcp http signals"),
]
# (call, error, of which work); the work may be told
TOLD = [
    ("socket", "EMFILE", "tcp unix messages http"),
    ("bind", "EADDRINUSE", "tcp http"),
    ("listen", "EADDRINUSE", "tcp"),
    ("accept4", "EMFILE", "tcp unix"),
    ("connect", "ECONNREFUSED", "tcp http"),
    ("epoll_create1", "EMFILE", "tcp files"),
    ("eventfd2", "EMFILE", "tcp files"),
    ("epoll_ctl", "ENOMEM", "tcp http programs"),
    ("recvfrom", "ECONNRESET", "tcp unix http served"),
    ("recvfrom", "ENOMEM", "tcp http"),
    ("sendmsg", "EPIPE", "tcp unix messages"),
    ("sendto", "ECONNRESET", "tcp unix http"),
    ("sendfile", "EIO", "served"),
    ("pipe2", "EMFILE", "files programs"),
    ("fsync", "EIO", "files"),
    ("ftruncate", "EIO", "files"),
    ("lseek", "EOVERFLOW", "files"),
    ("vfork,clone3,clone", "EAGAIN", "programs"),
]


def refused(program, work, calls, error, when):
    """Status or a text, the rounds' lines, and how often strace has refused a call."""
    with tempfile.NamedTemporaryFile("r", prefix="rota-strace-") as trace:
        command = ["strace", "-f", "-qq", "-o", trace.name, "-e", f"trace={calls}", "-e",
                   f"inject={calls}:error={error}:when={when}", program, work]
        status, out, err = run(command, LIMIT_S, ROTA_LANG="C")
        return status, out.split("\n")[:-1], trace.read().count("(INJECTED)"), err


def judge(told, status, lines):
    """None, or what is wrong."""
    if status != 0:
        return f"status {status}"
    if len(lines) != 2 or any(not line.startswith(("done", "told: ")) for line in lines):
        return "another output"
    if not told and lines != ["done", "done"]:
        return "was seen"
    return None


def why_not():
    if not shutil.which("strace"):
        return "no strace on PATH: ./dev setup test installs it"
    tried = subprocess.run(["strace", "-f", "-qq", "-o", os.devnull, "true"], capture_output=True,
                           text=True, check=False)
    return None if tried.returncode == 0 else "ptrace is forbidden: " + tried.stderr.strip()[:200]


def cases():
    """(calls, error, places, of which work, may be told)"""
    for calls, error, when, works in UNSEEN:
        yield calls, error, [when], works, False
    for calls, error, works in TOLD:
        yield calls, error, [str(n) for n in range(1, PLACES_MAX + 1)], works, True


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = os.path.join(sys.argv[1], "tests/prog/prog_refused")
    chosen = sys.argv[2] if len(sys.argv) == 3 else ""
    reason = why_not()
    if reason:
        print(f"skipped: refusals by strace: {reason}\n0 passed, 0 failed")
        return 0
    passed = failed = 0
    for calls, error, whens, works, told in cases():
        met = 0
        for work in works.split():
            for when in whens:
                name = f"{work}: {calls} {error} at {when}"
                if chosen not in name:
                    continue
                status, lines, injected, err = refused(program, work, calls, error, when)
                met += injected
                wrong = judge(told, status, lines)
                passed, failed = passed + (wrong is None), failed + (wrong is not None)
                print(f"  {'FAILED' if wrong else 'passed'}  {name:<62} {injected:4} refused  "
                      f"{'; '.join(lines)}", flush=True)
                if wrong:
                    print(f"    {wrong}\n{err[-4000:]}", flush=True)
                if injected == 0:
                    break  # so many there are not
        if met == 0 and not chosen:
            failed += 1
            print(f"  FAILED  {calls} {error}: no such call was made", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
