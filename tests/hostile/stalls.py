"""Clients that hold a connection and do not go on: each kind must be ended by its time limit."""
import selectors
import ssl
import time

import frames
import served
from table import Figure

SLACK = 10        # seconds beyond a limit: what a machine that is busy with a compiler may take
HONEST_MAX = 5    # seconds for the honest client's longest answer
PAUSE = 0.1       # seconds between two drips
STREAMS = 250     # that a connection may have at once

HEAD = b" HTTP/1.1\r\nHost: a\r\n"
REQUEST = b"GET /" + HEAD + b"\r\n"


def client_hello():
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


class Kind:
    """`begin(i)`: the bytes that the i-th client sends at once; `drip(i)`: what follows, again and
    again; `times`: how many limits follow one another."""
    secure, reads, times = False, True, 1

    def __init__(self, name, begin, drip=None, **other):
        self.name, self.begin, self.drip = name, begin, drip
        self.__dict__.update(other)


HELLO = client_hello()
OPEN_HEAD = frames.frame(frames.HEADERS, frames.END_STREAM, 1, frames.GET + frames.ROOT)
BODIES = (b"POST /length" + HEAD + b"Content-Length: 100000\r\n\r\n0123456789",
          b"POST /length" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n10\r\n012")
POSTED = frames.frame(frames.HEADERS, frames.END_HEADERS, 1, frames.POST + frames.path("/length"))
KINDS = (
    Kind("head in drips", lambda i: b"GET /" + HEAD + b"X: ", lambda i: b"x"),
    Kind("body stopped", lambda i: BODIES[i % 2]),
    Kind("answer unread", lambda i: b"GET /endless" + HEAD + b"\r\n", reads=False),
    Kind("no next request", lambda i: REQUEST),
    Kind("HTTP/2: 250 answers, window 0", lambda i: frames.hello(0) + b"".join(
        frames.get(2 * n + 1, frames.path("/large")) for n in range(STREAMS)), times=2),
    Kind("HTTP/2: head begun with a fault", lambda i: frames.hello() + frames.frame(
        frames.HEADERS, frames.END_STREAM, 1, frames.GET + frames.ROOT + frames.FAULTY_FIELD)),
    Kind("HTTP/2: CONTINUATION in drips", lambda i: frames.hello() + OPEN_HEAD + frames.frame(
        frames.CONTINUATION, 0, 1, bytes(16000))[:9], lambda i: b"\x90"),
    Kind("HTTP/2: frame stopped", lambda i: frames.hello() + POSTED + frames.frame(
        frames.DATA, 0, 1, bytes(100))[:50]),
    Kind("TLS: handshake stopped", lambda i: HELLO[:len(HELLO) // 2],
         lambda i: HELLO[:i % 2], secure=True),
)


class Crowd:
    """`count` clients of one kind, and when the server has ended each of them."""

    def __init__(self, server, kind, count):
        self.server, self.kind = server, kind
        self.before = server.descriptors()
        self.began, self.ended = {}, {}  # client -> its moment
        for i in range(count):
            moment = time.monotonic()
            s = server.connect(server.secure if kind.secure else None,
                               receive=None if kind.reads else 4096)
            self.began[s] = moment
            s.sendall(kind.begin(i))
            s.setblocking(False)

    def close(self):
        for s in self.began:
            s.close()

    def drip(self):
        for i, s in enumerate(self.began):
            if s in self.ended:
                continue
            try:
                s.send(self.kind.drip(i))
            except OSError:
                pass  # it has been ended, which the next read says

    def read(self, selector):
        for key, _ in selector.select(PAUSE):
            try:
                more = key.fileobj.recv(1 << 16)
            except ConnectionError:
                more = b""
            if not more:
                selector.unregister(key.fileobj)
                self.ended[key.fileobj] = time.monotonic()

    def look_from_outside(self):
        """Who reads nothing does not see the end: the server has no descriptor for it any more."""
        time.sleep(PAUSE)  # between two looks
        honest = 2         # the honest client's connections: one that ends and one that begins
        if self.server.descriptors() <= self.before + honest:
            self.ended = dict.fromkeys(self.began, time.monotonic())

    def wait(self, patience):
        until = time.monotonic() + patience
        with selectors.DefaultSelector() as selector:
            for s in self.began:
                selector.register(s, selectors.EVENT_READ)
            while len(self.ended) < len(self.began) and time.monotonic() < until:
                if self.kind.reads:
                    self.read(selector)
                else:
                    self.look_from_outside()
                if self.kind.drip:
                    self.drip()

    def times(self):
        return sorted(self.ended[s] - self.began[s] for s in self.ended)


def honest_figure(honest):
    return Figure("    beside it an honest client is answered", f"{HONEST_MAX} s",
                  f"{honest.count} in {honest.longest:.2f} s at most",
                  honest.count > 0 and honest.longest <= HONEST_MAX)


def stall(build, kind, count, limit):
    """One row: clients of this kind, with the honest one beside them. Appends two figures."""
    ms = round(1000 * limit)
    with served.Server(build, header=ms, read=ms, write=ms, idle=ms) as server:
        with served.Honest(server.plain) as honest:
            crowd = Crowd(server, kind, count)
            try:
                crowd.wait(kind.times * limit + SLACK)
            finally:
                crowd.close()
        served.until(lambda: server.descriptors() <= crowd.before, "the clients' descriptors go")
    times = crowd.times()
    most = kind.times * limit + SLACK
    is_ok = len(times) == count and times[0] >= limit and times[-1] <= most
    span = f" in {times[0]:.2f} to {times[-1]:.2f} s" if times else ""
    return [Figure(f"{kind.name}: each of {count} is ended by its limit",
                   f"{limit:g} to {most:g} s", f"{len(times)}{span}", is_ok),
            honest_figure(honest)]
