"""Twice the bytes cost at most 2.2 times the processor time: of the library, by hostile_doubling,
and of the lessons in examples/, which are measured from outside."""
import contextlib
import math
import os
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import served
from table import Figure

RATIO_MAX = 2.2
SIZES = 4  # n, 2n, 4n and 8n
ROUNDS_LEAST, ROUNDS_MOST = 3, 12

HEAD = b" HTTP/1.1\r\nHost: a\r\nConnection: close"
CHUNKS = b"POST /length" + HEAD + b"\r\nTransfer-Encoding: chunked\r\n\r\n"


def figure(name, count, ms, ratio):
    return Figure(f"twice the bytes, {name}", f"{RATIO_MAX} times",
                  f"{ratio:.2f} times ({count} bytes: {ms:.1f} ms)", ratio <= RATIO_MAX)


def library(build):
    """The figures of hostile_doubling."""
    run = subprocess.run([str(build / "tests/hostile/hostile_doubling")], text=True,
                         capture_output=True, env={**os.environ, "GOMAXPROCS": "1"},
                         timeout=10 * served.TIME_LIMIT)
    rows = re.findall(r"^row (.*)\t(\d+)\t([\d.]+)\t([\d.]+)$", run.stdout, re.M)
    wrong = re.findall(r"^wrong (.*)$", run.stdout, re.M)
    if wrong or not rows or run.returncode not in (0, 1):
        raise served.Wrong("\n".join(wrong) or f"status {run.returncode}\n{run.stderr[-4000:]}")
    return [figure(name, int(count), float(ms), float(ratio)) for name, count, ms, ratio in rows]


def measure(name, first, text, cost):
    """The figure of a lesson: `text(bytes)` makes an input, `cost(input)` gives it to the lesson
    and returns seconds of processor time. Each round has a ratio of its own, from sizes that were
    measured one after the other; the median of the rounds counts. Times of different rounds are
    not compared: other programs change the speed of the machine."""
    inputs = [text(first << i) for i in range(SIZES)]
    ratios, shortest = [], float("inf")
    while len(ratios) < ROUNDS_MOST:
        costs = [cost(one) for one in inputs]
        shortest = min(shortest, costs[-1])
        ratios.append(ratio_of(costs))
        ratio = statistics.median(ratios)
        if len(ratios) >= ROUNDS_LEAST and ratio <= RATIO_MAX:
            break
    return figure(name, len(inputs[-1]), 1000 * shortest, ratio)


def ratio_of(costs):
    """How much a size costs in proportion to half of it: the line of least squares through the
    logarithms of the four costs."""
    logs = [math.log2(one) for one in costs]
    return 2 ** ((3 * (logs[3] - logs[0]) + (logs[2] - logs[1])) / 10)


def repeated(piece, count):
    """About so many bytes of the piece, in which each # becomes its number."""
    pieces, size, number = [], 0, 0
    while size < count:
        pieces.append(piece.replace(b"#", b"%d" % number))
        size += len(pieces[-1])
        number += 1
    return b"".join(pieces)


class Lesson:
    """A lesson that serves, as a child."""

    def __init__(self, build, *command):
        self.child = subprocess.Popen([str(build / "examples" / command[0]), *command[1:]],
                                      stdout=subprocess.PIPE, text=True)
        words = self.child.stdout.readline().split()
        if words[:1] != ["PORT"]:
            raise served.Wrong(f"{command[0]} has not begun")
        self.port = int(words[1])
        self.clock = ~self.child.pid << 3 | 2  # of the process's processor time: Linux, clockid_t

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), served.TIME_LIMIT)

    def cost(self, sent):
        """Sends the bytes, and reads to the end, which the lesson makes. HTTP is answered with
        200; there a client that ends its side would have left."""
        is_http = sent.startswith((b"GET ", b"POST "))
        began = time.clock_gettime(self.clock)
        with self.connect() as s:
            writer = threading.Thread(target=write, args=(s, sent, not is_http))
            writer.start()
            first = b""
            while part := s.recv(1 << 16):
                first = first or part
            writer.join()
        if not first or (is_http and not first.startswith(b"HTTP/1.1 200 ")):
            raise served.Wrong(f"the answer begins with {first[:100]!r}")
        return time.clock_gettime(self.clock) - began

    def talk(self, lines):
        """Says the lines to a room of nobody else, and hears each of them. So many at once as the
        room keeps for a member."""
        at_once = 16
        began, lines = time.clock_gettime(self.clock), lines.splitlines(keepends=True)
        with self.connect() as s, s.makefile("rb") as heard:
            s.sendall(b"me\n")
            heard.readline()
            for at in range(0, len(lines), at_once):
                lot = lines[at:at + at_once]
                s.sendall(b"".join(lot))
                if any(heard.readline() != b"me: " + line for line in lot):
                    raise served.Wrong("a line is lost")
            s.shutdown(socket.SHUT_WR)
            heard.read()
        return time.clock_gettime(self.clock) - began


