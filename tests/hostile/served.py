"""The server under attack, in a process of its own, and the honest client beside the attackers."""
import contextlib
import os
import pathlib
import resource
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TIME_LIMIT = 60  # seconds for what takes none on a machine that has nothing else to do


class Wrong(Exception):
    """A promise that is broken in a way that no figure shows."""


def until(is_met, what, limit=TIME_LIMIT, pause=0.005):
    end = time.monotonic() + limit
    while not is_met():
        if time.monotonic() > end:
            raise Wrong(f"not so after {limit:.0f} s: {what}")
        time.sleep(pause)  # between two looks


class Server:
    """hostile_server with these options, until the end of the `with` block."""

    def __init__(self, build, descriptors=None, **options):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        env = {k: v for k, v in os.environ.items() if k not in ("GODEBUG", "GOTRACEBACK")}
        self.child = subprocess.Popen(
            [str(build / "tests/hostile/hostile_server"),
             *(f"{key}={number}" for key, number in options.items())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env,
            preexec_fn=limit if descriptors else None)
        words = self.child.stdout.readline().split()
        if words[:1] != ["PORTS"]:
            raise Wrong("the server has not begun")
        self.plain, self.secure = map(int, words[1:])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.child.stdin.close()
        try:
            status = self.child.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            self.child.kill()
            status = f"hung for {TIME_LIMIT} s"
        if kind is None and status != 0:
            raise Wrong(f"the server has ended with status {status}")

    def connect(self, port=None, receive=None):
        s = socket.socket()
        if receive:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        s.settimeout(TIME_LIMIT)
        s.connect(("127.0.0.1", port or self.plain))
        return s

    def figures(self):
        """Bytes of heap, handlers that have been called, goroutines."""
        self.child.stdin.write("figures\n")
        self.child.stdin.flush()
        return tuple(map(int, self.child.stdout.readline().split()[1:]))

    def rss(self):
        """Bytes."""
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))


class Honest:
    """The honest client in a process of its own. After the `with` block: `count` and `longest`."""

    def __init__(self, port):
        self.child = subprocess.Popen([sys.executable, str(HERE / "honest.py"), str(port)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.child.stdout.readline()  # it has begun, or says nothing more

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        with contextlib.suppress(subprocess.TimeoutExpired):
            out, _ = self.child.communicate("", 2 * TIME_LIMIT)
        if self.child.poll() is None:
            self.child.kill()
        if kind is not None:
            return
        if self.child.returncode != 0:
            raise Wrong("the honest client has got no answer, or a wrong one")
        count, longest = out.split()
        self.count, self.longest = int(count), float(longest)