class Page:
    """Serves one page, once, at the port that it gives."""

    def __init__(self, page):
        self.answer = (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                       % len(page)) + page
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(served.TIME_LIMIT)
        self.serving = threading.Thread(target=self.serve)

    def serve(self):
        s, _ = self.listener.accept()
        with s:
            s.recv(1 << 16)
            write(s, self.answer)

    def __enter__(self):
        self.serving.start()
        return self.listener.getsockname()[1]

    def __exit__(self, *_):
        self.serving.join()
        self.listener.close()


def write(s, sent, ends=True):
    with contextlib.suppress(OSError):
        s.sendall(sent)
        if ends:
            s.shutdown(socket.SHUT_WR)


def run_cost(*command):
    """Seconds of processor time of a program that runs to its end."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_utime + usage.ru_stime


def request(begin, piece, end=b"\r\n\r\n"):
    return lambda count: begin + repeated(piece, count) + end


def of_servers(build, backend, folder):
    """Figures of the lessons that serve HTTP, or lines."""
    (folder / "f").write_text("0123456789")
    proxied = (
        ("Connection", 60 << 10, request(b"GET /" + HEAD, b",a#")),
        ("fields", 16 << 10, request(b"GET /" + HEAD, b"\r\nName-#: value")),
        ("Cookie", 60 << 10, request(b"GET /" + HEAD + b"\r\nCookie: a=b", b"; a#=b")),
        ("path", 60 << 10, request(b"GET /", b"a/", HEAD + b"\r\n\r\n")),
        ("tiny chunks", 32 << 10, request(CHUNKS, b"1\r\nx\r\n", b"0\r\n\r\n")),
        ("trailers", 16 << 10, request(CHUNKS + b"0\r\n", b"Name-#: value\r\n", b"\r\n")),
    )
    with Lesson(build, "reverse_proxy", "127.0.0.1:0", f"http://127.0.0.1:{backend}") as proxy:
        for name, first, text in proxied:
            yield measure(f"reverse_proxy: {name}", first, text, proxy.cost)
    tags = request(b"GET /files/f" + HEAD + b"\r\nIf-None-Match: \"a\"", b", \"a#\"")
    with Lesson(build, "fileserver", str(folder), "127.0.0.1:0") as files:
        yield measure("fileserver: tags", 60 << 10, tags, files.cost)
    pipeline = request(b"", b"GET /hello/you HTTP/1.1\r\nHost: a\r\n\r\n",
                       b"GET /hello/you" + HEAD + b"\r\n\r\n")
    with Lesson(build, "http_hello", "127.0.0.1:0") as hello:
        yield measure("http_hello: a pipeline", 128 << 10, pipeline, hello.cost)
    with Lesson(build, "tcp_echo", "127.0.0.1:0") as echo:
        yield measure("tcp_echo: bytes", 128 << 10, request(b"", b"x", b""), echo.cost)
    with Lesson(build, "chat", "127.0.0.1:0") as chat:
        yield measure("chat: lines", 8 << 10, request(b"", b"hello #\n", b""), chat.talk)


def of_programs(build, folder):
    """Figures of the lessons that read files, and end."""
    lists = folder / "sums"

    def check(text):
        lists.write_bytes(text)
        return run_cost(str(build / "examples/treesum"), "-q", "--check", str(lists))

    trees = {}  # number of files -> their folder

    def walk(names):
        count = len(names) // 8
        if count not in trees:
            trees[count] = folder / f"tree-{count}"
            trees[count].mkdir()
            for number in range(count):
                (trees[count] / f"{number:08}").touch()
        return run_cost(str(build / "examples/directory_walk"), str(trees[count]))

    def crawl(page):
        with Page(page) as port:
            return run_cost(str(build / "examples/crawler"), f"http://127.0.0.1:{port}/", "1")

    yield measure("directory_walk: names", 8 << 10, lambda count: b"x" * count, walk)
    yield measure("crawler: links of a page", 120 << 10, lambda count: repeated(
        b"<a href=\"/#\"><a href=\"/a/#\">", count), crawl)
    yield measure("treesum: --check", 32 << 10,
                  lambda count: repeated(b"0" * 64 + b"  absent-#\n", count), check)


def lessons(build):
    with tempfile.TemporaryDirectory(prefix="rota-hostile-") as name, \
            served.Server(build) as backend:
        folder = pathlib.Path(name)
        return [*of_servers(build, backend.plain, folder), *of_programs(build, folder)]
